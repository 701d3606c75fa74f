"""Results of requests."""

from __future__ import annotations

from dataclasses import dataclass

from .stored import Key, StoredObject


@dataclass(frozen=True)
class Account:
    """An account that was created."""

    #: The account's id, which is the user's id in rules.
    id: str
    login: str
    #: The time of its creation, in RFC 3339.
    created: str


@dataclass(frozen=True)
class Session:
    """The sign-in of an account."""

    token: str
    #: The account's id, which is the user's id in rules.
    user: str
    #: The time when the session ends if it is not used, in RFC 3339.
    expires: str


@dataclass(frozen=True)
class Page:
    """A page of a query's result."""

    objects: tuple[StoredObject, ...]
    #: The cursor of the next page; None on the last page.
    next: str | None = None
    #: The number of all matching objects, if the query asked for it.
    count: int | None = None


@dataclass(frozen=True)
class OperationResult:
    """The outcome of one operation of a transaction."""

    class_name: str
    key: Key
    #: The object at the end of the transaction; None if it was deleted or is not shown.
    object: StoredObject | None
    #: The object's ETag without quotes; None if the object was deleted.
    etag: str | None


@dataclass(frozen=True)
class TransactionResult:
    """The outcome of a transaction."""

    #: The version of the store that the transaction made.
    version: str
    #: One result for each operation, in their order. Empty when a user repeats a request with its
    #: idempotency key.
    results: tuple[OperationResult, ...]
