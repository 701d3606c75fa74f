"""Live queries for asyncio."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from types import TracebackType
from typing import Any, Self

from .connection import StreamConnection
from .errors import HoldfastError
from .query_state import LiveState

_log = logging.getLogger("holdfast")


def log_error(error: HoldfastError) -> None:
    """Logs an error of a live query whose subscriber takes no errors."""
    _log.error("A live query reports: %s", error)


def log_failure() -> None:
    """Logs the exception that a subscriber's function has raised."""
    _log.exception("A subscriber of a live query has failed.")


class AsyncLive:
    """A live query: an asynchronous iterator of its states.

    The first state is the query's result. Each further one is the result after a change. A live
    query continues through restarts of the service and lost connections without a word. It has one
    reader: iterate over it, or call `subscribe`.

    Iteration raises `HoldfastError` in three cases:

    | cause | afterwards |
    |---|---|
    | the service refuses the query | the iteration is over |
    | the query has ended, for example because its class was dropped | iterate again to wait until |
    |  | the query is valid again |
    | the service no longer accepts the client's token | iterate again to wait for a sign-in |

    Close it, or use it in `async with`. Use it only on the event loop of its client.
    """

    def __init__(self, connection: StreamConnection, body: Mapping[str, Any]):
        self._connection = connection
        self._name, self._state, self._news = connection.follow(body)
        self._reader: asyncio.Task[None] | None = None

    @property
    def is_current(self) -> bool:
        """Whether the connection is open, and the objects received are the query's result."""
        return self._state.is_current

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> LiveState:
        return await self.next()

    async def next(self, timeout: float | None = None) -> LiveState:
        """Returns the next state.

        `timeout` is in seconds. Raises `HoldfastError`, `TimeoutError`, and `StopAsyncIteration`
        after the live query was closed. A state is not lost if the call is cancelled.
        """
        async with asyncio.timeout(timeout):
            while True:
                self._news.clear()
                if (state := self._state.take()) is not None:
                    return state
                if self._state.is_finished:
                    raise StopAsyncIteration
                await self._news.wait()

    def subscribe(
        self,
        on_state: Callable[[LiveState], Awaitable[None] | None],
        on_error: Callable[[HoldfastError], Awaitable[None] | None] | None = None,
    ) -> Self:
        """Calls a function for each state, in a task of its own, until the live query is closed.

        `on_error` is called for each error that iteration would raise. Without it, errors are
        logged. If a function raises, the exception is logged and the next state follows.
        """
        if self._reader is not None:
            raise RuntimeError("The live query has a subscriber.")
        self._reader = asyncio.get_running_loop().create_task(self._call(on_state, on_error))
        return self

    async def _call(
        self,
        on_state: Callable[[LiveState], Awaitable[None] | None],
        on_error: Callable[[HoldfastError], Awaitable[None] | None] | None,
    ) -> None:
        while True:
            call: Callable[[], Awaitable[None] | None]
            try:
                call = partial(on_state, await self.next())
            except StopAsyncIteration:
                return
            except HoldfastError as error:
                call = partial(on_error or log_error, error)
            try:
                called = call()
                if inspect.isawaitable(called):
                    await called
            except Exception:
                log_failure()

    async def close(self) -> None:
        """Ends the live query."""
        self._connection.leave(self._name)
        reader, self._reader = self._reader, None
        if reader is not None and reader is not asyncio.current_task():
            reader.cancel()
            await asyncio.wait([reader])

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
