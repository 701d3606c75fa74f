"""The client for asyncio."""

from __future__ import annotations

import asyncio
import inspect
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx

from . import operations as ops
from .async_live import AsyncLive
from .connection import ClientClosed, StreamConnection
from .conversation import Pause, Report, Send, conversation
from .credentials import Credentials
from .errors import HoldfastError
from .operations import Names
from .request import Call, Lost, Reply
from .results import Account, Page, Session, TransactionResult
from .retry import RetryPolicy
from .stored import Key, StoredObject
from .transport import send_async

T = TypeVar("T")


class AsyncHoldfast:
    """A client of one service for asyncio. Use it on one event loop.

    The arguments are those of `Holdfast`. `on_session_ended` may be a coroutine function. All live
    queries of a client share one connection. Every operation raises `HoldfastError`.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        timeout: float = 60.0,
        retry: RetryPolicy | None = None,
        on_session_ended: Callable[[HoldfastError], Awaitable[None] | None] | None = None,
    ):
        self._base = url.rstrip("/")
        self._credentials = Credentials(token)
        self._policy = retry or RetryPolicy()
        self._on_session_ended = on_session_ended
        self._client = httpx.AsyncClient(timeout=timeout)
        self._timeout = timeout
        self._connection: StreamConnection | None = None
        self._is_closed = False

    @property
    def token(self) -> str | None:
        """The token that requests carry, as `Holdfast.token`."""
        return self._credentials.token

    @token.setter
    def token(self, token: str | None) -> None:
        self._credentials.set(token)

    async def sign_up(
        self, login: str, password: str, own_object: Mapping[str, Any] | None = None
    ) -> Account:
        """Creates an account, as `Holdfast.sign_up`."""
        return await self._send(ops.sign_up(login, password, own_object))

    async def sign_in(self, login: str, password: str) -> Session:
        """Signs in, as `Holdfast.sign_in`."""
        session = await self._send(ops.sign_in(login, password))
        self._credentials.set(session.token, session.user)
        return session

    async def sign_out(self) -> None:
        """Ends the session, as `Holdfast.sign_out`."""
        token = self._credentials.token
        if token is None:
            return
        self._credentials.set(None)
        try:
            await self._send(ops.sign_out(token))
        except HoldfastError as error:
            if error.status != 401:
                raise

    def objects(self, class_name: str) -> AsyncObjects:
        """Returns the objects of a class. Sends nothing."""
        return AsyncObjects(self, class_name)

    async def transaction(
        self,
        operations: Sequence[Mapping[str, Any]],
        *,
        if_version: str | None = None,
        idempotency_key: str | None = None,
    ) -> TransactionResult:
        """Runs operations in one transaction, as `Holdfast.transaction`."""
        return await self._send(ops.transaction(operations, if_version, idempotency_key))

    async def close(self) -> None:
        """Ends the live queries and closes all connections."""
        self._is_closed = True
        if self._connection is not None:
            await self._connection.close()
        await self._client.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def _send(self, call: Call[T]) -> T:
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
                    answer = await send_async(self._client, self._base, request, token)
                case Pause(seconds):
                    await asyncio.sleep(seconds)
                case Report(error):
                    await self._report(error)

    def _follow(self, body: Mapping[str, Any]) -> AsyncLive:
        """Follows a query of a stream on the client's one connection for live queries."""
        if self._is_closed:
            raise ClientClosed
        if self._connection is None:
            self._connection = StreamConnection(
                self._base, self._timeout, self._credentials, self._policy, self._report
            )
            self._credentials.on_change = self._connection.credentials_changed
        return AsyncLive(self._connection, body)

    async def _report(self, error: HoldfastError) -> None:
        if self._on_session_ended is not None:
            called = self._on_session_ended(error)
            if inspect.isawaitable(called):
                await called


class AsyncObjects:
    """The objects of one class. Get it from `AsyncHoldfast.objects`."""

    def __init__(self, client: AsyncHoldfast, class_name: str):
        self._client = client
        self.class_name = class_name

    async def get(
        self, key: Key, *, fields: Names | None = None, expand: Names | None = None
    ) -> StoredObject:
        """Returns one object, as `Objects.get`."""
        return await self._client._send(ops.get(self.class_name, key, fields, expand))

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
    ) -> AsyncQuery:
        """Returns a query, to iterate over, as `Objects.query`."""
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
        return AsyncQuery(self._client, self.class_name, body)

    async def create(
        self,
        value: Mapping[str, Any],
        *,
        mode: str | None = None,
        idempotency_key: str | None = None,
    ) -> StoredObject:
        """Creates an object and returns it, as `Objects.create`."""
        return await self._client._send(ops.create(self.class_name, value, mode, idempotency_key))

    async def replace(
        self,
        key: Key,
        value: Mapping[str, Any],
        *,
        if_match: str | StoredObject | None = None,
        if_none_match: str | None = None,
    ) -> StoredObject:
        """Creates or replaces an object and returns it, as `Objects.replace`."""
        return await self._client._send(
            ops.replace(self.class_name, key, value, if_match, if_none_match)
        )

    async def patch(
        self,
        key: Key,
        changes: Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        if_match: str | StoredObject | None = None,
        upsert: bool = False,
        idempotency_key: str | None = None,
    ) -> StoredObject:
        """Changes an object and returns it, as `Objects.patch`."""
        return await self._client._send(
            ops.patch(self.class_name, key, changes, if_match, upsert, idempotency_key)
        )

    async def delete(self, key: Key, *, if_match: str | StoredObject | None = None) -> None:
        """Deletes an object, as `Objects.delete`."""
        await self._client._send(ops.delete(self.class_name, key, if_match))

    def live(
        self,
        filter: str | None = None,
        *,
        args: Sequence[Any] | None = None,
        sort: Names | None = None,
        limit: int | None = None,
        fields: Names | None = None,
        expand: Names | None = None,
    ) -> AsyncLive:
        """Returns a live query, which begins at once, as `Objects.live`."""
        body = ops.query_body(
            filter=filter, args=args, sort=sort, limit=limit, fields=fields, expand=expand
        )
        return self._client._follow({"class": self.class_name, **body})

    def live_object(
        self, key: Key, *, fields: Names | None = None, expand: Names | None = None
    ) -> AsyncLive:
        """Returns a live query of one object, as `Objects.live_object`."""
        body = ops.query_body(fields=fields, expand=expand)
        return self._client._follow({"class": self.class_name, "id": key, **body})


class AsyncQuery:
    """A query. Iteration returns its objects and fetches page after page.

    Each iteration begins with the first page. An object whose sort values do not change meanwhile
    is returned exactly once.
    """

    def __init__(self, client: AsyncHoldfast, class_name: str, body: Mapping[str, Any]):
        self._client = client
        self._class_name = class_name
        self._body = body

    async def page(self, cursor: str | None = None) -> Page:
        """Returns the first page, or the page at a cursor."""
        return await self._client._send(ops.page(self._class_name, self._body, cursor))

    async def pages(self) -> AsyncIterator[Page]:
        """Returns all pages, each fetched when it is needed."""
        page = await self.page()
        yield page
        while page.next is not None:
            page = await self.page(page.next)
            yield page

    async def __aiter__(self) -> AsyncIterator[StoredObject]:
        async for page in self.pages():
            for value in page.objects:
                yield value
