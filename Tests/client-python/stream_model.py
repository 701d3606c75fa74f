"""A plain model of a service and its streams of several queries. It sends all events that the documentation allows."""
from holdfast.event import Event

NEVER = 1 << 60
#: The state of a client before the first event of a query on a connection: some state from before.
UNKNOWN = "unknown"
EPOCH = "e"


def version_text(version):
    return f"{EPOCH}-{version}"


class Store:
    """Objects by their keys, at every version. A value is a number; an object's etag is the version of its last change."""

    def __init__(self, random):
        self.random = random
        self.history = [{}]

    @property
    def version(self):
        return len(self.history) - 1

    def commit(self):
        objects = dict(self.history[-1])
        for _ in range(self.random.randrange(1, 6)):
            key = self.random.randrange(12)
            if self.random.random() < 0.25:
                objects.pop(key, None)
            else:
                objects[key] = (self.random.randrange(20), len(self.history))
        self.history.append(objects)

    def result(self, body, version):
        """The objects that a query has at a version, in their order."""
        objects = self.history[version]
        if "sort" in body:
            ordered = sorted(objects.items(), key=lambda item: (item[1][0], item[0]))
            return dict(ordered[:body["limit"]])
        return {key: value for key, value in objects.items() if value[0] % 3 in body["filter"]}


def shown(key, value, name, **members):
    return {"query": name, **members, "id": key, "etag": version_text(value[1]), "object": {"value": value[0]}}


class Stream:
    """A stream in the service's memory: its queries, each with the first version whose id covers it."""

    def __init__(self, bodies):
        self.bodies = dict(bodies)
        self.known_from = dict.fromkeys(bodies, 0)
        self.ended = set()

    def change(self, changes, version):
        for name, body in changes.items():
            self.bodies.pop(name, None)
            self.ended.discard(name)
            if body is not None:
                self.bodies[name], self.known_from[name] = body, version + 1


class Connection:
    """A connection of a stream. Each query has a phase:

    | phase | next events |
    |---|---|
    | `("reset",)` | `reset` |
    | `("snapshot", keys, version)` | objects, then the changes since the version |
    | `("behind", version)` | the changes since the version, or `upToDate` |
    | `("missed", pieces, version)` | pieces of the changes up to the version |
    | `("live",)` | each step |
    | `("ended",)` | nothing |
    """

    def __init__(self, store, stream, position):
        self.store, self.stream, self.random = store, stream, store.random
        self.feed = store.version
        self.last_id = ""
        self.phases = {}
        #: The version at which the client has exactly the result; None between, and `UNKNOWN` in the beginning.
        self.exact = dict.fromkeys(stream.bodies, UNKNOWN)
        since = None if position == "start" else int(position.split("-")[1])
        self.events = [self.event("hello", {"cursor": position, "heartbeat": 15})]
        for name in stream.bodies:
            if name in stream.ended:
                self.fail(name)
            elif since is None or since < stream.known_from[name]:
                self.phases[name] = ("reset",)
            else:
                self.phases[name] = ("behind", since)

    # Events

    def event(self, name, data, own_id=None):
        if own_id is not None:
            self.last_id = own_id
        return Event(name, data, self.last_id, 2.0 if name == "hello" else None)

    def send(self, name, data, own_id=None):
        self.events.append(self.event(name, data, own_id))

    def take_events(self):
        events, self.events = self.events, []
        return events

    def is_live(self):
        """Whether an event may have an id."""
        return all(phase[0] in ("live", "ended") for phase in self.phases.values())

    def id_or_none(self):
        return version_text(self.feed) if self.is_live() else None

    # Random events

    def change(self, changes):
        """Adds and removes queries."""
        for name, body in changes.items():
            self.phases.pop(name, None)
            self.exact.pop(name, None)
            if body is not None:
                self.phases[name], self.exact[name] = ("reset",), UNKNOWN

    def act(self):
        """Does one thing."""
        pending = [name for name, phase in self.phases.items() if phase[0] not in ("live", "ended")]
        draw = self.random.random()
        if pending and draw < 0.6:
            self.advance(self.random.choice(pending))
        elif draw < 0.85:
            self.step()
        elif draw < 0.93:
            self.beat()
        elif self.phases:
            self.disturb(self.random.choice(list(self.phases)))

    def disturb(self, name):
        """Lets a query fall behind, end by an error, or begin again."""
        phase, body = self.phases[name], self.stream.bodies[name]
        if phase[0] == "ended":
            self.stream.ended.discard(name)
            self.stream.known_from[name] = self.feed + 1
            self.phases[name] = ("reset",)
        elif phase[0] == "live" and self.random.random() < 0.3:
            self.fail(name)
        elif phase[0] == "live":
            # A snapshot may be shorter than the changes, and a live list is sent whole.
            is_reset = "sort" in body or self.random.random() < 0.3
            self.phases[name] = ("reset",) if is_reset else ("behind", self.feed)

    def fail(self, name):
        self.stream.ended.add(name)
        self.stream.known_from[name] = NEVER
        self.phases[name], self.exact[name] = ("ended",), None
        self.send("error", {"query": name, "code": "query-unknown-class", "detail": "The class was dropped."})

    def beat(self):
        if self.is_live():
            self.send("message", None, version_text(self.feed))

    def finish(self):
        """Brings all queries to the present."""
        while not self.is_live() or self.feed < self.store.version:
            self.step()
            for name, phase in list(self.phases.items()):
                if phase[0] not in ("live", "ended"):
                    self.advance(name)
        self.beat()

    # A query on its way to the present

    def advance(self, name):
        phase, body = self.phases[name], self.stream.bodies[name]
        match phase:
            case ("reset",):
                self.exact[name] = None
                self.send("reset", {"query": name, "generation": 0, "reason": "start"}, "start")
                keys = list(self.store.result(body, self.feed))
                self.phases[name] = ("snapshot", keys, self.feed)
                if "sort" in body:
                    # A live list comes whole.
                    result = self.store.result(body, self.feed)
                    if result:
                        self.send("snapshot", {"objects": [shown(*item, name) for item in result.items()]})
                    self.arrive(name)
            case ("snapshot", keys, version):
                count = self.random.randrange(1, 5)
                # Objects are as they are when their piece is written.
                result = self.store.result(body, self.feed)
                entries = [shown(key, result[key], name) for key in keys[:count] if key in result]
                if entries:
                    self.send("snapshot", {"objects": entries})
                rest = keys[count:]
                self.phases[name] = ("snapshot", rest, version) if rest else ("behind", version)
            case ("behind", version):
                if "sort" in body and version != self.feed:
                    self.phases[name] = ("reset",)
                    return
                entries = self.missed(name, body, version)
                if not entries:
                    self.arrive(name)
                    return
                pieces, size = [], self.random.randrange(1, 8)
                while entries:
                    pieces.append(entries[:size])
                    entries = entries[size:]
                self.phases[name] = ("missed", pieces, self.feed)
            case ("missed", pieces, version):
                self.exact[name] = None
                self.send("change", {"version": version_text(version), "changes": pieces[0]})
                self.phases[name] = ("missed", pieces[1:], version) if pieces[1:] else ("behind", version)

    def missed(self, name, body, version):
        """The changes of a query's result since a version, object by object.

        Each object that was changed meanwhile is named, also one that was inserted and deleted: the client may have it from
        a catch-up that was cut.
        """
        result, entries, changed = self.store.result(body, self.feed), [], {}
        for number in range(version, self.feed):
            before, after = self.store.history[number:number + 2]
            changed |= dict.fromkeys(key for key in {**before, **after} if before.get(key) != after.get(key))
        for key in changed:
            if key in result:
                entries.append(shown(key, result[key], name, op=self.random.choice(("enter", "update"))))
            else:
                # The client may never have had it.
                entries.append({"query": name, "op": self.random.choice(("leave", "delete")), "id": key})
        self.random.shuffle(entries)
        return entries

    def arrive(self, name):
        self.phases[name] = ("live",)
        own_id = self.id_or_none()
        data = {"query": name} if own_id is None else {"query": name, "cursor": own_id}
        self.exact[name] = self.feed
        self.send("upToDate", data, own_id)

    # Live

    def step(self):
        """Sends the changes of all live queries up to a later version in one event, which may come in parts."""
        if self.feed == self.store.version:
            return
        before, self.feed = self.feed, self.random.randrange(self.feed + 1, self.store.version + 1)
        entries = []
        for name, phase in self.phases.items():
            if phase[0] == "live":
                entries += self.steps(name, before)
        if not entries:
            for name in self.phases:
                if self.phases[name][0] == "live" and self.exact[name] is not None:
                    self.exact[name] = self.feed
            return
        size = self.random.choice((3, len(entries)))
        parts = [entries[first:first + size] for first in range(0, len(entries), size)]
        concerned = {entry["query"] for entry in entries}
        for part in parts:
            is_last = part is parts[-1]
            if not is_last:
                # Between two parts, a worker may send pieces of other queries.
                for name in concerned:
                    self.exact[name] = None
                self.send("change", {"version": version_text(self.feed), "changes": part})
                pending = [name for name, phase in self.phases.items() if phase[0] == "missed"]
                if pending and self.random.random() < 0.5:
                    self.advance(self.random.choice(pending))
                continue
            own_id = self.id_or_none()
            data = {"version": version_text(self.feed), "changes": part}
            if own_id is None or len(parts) > 1:
                data["last"] = True
            for name, phase in self.phases.items():
                if phase[0] == "live" and (name in concerned or self.exact[name] is not None):
                    self.exact[name] = self.feed
            self.send("change", data, own_id)

    def steps(self, name, version):
        """The entries of one query for a step."""
        body = self.stream.bodies[name]
        before, after = self.store.result(body, version), self.store.result(body, self.feed)
        places = {key: index for index, key in enumerate(after)} if "sort" in body else {}
        stays = self.staying(before, after) if places else set(before) & set(after)
        entries = []
        for key in {**before, **after}:
            index = {"index": places[key]} if key in places else {}
            if key not in after:
                op = "leave" if key in self.store.history[self.feed] else "delete"
                entries.append({"query": name, "op": op, "id": key})
            elif key not in before:
                entries.append(shown(key, after[key], name, op="enter", **index))
            elif before[key] != after[key] or key not in stays:
                entries.append(shown(key, after[key], name, op="update", **index))
        if entries and "sort" in body:
            old = list(before)
            entries.append({
                "query": name, "op": "indices",
                "deletions": [old.index(key) for key in old if key not in stays],
                "insertions": [places[key] for key in after if key not in stays],
                "modifications": [old.index(key) for key in old if key in stays and before[key] != after[key]]})
        return entries

    @staticmethod
    def staying(before, after):
        """Keys whose order is the same in both."""
        order, stays, last = list(before), set(), -1
        for key in after:
            if key in before and order.index(key) > last:
                last = order.index(key)
                stays.add(key)
        return stays
