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


class Form:
    """One way to follow. A client's state is what `empty` makes and `take` changes."""

    #: The ways to read it: an event stream, pages, long polls.
    modes = ("events", "pages", "polls")

    def __init__(self, name, path, parameters=""):
        self.name, self.path, self.parameters = name, path, parameters

    def target(self):
        """The path of the stream, with a `?` that further parameters follow."""
        return f"{self.path}/changes?{self.parameters[1:]}{'&' if self.parameters else ''}"

    def empty(self):
        return {}

    def take(self, state, name, data):
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
            path = f"{self.path}/objects?limit=1000{self.parameters}"
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


def query(name, class_name, text=None, **parameters):
    encoded = parameter("filter", text) if text else ""
    for key, value in parameters.items():
        encoded += parameter(key, value)
    return Form(name, f"/v1/classes/{class_name}", encoded)


def projection(name, of, text=None):
    return Form(name, f"/v1/projections/{of}", parameter("filter", text) if text else "")


#: The subscriptions: forms that come later are put here.
FORMS = [
    query("all tasks", "Task"),
    query("all people", "Person"),
    query("equality", "Task", "done == false"),
    query("equality by index", "Task", "rank == 7"),
    query("range", "Task", "rank BETWEEN {5, 14}"),
    query("range and equality", "Task", "rank >= 5 AND done == true"),
    query("set of values", "Task", "rank IN {1, 3, 5, 7, 9}"),
    query("contains", "Task", "note CONTAINS[c] 'A'"),
    query("prefix", "Person", "name BEGINSWITH 'al'"),
    query("or", "Person", "age < 10 OR note == null"),
    query("not", "Task", "NOT (done == true OR rank > 12)"),
    query("through a link", "Task", "owner.age > 40"),
    query("through two links", "Task", "owner.home.city == 'Rome'"),
    query("through a link and back", "Person", "ANY boss.tasks.rank > 15"),
    query("of the next", "Task", "next.rank == 3 OR next.owner.age < 20"),
    query("any part", "Task", "ANY parts.done == true"),
    query("any part's owner", "Task", "ANY parts.owner.age > 60"),
    query("any whole", "Task", "ANY partOf.rank > 10"),
    query("all parts", "Task", "ALL parts.rank > 5 AND parts.@count > 0"),
    query("count of wholes", "Task", "partOf.@count > 1"),
    query("count of tasks", "Person", "tasks.@count == 2"),
    query("any task", "Person", "ANY tasks.rank > 15"),
    query("fans", "Person", "fans.@count > 1"),
    query("links", "Person", "@links.@count > 4"),
    query("labels", "Person", "ANY labels == 'red'"),
    query("scores", "Person", "scores['red'] > 2"),
    query("mixed", "Task", "extra == 3"),
    query("embedded", "Person", "address.city == 'Oslo'"),
    query("embedded link", "Person", "address.host.age > 40"),
    query("any embedded", "Person", "ANY addresses.city == 'Bern'"),
    query("residents", "Place", "residents.@count > 3"),
    query("team", "Task", "ANY team.age > 50"),
    query("fields", "Task", "done == false", fields="_id,title,rank"),
    query("fields of links", "Task", "rank < 10", fields="_id,owner.name,owner.home.city"),
    query("versions", "Person", "age > 30", fields="*,$version"),
    query("inverse fields", "Person", fields="_id,name,tasks"),
    query("second inverse", "Person", fields="_id,admirers"),
    query("expand", "Task", "rank > 9", expand="owner"),
    query("expand two", "Task", expand="owner.home"),
    query("expand inverse", "Person", "age < 40", expand="tasks"),
    query("expand a list", "Task", "done == true", expand="parts"),
    query("expand in embedded", "Person", expand="address.host"),
    query("memos", "Memo", "weight > 4"),
    query("memos of tasks", "Memo", "about.rank > 9"),
    projection("card", "Card"),
    projection("card of", "Card", "age > 30"),
    projection("board", "Board", "done == false"),
    ObjectForm("one task", "Task", "t3"),
    ObjectForm("one expanded task", "Task", "t5", parameter("expand", "owner.home")),
    ObjectForm("one person", "Person", 7),
    StoreForm(["Task", "Person", "Place", "Memo", "Elsewhere"]),
]
