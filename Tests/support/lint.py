"""Rules for OpenAPI documents that JSON Schema cannot state, those of the usual linters (spectral:oas)."""
import json
import re

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
# Members of a schema whose value is a schema, a list of them, or schemas by name.
SINGLE = ("items", "additionalProperties", "unevaluatedProperties", "if", "then", "else", "not", "contains")
LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
NAMED = ("properties", "patternProperties", "dependentSchemas", "$defs")


def strict_json(text):
    """The value of a JSON text in which no name stands twice in one object."""
    def make(pairs):
        names = [name for name, _ in pairs]
        if len(set(names)) < len(names):
            raise ValueError(f"a name stands twice in one object: {sorted(names)}")
        return dict(pairs)
    return json.loads(text, object_pairs_hook=make)


def faults(document):
    """The faults of a document, each as a line with its position."""
    return [*path_faults(document), *schema_faults(document), *reference_faults(document)]


def resolve(document, value):
    """The target of a reference; any other value as it is."""
    while isinstance(value, dict) and "$ref" in value:
        found = document
        for step in value["$ref"].removeprefix("#/").split("/"):
            found = found[step.replace("~1", "/").replace("~0", "~")]
        value = found
    return value


def path_faults(document):
    shapes = set()
    for path, item in document["paths"].items():
        if "?" in path:
            yield f"{path}: has a query"
        shape = re.sub(r"{[^}]*}", "{}", path)
        if shape in shapes:
            yield f"{path}: another path differs in the names of parameters alone"
        shapes.add(shape)
        for method in METHODS:
            if method not in item:
                continue
            parameters = [
                resolve(document, one)
                for one in item.get("parameters", []) + item[method].get("parameters", [])]
            stated = [(one["in"], one["name"]) for one in parameters]
            if len(set(stated)) < len(stated):
                yield f"{method} {path}: a parameter stands twice"
            in_path = {name for place, name in stated if place == "path"}
            if in_path != set(re.findall(r"{([^}]*)}", path)):
                yield f"{method} {path}: the parameters {sorted(in_path)} are not those of the path"
            if any(one["in"] == "path" and not one.get("required") for one in parameters):
                yield f"{method} {path}: a parameter of the path is not required"


def schemas(document):
    """Every schema with its position."""
    pending = [
        (f"components/schemas/{name}", schema)
        for name, schema in document.get("components", {}).get("schemas", {}).items()]
    holders = [("", document.get("components", {})), ("", document["paths"])]
    while holders:
        position, holder = holders.pop()
        if isinstance(holder, list):
            holders += [(f"{position}/{index}", one) for index, one in enumerate(holder)]
        elif isinstance(holder, dict):
            if isinstance(holder.get("schema"), dict):
                pending.append((f"{position}/schema", holder["schema"]))
            holders += [
                (f"{position}/{name}", one) for name, one in holder.items()
                if name not in ("schema", "schemas", "example", "examples")]
    while pending:
        position, schema = pending.pop()
        if not isinstance(schema, dict):
            continue
        yield position, schema
        for name in SINGLE:
            if name in schema:
                pending.append((f"{position}/{name}", schema[name]))
        for name in LISTS:
            pending += [
                (f"{position}/{name}/{index}", one) for index, one in enumerate(schema.get(name, []))]
        for name in NAMED:
            pending += [
                (f"{position}/{name}/{key}", one) for key, one in schema.get(name, {}).items()]


def schema_faults(document):
    kinds = {
        "string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list,
        "object": dict, "null": type(None)}
    for position, schema in schemas(document):
        # As an unquoted comma makes in a mapping on one line.
        if any(" " in name for name in schema):
            yield f"{position}: a member with a blank in its name"
        types = schema.get("type", [])
        types = [types] if isinstance(types, str) else types
        # The other members of an `allOf` may have the items.
        if "array" in types and "items" not in schema and "/allOf/" not in position:
            yield f"{position}: an array without items"
        values = schema.get("enum", [])
        if len({json.dumps(value) for value in values}) < len(values):
            yield f"{position}: a value stands twice in an enum"
        allowed = tuple(kinds[one] for one in types)
        single = [schema[name] for name in ("const", "default") if name in schema]
        for value in [*values, *single]:
            isBoolean = isinstance(value, bool)
            if types and (not isinstance(value, allowed) or isBoolean and "boolean" not in types):
                yield f"{position}: {value!r} is not of the type {types}"
        if schema.get("additionalProperties") is False and "properties" in schema:
            for name in schema.get("required", []):
                if name not in schema["properties"]:
                    yield f"{position}: {name!r} is required and not allowed"


def reference_faults(document):
    pending = [("", document)]
    while pending:
        position, value = pending.pop()
        if isinstance(value, list):
            pending += [(f"{position}/{index}", one) for index, one in enumerate(value)]
        elif isinstance(value, dict):
            if isinstance(value.get("$ref"), str):
                try:
                    resolve(document, value)
                except (KeyError, TypeError):
                    yield f"{position}: {value['$ref']} leads nowhere"
            pending += [
                (f"{position}/{name}", one) for name, one in value.items()
                if name not in ("example", "examples", "value")]
