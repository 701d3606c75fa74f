"""SIGTERM under load: nothing that was acknowledged is lost, and everybody gets an end."""
import random
import threading
import time

from client import Connection
from server import WAIT_SECONDS_MAX, Server, can_check, check_store
from streams import Follower, wait_for
from world import QUERIES, SCHEMA, Query, World, difference
from writers import Writer, WriterState, owned, prepare

WRITER_COUNT = 16
#: How long the server may wait for requests under way, and how long polls wait for a change. A stop that waits for either
#: takes as long; one that does not takes what its last syncs take, which on a busy disk is some seconds.
GRACE_SECONDS, POLL_SECONDS, STOP_SECONDS_MAX = 60, 60, 40


def run(report, seed, is_full):
    pick = random.Random(seed)
    server = Server(Server.temporary_directory(), "--heartbeat", "1s", "--grace", f"{GRACE_SECONDS}s")
    states = [WriterState(number, seed) for number in range(WRITER_COUNT)]
    server.start()
    prepare(server, states, SCHEMA)
    unanswered = refused = 0
    rounds = 20 if is_full else 3
    for round_number in range(rounds):
        if round_number:
            server.start()
        connection = Connection(server)
        wrong = [text for state, objects in zip(states, owned(connection, WRITER_COUNT))
                 if (text := state.resolve(objects))]
        report.check(f"after stop {round_number} what was acknowledged is there", not wrong, wrong[:3])
        followers = [Follower(server, query) for query in QUERIES]
        for follower in followers:
            follower.start()
        polls = [Connection(server) for _ in range(4)]
        cursor = connection.version()
        never = Query("never", "Item", None, "value == -1")
        for poll in polls:
            poll.send("GET", f"{never.path()}&since={cursor}", headers={"Prefer": f"wait={POLL_SECONDS}"})
        late = wait_for(followers, 0, WAIT_SECONDS_MAX)
        report.check("streams begin", not late, late)
        stop, refusals = threading.Event(), []
        writers = [Writer(state, server, stop, on_refusal=lambda *args: refusals.append(args))
                   for state in states]
        for writer in writers:
            writer.start()
        time.sleep(pick.uniform(0.1, 1.0))
        started = time.monotonic()
        status = server.terminate(GRACE_SECONDS + 30)
        took = time.monotonic() - started
        stop.set()
        report.check("SIGTERM ends the server with status 0", status == 0, status)
        report.check("and does not wait for those who wait", took < STOP_SECONDS_MAX, f"{took:.1f} s")
        for writer in writers:
            writer.join(40)
        failures = [writer.failure for writer in writers if writer.failure]
        report.check("requests get the answers they should", not failures, failures[:3])
        others = [reply for _, reply in refusals if reply.status != 503]
        report.check("refusals are 503", not others, others[:3])
        refused += len(refusals)
        unanswered += sum(state.pending is not None for state in states)
        for follower in followers:
            follower.join(30)
            name = follower.query.name
            report.check(f"stream {name} ends cleanly", follower.ended_cleanly, follower.place())
            report.check(f"stream {name} has no fault", not follower.replay.faults,
                         follower.replay.faults[:2])
        for poll in polls:
            try:
                reply = poll.receive()
                # It may be told that something is no result which never was one.
                report.check("a long poll is answered at the stop", reply.status == 200 and all(
                    entry["op"] in ("leave", "delete") for entry in reply.json()["changes"]), reply)
            except OSError as error:
                report.check("a long poll is answered at the stop", False, repr(error))
            poll.close()
        connection.close()
        if can_check():
            status, text = check_store(server.data)
            report.check("check finds nothing", status == 0, text[-1500:])
    server.start()
    connection = Connection(server)
    wrong = [text for state, objects in zip(states, owned(connection, WRITER_COUNT))
             if (text := state.resolve(objects))]
    report.check("after the last stop what was acknowledged is there", not wrong, wrong[:3])
    done = sum(state.done_count for state in states)
    report.check("no write was done without an answer", done == 0, done)
    world = World()
    for state in states:
        world.apply(state.stored)
    for query in QUERIES:
        found, expected = query.result(connection), query.expected(world)
        report.check(f"query {query.name} is as the model says", found == expected,
                     difference(found, expected))
    connection.close()
    errors = server.error_lines()
    report.check("the log has no error", not errors, errors[:3])
    report.note(f"{rounds} stops, {sum(state.acknowledged for state in states)} acknowledged writes, "
                f"{refused} refused, {unanswered} unanswered, of which "
                f"{done} were stored")
