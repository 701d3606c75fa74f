"""The operations of the service: each builds a call from its arguments. No I/O."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from .request import Call, Reply, Request
from .results import Account, OperationResult, Page, Session, TransactionResult
from .stored import Key, StoredObject, etag_header, etag_text, json_bytes

Names = str | Sequence[str]
"""Names or paths: a string with commas between them, or a sequence of strings."""

_JSON = {"Content-Type": "application/json"}


def _segment(text: str) -> str:
    return quote(text, safe="")


def _names(names: Names | None) -> str | None:
    return names if names is None or isinstance(names, str) else ",".join(names)


def _parameters(**named: str | None) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for name, value in named.items() if value is not None)


def objects_path(class_name: str) -> str:
    """Returns the path of a class's objects."""
    return f"/v1/classes/{_segment(class_name)}/objects"


def _object(class_name: str, key: Key) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Returns the path of an object and its parameters.

    Keys that no path can carry are a parameter in JSON.
    """
    if key in (None, "", ".", "..") or (isinstance(key, str) and "/" in key):
        text = json.dumps(key, ensure_ascii=False)
        return f"/v1/classes/{_segment(class_name)}/object", (("key", text),)
    return f"{objects_path(class_name)}/{_segment(str(key))}", ()


def _conditions(
    if_match: str | StoredObject | None, if_none_match: str | StoredObject | None = None
) -> dict[str, str]:
    headers = {}
    if if_match is not None:
        headers["If-Match"] = etag_header(if_match)
    if if_none_match is not None:
        headers["If-None-Match"] = etag_header(if_none_match)
    return headers


def _idempotency(key: str | None) -> dict[str, str]:
    return {} if key is None else {"Idempotency-Key": key}


def _stored(reply: Reply) -> StoredObject:
    etag = reply.headers.get("etag")
    return StoredObject(reply.json, etag_text(etag) if etag else None)


def _nothing(reply: Reply) -> None:
    return None


# Objects


def get(
    class_name: str, key: Key, fields: Names | None, expand: Names | None
) -> Call[StoredObject]:
    """Reads one object."""
    path, parameters = _object(class_name, key)
    parameters += _parameters(fields=_names(fields), expand=_names(expand))
    return Call(Request("GET", path, parameters, is_repeatable=True), _stored)


def create(
    class_name: str, value: Mapping[str, Any], mode: str | None, idempotency_key: str | None
) -> Call[StoredObject]:
    """Creates an object."""
    return Call(
        Request(
            "POST",
            objects_path(class_name),
            _parameters(mode=mode),
            {**_JSON, **_idempotency(idempotency_key)},
            json_bytes(value),
            is_repeatable=idempotency_key is not None,
        ),
        _stored,
    )


def replace(
    class_name: str,
    key: Key,
    value: Mapping[str, Any],
    if_match: str | StoredObject | None,
    if_none_match: str | None,
) -> Call[StoredObject]:
    """Creates or replaces an object."""
    path, parameters = _object(class_name, key)
    conditions = _conditions(if_match, if_none_match)
    return Call(
        Request(
            "PUT",
            path,
            parameters,
            {**_JSON, **conditions},
            json_bytes(value),
            # After the first attempt, the condition would not be met.
            is_repeatable=not conditions,
        ),
        _stored,
    )


def patch(
    class_name: str,
    key: Key,
    changes: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    if_match: str | StoredObject | None,
    upsert: bool,
    idempotency_key: str | None,
) -> Call[StoredObject]:
    """Changes an object: by a merge patch (a mapping) or a JSON patch (a sequence)."""
    path, parameters = _object(class_name, key)
    kind = "merge-patch" if isinstance(changes, Mapping) else "json-patch"
    return Call(
        Request(
            "PATCH",
            path,
            parameters + _parameters(upsert="true" if upsert else None),
            {
                "Content-Type": f"application/{kind}+json",
                **_conditions(if_match),
                **_idempotency(idempotency_key),
            },
            json_bytes(changes),
            is_repeatable=idempotency_key is not None,
        ),
        _stored,
    )


def delete(class_name: str, key: Key, if_match: str | StoredObject | None) -> Call[None]:
    """Deletes an object."""
    path, parameters = _object(class_name, key)
    return Call(
        Request("DELETE", path, parameters, _conditions(if_match), is_repeatable=if_match is None),
        _nothing,
    )


# Queries


def query_body(
    *,
    filter: str | None = None,
    args: Sequence[Any] | None = None,
    sort: Names | None = None,
    distinct: Names | None = None,
    limit: int | None = None,
    fields: Names | None = None,
    expand: Names | None = None,
    count: bool = False,
) -> dict[str, Any]:
    """Returns the members that a query states."""
    members: dict[str, Any] = {
        "filter": filter,
        "args": None if args is None else list(args),
        "sort": _names(sort),
        "distinct": _names(distinct),
        "limit": limit,
        "fields": _names(fields),
        "expand": _names(expand),
        "count": "exact" if count else None,
    }
    return {name: value for name, value in members.items() if value is not None}


def page(class_name: str, body: Mapping[str, Any], cursor: str | None) -> Call[Page]:
    """Reads a page of a query: the first one, or the page at a cursor."""
    stated = dict(body) if cursor is None else {**body, "cursor": cursor}
    path = f"/v1/classes/{_segment(class_name)}/query"
    request = Request("POST", path, (), _JSON, json_bytes(stated), is_repeatable=True)
    return Call(request, _page)


def _page(reply: Reply) -> Page:
    data = reply.json
    return Page(
        tuple(StoredObject(value) for value in data["objects"]), data.get("next"), data.get("count")
    )


# Transactions


def transaction(
    operations: Sequence[Mapping[str, Any]], if_version: str | None, idempotency_key: str | None
) -> Call[TransactionResult]:
    """Runs operations in one transaction."""
    body: dict[str, Any] = {"operations": [_operation(one) for one in operations]}
    if if_version is not None:
        body["ifVersion"] = if_version
    request = Request(
        "POST",
        "/v1/transactions",
        (),
        {**_JSON, **_idempotency(idempotency_key)},
        json_bytes(body),
        is_repeatable=idempotency_key is not None,
    )
    return Call(request, _transaction_result)


def _operation(operation: Mapping[str, Any]) -> dict[str, Any]:
    stated = dict(operation)
    if "ifMatch" in stated:
        stated["ifMatch"] = etag_text(stated["ifMatch"])
    return stated


def _transaction_result(reply: Reply) -> TransactionResult:
    data = reply.json
    return TransactionResult(
        data["version"], tuple(_operation_result(one) for one in data.get("results", ()))
    )


def _operation_result(data: Mapping[str, Any]) -> OperationResult:
    etag = data.get("etag")
    shown = StoredObject(data["object"], etag) if "object" in data else None
    return OperationResult(data["class"], data["id"], shown, etag)


# Accounts and sessions


def sign_up(
    login: str, password: str, own_object: Mapping[str, Any] | None = None
) -> Call[Account]:
    """Creates an account, and the user's own object if it is given."""
    body: dict[str, Any] = {"login": login, "password": password}
    if own_object is not None:
        body["object"] = own_object
    request = Request("POST", "/v1/accounts", (), _JSON, json_bytes(body))
    return Call(request, lambda reply: _account(reply.json))


def _account(data: Mapping[str, Any]) -> Account:
    return Account(data["id"], data["login"], data["created"])


def sign_in(login: str, password: str) -> Call[Session]:
    """Begins a session."""
    body = json_bytes({"login": login, "password": password})
    # A session whose token was lost is unused, and makes way for others.
    request = Request(
        "POST", "/v1/sessions", (), _JSON, body, sends_token=False, is_repeatable=True
    )
    return Call(request, lambda reply: _session(reply.json))


def _session(data: Mapping[str, Any]) -> Session:
    return Session(data["token"], data["user"], data["expires"])


def sign_out(token: str) -> Call[None]:
    """Ends the session of a token."""
    headers = {"Authorization": f"Bearer {token}"}
    request = Request(
        "DELETE",
        "/v1/sessions/current",
        headers=headers,
        sends_token=False,
        is_repeatable=True,
    )
    return Call(request, _nothing)


# Streams of several queries


def make_stream(queries: Mapping[str, Mapping[str, Any]]) -> Call[str]:
    """Makes a stream of queries by their names; the result is the stream's id."""
    body = json_bytes({"queries": queries})
    return Call(
        Request("POST", "/v1/streams", (), _JSON, body), lambda reply: str(reply.json["id"])
    )


def change_stream(stream: str, queries: Mapping[str, Mapping[str, Any] | None]) -> Call[None]:
    """Adds queries to a stream, and removes queries that are None."""
    body = json_bytes({"queries": queries})
    return Call(Request("PATCH", f"/v1/streams/{_segment(stream)}", (), _JSON, body), _nothing)


def delete_stream(stream: str) -> Call[None]:
    """Ends a stream."""
    return Call(Request("DELETE", f"/v1/streams/{_segment(stream)}"), _nothing)


def follow_stream(stream: str, position: str, is_new: bool) -> Request:
    """Opens the connection of a stream.

    `position` is the last id, or `start`. A stream that was made since that id takes it as `since`;
    a stream that had it itself takes it as `Last-Event-ID`.
    """
    headers = {"Accept": "text/event-stream", "Cache-Control": "no-store"}
    parameters: tuple[tuple[str, str], ...] = ()
    if is_new:
        parameters = (("since", position),)
    else:
        headers["Last-Event-ID"] = position
    return Request("GET", f"/v1/streams/{_segment(stream)}", parameters, headers)
