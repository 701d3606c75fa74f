"""Sending of requests by httpx, and the faults of connections."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx

from .request import Lost, Reply, Request

#: The faults of httpx before a request has reached the service.
_UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError)


def reply_of(response: httpx.Response) -> Reply:
    """Returns a response that was read as a plain value."""
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Reply(response.status_code, headers, response.content)


def lost_of(error: httpx.TransportError) -> Lost:
    """Returns a fault of the connection as a plain value."""
    detail = str(error) or type(error).__name__
    return Lost(detail.rstrip("."), not isinstance(error, _UNSENT))


def _arguments(base: str, request: Request, token: str | None) -> dict[str, Any]:
    """Returns a request as the arguments of httpx."""
    return {
        "method": request.method,
        "url": request.url(base),
        "headers": request.all_headers(token),
        "content": request.body,
    }


def send(client: httpx.Client, base: str, request: Request, token: str | None) -> Reply | Lost:
    """Sends a request and reads its reply."""
    try:
        response = client.request(**_arguments(base, request, token))
    except httpx.TransportError as error:
        return lost_of(error)
    return reply_of(response)


async def send_async(
    client: httpx.AsyncClient, base: str, request: Request, token: str | None
) -> Reply | Lost:
    """Sends a request and reads its reply."""
    try:
        response = await client.request(**_arguments(base, request, token))
    except httpx.TransportError as error:
        return lost_of(error)
    return reply_of(response)


class WatchedStream(httpx.AsyncByteStream):
    """The bytes of a reply, which fail after a silence.

    httpx fixes its own limit before the reply begins, and the stream states its heartbeat within
    the reply.
    """

    def __init__(self, stream: httpx.AsyncByteStream, patience_seconds: Callable[[], float]):
        self._stream = stream
        self._patience_seconds = patience_seconds

    async def __aiter__(self) -> AsyncIterator[bytes]:
        chunks = aiter(self._stream)
        while True:
            try:
                async with asyncio.timeout(self._patience_seconds()):
                    chunk = await anext(chunks)
            except StopAsyncIteration:
                return
            except TimeoutError:
                raise httpx.ReadTimeout("The connection was silent for too long.") from None
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()
