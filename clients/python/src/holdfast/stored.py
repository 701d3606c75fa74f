"""Objects as the service shows them, and values as it takes them."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

Key = str | int | None
"""A primary key, or the `$id` of an object whose class has no primary key."""


class StoredObject(dict[str, Any]):
    """An object of the store: a dict of its properties, in the JSON forms of the service.

    `etag` is the version that last changed the object, without quotes. It is None if the reply
    had no ETag: the objects of a query have one only if `fields` asks for `$version`.

    States of a live query share their objects, so do not change them.
    """

    __slots__ = ("etag",)

    etag: str | None

    def __init__(self, properties: Mapping[str, Any] | None = None, etag: str | None = None):
        super().__init__(properties or {})
        version = self.get("$version")
        self.etag = etag or (version if isinstance(version, str) else None)


def etag_text(etag: str | StoredObject) -> str:
    """Returns an ETag without quotes, or `*`.

    Raises `ValueError` for an object without an ETag.
    """
    if isinstance(etag, StoredObject):
        if etag.etag is None:
            raise ValueError("The object has no ETag: read it with get(), or ask for '$version'.")
        return etag.etag
    return etag.removeprefix("W/").strip('"')


def etag_header(etag: str | StoredObject) -> str:
    """Returns the value of `If-Match` or `If-None-Match`."""
    text = etag_text(etag)
    return text if text == "*" else f'"{text}"'


def json_bytes(value: Any) -> bytes:
    """Returns a value as JSON text.

    Besides the types of `json`, it takes `datetime` (with a time zone), `UUID`, `Decimal` and
    `bytes`. Raises `TypeError` for other types, and `ValueError` for NaN and infinity, which the
    service takes as the strings "NaN", "Infinity" and "-Infinity".
    """
    return json.dumps(
        value, default=_plain, ensure_ascii=False, allow_nan=False, separators=(",", ":")
    ).encode()


def _plain(value: Any) -> str:
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise TypeError("A datetime needs a time zone, such as datetime.now(timezone.utc).")
        return value.isoformat()
    if isinstance(value, UUID | Decimal):
        return str(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    raise TypeError(f"{type(value).__name__} has no form in JSON.")
