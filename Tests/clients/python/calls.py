"""Calls every operation by the client that openapi-python-client makes: those of calls.json, on the service of the argument."""
import enum
import importlib
import io
import json
import pkgutil
import re
import sys
import typing

from client import Client, api, types


def folded(name):
    return re.sub("[^a-z0-9]", "", name.lower())


def argument(value, kind):
    """A value in one of the types that a parameter takes."""
    for choice in typing.get_args(kind) or (kind,):
        if choice is types.File:
            return types.File(payload=io.BytesIO(value.encode()))
        if isinstance(choice, type) and issubclass(choice, enum.Enum):
            return choice(value)
        if isinstance(value, dict) and hasattr(choice, "from_dict"):
            return choice.from_dict(value)
    return value


def call(store, module, operation):
    kinds = typing.get_type_hints(module._get_kwargs)
    names = {folded(name): name for name in kinds}
    stated = {**operation["place"], **operation["query"]}
    if operation["body"] is not None:
        stated["body"] = operation["body"]
    arguments = {
        names[folded(name)]: argument(value, kinds[names[folded(name)]])
        for name, value in stated.items()}
    if operation["isStream"]:
        # It has no end.
        with store.get_httpx_client().stream(**module._get_kwargs(**arguments)) as reply:
            return reply.status_code, b"" if reply.is_success else reply.read()
    reply = module.sync_detailed(client=store, **arguments)
    if reply.headers.get("content-type", "").startswith("application/json"):
        assert reply.parsed is not None, "its reply is of no type"
    for figure in operation["figures"]:
        stored = json.loads(reply.content)[figure]
        assert reply.parsed.to_dict()[figure] == stored, f"{figure} is not {stored}"
    return reply.status_code, reply.content


modules = {
    folded(found.name.rsplit(".", 1)[1]): found.name
    for found in pkgutil.walk_packages(api.__path__, "client.api.")}
count = 0
store = Client(base_url=sys.argv[1])
with open("calls.json") as file:
    operations = json.load(file)
for operation in operations:
    try:
        status, content = call(
            store, importlib.import_module(modules[folded(operation["id"])]), operation)
        assert 200 <= status < 300, f"{int(status)} {content.decode()}"
        count += 1
    except Exception as error:
        print(f"{operation['id']}: {type(error).__name__} {error}")
print("called", count)
