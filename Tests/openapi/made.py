"""A document that a service made, as data."""
import jsonschema

PATH = "/v1/openapi.json"
# Every type of number, beside what the seeded classes have.
MEASURE = {
    "name": "Measure", "primaryKey": "number",
    "properties": {
        "number": "int32", "tiny": "int8", "small": {"type": "int16", "default": -7}, "large": "int64?",
        "short": "float?", "shorts": "float?[]", "exact": "decimal128?", "exacts": "decimal128<>",
        "any": "mixed", "anys": "mixed[]", "anyMap": "mixed{}",
        "anySet": {"type": "set", "element": "mixed"},
        "start": {"type": "mixed", "default": {"a": [1, {"$date": "2026-11-20T06:38:58Z"}]}},
        "level": {"type": "string", "enum": ["low", "high"], "optional": True},
        "steps": {"type": "list", "element": "int8", "enum": [1, 2, 5]},
        "marks": "double?{}", "notes": "string{}", "parts": "Location{}", "near": "City{}"}}
METHODS = ("get", "put", "post", "delete", "patch")


class Document:
    """The document of a running service."""

    def __init__(self, running, **headers):
        self.reply = running.succeed("GET", PATH, **headers)
        self.value = self.reply.json
        self._validator = jsonschema.Draft202012Validator({"$id": "holdfast:made", **self.value})

    def operations(self):
        """Every operation as its path, method and description, the path's parameters among its own."""
        for path, item in self.value["paths"].items():
            for method in METHODS:
                if method in item:
                    shared = item.get("parameters", [])
                    yield path, method, {
                        **item[method], "parameters": shared + item[method]["parameters"]}

    def resolve(self, value):
        """What a reference stands for; any other value as it is."""
        while isinstance(value, dict) and set(value) == {"$ref"}:
            found = self.value
            for step in value["$ref"].removeprefix("#/").split("/"):
                found = found[step]
            value = found
        return value

    def objects(self):
        """Every JSON object of the document."""
        pending = [self.value]
        while pending:
            value = pending.pop()
            if isinstance(value, dict):
                yield value
                pending += value.values()
            elif isinstance(value, list):
                pending += value

    def references(self):
        """The text of every reference."""
        for value in self.objects():
            # An example may have a member of this name, and is no reference then.
            if isinstance(value.get("$ref"), str):
                yield value["$ref"]

    def faults(self, schema, value):
        """How `value` breaks a schema of the document."""
        # The schema is looked at in the place of the document's root, so that references resolve.
        return [
            f"{'/'.join(str(step) for step in error.absolute_path)}: {error.message}"
            for error in self._validator.evolve(
                schema={**schema, "components": self.value["components"]}).iter_errors(value)]

    def component(self, name):
        return self.value["components"]["schemas"][name]
