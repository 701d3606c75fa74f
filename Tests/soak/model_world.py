"""What the model test stores: linked objects, and random operations on them that a seed repeats."""
import json
import random
from urllib.parse import quote

PERSON_COUNT, TASK_COUNT, PLACE_COUNT = 60, 90, 12
LOG_COUNT, LINE_COUNT, SHEET_COUNT, SHEET_BYTE_COUNT = 2, 10_500, 12, 25_000
#: Those of the first keys, which single properties are followed of, change more often.
HOT_COUNT = 8
PATCH_HEADERS = {"Content-Type": "application/json-patch+json"}
CITIES = ["Rome", "Oslo", "Bern", "Graz", "Lviv"]
WORDS = ["alder", "Aloe", "ash", "Beech", "birch", "cedar", "elm", "älvros"]
LABELS = ["red", "green", "blue", "black"]

SCHEMA = {"classes": [
    {"name": "Place", "primaryKey": "_id", "properties": {
        "_id": "int", "city": "string", "zone": {"type": "int", "indexed": True},
        "residents": {"type": "linkingObjects", "class": "Person", "property": "home"}}},
    {"name": "Address", "kind": "embedded", "properties": {
        "street": "string", "city": "string", "host": "Person"}},
    {"name": "Person", "primaryKey": "_id", "properties": {
        "_id": "int", "name": {"type": "string", "indexed": True}, "age": {"type": "int", "indexed": True},
        "note": "string?", "boss": "Person", "home": "Place", "address": "Address",
        "addresses": "Address[]", "friends": "Person[]", "labels": "string<>", "scores": "int{}",
        "any": "mixed",
        "fans": {"type": "linkingObjects", "class": "Person", "property": "friends"},
        "admirers": {"type": "linkingObjects", "class": "Person", "property": "friends"},
        "tasks": {"type": "linkingObjects", "class": "Task", "property": "owner"}}},
    {"name": "Task", "primaryKey": "_id", "properties": {
        "_id": "string", "title": "string", "done": "bool", "rank": {"type": "int", "indexed": True},
        "note": "string", "owner": "Person", "next": "Task", "parts": "Task[]", "team": "Person<>",
        "marks": "string[]", "extra": "mixed",
        "partOf": {"type": "linkingObjects", "class": "Task", "property": "parts"}}},
    {"name": "Memo", "properties": {"text": "string", "about": "Task", "weight": "int"}},
    # A list of more elements than a difference may tell, and objects that are more together than one event.
    {"name": "Log", "primaryKey": "_id", "properties": {"_id": "int", "lines": "int[]"}},
    {"name": "Sheet", "primaryKey": "_id", "properties": {
        "_id": "int", "rank": "int", "text": "string"}},
    # Nobody follows it, so that its shape may change beside the streams.
    {"name": "Elsewhere", "primaryKey": "_id", "properties": {"_id": "int", "a": "int", "b": "string"}},
]}

PROJECTIONS = {
    "Card": {"class": "Person", "properties": {
        "id": "_id", "first": "name", "city": "home.city", "bossName": "boss.name",
        "street": "address.street", "friendNames": "friends.name", "admirers": "admirers"}},
    "Board": {"class": "Task", "properties": {
        "id": "_id", "title": "title", "who": "owner.name", "where": "owner.home.city",
        "partTitles": "parts.title", "marks": "marks"}},
}


class Elsewhere:
    """Changes of the schema that concern no stream of a class: an index, a class, a property."""

    def __init__(self):
        self.schema = json.loads(json.dumps(SCHEMA))
        self.count = 0

    def next(self):
        """The schema after the next change."""
        self.count += 1
        other = next(entry for entry in self.schema["classes"] if entry["name"] == "Elsewhere")
        kind = self.count % 4
        if kind == 0:
            self.schema["classes"].append(
                {"name": f"Other{self.count}", "properties": {"text": "string"}})
        elif kind == 1:
            is_indexed = isinstance(other["properties"]["a"], dict)
            other["properties"]["a"] = "int" if is_indexed else {"type": "int", "indexed": True}
        elif kind == 2:
            other["properties"][f"more{self.count}"] = "int"
        else:
            # An index of a class that is followed and linked to.
            place = next(entry for entry in self.schema["classes"] if entry["name"] == "Place")
            is_indexed = isinstance(place["properties"]["city"], dict)
            place["properties"]["city"] = (
                "string" if is_indexed else {"type": "string", "indexed": True})
        return self.schema


class Operations:
    """The sequence of random operations; it depends on the seed alone, never on what is answered."""

    def __init__(self, seed):
        self.random = random.Random(f"{seed}/operations")
        self.number = 0

    # Values

    def person(self):
        return self.random.randrange(HOT_COUNT if self.random.random() < 0.25 else PERSON_COUNT)

    def task(self):
        return f"t{self.random.randrange(HOT_COUNT if self.random.random() < 0.25 else TASK_COUNT)}"

    def place(self):
        return self.random.randrange(PLACE_COUNT)

    def _address(self):
        pick = self.random
        value = {"street": pick.choice(WORDS), "city": pick.choice(CITIES)}
        if pick.random() < 0.5:
            value["host"] = {"_id": self.person()}
        return value

    def _mixed(self, depth=0):
        pick = self.random
        roll = pick.randrange(8 if depth < 2 else 5)
        if roll == 0:
            return None
        if roll == 1:
            return pick.randrange(10)
        if roll == 2:
            return pick.choice(WORDS)
        if roll == 3:
            return pick.random() < 0.5
        if roll == 4:
            return pick.randrange(100) / 4
        if roll < 7:
            return [self._mixed(depth + 1) for _ in range(pick.randrange(4))]
        return {pick.choice(LABELS): self._mixed(depth + 1) for _ in range(pick.randrange(3))}

    def _values_of_person(self):
        pick = self.random
        return {
            "name": lambda: pick.choice(WORDS) + str(pick.randrange(9)),
            "age": lambda: pick.randrange(80),
            "note": lambda: pick.choice([None, "", pick.choice(WORDS)]),
            "boss": lambda: pick.choice([None, {"_id": self.person()}]),
            "home": lambda: pick.choice([None, {"_id": self.place()}, {"_id": self.place()}]),
            "address": lambda: pick.choice([None, self._address(), self._address()]),
            "addresses": lambda: [self._address() for _ in range(pick.randrange(3))],
            "friends": lambda: [{"_id": self.person()} for _ in range(pick.randrange(4))],
            "labels": lambda: pick.sample(LABELS, pick.randrange(4)),
            "scores": lambda: {label: pick.randrange(5) for label in pick.sample(LABELS, 2)},
            "any": self._mixed,
        }

    def _values_of_task(self):
        pick = self.random
        return {
            "title": lambda: pick.choice(WORDS) + str(pick.randrange(9)),
            "done": lambda: pick.random() < 0.5,
            "rank": lambda: pick.randrange(20),
            "note": lambda: " ".join(pick.sample(WORDS, 2)),
            "owner": lambda: pick.choice([None, {"_id": self.person()}, {"_id": self.person()}]),
            "next": lambda: pick.choice([None, {"_id": self.task()}]),
            "parts": lambda: [{"_id": self.task()} for _ in range(pick.randrange(4))],
            "team": lambda: [{"_id": self.person()} for _ in range(pick.randrange(3))],
            "marks": lambda: [pick.choice(LABELS) for _ in range(pick.randrange(4))],
            "extra": self._mixed,
        }

    def _some(self, values, share):
        """Some of the values, at least one."""
        names = [name for name in values if self.random.random() < share]
        return {name: values[name]() for name in names or [self.random.choice(list(values))]}

    def _object(self):
        """A class, a key and the makers of its values."""
        roll = self.random.random()
        if roll < 0.45:
            return "Task", self.task(), self._values_of_task()
        if roll < 0.9:
            return "Person", self.person(), self._values_of_person()
        return "Place", self.place(), {
            "city": lambda: self.random.choice(CITIES), "zone": lambda: self.random.randrange(6)}

    # Operations

    def next(self):
        """The next request: method, path and body, and headers where there are some."""
        self.number += 1
        roll = self.random.random()
        if roll < 0.05:
            return self._splice()
        if roll < 0.053:
            return self._large()
        if roll < 0.40:
            class_name, key, values = self._object()
            return "PATCH", f"/v1/classes/{class_name}/objects/{key}", self._some(values, 0.15)
        if roll < 0.65:
            class_name, key, values = self._object()
            return "PUT", f"/v1/classes/{class_name}/objects/{key}", self._some(values, 0.5)
        if roll < 0.79:
            class_name, key, _ = self._object()
            return "DELETE", f"/v1/classes/{class_name}/objects/{key}", None
        if roll < 0.84:
            return self._post()
        if roll < 0.88:
            return self._memo()
        if roll < 0.95:
            return self._transaction()
        if roll < 0.985:
            return self._bulk()
        return "PUT", f"/v1/classes/Elsewhere/objects/{self.random.randrange(20)}", {
            "a": self.random.randrange(9)}

    def fill(self):
        """Requests that fill an empty store."""
        for place in range(PLACE_COUNT):
            yield "PUT", f"/v1/classes/Place/objects/{place}", {
                "city": self.random.choice(CITIES), "zone": place % 6}
        yield "POST", "/v1/classes/Person/objects?mode=merge", [
            dict(self._some(self._values_of_person(), 0.5), _id=key) for key in range(PERSON_COUNT)]
        yield "POST", "/v1/classes/Task/objects?mode=merge", [
            dict(self._some(self._values_of_task(), 0.5), _id=f"t{key}") for key in range(TASK_COUNT)]

        for log in range(LOG_COUNT):
            yield "PUT", f"/v1/classes/Log/objects/{log}", {"lines": list(range(LINE_COUNT))}
        for sheet in range(SHEET_COUNT):
            yield "PUT", f"/v1/classes/Sheet/objects/{sheet}", {
                "rank": sheet, "text": self.random.choice("abc") * SHEET_BYTE_COUNT}

    def _splice(self):
        """Some operations of a JSON patch on one list: those behind its end refuse the whole."""
        pick = self.random
        kind = pick.randrange(5)
        if kind == 0:
            path, name, length = f"Log/objects/{pick.randrange(LOG_COUNT)}", "lines", LINE_COUNT - 400
            element = lambda: pick.randrange(1000)
        elif kind < 3:
            path, name, length = f"Task/objects/{self.task()}", "marks", 3
            element = lambda: pick.choice(LABELS)
            if kind == 1:
                name, element = "parts", lambda: {"_id": self.task()}
        else:
            path, name, length = f"Person/objects/{self.person()}", "addresses", 2
            element = self._address
            if kind == 3:
                name, element = "friends", lambda: {"_id": self.person()}
        operations = []
        for _ in range(pick.randrange(1, 4)):
            index = pick.choice([0, 0, pick.randrange(length), "-"])
            verb = pick.choice(["add", "add", "replace", "remove", "move"])
            if index == "-":
                verb = "add"
            operation = {"op": verb, "path": f"/{name}/{index}"}
            if verb in ("add", "replace"):
                operation["value"] = element()
            elif verb == "move":
                operation["from"] = f"/{name}/{pick.randrange(length)}"
            operations.append(operation)
        return "PATCH", f"/v1/classes/{path}", operations, PATCH_HEADERS

    def _large(self):
        """A change of much at once."""
        pick = self.random
        if pick.random() < 0.5:
            lines = [pick.randrange(1000)] * (LINE_COUNT + pick.randrange(50))
            return "PUT", f"/v1/classes/Log/objects/{pick.randrange(LOG_COUNT)}", {"lines": lines}
        return "PATCH", f"/v1/classes/Sheet/objects?filter={quote('rank >= 0')}", {"rank": pick.randrange(9)}

    def _post(self):
        values = self._values_of_task()
        body = [dict(self._some(values, 0.3), _id=self.task())
                for _ in range(self.random.randrange(1, 12))]
        return "POST", f"/v1/classes/Task/objects?mode={self.random.choice(['merge', 'replace'])}", body

    def _memo(self):
        if self.random.random() < 0.2:
            text = quote(f"weight == {self.random.randrange(10)}")
            return "DELETE", f"/v1/classes/Memo/objects?filter={text}", None
        return "POST", "/v1/classes/Memo/objects", {
            "text": self.random.choice(WORDS), "weight": self.random.randrange(10),
            "about": self.random.choice([None, {"_id": self.task()}])}

    def _transaction(self):
        operations = []
        for _ in range(self.random.randrange(2, 8)):
            class_name, key, values = self._object()
            kind = self.random.choice(["merge", "merge", "patch", "delete"])
            # A key that is not there makes some transactions fail as a whole.
            entry = {"op": kind, "class": class_name}
            if kind == "merge":
                entry["value"] = dict(self._some(values, 0.3), _id=key)
            else:
                entry["id"] = key
                if kind == "patch":
                    entry["value"] = self._some(values, 0.2)
            operations.append(entry)
        return "POST", "/v1/transactions", {"operations": operations}

    def _bulk(self):
        pick = self.random
        rank = pick.randrange(20)
        choices = [
            ("PATCH", "Task", f"rank == {rank}", {"done": pick.random() < 0.5}),
            ("PATCH", "Task", f"owner.age > {pick.randrange(60, 80)}", {"rank": rank}),
            ("PATCH", "Person", f"age BETWEEN {{{rank * 4}, {rank * 4 + 9}}}", {"age": rank}),
            ("PATCH", "Person", "tasks.@count == 0", {"note": pick.choice(WORDS)}),
            ("DELETE", "Task", f"rank == {rank}", None),
            ("DELETE", "Person", f"age == {rank}", None),
        ]
        method, class_name, text, body = pick.choice(choices)
        return method, f"/v1/classes/{class_name}/objects?filter={quote(text)}", body
