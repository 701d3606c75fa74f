"""The one connection on which a client follows its live queries (asyncio).

`StreamState` decides which requests to send and keeps the results; this module does the I/O.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from typing import Any, TypeVar

import httpx
from httpx_sse import EventSource

from . import operations
from .credentials import Credentials
from .errors import HoldfastError, reply_error, result_of
from .event import event_of
from .query_state import QueryState
from .request import Call, Lost
from .retry import RetryPolicy, is_temporary, stream_pause
from .stream_state import StreamState, refusals
from .transport import WatchedStream, reply_of, send_async

T = TypeVar("T")

_log = logging.getLogger("holdfast")

_CONNECT_SECONDS = 10.0
_CLOSE_SECONDS = 2.0
_REPORT_SECONDS = 0.05


class ClientClosed(RuntimeError):
    """The client was closed, and its live queries with it."""

    def __init__(self) -> None:
        super().__init__("The client is closed.")


class _Interrupted(Exception):
    """The connection has to be made again, at once or after a pause."""

    def __init__(self, *, is_gone: bool = False, retry_after: float | None = None):
        super().__init__()
        #: Whether the service does not have the stream any more.
        self.is_gone = is_gone
        self.retry_after = retry_after


class _Refused(Exception):
    """The service no longer accepts the token that a request carried."""

    def __init__(self, error: HoldfastError, token: str | None):
        super().__init__()
        self.error, self.token = error, token


class StreamConnection:
    """Follows the live queries of a client on one connection.

    All methods run on one event loop.
    """

    def __init__(
        self,
        base: str,
        timeout: float,
        credentials: Credentials,
        policy: RetryPolicy,
        report: Callable[[HoldfastError], Awaitable[None]],
    ):
        # Each request has a connection of its own: an idle one may be lost without notice.
        self._client = httpx.AsyncClient(
            timeout=timeout, limits=httpx.Limits(max_keepalive_connections=0)
        )
        self._base = base
        self._credentials = credentials
        self._policy = policy
        #: Reports to the program that the token is no longer accepted.
        self._report = report
        self._state = StreamState()
        self._user_changes = credentials.user_changes
        #: The attempts since the last event.
        self._failures = 0
        #: Whether the stream was made again at once since the last event.
        self._was_remade = False
        self._task: asyncio.Task[None] | None = None
        #: The names of the queries whose readers know that the token is not accepted.
        self._refused_names: set[str] = set()
        self._is_closed = False
        #: Set when the queries have changed.
        self._queries_changed = asyncio.Event()
        #: Set when the credentials have changed.
        self._token_changed = asyncio.Event()
        #: Events of the readers by the names of their queries.
        self._readers: dict[str, asyncio.Event] = {}

    # Queries

    def follow(self, body: Mapping[str, Any]) -> tuple[str, QueryState, asyncio.Event]:
        """Adds a query. Returns its name, its state, and the event that its reader waits for.

        Raises `ClientClosed` after `close`.
        """
        if self._is_closed:
            raise ClientClosed
        name = self._state.add(body)
        reader = self._readers[name] = asyncio.Event()
        self._queries_changed.set()
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run(), name="holdfast-live")
        return name, self._state.queries[name].state, reader

    def leave(self, name: str) -> None:
        """Removes a query."""
        self._state.remove(name)
        if reader := self._readers.pop(name, None):
            reader.set()
        self._queries_changed.set()

    def credentials_changed(self) -> None:
        """Begins the connection again with the present credentials.

        If these are another user's, the objects are forgotten at once.
        """
        if self._user_changes != self._credentials.user_changes:
            self._user_changes = self._credentials.user_changes
            self._state.forget()
        self._refused_names.clear()
        self._token_changed.set()

    async def close(self) -> None:
        """Ends all queries and the connection."""
        self._is_closed = True
        for name in list(self._state.queries):
            self.leave(name)
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
            self._task = None
        await self._delete_stream()
        await self._client.aclose()

    def _wake(self, names: Iterable[str]) -> None:
        for name in names:
            if reader := self._readers.get(name):
                reader.set()

    # The course of the connection

    async def _run(self) -> None:
        try:
            await self._follow_queries()
        except Exception as fault:
            # Readers must not wait for ever because of a fault of this client.
            _log.exception("The live queries have stopped.")
            error = HoldfastError(f"The live queries have stopped: {fault!r}", code="client-failed")
            self._reject(dict.fromkeys(self._state.queries, error))
            self._task = None

    async def _follow_queries(self) -> None:
        while True:
            self._token_changed.clear()
            # Cleared first: a query that is added during the waits below sets it again.
            self._queries_changed.clear()
            if not self._state.queries:
                await self._delete_stream()
                await self._queries_changed.wait()
                continue
            try:
                await self._connect()
                if not self._state.queries:
                    continue
                pause = self._pause()
            except _Refused as refused:
                await self._await_credentials(refused)
                continue
            except _Interrupted as interrupted:
                pause = self._pause(interrupted.retry_after)
                if interrupted.is_gone and not self._was_remade:
                    self._was_remade = True
                    continue
            self._failures += 1
            await self._sleep(pause)

    def _pause(self, retry_after: float | None = None) -> float:
        return stream_pause(
            self._failures,
            self._state.retry_seconds,
            retry_after,
            self._policy,
            random.random(),
        )

    async def _sleep(self, seconds: float) -> None:
        """Waits, at most until the credentials change."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._token_changed.wait()

    async def _await_credentials(self, refused: _Refused) -> None:
        """Reports that the token is not accepted, and waits for another one."""
        if self._credentials.is_first_refusal(refused.token):
            try:
                await self._report(refused.error)
            except Exception:
                _log.exception("The program's function for a session's end has failed.")
            finally:
                self._credentials.end_report()
        while self._credentials.is_reporting:
            # A request has reported the same, and the program may be about to sign in.
            await asyncio.sleep(_REPORT_SECONDS)
        if self._credentials.token != refused.token:
            return
        names = self._state.queries.keys() - self._refused_names
        self._state.report(refused.error, names)
        self._refused_names |= names
        self._wake(names)
        # A query that is added meanwhile has to learn of the refusal, too.
        self._queries_changed.clear()
        await _first(self._token_changed.wait(), self._queries_changed.wait())

    async def _connect(self) -> None:
        """Makes the stream if there is none, and follows it until the connection ends."""
        if self._state.stream is None:
            await self._make_stream()
        if self._state.stream is not None:
            try:
                await _first(
                    self._read_events(), self._change_queries(), self._token_changed.wait()
                )
            finally:
                self._state.close()

    async def _make_stream(self) -> None:
        # After each refusal some queries are left out.
        while queries := self._state.make():
            try:
                stream = await self._call(operations.make_stream(queries))
            except HoldfastError as error:
                self._reject(refusals(error, queries))
                continue
            self._state.made(stream, queries)
            return

    async def _read_events(self) -> None:
        """Opens the stream and applies its events until it ends."""
        stream = self._state.stream
        assert stream is not None
        position, is_new = self._state.open()
        follow = operations.follow_stream(stream, position, is_new)
        token = self._credentials.token
        request = self._client.build_request(
            follow.method,
            follow.url(self._base),
            headers=follow.all_headers(token),
            timeout=httpx.Timeout(_CONNECT_SECONDS, read=None),
        )
        try:
            async with asyncio.timeout(self._state.patience_seconds):
                response = await self._client.send(request, stream=True)
            try:
                await self._read_response(response, token)
            finally:
                await response.aclose()
        except (TimeoutError, httpx.TransportError, httpx.StreamError):
            raise _Interrupted() from None

    async def _read_response(self, response: httpx.Response, token: str | None) -> None:
        assert isinstance(response.stream, httpx.AsyncByteStream)
        response.stream = WatchedStream(response.stream, lambda: self._state.patience_seconds)
        if response.status_code != 200:
            await response.aread()
            await self._opening_failed(response, token)
        async for sent in EventSource(response).aiter_sse():
            if self._credentials.token != token:
                # The rest may be another user's.
                return
            self._failures, self._was_remade = 0, False
            was_resuming = self._state.is_resuming
            taken = self._state.take(event_of(sent))
            self._wake(taken.names)
            if was_resuming and not self._state.is_resuming:
                # Queries may have waited for this.
                self._queries_changed.set()
            if taken.error is not None:
                if taken.error.code == "access-ended":
                    raise _Refused(taken.error, token)
                raise _Interrupted()

    async def _opening_failed(self, response: httpx.Response, token: str | None) -> None:
        """Raises the fault of a stream that could not be opened."""
        error = reply_error(reply_of(response))
        if error.status == 401:
            raise _Refused(error, token)
        if error.code == "stream-in-use":
            # The service has not noticed yet that the connection before was lost.
            await self._delete_stream()
            raise _Interrupted(is_gone=True)
        if error.code == "stream-not-found":
            self._state.gone()
            raise _Interrupted(is_gone=True)
        if not is_temporary(error):
            self._reject(dict.fromkeys(self._state.queries, error))
        raise _Interrupted(retry_after=error.retry_after)

    async def _change_queries(self) -> None:
        """Adds and removes queries while the connection is open. Returns when none is left."""
        while self._state.queries:
            self._queries_changed.clear()
            changes = self._state.change()
            if not changes:
                await self._queries_changed.wait()
                continue
            assert self._state.stream is not None
            try:
                await self._call(operations.change_stream(self._state.stream, changes))
            except _Interrupted as interrupted:
                if interrupted.is_gone:
                    raise
                # The connection itself may be well.
                await asyncio.sleep(self._pause(interrupted.retry_after))
            except HoldfastError as error:
                added = [name for name, body in changes.items() if body is not None]
                if not added:
                    raise _Interrupted() from None
                self._reject(refusals(error, added))
            else:
                self._state.changed(changes)

    def _reject(self, errors: dict[str, HoldfastError]) -> None:
        self._state.reject(errors)
        self._wake(errors)
        for name in errors:
            self._readers.pop(name, None)

    async def _call(self, call: Call[T]) -> T:
        """Sends a request about the stream.

        Raises `_Refused`, `_Interrupted` for faults that pass, and `HoldfastError` for others.
        """
        token = self._credentials.token
        outcome = await send_async(self._client, self._base, call.request, token)
        if isinstance(outcome, Lost):
            raise _Interrupted()
        try:
            return result_of(call, outcome)
        except HoldfastError as error:
            if error.status == 401:
                raise _Refused(error, token) from None
            if error.code == "stream-not-found":
                self._state.gone()
                raise _Interrupted(is_gone=True) from None
            if is_temporary(error):
                raise _Interrupted(retry_after=error.retry_after) from None
            raise

    async def _delete_stream(self) -> None:
        """Ends the service's stream, if the service can be reached."""
        stream = self._state.stream
        if stream is None:
            return
        self._state.gone()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_CLOSE_SECONDS):
                await send_async(
                    self._client,
                    self._base,
                    operations.delete_stream(stream).request,
                    self._credentials.token,
                )


async def _first(*coroutines: Coroutine[Any, Any, Any]) -> None:
    """Runs coroutines until the first one ends, and raises its error. Cancels the others."""
    tasks = [asyncio.ensure_future(coroutine) for coroutine in coroutines]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
    errors = [error for task in tasks if not task.cancelled() and (error := task.exception())]
    if errors:
        raise errors[0]
