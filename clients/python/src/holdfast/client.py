"""The client for programs without an event loop."""

from __future__ import annotations

import asyncio
import contextlib
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx

from . import operations as ops
from .connection import ClientClosed, StreamConnection
from .conversation import Pause, Report, Send, conversation
from .credentials import Credentials
from .errors import HoldfastError
from .live import Live, LoopThread
from .operations import Names
from .request import Call, Lost, Reply
from .results import Account, Page, Session, TransactionResult
from .retry import RetryPolicy
from .stored import Key, StoredObject
from .transport import send

T = TypeVar("T")


@dataclass(frozen=True)
class _LiveParts:
    """The thread of a client's live queries, and the connection that runs on it."""

    loop: LoopThread
    connection: StreamConnection

    def credentials_changed(self) -> None:
        """Lets the connection begin again, and waits until it knows."""

        async def tell() -> None:
            self.connection.credentials_changed()

        with contextlib.suppress(ClientClosed):
            self.loop.call(tell())


class Holdfast:
    """A client of one service. Thread-safe: threads may share it.

    | argument | value |
    |---|---|
    | `url` | the service's address, without `/v1` |
    | `token` | a token of the store, a session or a JSON Web Token; None without one |
    | `timeout` | seconds that a request waits for the service |
    | `retry` | how often and after which pauses a request or a stream is tried again |
    | `on_session_ended` | a function that is called once when the service no longer accepts the |
    |  | client's token; it may sign in again |

    Requests block the calling thread. The first live query starts a thread, which `close` ends.
    Every operation raises `HoldfastError`.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        timeout: float = 60.0,
        retry: RetryPolicy | None = None,
        on_session_ended: Callable[[HoldfastError], None] | None = None,
    ):
        self._base = url.rstrip("/")
        self._credentials = Credentials(token)
        self._timeout = timeout
        self._policy = retry or RetryPolicy()
        self._on_session_ended = on_session_ended
        self._client = httpx.Client(timeout=timeout)
        self._lock = threading.Lock()
        self._live: _LiveParts | None = None
        self._is_closed = False

    @property
    def token(self) -> str | None:
        """The token that requests carry; None without one.

        Set it after a JSON Web Token was renewed. Live queries continue with the new token.
        """
        return self._credentials.token

    @token.setter
    def token(self, token: str | None) -> None:
        self._credentials.set(token)

    def sign_up(
        self, login: str, password: str, own_object: Mapping[str, Any] | None = None
    ) -> Account:
        """Creates an account. It does not sign in.

        The service allows it if the access document says `signUp`, or to an admin's token.
        `own_object` has the values of the user's own object, without its key. Account and object
        are one transaction.
        """
        return self._send(ops.sign_up(login, password, own_object))

    def sign_in(self, login: str, password: str) -> Session:
        """Signs in. Further requests carry the session's token.

        Live queries continue: without a gap for the same user, and anew for another one.
        """
        session = self._send(ops.sign_in(login, password))
        self._credentials.set(session.token, session.user)
        return session

    def sign_out(self) -> None:
        """Ends the session. Further requests carry no token, even if this one fails.

        A session that has ended already is no error.
        """
        token = self._credentials.token
        if token is None:
            return
        self._credentials.set(None)
        try:
            self._send(ops.sign_out(token))
        except HoldfastError as error:
            if error.status != 401:
                raise

    def objects(self, class_name: str) -> Objects:
        """Returns the objects of a class. Sends nothing."""
        return Objects(self, class_name)

    def transaction(
        self,
        operations: Sequence[Mapping[str, Any]],
        *,
        if_version: str | None = None,
        idempotency_key: str | None = None,
    ) -> TransactionResult:
        """Runs operations in one transaction: all of them or none.

        An operation is a mapping as `docs/transactions.md` describes it, for example
        `{"op": "patch", "class": "Task", "id": 1, "ifMatch": task, "value": {"done": True}}`.
        `ifMatch` takes an ETag, with or without quotes, or an object. With `if_version` the
        transaction is refused (412) after any commit since that version.
        """
        return self._send(ops.transaction(operations, if_version, idempotency_key))

    def close(self) -> None:
        """Ends the live queries and closes all connections."""
        with self._lock:
            self._is_closed = True
            live, self._live = self._live, None
        if live is not None:
            live.loop.call(live.connection.close())
            live.loop.stop()
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _send(self, call: Call[T]) -> T:
        """Carries out a call, with further attempts as the policy allows."""
        course = conversation(call, self._credentials, self._policy, random.random)
        answer: Reply | Lost | None = None
        while True:
            try:
                step = course.send(answer)
            except StopIteration as end:
                result: T = end.value
                return result
            answer = None
            match step:
                case Send(request, token):
                    answer = send(self._client, self._base, request, token)
                case Pause(seconds):
                    time.sleep(seconds)
                case Report(error):
                    if self._on_session_ended is not None:
                        self._on_session_ended(error)

    def _follow(self, body: Mapping[str, Any]) -> Live:
        """Follows a query of a stream on the client's one connection for live queries."""
        with self._lock:
            if self._is_closed:
                raise ClientClosed
            if self._live is None:
                connection = StreamConnection(
                    self._base, self._timeout, self._credentials, self._policy, self._report
                )
                self._live = _LiveParts(LoopThread(), connection)
                self._credentials.on_change = self._live.credentials_changed
            live = self._live
        return Live(live.loop, live.connection, body)

    async def _report(self, error: HoldfastError) -> None:
        if self._on_session_ended is not None:
            # The function may block, for example to sign in.
            await asyncio.to_thread(self._on_session_ended, error)


class Objects:
    """The objects of one class. Get it from `Holdfast.objects`. Thread-safe."""

    def __init__(self, client: Holdfast, class_name: str):
        self._client = client
        self.class_name = class_name

    def get(
        self, key: Key, *, fields: Names | None = None, expand: Names | None = None
    ) -> StoredObject:
        """Returns one object. A missing or hidden object is 404 `object-not-found`.

        `key` is the primary key, or the `$id` of an object whose class has no primary key.
        """
        return self._client._send(ops.get(self.class_name, key, fields, expand))

    def query(
        self,
        filter: str | None = None,
        *,
        args: Sequence[Any] | None = None,
        sort: Names | None = None,
        distinct: Names | None = None,
        limit: int | None = None,
        fields: Names | None = None,
        expand: Names | None = None,
        count: bool = False,
    ) -> Query:
        """Returns a query, to iterate over. Sends nothing before that.

        | argument | value |
        |---|---|
        | `filter` | the condition, as `docs/query-language.md` describes it; None for all objects |
        | `args` | the values of `$0`, `$1`, … in the filter |
        | `sort`, `distinct` | paths; in `sort` with `-` before a path for descending |
        | `limit` | the size of a page, 100 by default, at most 1,000 |
        | `fields`, `expand` | the shown properties, and the links whose objects are shown |
        | `count` | whether pages have the number of all matching objects |
        """
        body = ops.query_body(
            filter=filter,
            args=args,
            sort=sort,
            distinct=distinct,
            limit=limit,
            fields=fields,
            expand=expand,
            count=count,
        )
        return Query(self._client, self.class_name, body)

    def create(
        self,
        value: Mapping[str, Any],
        *,
        mode: str | None = None,
        idempotency_key: str | None = None,
    ) -> StoredObject:
        """Creates an object and returns it. An existing key is 409 `duplicate-key`.

        With `mode` an existing object is merged with the value (`merge`), replaced by it
        (`replace`), or kept (`ignore`). The returned object is empty, without an ETag, if the user
        may not read it.
        """
        return self._client._send(ops.create(self.class_name, value, mode, idempotency_key))

    def replace(
        self,
        key: Key,
        value: Mapping[str, Any],
        *,
        if_match: str | StoredObject | None = None,
        if_none_match: str | None = None,
    ) -> StoredObject:
        """Creates or replaces an object and returns it. Missing properties get their defaults.

        `if_match` is an ETag, or the object as it was read: if the stored object has changed since,
        the error is 412 `precondition-failed`, and its `current` is the stored object.
        `if_none_match="*"` only creates.
        """
        return self._client._send(ops.replace(self.class_name, key, value, if_match, if_none_match))

    def patch(
        self,
        key: Key,
        changes: Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        if_match: str | StoredObject | None = None,
        upsert: bool = False,
        idempotency_key: str | None = None,
    ) -> StoredObject:
        """Changes an object and returns it.

        `changes` is a mapping of properties (a merge patch, where None clears a property) or a
        sequence of operations (a JSON patch). `if_match` is as in `replace`. With `upsert` a
        missing object is created.
        """
        return self._client._send(
            ops.patch(self.class_name, key, changes, if_match, upsert, idempotency_key)
        )

    def delete(self, key: Key, *, if_match: str | StoredObject | None = None) -> None:
        """Deletes an object. `if_match` is as in `replace`.

        If the reply to a first attempt was lost, 404 says that the object is not there any more.
        """
        self._client._send(ops.delete(self.class_name, key, if_match))

    def live(
        self,
        filter: str | None = None,
        *,
        args: Sequence[Any] | None = None,
        sort: Names | None = None,
        limit: int | None = None,
        fields: Names | None = None,
        expand: Names | None = None,
    ) -> Live:
        """Returns a live query, which begins at once.

        The arguments are those of `query`. With `sort` the states have the first `limit` objects in
        that order (100 by default, at most 1,000). `limit` needs `sort`. A filter must not have
        SORT, DISTINCT or LIMIT.
        """
        body = ops.query_body(
            filter=filter, args=args, sort=sort, limit=limit, fields=fields, expand=expand
        )
        return self._client._follow({"class": self.class_name, **body})

    def live_object(
        self, key: Key, *, fields: Names | None = None, expand: Names | None = None
    ) -> Live:
        """Returns a live query of one object, which need not exist yet."""
        body = ops.query_body(fields=fields, expand=expand)
        return self._client._follow({"class": self.class_name, "id": key, **body})


class Query:
    """A query. Iteration returns its objects and fetches page after page.

    Each iteration begins with the first page. An object whose sort values do not change meanwhile
    is returned exactly once.
    """

    def __init__(self, client: Holdfast, class_name: str, body: Mapping[str, Any]):
        self._client = client
        self._class_name = class_name
        self._body = body

    def page(self, cursor: str | None = None) -> Page:
        """Returns the first page, or the page at a cursor."""
        return self._client._send(ops.page(self._class_name, self._body, cursor))

    def pages(self) -> Iterator[Page]:
        """Returns all pages, each fetched when it is needed."""
        page = self.page()
        yield page
        while page.next is not None:
            page = self.page(page.next)
            yield page

    def __iter__(self) -> Iterator[StoredObject]:
        for page in self.pages():
            yield from page.objects
