"""The course of one call: requests, pauses and reports in their order. No I/O.

A client drives the generator: it sends each `Request` and returns its `Reply` or `Lost`, waits for
each `Pause`, and hands each `Report` to the program. Both clients share this course.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TypeVar

from .credentials import Credentials
from .errors import HoldfastError, lost_error, result_of
from .request import Call, Lost, Reply, Request
from .retry import RetryPolicy, request_pause

T = TypeVar("T")


@dataclass(frozen=True)
class Send:
    """Asks the client to send a request with a token."""

    request: Request
    token: str | None


@dataclass(frozen=True)
class Pause:
    """Asks the client to wait."""

    seconds: float


@dataclass(frozen=True)
class Report:
    """Asks the client to report that the service no longer accepts its token."""

    error: HoldfastError


Step = Send | Pause | Report


def conversation(
    call: Call[T], credentials: Credentials, policy: RetryPolicy, chance: Callable[[], float]
) -> Generator[Step, Reply | Lost | None, T]:
    """Returns the result of a call after as many attempts as the policy allows.

    If the program has signed in again since the request was sent, for example during a `Report`, a
    refused request is sent once more.
    Raises `HoldfastError`.
    """
    attempts, is_repeated = 0, False
    while True:
        token = credentials.token if call.request.sends_token else None
        outcome = yield Send(call.request, token)
        assert outcome is not None
        attempts += 1
        pause = request_pause(call.request, outcome, attempts, policy, chance())
        if pause is not None:
            yield Pause(pause)
            continue
        if isinstance(outcome, Lost):
            raise lost_error(outcome)
        try:
            return result_of(call, outcome)
        except HoldfastError as fault:
            error = fault
        if error.status != 401 or token is None or is_repeated:
            raise error
        if credentials.is_first_refusal(token):
            try:
                yield Report(error)
            finally:
                credentials.end_report()
        if credentials.token in (token, None):
            raise error
        is_repeated = True
