"""Events of a stream as plain values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from httpx_sse import ServerSentEvent


@dataclass(frozen=True)
class Event:
    """An event of a stream.

    `id` is the last id that the connection has sent, with this event or before it; empty if it has
    sent none. `data` is None for a heartbeat.
    """

    name: str
    data: Mapping[str, Any] | None
    id: str = ""
    #: The seconds after which to come back when the connection breaks, if the event states them.
    retry_seconds: float | None = None


def event_of(sent: ServerSentEvent) -> Event:
    """Returns the event that was sent."""
    return Event(
        sent.event,
        json.loads(sent.data) if sent.data else None,
        sent.id,
        None if sent.retry is None else sent.retry / 1000,
    )
