"""Live lists, sections and aggregates: what is computed as a whole, and told by index."""
from client import parameter
from model_forms import Form, without
from model_telling import reduced


class ListForm(Form):
    """The first objects of a query in an order.

    A state has the `rows`, each a key and an object, and the `pending` changes of an event whose last part has not come.
    """

    modes = ("events",)

    def __init__(self, name, path, parameters, key_paths=None):
        super().__init__(name, path, parameters + (parameter("keyPaths", key_paths) if key_paths else ""))
        asked = without(parameters, "interval")
        if key_paths:
            asked = without(asked, "fields", "expand") + parameter("fields", f"_id,{key_paths}")
        self.asked = f"{path}/objects?{asked[1:]}"
        self.has_key_paths = key_paths is not None

    def empty(self):
        return {"rows": [], "pending": []}

    def begun(self, truth):
        return {"rows": [(self.key_of(value), value) for value in truth["rows"]], "pending": []}

    def take(self, state, name, data, has_id):
        if name == "reset":
            state.update(self.empty())
        elif name == "snapshot":
            self.add(state, data)
        elif name == "change":
            state["pending"] += data["changes"]
            if "deletions" in data:
                self.change(state, data, state["pending"])
                state["pending"] = []
            elif has_id:
                raise ValueError("an id without indices")
        elif name not in ("hello", "upToDate"):
            raise ValueError(f"event {name}")

    def add(self, state, data):
        state["rows"] += [(entry["id"], entry["object"]) for entry in data["objects"]]

    def change(self, state, data, changes):
        """Does what the indices say, and expects that the changes by object lead to the same."""
        rows = state["rows"]
        by_key = dict(rows)
        kept = {rows[index][0] for index in data["modifications"]}
        for index in reversed(data["deletions"]):
            del rows[index]
        for index in data["insertions"]:
            insert(rows, index, None)
        for entry in changes:
            if entry["op"] in ("leave", "delete"):
                del by_key[entry["id"]]
            else:
                self.put(rows, entry["index"], entry, kept)
                by_key[entry["id"]] = entry["object"]
        if None in rows or dict(rows) != by_key or len(rows) != len(by_key):
            raise ValueError("indices and objects lead to different lists")

    def put(self, rows, index, entry, kept):
        """Sets an object where one came, or where the same one was modified."""
        was = rows[index]
        if was is not None and (was[0] != entry["id"] or was[0] not in kept):
            raise ValueError(f"{entry['op']} {entry['id']} at {index}, where {was[0]} is")
        rows[index] = entry["id"], entry["object"]

    def shown(self, state, truth):
        objects = [value for _, value in state["rows"]]
        if self.has_key_paths:
            objects = reduced(objects, truth["rows"])
        return {"rows": objects}, truth

    def truth(self, connection):
        return {"rows": self.reply(connection)["objects"]}

    def reply(self, connection):
        reply = connection.request("GET", self.asked)
        if reply.status != 200:
            raise RuntimeError(f"GET {self.asked}: {reply}")
        return reply.json()


class SectionForm(ListForm):
    """The first sections of a query's result, with the first objects of each.

    A state's `rows` are sections, each with `key`, `count` and its own `rows`.
    """

    def __init__(self, name, path, parameters):
        super().__init__(name, f"{path}/sections", parameters)
        self.asked = f"{path}/sections?{without(parameters, 'interval')[1:]}"

    def begun(self, truth):
        state = self.empty()
        self.add(state, {"sections": [
            dict(section, objects=[{"id": self.key_of(value), "object": value} for value in section["objects"]])
            for section in truth["rows"]]})
        return state

    def add(self, state, data):
        for section in data["sections"]:
            state["rows"].append({
                "key": section["key"], "count": section["count"],
                "rows": [(entry["id"], entry["object"]) for entry in section["objects"]]})

    def change(self, state, data, changes):
        sections = state["rows"]
        was = {key for section in sections for key, _ in section["rows"]}
        kept = {sections[section]["rows"][index][0] for section, index in data["modifications"]}
        for section, index in reversed(data["deletions"]):
            del sections[section]["rows"][index]
        for index in reversed(data["sectionsDeleted"]):
            del sections[index]
        for index in data["sectionsInserted"]:
            insert(sections, index, {"rows": []})
        for told in data["sections"]:
            sections[told["index"]].update(key=told["key"], count=told["count"])
        for section, index in data["insertions"]:
            insert(sections[section]["rows"], index, None)
        gone = set()
        for entry in changes:
            if entry["op"] in ("leave", "delete"):
                gone.add(entry["id"])
            else:
                # Another object may have come by the key of one that was deleted.
                gone.discard(entry["id"])
                section, index = entry["index"]
                self.put(sections[section]["rows"], index, entry, kept)
        rows = [row for section in sections for row in section["rows"]]
        if None in rows or not gone <= was or any(row[0] in gone for row in rows):
            raise ValueError("indices and objects lead to different sections")

    def shown(self, state, truth):
        return {"rows": [
            {"key": section["key"], "count": section["count"], "objects": [value for _, value in section["rows"]]}
            for section in state["rows"]]}, truth

    def truth(self, connection):
        return {"rows": self.reply(connection)["sections"]}


class AggregateForm(ListForm):
    """What an aggregate says. A state has the `value`."""

    def __init__(self, name, path, parameters):
        super().__init__(name, f"{path}/aggregate", parameters)
        asked = without(parameters, "interval") + ("&limit=1000" if "&by=" in parameters else "")
        self.asked = f"{path}/aggregate?{asked[1:]}"

    def empty(self):
        return {}

    def begun(self, truth):
        return dict(truth)

    def take(self, state, name, data, has_id):
        if name == "reset":
            state.clear()
        elif name == "value":
            state["value"] = data
        elif name not in ("hello", "upToDate"):
            raise ValueError(f"event {name}")

    def shown(self, state, truth):
        return state, truth

    def truth(self, connection):
        return {"value": self.reply(connection)}


def insert(rows, index, row):
    if index > len(rows):
        raise IndexError(f"insertion at {index} of {len(rows)}")
    rows.insert(index, row)
