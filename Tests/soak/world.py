"""What the soak tests store, and a model of it: items of writers, in teams, with links."""
import copy

SCHEMA = {"classes": [
    {"name": "Team", "primaryKey": "_id", "properties": {
        "_id": "int", "level": "int",
        "items": {"type": "linkingObjects", "class": "Item", "property": "team"}}},
    {"name": "Item", "primaryKey": "_id", "properties": {
        "_id": "string", "writer": {"type": "int", "indexed": True}, "seq": "int",
        "value": {"type": "int", "indexed": True}, "name": {"type": "string", "indexed": True},
        "tags": "string[]", "team": "Team", "twin": "Item", "batch": "string?"}}]}
TEAM_COUNT = 16
NAMES = ["alder", "aloe", "ash", "beech", "birch", "cedar", "elm", "älvros"]
TAGS = ["red", "green", "blue", "black"]
#: What a property holds that a PUT leaves out.
DEFAULTS = {"writer": 0, "seq": 0, "value": 0, "name": "", "tags": [], "team": None, "twin": None,
            "batch": None}


class World:
    """The state of a store: `items` and `teams` by key, with the links turned round."""

    def __init__(self):
        self.items, self.teams = {}, {}
        self.items_of_team, self.items_of_twin = {}, {}

    def get(self, class_name, key):
        return (self.items if class_name == "Item" else self.teams).get(key)

    def apply(self, delta):
        """Sets objects, or removes those given as None. `delta`: {(class, key): object}."""
        for (class_name, key), value in delta.items():
            if class_name == "Team":
                self.teams[key] = value
                continue
            old = self.items.pop(key, None)
            for name, links in (("team", self.items_of_team), ("twin", self.items_of_twin)):
                if old and old[name] is not None:
                    links[old[name]].discard(key)
                if value and value[name] is not None:
                    links.setdefault(value[name], set()).add(key)
            if value:
                self.items[key] = value


class Query:
    """One thing to watch: how it is asked for, and what the model says about it."""

    def __init__(self, name, class_name, matches, text=None, key=None, reaches=(), parameters=""):
        self.name, self.class_name, self.text, self.key = name, class_name, text, key
        self.parameters = parameters
        #: matches(object, world)
        self.matches = matches
        #: Links along which other objects count: "team" and "twin" of items, "items" of teams.
        self.reaches = reaches

    def path(self):
        """The path of its change stream, with a query that further parameters may follow."""
        from client import parameter
        place = f"/objects/{self.key}" if self.key else ""
        text = parameter("filter", self.text) if self.text else ""
        return f"/v1/classes/{self.class_name}{place}/changes?{(text + self.parameters)[1:]}"

    def result(self, connection):
        """What the server says that the query holds, by key."""
        from client import parameter
        if self.key:
            reply = connection.request("GET", f"/v1/classes/{self.class_name}/objects/{self.key}")
            return {self.key: reply.json()} if reply.status == 200 else {}
        text = parameter("filter", self.text) if self.text else ""
        found = connection.everything(self.class_name, text + self.parameters)
        return {value["_id"]: value for value in found}

    def shown(self, value, world):
        """An object of the model as the stream shows it."""
        if "expand=team" in self.parameters and value["team"] is not None:
            value = dict(value, team=world.teams[value["team"]])
        return value

    def expected(self, world):
        """What the model says that the query holds, by key."""
        objects = world.items if self.class_name == "Item" else world.teams
        return {key: self.shown(value, world) for key, value in objects.items()
                if self.matches_key(key, value, world)}

    def matches_key(self, key, value, world):
        if value is None or (self.key is not None and key != self.key):
            return False
        return self.matches(value, world)


def level(item, world):
    """The level of an item's team, or None."""
    return world.teams[item["team"]]["level"] if item["team"] is not None else None


def twin(item, world):
    return world.items.get(item["twin"]) if item["twin"] is not None else None


QUERIES = [
    Query("equality", "Item", lambda o, w: o["writer"] == 3, "writer == 3"),
    Query("range", "Item", lambda o, w: 20 <= o["value"] <= 59, "value BETWEEN {20, 59}"),
    Query("prefix", "Item", lambda o, w: o["name"].startswith("al"), "name BEGINSWITH 'al'"),
    Query("link", "Item", lambda o, w: (level(o, w) or 0) >= 5, "team.level >= 5",
          reaches=("team",)),
    Query("any", "Item", lambda o, w: "red" in o["tags"], "ANY tags == 'red'"),
    Query("count", "Team", lambda o, w: len(w.items_of_team.get(o["_id"], ())) > 5,
          "items.@count > 5", reaches=("items",)),
    Query("all", "Item", lambda o, w: True),
    Query("one", "Item", lambda o, w: True, key="w1-0"),
    # Beyond the eight that the issue names: two links deep, and other objects shown.
    Query("twin", "Item", lambda o, w: (twin(o, w) or {"value": -1})["value"] >= 50,
          "twin.value >= 50", reaches=("twin",)),
    Query("expand", "Item", lambda o, w: o["value"] < 30, "value < 30", reaches=("team",),
          parameters="&expand=team"),
]


def difference(found, expected):
    """The first few differences of two results, for a message; empty when they are equal."""
    parts = []
    for key in sorted(set(found) | set(expected), key=str):
        if found.get(key) != expected.get(key):
            parts.append(f"{key}: found {found.get(key)}, expected {expected.get(key)}")
    return "; ".join(parts[:4]) + (f" … {len(parts)} in all" if len(parts) > 4 else "")


def copied(value):
    return copy.deepcopy(value)
