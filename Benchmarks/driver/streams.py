"""Thousands of event streams, and writes with the times of their replies, by load/streams.c."""
import bisect
import json
import time
from urllib.parse import quote

from . import client
from .processes import BenchError, Process, memory_kib, named_thread_seconds, thread_seconds
from .servers import Holdfast

#: The thread of the server on which streams are told of commits, by its name.
FEED = "feed"

PLACE_COUNT = 100
SCHEMA = {"classes": [
    {"name": "Place", "primaryKey": "_id", "properties": {"_id": "int", "name": "string", "zone": "int"}},
    {"name": "Item", "primaryKey": "_id", "properties": {
        "_id": "int", "name": {"type": "string", "indexed": True}, "age": {"type": "int", "indexed": True},
        "score": "double", "note": "string", "home": "Place", "flag": "bool"}},
    # The end of a run is a write to it.
    {"name": "Fence", "primaryKey": "_id", "properties": {"_id": "int", "n": "int"}}]}
FENCE = "/v1/classes/Fence/changes"


def stream(class_name, filter_text=None, more=""):
    """The target of a class's stream."""
    text = f"filter={quote(filter_text, safe='')}" if filter_text else ""
    return f"/v1/classes/{class_name}/changes?{text}{more}"


def serve(bench, name, objects, hub=False, options=()):
    """Holdfast on a store of items in places; with `hub` all are in one place."""
    path = bench.path(f"follow-{name}")
    with Holdfast(bench, path) as holdfast:
        client.request(holdfast, "PUT", "/v1/schema", SCHEMA)
        client.request(holdfast, "POST", "/v1/classes/Place/objects",
                       [{"_id": key, "name": f"place {key}", "zone": key} for key in range(PLACE_COUNT)])
        lines = bench.path(f"follow-{name}.ndjson")
        with open(lines, "w", encoding="ascii") as file:
            for key in range(objects):
                home = 0 if hub else key % PLACE_COUNT
                file.write(f'{{"_id":{key},"name":"n{key % 9000}","age":{18 + key % 72},"score":{key}.5,'
                           f'"note":"first","home":{home},"flag":true}}\n')
        client.upload(holdfast, "/v1/classes/Item/import", lines)
    return serve_again(bench, name, options)


def serve_again(bench, name, options=()):
    """Holdfast on a store that `serve` has made."""
    return Holdfast(bench, bench.path(f"follow-{name}"), ("--max-connections", "30000", *options))


class Streams:
    """Streams that another process holds. `targets`: (group, last id or None, target, perhaps a token) of each; see
    load/streams.c."""

    def __init__(self, bench, server, targets, seconds=180, waits="open"):
        self.count = len(targets)
        self.process = Process([bench.reference("streams"), "follow", server.port],
                               bench.path(f"streams-{time.monotonic_ns()}.log"), has_pipes=True)
        self.began = time.monotonic_ns()
        text = "".join(f"{group} {last or '-'} {' '.join(rest)}\n" for group, last, *rest in targets)
        self.process.write(text + "\n")
        self.wait(lambda found: found[waits] >= self.count, seconds, f"{self.count} streams {waits}")

    def report(self):
        self.process.write("report\n")
        found = json.loads(self.process.read_line())
        if found["refused"] or found["ended"] or found["errors"]:
            raise BenchError(f"of {self.count} streams {found['refused']} were refused, {found['ended']} ended and "
                             f"{found['errors']} had an error: {self.process.log_tail()}")
        return found

    def clear(self):
        """Forgets what was told. What is told from here on is kept: the other process has answered."""
        self.process.write("clear\n")
        self.report()

    def wait(self, condition, seconds, what):
        """The report that fulfils a condition."""
        end = time.monotonic() + seconds
        while not condition(found := self.report()):
            if time.monotonic() > end:
                raise BenchError(f"not in {seconds} s: {what} ({found['resets']} resets, {found['bytes']} bytes)")
            time.sleep(0.05)
        return found

    def stop(self):
        self.process.stop()


class Fence:
    """Tells when the feed has told everything: its stream is told of a last write. Its group is 3."""

    targets = [("3", None, FENCE)]

    def __init__(self, server, streams):
        self.server, self.streams, self.number = server, streams, time.monotonic_ns()

    def wait(self, seconds=300):
        """Writes, and waits until that is told."""
        self.number += 1
        reply = client.request(self.server, "PUT", "/v1/classes/Fence/objects/1", {"n": self.number})
        headers = {name.lower(): value for name, value in reply.headers}
        version = int(headers["holdfast-version"].rsplit("-", 1)[1])
        return self.streams.wait(lambda found: any(entry[0] >= version for entry in found["told"][3]), seconds,
                                 "the feed has caught up")


def write(bench, server, streams, seconds, rate, objects, seed, connections=16, matches=lambda age: True,
          catch_up_seconds=300):
    """PUTs at a rate, or as many as go with 0, and what that cost until every stream has been told.

    Group 0 of the streams is one stream whose filter finds the writes of which `matches` is true.
    """
    streams.clear()
    fence = Fence(server, streams)
    fence.wait()
    pid = server.process.pid
    before, feed_before = thread_seconds([pid]), feed_seconds(server)
    begun = time.monotonic()
    log = bench.path(f"writes-{time.monotonic_ns()}.log")
    writer = Process([bench.reference("streams"), "write", server.port, connections, rate, seconds, objects,
                      bench.salt * 100 + seed, *filter(None, [server.token])], log)
    writer.child.wait(seconds + 120)
    if writer.child.returncode:
        raise BenchError(f"the writer failed: {writer.log_tail()}")
    written_in = time.monotonic() - begun
    writer.stop()
    found = fence.wait(catch_up_seconds)
    used, feed = thread_seconds([pid]) - before, feed_seconds(server)
    with open(log, encoding="ascii") as file:
        written = [tuple(map(int, line.split())) for line in file]
    # What is undone within a step is not told: with the last write's event it would have been.
    told = sorted(found["told"][0] + found["told"][3][-1:])
    delays = lags(told, [(version, replied) for version, replied, age in written if matches(age)])
    count = len(written)
    return {
        "commits": count, "commits_per_second": count / written_in, "cpu_us": used * 1e6 / count,
        "cores": used / written_in,
        "feed_us": (feed - feed_before) * 1e6 / count if feed is not None and feed_before is not None else None,
        "caught_up_after_s": time.monotonic() - begun - written_in,
        "lag_p50_ms": percentile(delays, 0.5), "lag_p99_ms": percentile(delays, 0.99), "matching": len(delays)}


def feed_seconds(server):
    """CPU of the feed's thread."""
    return named_thread_seconds(server.process.pid, FEED)


def lags(told, written):
    """How long after its reply each write was told, in ms, sorted. An event tells of what came before its version."""
    versions = [entry[0] for entry in told]
    delays = []
    for version, replied in written:
        index = bisect.bisect_left(versions, version)
        if index == len(versions):
            raise BenchError(f"no event told of version {version}")
        delays.append((told[index][2] - replied) / 1e6)
    return sorted(delays)


def percentile(values, share):
    return values[min(len(values) - 1, int(len(values) * share))] if values else None


def metric(server, name):
    """A counter or gauge of `/metrics`; None when the server has none of that name."""
    text = client.request(server, "GET", "/metrics").body.decode()
    found = [line.split()[1] for line in text.splitlines() if line.split()[:1] == [name]]
    return float(found[0]) if found else None


def memory_mib(server):
    return memory_kib(server.process.pid) / 1024
