"""Eight writers and a stream for each query: what streams tell is compared, version by version, with a
model that is made from the writes' own versions."""
import threading
import time

from client import Connection
from server import WAIT_SECONDS_MAX, Server, can_check, check_store, wait_until
from streams import Follower, Replay, wait_for
from world import QUERIES, SCHEMA, World, difference
from writers import Writer, WriterState, owned, prepare

WRITER_COUNT = 8


class History:
    """All writes in the order of their versions."""

    def __init__(self, states, teams, first_version):
        self.first_version = first_version
        self.teams = teams
        self.writes = sorted(
            (entry for state in states for entry in state.log), key=lambda entry: entry[0])

    def gaps(self):
        """A message when versions are missing, or were given twice."""
        versions = [version for version, _ in self.writes]
        expected = list(range(self.first_version + 1, self.first_version + 1 + len(versions)))
        if versions == expected:
            return None
        missing = sorted(set(expected) - set(versions))[:5]
        twice = [a for a, b in zip(versions, versions[1:]) if a == b][:5]
        return f"{len(versions)} versions; missing {missing}, twice {twice}"


class Verifier:
    """Compares the live events of one stream with the differences between published versions."""

    def __init__(self, query, history):
        self.query, self.history = query, history
        self.world = World()
        self.world.apply(history.teams)
        self.position = 0
        #: What changed since the last event: key -> properties, and the keys that were deleted.
        self.dirty, self.deleted = {}, set()
        self.held = {}
        self.faults = []
        self.compared = 0

    def fault(self, text):
        if len(self.faults) < 20:
            self.faults.append(f"{self.query.name}: {text}")

    def _touch(self, key, names):
        self.dirty.setdefault(key, set()).update(names)

    def advance(self, version):
        """Brings the model to a version."""
        writes = self.history.writes
        while self.position < len(writes) and writes[self.position][0] <= version:
            delta = writes[self.position][1]
            for (class_name, key), value in delta.items():
                self._mark(class_name, key, self.world.get(class_name, key), value)
            self.world.apply(delta)
            self.position += 1

    def _mark(self, class_name, key, old, new):
        query = self.query

        def changes(name):
            return (old or {}).get(name) != (new or {}).get(name)

        if class_name == query.class_name:
            if new is None:
                if old is not None:
                    self.deleted.add(key)
                    self._touch(key, ())
            else:
                self._touch(key, {name for name in new if old is None or old[name] != new[name]})
        if class_name == "Team" and "team" in query.reaches:
            for item in self.world.items_of_team.get(key, ()):
                self._touch(item, ("team",))
        if class_name == "Item" and "twin" in query.reaches and changes("value"):
            for item in self.world.items_of_twin.get(key, ()):
                self._touch(item, ("twin",))
        if class_name == "Item" and "items" in query.reaches and changes("team"):
            for value in (old, new):
                if value is not None and value["team"] is not None:
                    self._touch(value["team"], ("items",))

    def take_live(self, event, changes):
        """Checks one change event of the live phase; `changes` are those of all its parts."""
        self.advance(event.version)
        told = {}
        for entry in changes:
            told.setdefault(entry["id"], []).append(entry)
        for key in set(told) | set(self.dirty):
            self._compare(key, told.get(key, []), event)
        self.dirty, self.deleted = {}, set()

    def _compare(self, key, entries, event):
        self.compared += 1
        query = self.query
        value = self.world.get(query.class_name, key)
        is_in = query.matches_key(key, value, self.world)
        was_in = key in self.held
        kinds = [entry["op"] for entry in entries]
        was_deleted = key in self.deleted
        if was_in and is_in:
            right = kinds == ["update"] or (was_deleted and kinds == ["delete", "enter"])
        elif is_in:
            right = kinds == ["enter"]
        elif was_in:
            right = kinds == ["leave"] or (was_deleted and kinds == ["delete"])
            right = right and (value is not None or kinds == ["delete"])
        else:
            right = not kinds
        if not right:
            self.fault(f"{key} at {event.id}: was in {was_in}, is in {is_in}, told {kinds}, "
                       f"deleted {was_deleted}, touched {self.dirty.get(key)}")
        if is_in:
            shown = query.shown(value, self.world)
            if entries and entries[-1].get("object") != shown:
                self.fault(f"{key} at {event.id}: told {entries[-1].get('object')}, is {shown}")
            if kinds == ["update"]:
                self._compare_changed(key, entries[-1], event)
            self.held[key] = shown
        else:
            self.held.pop(key, None)

    def _compare_changed(self, key, entry, event):
        changed, touched = set(entry["changed"]), self.dirty.get(key, set())
        if not changed <= touched:
            self.fault(f"{key} at {event.id}: changed {changed}, of which only {touched} did")

    def settle(self, version, replayed):
        """Takes over what a folded catch-up ended with."""
        self.advance(version)
        expected = self.query.expected(self.world)
        if replayed != expected:
            self.fault(f"at upToDate {version}: {difference(replayed, expected)}")
        self.held = dict(expected)
        self.dirty, self.deleted = {}, set()

    def finish(self, version):
        """After the last event: nothing that matters may have happened behind it."""
        self.advance(version)
        expected = self.query.expected(self.world)
        if self.held != expected:
            self.fault(f"at the end: {difference(self.held, expected)}")


def verify(query, events, history, version):
    """Runs all events of one follower past the model."""
    verifier, replay = Verifier(query, history), Replay(query.name)
    #: The changes of the parts of an event whose last part has not come.
    parts = []
    for event in events:
        replay.take(event)
        if event.name == "upToDate":
            verifier.settle(event.version, replay.objects)
            parts = []
        elif event.name == "change":
            parts += event.data["changes"]
            if replay.is_live:
                verifier.take_live(event, parts)
                parts = []
    verifier.finish(version)
    return verifier


def run(report, seed, is_full):
    """Writes for a while beside the streams, and compares."""
    seconds = 60 if is_full else 6
    server = Server(Server.temporary_directory(), "--heartbeat", "1s", "--stream-queue", "8MiB")
    server.start()
    states = [WriterState(number, seed, object_count=40) for number in range(WRITER_COUNT)]
    teams, first_version = prepare(server, states, SCHEMA)
    for state in states:
        state.records = True
    followers = [Follower(server, query, keeps_events=True) for query in QUERIES]
    for follower in followers:
        follower.start()
    # Others come and go, so that channels are made and forgotten beside the load.
    stop = threading.Event()
    visitor = threading.Thread(target=visit, args=(server, stop), daemon=True)
    writers = [Writer(state, server, stop) for state in states]
    late = wait_for(followers, first_version, WAIT_SECONDS_MAX)
    report.check("streams begin", not late, late)
    for thread in [visitor, *writers]:
        thread.start()
    time.sleep(seconds)
    # What concerns a stream of few objects may come late, where writes are slow.
    wait_until(lambda: all(follower.replay.live_changes for follower in followers)
               or any(writer.failure for writer in writers), WAIT_SECONDS_MAX)
    stop.set()
    for thread in [visitor, *writers]:
        thread.join(60)
    failures = [writer.failure for writer in writers if writer.failure]
    report.check("requests get the answers they should", not failures, failures[:3])
    connection = Connection(server)
    version = int(connection.version().rsplit("-", 1)[1])
    late = wait_for(followers, version, 60)
    report.check("streams come to the last version", not late, late)
    history = History(states, teams, first_version)
    gaps = history.gaps()
    report.check("each transaction has a version of its own, one more than the last", not gaps, gaps)
    wrong = [text for state, objects in zip(states, owned(connection, WRITER_COUNT))
             if (text := state.resolve(objects))]
    report.check("the store is as the model says", not wrong, wrong[:3])
    compared = 0
    for follower in followers:
        query, replay = follower.query, follower.replay
        follower.stop()
        found = query.result(connection)
        report.check(f"the replay of {query.name} is the query's result",
                     replay.objects == found, difference(replay.objects, found))
        report.check(f"stream {query.name} has no fault", not replay.faults, replay.faults[:3])
        report.check(f"stream {query.name} was not reset again", replay.reset_reasons == ["start"],
                     replay.reset_reasons)
        verifier = verify(query, follower.events, history, version)
        report.check(f"live events of {query.name} equal the differences between versions",
                     not verifier.faults, verifier.faults[:4])
        report.check(f"stream {query.name} had live events", replay.live_changes > 0)
        compared += verifier.compared
    report.note(
        f"{seconds} s, {len(history.writes)} writes, "
        f"{sum(follower.replay.live_changes for follower in followers)} live events with {compared} "
        f"objects compared, "
        f"{sum(follower.replay.counts.get('upToDate', 0) - 1 for follower in followers)} catch-ups")
    status = server.terminate()
    report.check("SIGTERM ends the server with status 0", status == 0, status)
    if can_check():
        status, text = check_store(server.data)
        report.check("check finds nothing", status == 0, text[-1500:])
    errors = server.error_lines()
    report.check("the log has no error", not errors, errors[:3])


def visit(server, stop):
    """Opens streams and leaves them again."""
    number = 0
    while not stop.is_set():
        query = QUERIES[number % len(QUERIES)]
        follower = Follower(server, query, since="now" if number % 3 else "start")
        follower.start()
        stop.wait(0.1)
        follower.stop()
        number += 1
