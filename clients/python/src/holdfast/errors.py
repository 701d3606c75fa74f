"""Errors of the service and of the connection to it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from .request import Call, Lost, Reply
from .stored import StoredObject

T = TypeVar("T")


UNEXPECTED_REPLY = "unexpected-reply"


@dataclass(frozen=True)
class Fault:
    """One fault of a request."""

    code: str
    detail: str
    #: The position in the body, as a JSON pointer.
    pointer: str | None = None
    parameter: str | None = None
    hint: str | None = None
    line: int | None = None
    column: int | None = None


class HoldfastError(Exception):
    """A request, a query or a connection that failed.

    | attribute | value |
    |---|---|
    | `status` | HTTP status; None without a reply, and for an error in an event stream |
    | `code` | stable code of the service; `connection-failed` without a reply; |
    |  | `unexpected-reply` if the reply is not the service's, but for example a proxy's |
    | `detail` | the fault and the next step, in words |
    | `hint` | the nearest known name, if there is one |
    | `faults` | each fault of the request |
    | `current` | after a failed precondition (412), the object as it is; otherwise None |
    | `retry_after` | seconds after which to try again, if the reply names them |
    """

    def __init__(
        self,
        detail: str,
        *,
        status: int | None = None,
        code: str | None = None,
        faults: tuple[Fault, ...] = (),
        current: StoredObject | None = None,
        retry_after: float | None = None,
    ):
        super().__init__(detail)
        self.detail = detail
        self.status = status
        self.code = code
        self.faults = faults
        self.current = current
        self.retry_after = retry_after

    @property
    def hint(self) -> str | None:
        """The nearest known name, of the first fault that has one."""
        return next((fault.hint for fault in self.faults if fault.hint), None)

    def __str__(self) -> str:
        label = " ".join(str(part) for part in (self.status, self.code) if part is not None)
        return f"{label}: {self.detail}" if label else self.detail


def result_of(call: Call[T], reply: Reply) -> T:
    """Returns the result of a call from its reply.

    Raises `HoldfastError` for a status other than 2xx, and for a reply that is not the service's.
    """
    if not 200 <= reply.status < 300:
        raise reply_error(reply)
    if reply.content and not reply.is_json:
        raise _unexpected(reply)
    try:
        return call.result(reply)
    except (ValueError, LookupError, TypeError, AttributeError) as fault:
        raise _unexpected(reply) from fault


def _unexpected(reply: Reply) -> HoldfastError:
    kind = reply.headers.get("content-type", "no type")
    return HoldfastError(
        f"The reply is not the service's ({kind}): look at the proxy in between.",
        status=reply.status,
        code=UNEXPECTED_REPLY,
        retry_after=retry_after_seconds(reply),
    )


def reply_error(reply: Reply) -> HoldfastError:
    """Returns the error that a reply with a status other than 2xx stands for."""
    problem = _problem(reply)
    if "code" not in problem:
        return _unexpected(reply)
    current = problem.get("current")
    return HoldfastError(
        problem.get("detail", ""),
        status=reply.status,
        code=problem["code"],
        faults=tuple(_fault(fault) for fault in problem.get("errors", ())),
        current=StoredObject(current["object"], current["etag"]) if current else None,
        retry_after=retry_after_seconds(reply),
    )


def lost_error(lost: Lost) -> HoldfastError:
    """Returns the error of a request without a reply."""
    sent = " The service may have carried out the request." if lost.was_sent else ""
    return HoldfastError(f"No reply: {lost.detail}.{sent}", code="connection-failed")


def event_error(data: Mapping[str, Any]) -> HoldfastError:
    """Returns the error that an `error` event reports."""
    return HoldfastError(data.get("detail", "The stream ended."), code=data.get("code"))


def retry_after_seconds(reply: Reply) -> float | None:
    """Returns the seconds of `Retry-After`; None without it, and if it is a date."""
    try:
        return max(0.0, float(reply.headers.get("retry-after", "")))
    except ValueError:
        return None


def _problem(reply: Reply) -> dict[str, Any]:
    if not reply.headers.get("content-type", "").startswith("application/problem+json"):
        return {}
    try:
        problem = json.loads(reply.content)
    except ValueError:
        return {}
    return problem if isinstance(problem, dict) else {}


def _fault(data: Mapping[str, Any]) -> Fault:
    return Fault(
        data.get("code", ""),
        data.get("detail", ""),
        data.get("pointer"),
        data.get("parameter"),
        data.get("hint"),
        data.get("line"),
        data.get("column"),
    )
