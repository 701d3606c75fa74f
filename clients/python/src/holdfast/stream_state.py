"""The state of a stream of several live queries: events in, requests and states out. No I/O.

The rule for clients of change streams, for each query by itself:

| received | to do |
|---|---|
| `reset` | forget the objects; a snapshot follows |
| `snapshot`, `enter`, `update` | set the object |
| `leave`, `delete` | remove the object |
| `upToDate` | the query has its result |
| a `change` with `last` | its queries have their results |
| an `id` that is a version | all queries have their results; resume from it |
| the `id` `start` | resume with a snapshot |
| `error` with a query | forget the objects until the next `reset` |
| `error` without a query | the stream ends |
| 404 | make the stream again, and resume from the last id |

Each query has a name of its own, which is never used again. So events of a query that was removed
are recognised by their name, and generations need no attention.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .errors import Fault, HoldfastError, event_error
from .event import Event
from .query_state import QueryState, Stage
from .stored import StoredObject

START = "start"
#: The seconds between heartbeats, until a `hello` states them.
HEARTBEAT_SECONDS = 15.0
#: The silent heartbeats after which a connection is lost.
SILENT_HEARTBEATS = 3


@dataclass(frozen=True)
class LiveQuery:
    """A query of the stream: its members, as the service takes them, and its state."""

    body: Mapping[str, Any]
    state: QueryState


@dataclass(frozen=True)
class Taken:
    """The outcome of an event."""

    #: The names of the queries whose readers have something to receive.
    names: frozenset[str] = frozenset()
    #: The error that ends the stream.
    error: HoldfastError | None = None


class StreamState:
    """The queries that a client follows, and the progress of their stream. Not thread-safe."""

    def __init__(self) -> None:
        #: The followed queries by their names.
        self.queries: dict[str, LiveQuery] = {}
        #: The id of the service's stream; None while there is none.
        self.stream: str | None = None
        #: The last id, from which the stream resumes.
        self.position = START
        #: The seconds after which to come back when the connection breaks, as the stream says.
        self.retry_seconds: float | None = None
        self.heartbeat_seconds = HEARTBEAT_SECONDS
        self._name_count = 0
        #: The names of the queries that the service's stream has.
        self._given: set[str] = set()
        #: Whether the service's stream has had no connection yet.
        self._is_new = True
        #: Whether additions wait until the other queries have their results.
        self.is_resuming = False
        #: The last id of this connection.
        self._connection_id = ""

    # Queries

    def add(self, body: Mapping[str, Any]) -> str:
        """Adds a query, and returns its name."""
        self._name_count += 1
        name = f"q{self._name_count}"
        self.queries[name] = LiveQuery(body, QueryState(is_sorted="sort" in body))
        return name

    def remove(self, name: str) -> None:
        """Removes a query. Its later events are ignored."""
        if query := self.queries.pop(name, None):
            query.state.finish()

    def reject(self, errors: Mapping[str, HoldfastError]) -> None:
        """Removes queries that the service has refused, and lets their readers raise the errors."""
        for name, error in errors.items():
            if query := self.queries.pop(name, None):
                query.state.finish(error)

    def report(self, error: HoldfastError, names: Iterable[str]) -> None:
        """Lets the readers of some queries raise an error."""
        for name in names:
            self.queries[name].state.report(error)

    def forget(self) -> None:
        """Begins anew for another user."""
        for query in self.queries.values():
            query.state.forget()
        self.stream, self.position = None, START

    # The service's stream

    def make(self) -> dict[str, Mapping[str, Any]]:
        """Returns the queries to make the stream with.

        A stream that resumes is made with the queries whose results are known up to the last id;
        the others are added when these are up to date.
        """
        known = {
            name: query.body
            for name, query in self.queries.items()
            if query.state.stage is Stage.KNOWN
        }
        if self.position == START or not known:
            self.position = START
            return {name: query.body for name, query in self.queries.items()}
        return known

    def made(self, stream: str, names: Iterable[str]) -> None:
        """Notes that the service has made a stream with some queries."""
        self.stream, self._given, self._is_new = stream, set(names), True

    def gone(self) -> None:
        """Notes that the service does not have the stream any more."""
        self.stream = None

    def open(self) -> tuple[str, bool]:
        """Begins a connection. Returns the last id, and whether the stream was made since."""
        is_new, self._is_new = self._is_new, False
        self.is_resuming = self.position != START
        self._connection_id = ""
        return self.position, is_new

    def close(self) -> None:
        """Ends a connection."""
        for query in self.queries.values():
            query.state.disconnect()

    def change(self) -> dict[str, Mapping[str, Any] | None]:
        """Returns the queries to add to the stream, and None for the queries to remove."""
        changes: dict[str, Mapping[str, Any] | None] = {
            name: None for name in self._given if name not in self.queries
        }
        if self.is_resuming and not self._given.isdisjoint(self.queries):
            return changes
        for name, query in self.queries.items():
            if name not in self._given:
                changes[name] = query.body
        return changes

    def changed(self, changes: Mapping[str, Mapping[str, Any] | None]) -> None:
        """Notes that the service has changed the stream."""
        for name, body in changes.items():
            if body is None:
                self._given.discard(name)
            else:
                self._given.add(name)

    @property
    def patience_seconds(self) -> float:
        """The seconds without a byte after which the connection is lost."""
        return SILENT_HEARTBEATS * self.heartbeat_seconds

    # Events

    def take(self, event: Event) -> Taken:
        """Applies an event."""
        names: set[str] = set()
        error = None
        if event.retry_seconds is not None:
            self.retry_seconds = event.retry_seconds
        if event.data is not None:
            error = self._apply(event.name, event.data, names)
        if event.id not in ("", self._connection_id):
            self._connection_id = self.position = event.id
            if event.id != START:
                self.is_resuming = False
                names |= self._complete_known()
        return Taken(frozenset(names), error)

    def _apply(self, name: str, data: Mapping[str, Any], names: set[str]) -> HoldfastError | None:
        """Applies an event's data. Adds the queries that have something to receive to `names`."""
        query = self.queries.get(data.get("query", ""))
        match name:
            case "hello":
                self.heartbeat_seconds = float(data["heartbeat"])
            case "reset":
                if query:
                    query.state.reset()
            case "snapshot":
                self._set_all(data["objects"])
            case "change":
                concerned = self._set_all(data["changes"])
                if data.get("last"):
                    names |= self._complete(concerned)
            case "upToDate":
                if query:
                    names |= self._complete([data["query"]])
            case "error":
                if "query" not in data:
                    return event_error(data)
                if query:
                    query.state.fail(event_error(data))
                    names.add(data["query"])
        return None

    def _set_all(self, entries: Iterable[Mapping[str, Any]]) -> set[str]:
        """Applies entries in their order. Returns the names of their queries."""
        names = set()
        for entry in entries:
            query = self.queries.get(entry["query"])
            # Entries before the first `reset` are not the present query's.
            if query is None or query.state.stage is Stage.EMPTY:
                continue
            names.add(entry["query"])
            match entry.get("op"):
                case "leave" | "delete":
                    query.state.remove(entry["id"])
                case "indices":
                    query.state.move(entry["deletions"], entry["insertions"])
                case _:
                    value = StoredObject(entry["object"], entry["etag"])
                    query.state.set(entry["id"], value, entry.get("index"))
        return names

    def _complete(self, names: Iterable[str]) -> set[str]:
        found = {name for name in names if name in self.queries}
        for name in found:
            self.queries[name].state.complete()
        return found

    def _complete_known(self) -> set[str]:
        return self._complete(
            name
            for name in self._given
            if (query := self.queries.get(name)) and query.state.stage is Stage.KNOWN
        )


def refusals(error: HoldfastError, names: Iterable[str]) -> dict[str, HoldfastError]:
    """Returns the queries that made the service refuse a request, each with its own error.

    The faults name the queries. If the stream has too many, it is the one that came last. If no
    fault names a query, the error is for all of them.
    """
    asked = list(names)
    if error.code == "too-many-queries":
        return dict.fromkeys(asked[-1:], error)
    faults: dict[str, list[Fault]] = {}
    for fault in error.faults:
        segments = (fault.pointer or "").split("/")
        if segments[:2] == ["", "queries"] and len(segments) > 2 and segments[2] in asked:
            faults.setdefault(segments[2], []).append(fault)
    return {
        name: HoldfastError(own[0].detail, status=error.status, code=own[0].code, faults=tuple(own))
        for name, own in faults.items()
    } or dict.fromkeys(asked, error)
