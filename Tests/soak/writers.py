"""Writers: each owns some objects, knows exactly what it was told is stored, and what it was not."""
import random
import threading
import time

from client import Connection
from world import DEFAULTS, NAMES, TAGS, TEAM_COUNT


class Writer(threading.Thread):
    """Writes over one kept connection until it is told to stop or the connection fails.

    Nobody else writes its objects, so that what is stored is known exactly: `stored` is what was
    acknowledged, and `pending` what was asked for and not answered, which is there as a whole or not
    at all.
    """

    def __init__(self, state, server, stop, pause=0.0, on_refusal=None):
        super().__init__(daemon=True)
        self.state, self.server, self.should_stop, self.pause = state, server, stop, pause
        #: Called with a reply of 5xx; the writer then stops.
        self.on_refusal = on_refusal
        self.connection = Connection(server)
        self.failure = None

    def run(self):
        state = self.state
        try:
            while not self.should_stop.is_set():
                operation = state.next_operation()
                state.pending = operation.delta
                try:
                    reply = self.connection.request(
                        operation.method, operation.path, operation.body)
                except OSError:
                    # The outcome is not known: `pending` stays.
                    return
                if reply.status >= 500:
                    state.pending = None
                    if self.on_refusal:
                        self.on_refusal(operation, reply)
                    else:
                        self.failure = f"{operation}: {reply}"
                    return
                if reply.status not in operation.statuses:
                    self.failure = f"{operation}: {reply}"
                    return
                state.pending = None
                if reply.status < 300:
                    state.acknowledge(operation.delta, reply.version)
                if self.pause:
                    time.sleep(self.pause)
        except Exception as error:
            self.failure = repr(error)
        finally:
            self.connection.close()


class Operation:
    """One request, and what it changes if it is done."""

    def __init__(self, method, path, body, statuses, delta):
        self.method, self.path, self.body = method, path, body
        self.statuses, self.delta = statuses, delta

    def __str__(self):
        return f"{self.method} {self.path} {self.body}"


class WriterState:
    """What one writer has stored, across connections and restarts."""

    def __init__(self, number, seed, object_count=12):
        self.number = number
        self.random = random.Random(f"{seed}/{number}")
        self.keys = [f"w{number}-{place}" for place in range(object_count)]
        self.sequence = 0
        #: Acknowledged objects by (class, key).
        self.stored = {}
        #: The delta of a request without answer.
        self.pending = None
        #: (version, delta) of each acknowledged write, when `records` is set.
        self.records = False
        self.log = []
        self.acknowledged = 0
        #: Writes without answer that were found stored, and not stored.
        self.done_count = self.lost_count = 0

    def acknowledge(self, delta, version):
        self._apply(delta)
        self.acknowledged += 1
        if self.records:
            self.log.append((version, delta))

    def _apply(self, delta):
        for place, value in delta.items():
            if value is None:
                self.stored.pop(place, None)
            else:
                self.stored[place] = value

    def resolve(self, found):
        """Compares with what is stored and learns what became of the pending write.

        `found`: the writer's objects by (class, key). Returns a message when they are wrong.
        """
        before = self.stored
        if found == before and self.pending is None:
            return None
        if self.pending is not None:
            pending, self.pending = self.pending, None
            if found == before:
                self.lost_count += 1
                return None
            self._apply_copy(pending)
            if found == self.stored:
                self.done_count += 1
                return None
            self.stored, self.pending = before, pending
        wrong = [f"{place}: stored {found.get(place)}, acknowledged {before.get(place)}"
                 for place in sorted(set(found) | set(before), key=str)
                 if found.get(place) != before.get(place)]
        return f"writer {self.number}: {'; '.join(wrong[:4])}; pending {self.pending}"

    def _apply_copy(self, delta):
        self.stored = dict(self.stored)
        self._apply(delta)

    # Operations

    def _item(self, key, **given):
        self.sequence += 1
        return dict(DEFAULTS, _id=key, writer=self.number, seq=self.sequence, **given)

    def _values(self):
        pick = self.random
        values = {"value": pick.randrange(100), "name": pick.choice(NAMES) + str(pick.randrange(9)),
                  "tags": pick.sample(TAGS, pick.randrange(4))}
        if pick.random() < 0.8:
            values["team"] = pick.randrange(TEAM_COUNT)
        if pick.random() < 0.3 and (twin := self._present_key()):
            values["twin"] = twin
        return values

    def _present(self):
        return [key for key in self.keys if ("Item", key) in self.stored]

    def _present_key(self):
        present = self._present()
        return self.random.choice(present) if present else None

    def next_operation(self):
        """The next request, at random."""
        roll = self.random.random()
        present = self._present_key()
        if roll < 0.35 or present is None:
            return self._put()
        if roll < 0.60:
            return self._patch(present)
        if roll < 0.78:
            return self._post()
        if roll < 0.90:
            return self._delete(present)
        if roll < 0.93:
            return self._refused_post(present)
        if self.number < TEAM_COUNT:
            return self._team()
        return self._patch(present)

    @staticmethod
    def _object_path(key):
        return f"/v1/classes/Item/objects/{key}"

    def _put(self):
        key = self.random.choice(self.keys)
        item = self._item(key, **self._values())
        body = {name: value for name, value in item.items()
                if name != "_id" and value != DEFAULTS.get(name)}
        statuses = (200,) if ("Item", key) in self.stored else (201,)
        return Operation("PUT", self._object_path(key), body, statuses, {("Item", key): item})

    def _patch(self, key):
        body = {name: value for name, value in self._values().items() if self.random.random() < 0.5}
        if self.random.random() < 0.2:
            body["team"] = None
        self.sequence += 1
        body["seq"] = self.sequence
        item = dict(self.stored["Item", key], **body)
        return Operation("PATCH", self._object_path(key), body, (200,), {("Item", key): item})

    def _post(self):
        pick = self.random
        keys = pick.sample(self.keys, pick.randrange(2, 7))
        present = [key for key in keys if ("Item", key) in self.stored]
        mode = "create" if not present else pick.choice(["replace", "merge"])
        batch = f"b{self.number}-{self.sequence}"
        body, delta = [], {}
        for key in keys:
            item = self._item(key, batch=batch, **self._values())
            if mode == "merge" and key in present and pick.random() < 0.5:
                given = {name: item[name] for name in ("_id", "seq", "batch", "value")}
                body.append(given)
                delta["Item", key] = dict(self.stored["Item", key], **given)
            else:
                if mode == "merge":
                    body.append(dict(item))
                else:
                    body.append({name: value for name, value in item.items()
                                 if value != DEFAULTS.get(name)})
                delta["Item", key] = item
        statuses = (200,) if len(present) == len(keys) else (201,)
        return Operation(
            "POST", f"/v1/classes/Item/objects?mode={mode}", body, statuses, delta)

    def _refused_post(self, present):
        """An array whose last object is there already: none of it may be stored."""
        absent = [key for key in self.keys if ("Item", key) not in self.stored]
        body = [dict(self._item(key), batch="refused") for key in absent[:3]]
        body.append(self._item(present))
        return Operation("POST", "/v1/classes/Item/objects?mode=create", body, (409,), {})

    def _delete(self, key):
        delta = {("Item", key): None}
        # Links to it become null in the same transaction.
        for place, value in self.stored.items():
            if place[0] == "Item" and place[1] != key and value["twin"] == key:
                delta[place] = dict(value, twin=None)
        return Operation("DELETE", self._object_path(key), None, (204,), delta)

    def _team(self):
        team = {"_id": self.number, "level": self.random.randrange(10)}
        if team == self.stored["Team", self.number]:
            team["level"] = (team["level"] + 1) % 10
        return Operation(
            "PUT", f"/v1/classes/Team/objects/{self.number}", {"level": team["level"]}, (200,),
            {("Team", self.number): team})


def owner(class_name, value):
    """The number of the writer that owns an object."""
    return value["_id"] if class_name == "Team" else value["writer"]


def owned(connection, count):
    """All that is stored, by writer: a list of {(class, key): object}."""
    found = [{} for _ in range(count)]
    for class_name in ("Team", "Item"):
        for value in connection.everything(class_name):
            number = owner(class_name, value)
            if number < count:
                found[number][class_name, value["_id"]] = value
    return found


def prepare(server, states, schema):
    """Puts the schema and the teams into an empty store, and tells the writers.

    Returns the teams as a delta, and the version that has them all.
    """
    delta, version = {}, 0
    connection = Connection(server)
    reply = connection.request("PUT", "/v1/schema", schema)
    if reply.status != 200:
        raise RuntimeError(f"PUT /v1/schema: {reply}")
    for number in range(TEAM_COUNT):
        team = {"_id": number, "level": number % 10}
        reply = connection.request("PUT", f"/v1/classes/Team/objects/{number}", team)
        if reply.status != 201:
            raise RuntimeError(f"PUT of a team: {reply}")
        delta["Team", number], version = team, reply.version
        if number < len(states):
            states[number].stored["Team", number] = team
    connection.close()
    return delta, version
