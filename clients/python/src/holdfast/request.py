"""Requests and replies as plain values."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from urllib.parse import urlencode

T = TypeVar("T")


@dataclass(frozen=True)
class Request:
    """A request to the service."""

    method: str
    #: The percent-encoded path, from `/v1` on.
    path: str
    parameters: tuple[tuple[str, str], ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    #: Whether the request carries the client's token.
    sends_token: bool = True
    #: Whether the request may be sent again after its reply was lost.
    is_repeatable: bool = False

    def url(self, base: str) -> str:
        """Returns the URL of the request at a service's address."""
        query = f"?{urlencode(self.parameters)}" if self.parameters else ""
        return f"{base}{self.path}{query}"

    def all_headers(self, token: str | None) -> dict[str, str]:
        """Returns the headers of the request, with the token if the request carries one."""
        headers = dict(self.headers)
        if token is not None and self.sends_token:
            headers["Authorization"] = f"Bearer {token}"
        return headers


@dataclass(frozen=True)
class Reply:
    """A whole reply."""

    status: int
    #: The headers by their names in small letters.
    headers: Mapping[str, str]
    content: bytes

    @property
    def is_json(self) -> bool:
        """Whether the content is JSON, as its type says."""
        kind = self.headers.get("content-type", "").partition(";")[0].strip()
        return kind == "application/json" or (
            kind.startswith("application/") and kind.endswith("+json")
        )

    @property
    def json(self) -> Any:
        """The content as JSON; None if there is no content."""
        return json.loads(self.content) if self.content else None


@dataclass(frozen=True)
class Lost:
    """A request without a reply."""

    detail: str
    #: Whether the service may have received the request.
    was_sent: bool


@dataclass(frozen=True)
class Call(Generic[T]):
    """A request, and the function that reads the result from a successful reply."""

    request: Request
    result: Callable[[Reply], T]
