"""Clients that read slowly, or not at all for a while."""
import threading
import time

from client import Connection
from server import Server
from streams import Follower, wait_for
from world import QUERIES, SCHEMA, Query, difference
from writers import Writer, WriterState, prepare

WRITER_COUNT = 8
#: How far memory may grow beside slow streams: they hold a queue each, of this size at most.
QUEUE = 256 << 10
#: What a stream that keeps up is told until those that do not read have missed much: a snapshot is 8 MiB, and a queue
#: with the buffers of its socket takes 5 MiB.
ENOUGH = 32 << 20
#: Objects of 4 KB, of which each stream has to be told.
BIG_COUNT = 2000
ALL = next(query for query in QUERIES if query.name == "all")


class Trickle(Follower):
    """Reads a little now and then, so that its queue is refilled again and again."""

    def _read(self, response):
        reader = response.read1

        def read1(_):
            if self.trickles.is_set():
                time.sleep(0.02)
                return reader(2048)
            return reader(1 << 16)

        response.read1 = read1
        super()._read(response)

    trickles = None


def run(report, seed, is_full):
    seconds = 20 if is_full else 4
    stream_count = 40 if is_full else 8
    server = Server(
        Server.temporary_directory(), "--stream-queue", f"{QUEUE >> 10}KiB", "--heartbeat", "1s")
    server.start()
    states = [WriterState(number, seed, object_count=40) for number in range(WRITER_COUNT)]
    prepare(server, states, SCHEMA)
    fill(server)
    # Readers that begin and then do not read; readers that trickle; and one that keeps up.
    quick = Follower(server, ALL)
    stuck = [Follower(server, numbered(number), receive_buffer=65536)
             for number in range(stream_count)]
    trickling = [Trickle(server, numbered(number), receive_buffer=65536)
                 for number in range(stream_count)]
    Trickle.trickles = threading.Event()
    quick.start()
    version = int(connection_version(server).rsplit("-", 1)[1])
    for follower in stuck:
        follower.start()
    late = wait_for([quick, *stuck], version, 120)
    report.check("streams begin", not late, late)
    before = server.rss()
    for follower in stuck:
        follower.reads.clear()
    Trickle.trickles.set()
    for follower in trickling:
        follower.start()
    stop = threading.Event()
    writers = [Writer(state, server, stop) for state in states]
    rewriter = threading.Thread(target=rewrite, args=(server, stop), daemon=True)
    for thread in [*writers, rewriter]:
        thread.start()
    most = before
    end = time.monotonic() + seconds
    # Where writes are slow, it takes longer until the queues are full and what comes then is folded.
    while (now := time.monotonic()) < end or quick.byte_count < ENOUGH and now < end + 60:
        most = max(most, server.rss())
        time.sleep(0.05)
    stop.set()
    for thread in [*writers, rewriter]:
        thread.join(60)
    Trickle.trickles.clear()
    for follower in stuck:
        follower.reads.set()
    failures = [writer.failure for writer in writers if writer.failure]
    report.check("requests get the answers they should", not failures, failures[:3])
    connection = Connection(server)
    version = int(connection.version().rsplit("-", 1)[1])
    followers = [quick, *stuck, *trickling]
    late = wait_for(followers, version, 120)
    most = max(most, server.rss())
    # The first one may have been closed meanwhile: it was idle.
    connection.close()
    report.check("slow streams come to the present once they read", not late, late)
    found = ALL.result(connection)
    for kind, group in (("quick", [quick]), ("stuck", stuck), ("trickling", trickling)):
        wrong = [text for follower in group if (text := difference(follower.state(), found))]
        report.check(f"the replay of each {kind} stream is the query's result", not wrong, wrong[:2])
        faults = [fault for follower in group for fault in follower.replay.faults]
        report.check(f"no {kind} stream has a fault", not faults, faults[:3])
    folded = sum(follower.replay.counts.get("upToDate", 0) > 1 for follower in stuck)
    report.check("changes were folded for streams that did not read", folded > 0, folded)
    least = min(follower.byte_count for follower in stuck)
    report.check("a folded stream is told less than one that keeps up", least < quick.byte_count,
                 (least, quick.byte_count))
    # Each holds a queue, and what its socket's thread has taken from it; the rest is for all.
    # Beside the queues: the commits that wait for a checkpoint, and the pages of the tree that one writes.
    engine = (24 << 20) + (40 << 20)
    bound = 2 * stream_count * QUEUE * 2 + (48 << 20) + engine
    report.check("memory is bounded by the queues", most - before < bound,
                 f"{(most - before) >> 20} MiB more, bound {bound >> 20} MiB")
    report.note(f"{2 * stream_count} slow streams, {len(found)} objects, memory {before >> 20} MiB, "
                f"at most {most >> 20} MiB, {folded} folded, quick {quick.byte_count >> 20} MiB, "
                f"stuck {least >> 20} MiB at least")
    for follower in followers:
        follower.stop()
    report.check("SIGTERM ends the server with status 0", server.terminate() == 0)
    errors = server.error_lines()
    report.check("the log has no error", not errors, errors[:3])


def numbered(number):
    """A query of its own for each stream, so that nothing is shared among them."""
    return Query(f"all {number}", "Item", ALL.matches, f"seq > -{number + 1}")


def connection_version(server):
    connection = Connection(server)
    try:
        return connection.version()
    finally:
        connection.close()


def fill(server):
    """Large objects that nobody owns."""
    connection = Connection(server)
    for first in range(0, BIG_COUNT, 500):
        body = [big(number, 0) for number in range(first, first + 500)]
        reply = connection.request("POST", "/v1/classes/Item/objects?mode=replace", body)
        if reply.status not in (200, 201):
            raise RuntimeError(f"POST: {reply}")
    connection.close()


def big(number, sequence):
    return {"_id": f"big-{number}", "writer": -1, "seq": sequence, "batch": "x" * 4000}


def rewrite(server, stop):
    """Changes all large objects again and again."""
    connection = Connection(server)
    sequence = 0
    while not stop.is_set():
        sequence += 1
        for first in range(0, BIG_COUNT, 25):
            body = [big(number, sequence) for number in range(first, first + 25)]
            connection.request("POST", "/v1/classes/Item/objects?mode=replace", body,
                               {"Prefer": "return=minimal"})
            if stop.wait(0.005):
                break
    connection.close()
