"""kill -9 at random moments of a migration under writing connections.

Whatever the moment, the store has the old schema or the new one, as the reply said if there was one;
every acknowledged object is there, those written beside the migration too; `check` finds nothing,
neither before the store is opened again nor once it has removed what the migration has left.
"""
import json
import random
import threading
import time

from client import Connection
from server import Server, check_store, wait_until

WRITER_COUNT = 4
#: Objects that a writer writes; the others stay what they were imported as.
OWN_COUNT = 200


def schema(number_type, note, indexed, more):
    properties = {
        "_id": "int", "number": {"type": number_type, "indexed": indexed == "number"},
        "seq": {"type": "int", "indexed": indexed == "seq"}, note: "string", "tags": "string[]",
        "twin": "Item", "twins": {"type": "linkingObjects", "class": "Item", "property": "twin"}}
    properties.update(more)
    return {"classes": [{"name": "Item", "primaryKey": "_id", "properties": properties}]}


#: The two schemas that take turns: numbers become texts and come back, an index moves, a property has
#: another name, and one comes and goes with a value of its own in each object.
SCHEMAS = [
    schema("int", "note", "number", {}),
    schema("string", "remark", "seq", {"token": {"type": "uuid", "default": "$uuid"}}),
]
RENAMES = [{"Item.remark": "Item.note"}, {"Item.note": "Item.remark"}]
NOTES = ["note", "remark"]


def item(key, number, seq, twin):
    # An int takes a text of digits, so that a body fits both schemas.
    return {"_id": key, "number": str(number), "seq": seq, "tags": [str(seq)], "twin": twin}


def told(value):
    """What is compared of an object, in either schema."""
    return dict({name: value[name] for name in ("_id", "seq", "tags", "twin")},
                number=str(value["number"]))


class State:
    """What one writer has stored, and what it has asked for and not heard of."""

    def __init__(self, number, seed):
        self.random = random.Random(f"{seed}/{number}")
        self.keys = [number * OWN_COUNT + place for place in range(OWN_COUNT)]
        self.stored = {}
        self.pending = None
        self.seq = 0
        self.acknowledged = 0

    def next(self):
        """A request: method, body and the object as it then is."""
        self.seq += 1
        key = self.random.choice(self.keys)
        if key in self.stored and self.random.random() < 0.2:
            return key, "DELETE", None, None
        # A link to an object that nobody deletes.
        twin = WRITER_COUNT * OWN_COUNT + self.random.randrange(100)
        value = item(key, self.random.randrange(1 << 40), self.seq, twin)
        return key, "PUT", {name: value[name] for name in value if name != "_id"}, value

    def acknowledge(self, key, value):
        if value is None:
            self.stored.pop(key, None)
        else:
            self.stored[key] = value
        self.acknowledged += 1

    def resolve(self, found):
        """What is wrong with what was found; settles what was not answered."""
        pending, self.pending = self.pending, None
        if pending and found.get(pending[0]) == pending[1] != self.stored.get(pending[0]):
            self.acknowledge(*pending)
        return [f"{key}: stored {found.get(key)}, acknowledged {self.stored.get(key)}"
                for key in self.keys if found.get(key) != self.stored.get(key)]


class Writer(threading.Thread):
    def __init__(self, state, server, stop):
        super().__init__(daemon=True)
        self.state, self.should_stop = state, stop
        self.connection = Connection(server)
        self.failure = None

    def run(self):
        try:
            while not self.should_stop.is_set():
                key, method, body, value = self.state.next()
                self.state.pending = key, value
                reply = self.connection.request(
                    method, f"/v1/classes/Item/objects/{key}", body, {"Prefer": "return=minimal"})
                if reply.status not in (200, 201, 204):
                    self.failure = f"{method} {key}: {reply}"
                    return
                self.state.pending = None
                self.state.acknowledge(key, value)
        except OSError:
            pass
        except Exception as error:
            self.failure = repr(error)
        finally:
            self.connection.close()


class Migration(threading.Thread):
    """Puts a schema; `reply` stays None when there was no answer."""

    def __init__(self, server, target):
        super().__init__(daemon=True)
        self.connection = Connection(server, seconds=600)
        self.target = target
        self.reply = None

    def run(self):
        body = dict(SCHEMAS[self.target], renames=RENAMES[self.target])
        try:
            # What the other schema has in addition goes.
            self.reply = self.connection.request("PUT", "/v1/schema?allowDataLoss=true", body)
        except OSError:
            pass
        finally:
            self.connection.close()


class MigrationKills:
    def __init__(self, report, seed, object_count, kill_count):
        self.check, self.note = report.check, report.note
        self.object_count, self.kill_count = object_count, kill_count
        self.random = random.Random(f"{seed}/moments")
        self.server = Server(Server.temporary_directory())
        self.states = [State(number, seed) for number in range(WRITER_COUNT)]
        self.fixed = {}
        self.present = 0
        self.outcomes = {"old": 0, "new": 0, "answered": 0}

    def run(self):
        self.server.start()
        self._fill()
        # Once undisturbed, there and back, to know the schemas as the store tells them, and the time.
        self.shown = [self._shown(), None]
        seconds = self._migrate_undisturbed()
        self.shown[1] = self._shown()
        self._migrate_undisturbed()
        self.check("the first schema comes back", self._shown() == self.shown[0], self._shown())
        kill = 0
        # How long a migration takes is measured once: what held that one up makes the kills come after the end of the
        # others. Then there are more of them, each within half the time of the one before.
        while kill < self.kill_count or kill < 3 * self.kill_count and not self.outcomes["old"]:
            kill += 1
            if kill > self.kill_count:
                seconds /= 2
            if not self._round(kill, seconds):
                return
        self.check("some kills came before the end of the migration", self.outcomes["old"] > 0,
                   self.outcomes)
        status = self.server.terminate()
        self.check("SIGTERM ends the server with status 0", status == 0, status)
        errors = self.server.error_lines()
        self.check("the log has no error", not errors, errors[:3])
        self.note(f"{kill} kills of migrations of {self.object_count} objects that take "
                  f"{seconds:.1f} s: {self.outcomes}, "
                  f"{sum(state.acknowledged for state in self.states)} acknowledged writes")

    def _fill(self):
        connection = Connection(self.server, seconds=300)
        reply = connection.request("PUT", "/v1/schema", SCHEMAS[0])
        self.check("the schema is made", reply.status == 200, reply)
        first = WRITER_COUNT * OWN_COUNT
        for start in range(first, first + self.object_count, 20_000):
            lines = []
            for key in range(start, min(start + 20_000, first + self.object_count)):
                value = item(key, key * 1_000_003, 0, key)
                self.fixed[key] = value
                lines.append(json.dumps(value))
            reply = connection.request(
                "POST", "/v1/classes/Item/import", "\n".join(lines).encode(),
                {"Content-Type": "application/x-ndjson"})
            self.check("objects are imported", reply.status == 200 and reply.json()["failed"] == 0,
                       reply)
        connection.close()

    def _migrate_undisturbed(self):
        started = time.monotonic()
        migration = Migration(self.server, 1 - self.present)
        migration.run()
        self.check("the migration succeeds", migration.reply and migration.reply.status == 200,
                   migration.reply)
        self.present = 1 - self.present
        seconds = time.monotonic() - started
        self._await_clean("after an undisturbed migration")
        return seconds

    def _round(self, kill, seconds):
        target = 1 - self.present
        stop = threading.Event()
        writers = [Writer(state, self.server, stop) for state in self.states]
        migration = Migration(self.server, target)
        for thread in [*writers, migration]:
            thread.start()
        if kill % 5 == 0:
            # While what the migration has left is removed.
            migration.join(20 * seconds + 60)
            time.sleep(self.random.uniform(0, seconds / 4))
        else:
            time.sleep(self.random.uniform(0, 1.3 * seconds))
        self.server.kill()
        stop.set()
        for thread in [*writers, migration]:
            thread.join(60)
        failures = [writer.failure for writer in writers if writer.failure]
        self.check(f"writes beside migration {kill} get the answers they should", not failures,
                   failures[:2])
        if kill % 2 == 0:
            self._check(f"after kill {kill}")
        while self.random.random() < 0.4:
            # A server that is killed while it starts, or cleans up, leaves nothing behind either.
            self.server.spawn()
            time.sleep(self.random.uniform(0, 0.6))
            self.server.kill()
        self.server.start()
        return self._verify(kill, migration, target)

    def _verify(self, kill, migration, target):
        shown = self._shown()
        is_known = self.check(f"after kill {kill} the store has one of the two schemas",
                              shown in self.shown, shown)
        if not is_known:
            return False
        self.present = self.shown.index(shown)
        self.outcomes["new" if self.present == target else "old"] += 1
        if migration.reply is not None:
            self.outcomes["answered"] += 1
            self.check(f"migration {kill} is done if it was answered",
                       migration.reply.status == 200 and self.present == target, migration.reply)
        connection = Connection(self.server, seconds=120)
        found, tokens = {}, set()
        for value in connection.everything("Item"):
            found[value["_id"]] = told(value)
            tokens.add(value.get("token"))
            if self.present == 1 and not isinstance(value["number"], str) or NOTES[self.present] not in value:
                self.check(f"after kill {kill} objects are of the schema", False, value)
                return False
        if self.present == 1:
            self.check(f"after kill {kill} each object has a token of its own",
                       len(tokens) == len(found) and None not in tokens,
                       f"{len(tokens)} of {len(found)}")
        wrong = [text for state in self.states for text in state.resolve(found)]
        wrong += [f"{key}: stored {found.get(key)}" for key, value in self.fixed.items()
                  if found.get(key) != value]
        wrong += [f"{key} should not be there" for key in found if key not in self.fixed
                  and not any(key in state.stored for state in self.states)]
        if not self.check(f"after kill {kill} what was acknowledged is there and nothing half",
                          not wrong, wrong[:3]):
            return False
        self._verify_access_paths(connection, kill)
        connection.close()
        self._await_clean(f"after kill {kill}")
        if kill % 2 == 1 or kill >= self.kill_count:
            status = self.server.terminate()
            self.check("SIGTERM ends the server with status 0", status == 0, status)
            # Nothing is recorded as left over any more, so that whatever is still there is a finding.
            self._check(f"after the clean-up of kill {kill}")
            self.server.start()
        return True

    def _verify_access_paths(self, connection, kill):
        for state in self.states:
            for value in self.random.sample(sorted(state.stored.values(), key=lambda one: one["_id"]),
                                            min(3, len(state.stored))):
                number = json.dumps(value["number"]) if self.present == 1 else value["number"]
                reply = connection.request("POST", "/v1/classes/Item/query",
                                           {"filter": f"number == {number} AND seq == {value['seq']}"})
                keys = [one["_id"] for one in reply.json().get("objects", [])]
                self.check(f"after kill {kill} {value['_id']} is found by its values",
                           keys == [value["_id"]], f"{keys} {reply}")
        key = WRITER_COUNT * OWN_COUNT + self.random.randrange(100)
        path = f"/v1/classes/Item/objects/{key}/properties/twins?limit=1000"
        found = {one["_id"] for one in connection.request("GET", path).json()["objects"]}
        expected = {key} | {value["_id"] for state in self.states
                            for value in state.stored.values() if value["twin"] == key}
        self.check(f"after kill {kill} inverse links of {key} agree", found == expected,
                   found ^ expected)

    def _shown(self):
        connection = Connection(self.server)
        shown = connection.request("GET", "/v1/schema").json()
        connection.close()
        return shown["classes"]

    def _await_clean(self, when):
        """Waits until nothing is left of migrations."""
        connection = Connection(self.server)

        def is_clean():
            metrics = connection.request("GET", "/metrics").body.decode()
            values = [line.split()[-1] for line in metrics.splitlines()
                      if line.startswith("holdfast_migration_phase{")]
            return bool(values) and all(float(value) == 0 for value in values)

        self.check(f"{when} nothing is left over in the end", wait_until(is_clean, 120, 0.05))
        connection.close()

    def _check(self, when):
        status, text = check_store(self.server.data)
        self.check(f"check {when} finds nothing", status == 0, text[-1500:])


def run(report, seed, is_full):
    MigrationKills(report, seed, 300_000 if is_full else 20_000, 30 if is_full else 6).run()
