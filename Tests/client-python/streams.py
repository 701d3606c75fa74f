"""The state machine of live queries against the model of a service, under random events, cuts and restarts."""
import os
import random
import unittest

from holdfast import HoldfastError
from holdfast.event import Event
from holdfast.query_state import Stage
from holdfast.stream_state import StreamState
from stream_model import UNKNOWN, Connection, Store, Stream, version_text

SEED = int(os.environ.get("HOLDFAST_SEED", 70))
CASES = 4_000 if "HOLDFAST_SOAK" in os.environ else 300
STEPS = 150


class Client:
    """A client of the model: the state machine, and readers that take states now and then."""

    def __init__(self, test, seed):
        self.test, self.random = test, random.Random(seed)
        self.store = Store(self.random)
        self.state = StreamState()
        self.streams, self.connection = {}, None
        self.received = {}
        self.counts = {"states": 0, "cuts": 0, "restarts": 0, "errors": 0}
        for _ in range(self.random.randrange(1, 4)):
            self.add()

    def add(self):
        body = self.random.choice((
            {"class": "T", "filter": [0]}, {"class": "T", "filter": [0, 1]}, {"class": "T", "filter": [0, 1, 2]},
            {"class": "T", "sort": "value", "limit": 4}))
        self.received[self.state.add(body)] = {}

    def remove(self):
        name = self.random.choice(list(self.received))
        self.state.remove(name)
        del self.received[name]

    # The connection

    def connect(self):
        if self.state.stream is not None and self.state.stream not in self.streams:
            self.state.gone()
        if self.state.stream is None:
            bodies = self.state.make()
            stream = f"s{len(self.streams)}-{self.random.random()}"
            self.streams[stream] = Stream(bodies)
            self.state.made(stream, bodies)
        position, _ = self.state.open()
        self.connection = Connection(self.store, self.streams[self.state.stream], position)

    def cut(self):
        self.counts["cuts"] += 1
        self.connection = None
        self.state.close()
        if self.random.random() < 0.4:
            # The service has started again, and has no streams.
            self.counts["restarts"] += 1
            self.streams.clear()

    def change_queries(self):
        changes = self.state.change()
        if changes:
            self.streams[self.state.stream].change(changes, self.connection.feed)
            self.connection.change(changes)
            # Otherwise the reply is lost, and the client asks again.
            if self.random.random() < 0.8:
                self.state.changed(changes)

    def deliver(self, count=None):
        events = self.connection.take_events()
        for event in events[:count]:
            names = self.state.take(event).names
            self.test.assertLessEqual(names, set(self.state.queries))

    # Readers

    def check(self):
        """Each state that a reader may take is the result at the version that the model has sent."""
        for name, query in self.state.queries.items():
            version = self.connection.exact.get(name, UNKNOWN)
            if not query.state.is_whole or version == UNKNOWN:
                continue
            self.test.assertIsNotNone(version, f"{name} is complete, but the model has sent a part only")
            if self.random.random() < 0.5:
                self.take(name, version)

    def take(self, name, version):
        query = self.state.queries[name]
        try:
            state = query.state.take()
        except HoldfastError as error:
            self.counts["errors"] += 1
            self.test.assertEqual(error.code, "query-unknown-class")
            self.received[name] = {}
            return
        if state is not None:
            self.counts["states"] += 1
            applied = dict(self.received[name])
            for change in state.changes:
                if change.op == "leave":
                    self.test.assertEqual(applied.pop(change.key), change.before)
                else:
                    self.test.assertEqual(applied.get(change.key), change.before)
                    applied[change.key] = change.object
            self.test.assertEqual(applied, dict(state.objects))
            self.received[name] = dict(state.objects)
        found = [(key, value["value"], value.etag) for key, value in self.received[name].items()]
        expected = [(key, value, version_text(etag))
                    for key, (value, etag) in self.store.result(query.body, version).items()]
        if "sort" not in query.body:
            found, expected = sorted(found), sorted(expected)
        self.test.assertEqual(found, expected)

    # The course

    def run(self):
        for _ in range(STEPS):
            draw = self.random.random()
            if draw < 0.3:
                self.store.commit()
            elif draw < 0.33 and len(self.received) < 5:
                self.add()
            elif draw < 0.35 and len(self.received) > 1:
                self.remove()
            if self.connection is None:
                self.connect()
            elif draw > 0.96:
                # Some of the events may still arrive.
                self.deliver(self.random.randrange(3))
                self.cut()
                continue
            if self.random.random() < 0.3:
                self.change_queries()
            self.connection.act()
            self.deliver()
            self.check()
        if self.connection is None:
            self.connect()
        # Two rounds, because a stream that resumes is given its other queries later.
        for _ in range(2):
            self.connection.finish()
            self.deliver()
            changes = self.state.change()
            self.streams[self.state.stream].change(changes, self.connection.feed)
            self.connection.change(changes)
            self.state.changed(changes)
        self.connection.finish()
        self.deliver()
        for name, query in self.state.queries.items():
            if self.connection.phases[name] == ("ended",):
                self.test.assertIs(query.state.stage, Stage.EMPTY)
                continue
            self.test.assertTrue(query.state.is_current)
            self.take(name, self.store.version)
            if name in self.received and query.state.stage is Stage.KNOWN:
                self.take(name, self.store.version)


class RandomStreams(unittest.TestCase):
    def test_every_state_is_the_result_at_a_version_and_the_last_one_the_present_result(self):
        print(f"seed {SEED}", flush=True)
        counts = {}
        for case in range(CASES):
            with self.subTest(seed=SEED, case=case):
                client = Client(self, SEED * 1_000_003 + case)
                client.run()
                for name, count in client.counts.items():
                    counts[name] = counts.get(name, 0) + count
        print(counts, flush=True)
        # The cases are of use.
        self.assertTrue(all(count > CASES / 10 for count in counts.values()), counts)


class Rules(unittest.TestCase):
    """The rules that random events seldom reach."""

    def begin(self, *bodies):
        state = StreamState()
        names = [state.add(body) for body in bodies]
        state.made("s", state.make())
        state.open()
        return state, names

    def fill(self, state, name, *keys, last_id="e-1"):
        state.take(Event("reset", {"query": name, "generation": 0, "reason": "start"}, "start"))
        state.take(Event("snapshot", {"objects": [entry(name, key) for key in keys]}, "start"))
        state.take(Event("upToDate", {"query": name, "cursor": last_id}, last_id))

    def test_a_cut_within_a_snapshot_begins_it_again(self):
        state, [name] = self.begin({"class": "T"})
        self.fill(state, name, 1)
        state.take(Event("reset", {"query": name, "generation": 0, "reason": "fell-behind"}, "start"))
        state.take(Event("snapshot", {"objects": [entry(name, 2)]}, "start"))
        state.close()
        self.assertIsNone(state.queries[name].state.take())
        self.assertEqual(state.open(), ("start", False))

    def test_a_catch_up_is_shown_when_it_is_complete(self):
        state, [name] = self.begin({"class": "T"})
        self.fill(state, name, 1)
        state.queries[name].state.take()
        state.close()
        state.open()
        changes = [{"query": name, "op": "enter", **entry(name, 2)}]
        self.assertEqual(state.take(Event("change", {"version": "e-4", "changes": changes})).names, frozenset())
        self.assertIsNone(state.queries[name].state.take())
        state.take(Event("upToDate", {"query": name, "cursor": "e-4"}, "e-4"))
        self.assertEqual(set(state.queries[name].state.take().objects), {1, 2})

    def test_the_last_of_several_parts_shows_the_state_also_without_an_id(self):
        state, [one, two] = self.begin({"class": "T"}, {"class": "U"})
        self.fill(state, one, 1)
        state.queries[one].state.take()
        first = {"version": "e-2", "changes": [{"op": "enter", **entry(one, 2)}]}
        last = {"version": "e-2", "changes": [{"op": "enter", **entry(one, 3)}], "last": True}
        self.assertEqual(state.take(Event("change", first, "e-1")).names, frozenset())
        self.assertEqual(state.take(Event("change", last, "e-1")).names, {one})
        self.assertEqual(set(state.queries[one].state.take().objects), {1, 2, 3})
        self.assertIsNone(state.queries[two].state.take())

    def test_a_stream_that_is_made_again_begins_without_queries_that_have_no_result(self):
        state, [known, ended] = self.begin({"class": "T"}, {"class": "U"})
        self.fill(state, known, 1)
        self.fill(state, ended, 1, last_id="e-2")
        state.take(Event("error", {"query": ended, "code": "unknown-class", "detail": "Gone."}, "e-2"))
        added = state.add({"class": "V"})
        state.gone()
        self.assertEqual(set(state.make()), {known})
        state.made("s2", [known])
        self.assertEqual(state.open(), ("e-2", True))
        self.assertEqual(state.change(), {})
        state.take(Event("upToDate", {"query": known, "cursor": "e-3"}, "e-3"))
        self.assertEqual(set(state.change()), {ended, added})

    def test_a_stream_without_a_known_query_begins_anew(self):
        state, [name] = self.begin({"class": "T"})
        self.fill(state, name, 1)
        state.remove(name)
        added = state.add({"class": "U"})
        state.gone()
        self.assertEqual((set(state.make()), state.position), ({added}, "start"))

    def test_events_of_a_removed_query_are_ignored(self):
        state, [name, other] = self.begin({"class": "T"}, {"class": "U"})
        state.remove(name)
        self.fill(state, name, 1)
        self.assertEqual(state.change(), {name: None})
        self.assertNotIn(name, state.queries)

    def test_another_user_sees_nothing_of_the_former_one(self):
        state, [name] = self.begin({"class": "T"})
        self.fill(state, name, 1)
        state.queries[name].state.take()
        state.forget()
        self.assertEqual((state.stream, state.position), (None, "start"))
        self.assertIsNone(state.queries[name].state.take())
        state.made("s2", state.make())
        state.open()
        self.fill(state, name, last_id="e-5")
        taken = state.queries[name].state.take()
        self.assertEqual((dict(taken.objects), [change.op for change in taken.changes]), ({}, ["leave"]))

    def test_an_error_is_raised_once_and_the_next_state_begins_anew(self):
        state, [name] = self.begin({"class": "T"})
        self.fill(state, name, 1)
        state.queries[name].state.take()
        state.take(Event("error", {"query": name, "code": "unknown-class", "detail": "Gone."}, "e-1"))
        with self.assertRaises(HoldfastError):
            state.queries[name].state.take()
        self.assertIsNone(state.queries[name].state.take())
        # Until its `reset`, the query has nothing.
        change = {"version": "e-2", "changes": [{"op": "enter", **entry(name, 5)}], "last": True}
        state.take(Event("change", change, "e-1"))
        self.assertIsNone(state.queries[name].state.take())
        self.fill(state, name, 1, last_id="e-2")
        self.assertEqual([change.op for change in state.queries[name].state.take().changes], ["enter"])

    def test_the_stream_says_how_long_a_silence_may_be(self):
        state, _ = self.begin({"class": "T"})
        self.assertEqual(state.patience_seconds, 45)
        state.take(Event("hello", {"cursor": "start", "heartbeat": 2}, "", 1.5))
        self.assertEqual((state.patience_seconds, state.retry_seconds), (6, 1.5))


def entry(name, key):
    return {"query": name, "id": key, "etag": "e-1", "object": {"id": key}}
