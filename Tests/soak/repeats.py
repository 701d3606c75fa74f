"""kill -9 under requests with idempotency keys: what was not answered is repeated, and done once."""
import random
import threading
import time

from client import Connection
from server import Server, can_check, check_store

WRITER_COUNT = 16
#: Without a primary key, so that what is done twice is there twice.
SCHEMA = {"classes": [{"name": "Entry", "properties": {"label": "string", "part": "int"}}]}


class Repeater(threading.Thread):
    """Sends requests, each with a key of its own; first of all the one that was not answered."""

    def __init__(self, state, server, stop):
        super().__init__(daemon=True)
        self.state, self.should_stop = state, stop
        self.connection = Connection(server)
        self.failure = None

    def run(self):
        try:
            while not self.should_stop.is_set():
                if self.state.pending is None:
                    self.state.begin()
                label, body, path = self.state.pending
                try:
                    reply = self.connection.request("POST", path, body, {"Idempotency-Key": label})
                except OSError:
                    return
                if reply.status not in (200, 201):
                    self.failure = f"{label}: {reply}"
                    return
                self.state.finish(reply)
        except Exception as error:
            self.failure = repr(error)
        finally:
            self.connection.close()


class State:
    """What one writer has asked for, across restarts."""

    def __init__(self, number, seed):
        self.number = number
        self.random = random.Random(f"{seed}/{number}")
        self.count = 0
        #: How many entries there are of each label that was acknowledged.
        self.done = {}
        #: The request that has no reply yet.
        self.pending = None
        self.replayed = 0

    def begin(self):
        self.count += 1
        label = f"{self.number}-{self.count}"
        parts = [{"label": label, "part": part} for part in range(self.random.choice([1, 1, 2, 3]))]
        if self.random.random() < 0.5:
            body, path = parts, "/v1/classes/Entry/objects"
        else:
            body = {"operations": [
                {"op": "create", "class": "Entry", "value": part} for part in parts]}
            path = "/v1/transactions"
        self.parts = len(parts)
        self.pending = label, body, path

    def finish(self, reply):
        self.done[self.pending[0]] = self.parts
        self.replayed += "idempotency-replayed" in reply.headers
        self.pending = None


def run(report, seed, is_full):
    kill_count = 60 if is_full else 6
    chance = random.Random(f"{seed}/repeats")
    server = Server(Server.temporary_directory())
    states = [State(number, seed) for number in range(WRITER_COUNT)]
    server.start()
    connection = Connection(server)
    reply = connection.request("PUT", "/v1/schema", SCHEMA)
    report.check("the schema is taken", reply.status == 200, reply)
    connection.close()
    kill = 0
    # Which requests a kill finds done and not answered is a matter of microseconds: where the first kills found none,
    # there are more.
    while kill < kill_count or kill < 10 * kill_count and not any(state.replayed for state in states):
        kill += 1
        stop = threading.Event()
        writers = [Repeater(state, server, stop) for state in states]
        for writer in writers:
            writer.start()
        time.sleep(chance.uniform(0.1, 0.8))
        server.kill()
        stop.set()
        for writer in writers:
            writer.join(40)
        failures = [writer.failure for writer in writers if writer.failure]
        report.check("requests and repeats succeed", not failures, failures[:3])
        if can_check():
            status, text = check_store(server.data)
            report.check(f"check after kill {kill} finds nothing", status == 0, text[-1500:])
        server.start()
    # Everybody repeats what was not answered, and then nothing more.
    connection = Connection(server)
    for state in states:
        if state.pending:
            label, body, path = state.pending
            reply = connection.request("POST", path, body, {"Idempotency-Key": label})
            report.check("the last repeat succeeds", reply.status in (200, 201), reply)
            state.finish(reply)
    found = {}
    for entry in connection.everything("Entry"):
        found.setdefault(entry["label"], []).append(entry["part"])
    expected = {label: count for state in states for label, count in state.done.items()}
    wrong = [label for label in found.keys() | expected.keys()
             if sorted(found.get(label, [])) != list(range(expected.get(label, 0)))]
    report.check("each request was done once and whole", not wrong, wrong[:5])
    replayed = sum(state.replayed for state in states)
    report.note(f"{kill} kills, {len(expected)} requests, {replayed} repeats were done before")
    report.check("some requests had been done though they were not answered", replayed > 0)
    connection.close()
    report.check("SIGTERM ends the server with status 0", server.terminate() == 0)
