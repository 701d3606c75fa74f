"""openapi.yaml as data: its operations, and what its schemas say of a value."""
import functools
from pathlib import Path

import jsonschema
from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parent.parent.parent
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


@functools.cache
def document():
    # A name that stands twice in one mapping ends this parser, as it does those of documentation pages.
    return YAML(typ="safe", pure=True).load((ROOT / "openapi.yaml").read_text())


def resolve(value):
    """What a reference stands for; any other value as it is."""
    while isinstance(value, dict) and set(value) == {"$ref"}:
        found = document()
        for step in value["$ref"].removeprefix("#/").split("/"):
            found = found[step.replace("~1", "/").replace("~0", "~")]
        value = found
    return value


def operations():
    """Every operation as its path, method and description, the path's parameters among its own."""
    for path, item in document()["paths"].items():
        for method, operation in item.items():
            if method in METHODS:
                shared = item.get("parameters", [])
                yield path, method, {
                    **operation, "parameters": shared + operation.get("parameters", [])}


@functools.cache
def validator():
    return jsonschema.Draft202012Validator({"$id": "holdfast:contract", **document()})


def faults(schema, value):
    """How `value` breaks a schema of the document."""
    # The schema is looked at in the place of the document's root, so that its references resolve.
    return [
        f"{'/'.join(str(step) for step in error.absolute_path)}: {error.message}"
        for error in validator().evolve(
            schema={**(schema if isinstance(schema, dict) else {}),
                    "components": document()["components"]}).iter_errors(value)]


def component(name):
    """A schema of the document by its name."""
    return {"$ref": f"#/components/schemas/{name}"}


def operation_named(operation_id):
    for path, method, operation in operations():
        if operation["operationId"] == operation_id:
            return path, method, operation
    raise KeyError(operation_id)


def reply_faults(operation_id, reply):
    """How a reply differs from what the operation documents for its status."""
    _, _, operation = operation_named(operation_id)
    described = resolve(operation["responses"].get(str(reply.status)))
    if described is None:
        return [f"{operation_id} does not document {reply.status}"]
    found = []
    for name, header in described.get("headers", {}).items():
        header = resolve(header)
        value = reply.headers.get(name)
        if value is None:
            if header.get("required"):
                found.append(f"the header {name} is missing")
            continue
        kind = resolve(header["schema"]).get("type")
        found += [
            f"{name}: {fault}"
            for fault in faults(header["schema"], int(value) if kind == "integer" else value)]
    content = described.get("content", {})
    if not reply.body:
        return found
    kind = (reply.headers.get("Content-Type") or "").split(";")[0].strip()
    if kind not in content:
        return found + [f"{kind!r} is not among the media types {sorted(content)}"]
    if kind in ("application/json", "application/problem+json"):
        found += faults(content[kind]["schema"], reply.json)
    return found
