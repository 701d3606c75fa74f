"""The forms in which the model test follows a store: how each is asked for, what its client holds, and how
what it holds is asked for afresh."""
import json

from client import parameter

#: What one event told, by its bytes: equal streams are sent the same, and nobody changes what is parsed.
_parsed = {}


def parsed(data):
    """The JSON of an event or a reply."""
    value = _parsed.get(data)
    if value is None:
        if len(_parsed) > 2000:
            _parsed.clear()
        value = _parsed[data] = json.loads(data)
    return value


def parsed_copy(value):
    """A value that may be changed, of one that was parsed for several."""
    return json.loads(json.dumps(value)) if isinstance(value, (dict, list)) else value


def without(parameters, *names):
    """Encoded parameters, but for those of some names."""
    return "".join(
        f"&{part}" for part in parameters.split("&")[1:] if part.split("=")[0] not in names)


class Form:
    """One way to follow. A client's state is what `empty` makes and `take` changes."""

    #: The ways to read it: an event stream, pages, long polls.
    modes = ("events", "pages", "polls")
    #: How often the client's state is compared where that can be done.
    compared_share = 0.2

    def __init__(self, name, path, parameters=""):
        self.name, self.path, self.parameters = name, path, parameters

    def target(self):
        """The path of the stream, with a `?` that further parameters follow."""
        return f"{self.path}/changes?{self.parameters[1:]}{'&' if self.parameters else ''}"

    def empty(self):
        return {}

    def begun(self, truth):
        """The state of a client that has asked for the result."""
        state = self.empty()
        state.update(truth)
        return state

    def shown(self, state, truth):
        """What is compared of a client's state and of the result."""
        return state, truth

    def take(self, state, name, data, has_id):
        """Does with an event what the table says for it; a page is taken as its events would be."""
        if name == "reset":
            state.clear()
        elif name == "snapshot":
            for entry in data["objects"]:
                state[self.key(entry)] = entry["object"]
        elif name == "change":
            for entry in data["changes"]:
                if entry["op"] in ("enter", "update"):
                    state[self.key(entry)] = entry["object"]
                elif entry["op"] in ("leave", "delete"):
                    state.pop(self.key(entry), None)
                else:
                    raise ValueError(f"op {entry['op']}")
        elif name not in ("hello", "upToDate"):
            raise ValueError(f"event {name}: {data}")

    def key(self, entry):
        return entry["id"]

    def truth(self, connection):
        """What a client that is up to date holds now."""
        found = {}
        cursor = None
        while True:
            path = f"{self.path}/objects?limit=1000{without(self.parameters, 'interval')}"
            path += parameter("cursor", cursor) if cursor else ""
            reply = connection.request("GET", path)
            if reply.status != 200:
                raise RuntimeError(f"GET {path}: {reply}")
            page = reply.json()
            for value in page["objects"]:
                found[self.key_of(value)] = value
            cursor = page.get("next")
            if not cursor:
                return found

    def key_of(self, value):
        return next(value[name] for name in ("_id", "id", "$id") if name in value)


class PacedForm(Form):
    """A query whose events come at intervals."""

    modes = ("events",)


class ObjectForm(Form):
    """One object, which need not be there."""

    def __init__(self, name, class_name, key, parameters=""):
        super().__init__(name, f"/v1/classes/{class_name}/objects/{key}", parameters)
        self.id = key

    def truth(self, connection):
        reply = connection.request("GET", f"{self.path}?{self.parameters[1:]}")
        if reply.status not in (200, 404):
            raise RuntimeError(f"GET {self.path}: {reply}")
        return {self.id: reply.json()} if reply.status == 200 else {}


class StoreForm(Form):
    """The whole store."""

    compared_share = 0.01

    def __init__(self, class_names):
        super().__init__("store", "/v1")
        self.class_names = class_names

    def key(self, entry):
        return entry["class"], entry["id"]

    def truth(self, connection):
        found = {}
        for class_name in self.class_names:
            form = Form("", f"/v1/classes/{class_name}")
            for key, value in form.truth(connection).items():
                found[class_name, key] = value
        return found
