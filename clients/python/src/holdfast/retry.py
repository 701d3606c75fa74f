"""When a request or a connection is tried again. Pure functions: chance and time are arguments."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import UNEXPECTED_REPLY, HoldfastError, reply_error, retry_after_seconds
from .request import Lost, Reply, Request

#: Failures that another attempt would only repeat, or that a person has to know of at once.
_FINAL_CODES = frozenset(
    {
        "query-memory-exceeded",
        "query-too-slow",
        "too-many-idempotency-keys",
        "too-many-tries",
        "write-too-slow",
    }
)


@dataclass(frozen=True)
class RetryPolicy:
    """How often and after which pauses the client tries again.

    `attempts` limits the attempts of one request. A live query tries again until it is closed.
    """

    #: The attempts of one request, with the first one.
    attempts: int = 4
    #: The pause after the first failure, in seconds. It doubles with each further failure.
    first_pause: float = 0.5
    #: The longest pause, in seconds. A request whose reply asks for a longer one fails at once.
    longest_pause: float = 30.0


def backoff(failures: int, policy: RetryPolicy, chance: float) -> float:
    """Returns the pause after a number of failures, in seconds.

    The pause is between a half and the whole of the doubled first pause, so that clients do not
    come back all at once. `failures` begins at 1; `chance` is from 0 to 1.
    """
    whole = policy.first_pause * 2.0 ** min(failures - 1, 60)
    return min(whole, policy.longest_pause) * (0.5 + 0.5 * chance)


def request_pause(
    request: Request, outcome: Reply | Lost, attempts: int, policy: RetryPolicy, chance: float
) -> float | None:
    """Returns the pause before another attempt, in seconds; None if there is none.

    | outcome | another attempt |
    |---|---|
    | not sent | yes |
    | sent, no reply; 502, 504 | if the request may be repeated |
    | 429, 503 | yes, because the service has changed nothing |
    | other replies | no |

    `attempts` is the number of attempts so far.
    """
    if attempts >= policy.attempts:
        return None
    pause = backoff(attempts, policy, chance)
    if isinstance(outcome, Lost):
        return pause if request.is_repeatable or not outcome.was_sent else None
    if outcome.status in (502, 504):
        return pause if request.is_repeatable else None
    if outcome.status not in (429, 503) or reply_error(outcome).code in _FINAL_CODES:
        return None
    wanted = retry_after_seconds(outcome) or 0.0
    return None if wanted > policy.longest_pause else max(wanted, pause)


def stream_pause(
    failures: int,
    retry_seconds: float | None,
    retry_after: float | None,
    policy: RetryPolicy,
    chance: float,
) -> float:
    """Returns the pause before a stream is opened again, in seconds.

    `failures` is the number of attempts without an event since the last event; 0 after a
    connection that had events. `retry_seconds` is the stream's own `retry`, and `retry_after` the
    reply's `Retry-After`. The policy's longest pause bounds all of them.
    """
    if failures == 0 and retry_seconds is not None:
        pause = retry_seconds
    else:
        pause = backoff(max(1, failures), policy, chance)
    return min(max(pause, retry_after or 0.0), policy.longest_pause)


def is_temporary(error: HoldfastError) -> bool:
    """Whether a stream's request that failed with this error is sent again."""
    status = error.status or 0
    return error.code == UNEXPECTED_REPLY or status in (408, 425, 429) or status >= 500
