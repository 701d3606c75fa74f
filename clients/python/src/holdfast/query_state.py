"""The state of one live query: entries of events in, states out. No I/O."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Literal

from .errors import HoldfastError
from .stored import Key, StoredObject


@dataclass(frozen=True)
class Change:
    """The difference of one object between two states of a live query.

    | `op` | `object` | `before` |
    |---|---|---|
    | `enter` | the object | None |
    | `update` | the object | the object in the former state |
    | `leave` | None | the object in the former state |

    An object that was deleted has left, too.
    """

    op: Literal["enter", "update", "leave"]
    key: Key
    object: StoredObject | None
    before: StoredObject | None


@dataclass(frozen=True)
class LiveState:
    """A complete result of a live query.

    `objects` has the objects by their keys, with `sort` in that order. `changes` is exactly the
    difference from the state that the reader received before: a reader that takes its time
    receives fewer states, each with the changes of several events. Both are the reader's own, apart
    from the objects, which later states share.
    """

    objects: Mapping[Key, StoredObject]
    changes: tuple[Change, ...]


class Stage(Enum):
    """How much of its result a live query has."""

    #: Nothing: it was added and its `reset` has not come, or it ended by an error.
    EMPTY = "empty"
    #: A part of a snapshot.
    FILLING = "filling"
    #: A result, which is complete or has received a part of the next changes.
    KNOWN = "known"


class QueryState:
    """The objects of one live query, between one event and the next.

    The stream's state calls `reset`, `set`, `remove`, `move`, `complete` and `fail` as events
    come; the reader calls `take`. Not thread-safe.
    """

    def __init__(self, *, is_sorted: bool = False):
        self.stage = Stage.EMPTY
        #: Whether the connection is open and the objects are the query's result.
        self.is_current = False
        #: Whether the query follows no events any more.
        self.is_finished = False
        self._is_sorted = is_sorted
        self._objects: dict[Key, StoredObject] = {}
        #: With `sort`, the keys in their order.
        self._order: list[Key] = []
        #: With `sort`, the keys of the event's entries by their indices after the event.
        self._placed: dict[int, Key] = {}
        #: Whether `_objects` is a complete result.
        self._is_whole = False
        #: The keys of objects that may differ from `_taken`, in the order of their changes.
        self._touched: dict[Key, None] = {}
        #: The objects of the state that the reader received last; None before the first one.
        self._taken: dict[Key, StoredObject] | None = None
        self._error: HoldfastError | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the objects are a complete result."""
        return self._is_whole

    # Events

    def disconnect(self) -> None:
        """Notes that the connection has ended."""
        self.is_current = False

    def reset(self) -> None:
        """Forgets all objects; a snapshot follows."""
        self._forget()
        self.stage = Stage.FILLING

    def set(self, key: Key, value: StoredObject, index: int | None = None) -> None:
        """Sets an object, of a sorted query at its index after the event."""
        self._is_whole = self.is_current = False
        self._touched[key] = None
        self._objects[key] = value
        if not self._is_sorted:
            return
        if index is None:
            self._order.append(key)
        else:
            self._placed[index] = key

    def remove(self, key: Key) -> None:
        """Removes an object, which the query may never have had."""
        self._is_whole = self.is_current = False
        if self._objects.pop(key, None) is not None:
            self._touched[key] = None

    def move(self, deletions: Sequence[int], insertions: Sequence[int]) -> None:
        """Orders the objects of a sorted query after an event.

        `deletions` are indices before the event, `insertions` indices after it.
        """
        self._is_whole = self.is_current = False
        for index in reversed(deletions):
            del self._order[index]
        for index in insertions:
            self._order.insert(index, None)
        for index, key in self._placed.items():
            self._order[index] = key
        self._placed.clear()

    def complete(self) -> None:
        """Notes that the objects are the query's result now, if a snapshot has ended."""
        if self.stage is not Stage.EMPTY:
            self.stage = Stage.KNOWN
            self._is_whole = self.is_current = True

    def fail(self, error: HoldfastError) -> None:
        """Forgets all objects, and lets the reader raise an error."""
        self._forget()
        self._taken = None
        self.stage = Stage.EMPTY
        self._error = error

    def forget(self) -> None:
        """Forgets all objects, because they were another user's."""
        self._forget()
        self.stage = Stage.EMPTY

    def report(self, error: HoldfastError) -> None:
        """Lets the reader raise an error, and keeps the objects."""
        self._error = error

    def finish(self, error: HoldfastError | None = None) -> None:
        """Ends the query for good."""
        self.is_finished = True
        self.is_current = False
        if error is not None:
            self._error = error

    def _forget(self) -> None:
        self._touched.update(dict.fromkeys(self._objects))
        self._objects.clear()
        self._order.clear()
        self._placed.clear()
        self._is_whole = self.is_current = False

    # The reader

    def take(self) -> LiveState | None:
        """Returns the result if it is complete and the reader has not received it; otherwise None.

        Raises an error that was reported since. Cost: a copy of the mapping of keys to objects.
        """
        if self._error is not None:
            error, self._error = self._error, None
            # The traceback is the connection's, whose frames the reader must not keep.
            raise error.with_traceback(None)
        if not self._is_whole or (self._taken is not None and not self._touched):
            return None
        before = self._taken or {}
        if self._is_sorted:
            present = {key: self._objects[key] for key in self._order}
            is_moved = list(before) != self._order
        else:
            present, is_moved = self._objects.copy(), False
        changes = difference(before, present, self._touched)
        is_first, self._taken = self._taken is None, present
        self._touched.clear()
        if not (changes or is_first or is_moved):
            return None
        return LiveState(MappingProxyType(present), changes)


def difference(
    before: Mapping[Key, StoredObject],
    after: Mapping[Key, StoredObject],
    touched: Iterable[Key],
) -> tuple[Change, ...]:
    """Returns the changes that lead from one state to another, among some keys."""
    changes = []
    for key in touched:
        old, new = before.get(key), after.get(key)
        if old is None:
            if new is not None:
                changes.append(Change("enter", key, new, None))
        elif new is None:
            changes.append(Change("leave", key, None, old))
        elif old.etag != new.etag or old != new:
            changes.append(Change("update", key, new, old))
    return tuple(changes)
