"""Streams of one property: what their events say is done by index, value and key."""
import json

from client import parameter
from model_forms import Form, parsed_copy, without


class PropertyForm(Form):
    """One property of an object, or what a path leads to in a `mixed` one.

    A state has `content`: a list, a dictionary by the JSON of a map's key or of what a set holds, or a value; or nothing.
    """

    modes = ("events",)

    def __init__(self, name, path, parameters, kind, inside=None):
        super().__init__(name, path, parameters)
        self.kind, self.inside = kind, inside

    def take(self, state, name, data, has_id):
        if name == "reset":
            state.clear()
        elif name == "snapshot":
            self.add(state, data)
        elif name == "change":
            if not has_id and self.kind != "list":
                raise ValueError("a difference without an id")
            if data["op"] == "enter":
                state.clear()
                self.add(state, data)
            elif data["op"] == "delete":
                state.clear()
            elif data["op"] == "update":
                self.update(state, data)
            else:
                raise ValueError(f"op {data['op']}")
        elif name not in ("hello", "upToDate"):
            raise ValueError(f"event {name}")

    def begun(self, truth):
        return {name: parsed_copy(content) for name, content in truth.items()}

    def add(self, state, data):
        """Adds what a snapshot or a page tells."""
        if self.kind == "value":
            state["content"] = parsed_copy(data["value"])
        elif self.kind == "list":
            state.setdefault("content", []).extend(self.elements(data))
        elif self.kind == "set":
            state.setdefault("content", {}).update(
                (named(element), element) for element in self.elements(data))
        else:
            state.setdefault("content", {}).update(
                (entry["key"], entry["value"]) for entry in data["entries"])

    def elements(self, data):
        return data["objects"] if "objects" in data else data["elements"]

    def update(self, state, data):
        """Applies a difference, as the table of property streams says."""
        content = state["content"]
        if "value" in data:
            state["content"] = parsed_copy(data["value"])
        elif "deletions" in data:
            for index in reversed(data["deletions"]):
                del content[index]
            for index in data["insertions"]:
                if index > len(content):
                    raise IndexError(f"insertion at {index} of {len(content)}")
                content.insert(index, None)
            for entry in data["values"]:
                content[entry["index"]] = entry["value"]
            if len(data["values"]) != len(data["insertions"]) + len(data["modifications"]):
                raise ValueError("more or fewer values than what came or changed")
        else:
            for key in data["removed"]:
                del content[key if self.kind != "set" else named(key)]
            if "entries" in data:
                for entry in data["entries"]:
                    key = entry["key"] if self.kind != "set" else named(entry["key"])
                    content[key] = entry["value"]
            else:
                content.update((named(element), element) for element in data["inserted"])

    def truth(self, connection):
        state, cursor = {}, None
        path = self.path + ("/elements" + self.inside if self.inside else "")
        asked = without(self.parameters, "interval", "path")
        if self.kind != "value":
            asked += "&limit=1000"
        while True:
            request = path + "?" + (asked + (parameter("cursor", cursor) if cursor else ""))[1:]
            reply = connection.request("GET", request)
            if reply.status == 404:
                return {}
            if reply.status != 200:
                raise RuntimeError(f"GET {request}: {reply}")
            page = reply.json()
            self.add(state, page)
            cursor = page.get("next")
            if not cursor:
                return state


def named(element):
    """What names an element of a set: of an object its key."""
    if isinstance(element, dict) and "_id" in element:
        element = element["_id"]
    return json.dumps(element)
