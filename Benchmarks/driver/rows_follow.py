"""Rows about thousands of change streams: each scene of filters, writes and resumes beside its reference."""
import http.client
import resource
import statistics
import threading
import time
from urllib.parse import quote

from . import client
from .processes import BenchError, thread_seconds
from .results import Row
from .streams import Fence, Streams, memory_mib, metric, percentile, serve, serve_again, stream, write

#: The counter of `/metrics` of events that were encoded.
ENCODINGS = "holdfast_stream_encodings_total"


def _row(bench, name, title):
    row = Row(name, title)
    if not bench.has_holdfast:
        row.notes.append("needs the holdfast binary")
    return row


def _median(runs, name):
    found = [run[name] for run in runs if run[name] is not None]
    return statistics.median(found) if found else None


def _distinct(number):
    """A filter on what is written that no write fulfils: equalities and ranges."""
    return [f"age == {-1 - number}", f"age BETWEEN {{{-3 - number}, {-2 - number}}}", f"name == 'nobody {number}'",
            f"score < {-1 - number}.5"][number % 4]


def _linked(number):
    """One in three through a link."""
    return f"home.zone == {-1 - number}" if number % 3 == 0 else _distinct(number)


def _contains(number):
    return f"note CONTAINS[c] 'nobody {number}'"


def _targets(count, make, matching):
    """`count` streams that are told nothing, a matching one in group 0, and the fence."""
    return ([("r", None, stream("Item", make(number))) for number in range(count)]
            + [("0", None, stream("Item", matching, "&fields=_id"))] + Fence.targets)


def _beside(bench, row, contestants, rate, connections=16):
    """Writes beside each contestant's streams in turn: label -> (count, make, matching filter, matches)."""
    objects, seconds = bench.settings.objects, bench.settings.seconds
    held, runs = [], {label: [] for label in contestants}
    try:
        for label, (count, make, matching, matches) in contestants.items():
            server = serve(bench, f"{row.name}-{len(held)}", objects)
            held.append(server)
            streams = Streams(bench, server, _targets(count, make, matching))
            held.append(streams)
            runs[label] = [server, streams, matches]
        figures = {label: [] for label in contestants}
        for number in range(bench.settings.rounds):
            for label, (server, streams, matches) in runs.items():
                figures[label].append(write(
                    bench, server, streams, seconds, rate, objects, number + 1, connections, matches))
    finally:
        for one in reversed(held):
            one.stop()
    for label, found in figures.items():
        row.add(label, {name: _median(found, name) for name in found[0]})
    return figures


def _ratio(figures, name, label, reference):
    pairs = [(run[name], other[name]) for run, other in zip(figures[label], figures[reference])
             if run[name] is not None and other[name]]
    return statistics.median(run / other for run, other in pairs) if pairs else None


def filters(bench):
    """1,000 commits a second beside ten filters on the written class, and beside 10,000."""
    many = 500 if bench.settings.quick else 10_000
    row = _row(bench, "filters", f"1,000 commits/s beside 10 and {many:,} distinct filters on the written class")
    figures, few, rare, often = {}, "10 filters", f"{many:,} filters", f"{many:,} filters, each write told"
    if bench.has_holdfast:
        figures = _beside(bench, row, {
            few: (10, _distinct, "age == 18", lambda age: age == 18),
            rare: (many, _distinct, "age == 18", lambda age: age == 18),
            often: (many, _distinct, "age >= 18", lambda age: True)}, 1000)
    row.check(f"feed's CPU a commit, {many:,} filters to 10",
              _ratio(figures, "feed_us", rare, few) if figures else None, "×")
    row.check("server's CPU a commit, the same", _ratio(figures, "cpu_us", rare, few) if figures else None, "×")
    row.check("feed's CPU a commit", _median(figures[rare], "feed_us") if figures else None, "µs")
    row.check("feed's CPU a commit that is told", _median(figures[often], "feed_us") if figures else None, "µs")
    row.check("reply to receipt, p99", _median(figures[often], "lag_p99_ms") if figures else None, "ms")
    return row


def filters_flat_out(bench):
    """PUTs from 64 connections as fast as they go, beside one stream and beside 9,000 filters, a third through a link."""
    many = 500 if bench.settings.quick else 9000
    row = _row(bench, "filters-flat-out", f"PUT flat out beside 1 stream and {many:,} filters on the written class")
    figures, one, all_ = {}, "1 stream", f"{many:,} filters"
    if bench.has_holdfast:
        figures = _beside(bench, row, {
            one: (0, _linked, "age < 25", lambda age: age < 25),
            all_: (many, _linked, "age < 25", lambda age: age < 25)}, 0, bench.settings.connections)
    row.check(f"CPU of a PUT until all is told, {many:,} filters to 1 stream",
              _ratio(figures, "cpu_us", all_, one) if figures else None, "×")
    row.check("reply to receipt, p99", _median(figures[all_], "lag_p99_ms") if figures else None, "ms")
    return row


def filters_unindexed(bench):
    """1,000 commits a second beside filters that no index serves."""
    many = 500 if bench.settings.quick else 10_000
    row = _row(bench, "filters-unindexed", f"1,000 commits/s beside {many:,} filters that no index serves")
    figures, few, all_ = {}, "10 filters", f"{many:,} filters"
    if bench.has_holdfast:
        figures = _beside(bench, row, {
            few: (10, _contains, "age < 25", lambda age: age < 25),
            all_: (many, _contains, "age < 25", lambda age: age < 25)}, 1000)
    row.check("cores of the server, for all of what was written in a second", _median(figures[all_], "cores") if figures else None, "")
    row.check("reply to receipt, p99", _median(figures[all_], "lag_p99_ms") if figures else None, "ms")
    return row


def equal_streams(bench):
    """One commit that thousands of equal streams are told of."""
    many = 500 if bench.settings.quick else 9000
    row = _row(bench, "equal-streams", f"a commit that 1 and {many:,} equal streams are told of")
    last, encodings = {}, None
    if bench.has_holdfast:
        for count in (1, many):
            with serve(bench, f"equal-{count}", 1000) as server:
                streams = Streams(bench, server, [("0", None, stream("Item", "age >= 0"))] * count + Fence.targets)
                try:
                    Fence(server, streams).wait()
                    delays, repeats = [], 10 if bench.settings.quick else 30
                    encoded = metric(server, ENCODINGS)
                    for number in range(repeats):
                        streams.clear()
                        before = time.monotonic_ns()
                        client.request(server, "PATCH", "/v1/classes/Item/objects/7", {"age": 20 + number})
                        found = streams.wait(lambda found: found["told"][0] and found["told"][0][-1][1] >= count, 60,
                                             "all are told")
                        delays.append((found["told"][0][-1][3] - before) / 1e6)
                    if encoded is not None:
                        encodings = (metric(server, ENCODINGS) - encoded) / repeats
                finally:
                    streams.stop()
            last[count] = statistics.median(delays)
            row.add(f"{count:,} streams", {"last_ms": last[count], "worst_ms": max(delays)})
    row.check("request to last receipt", last.get(many), "ms")
    row.check("encodings a commit", encodings, "")
    return row


def large_transaction(bench):
    """A transaction of many objects, of which streams that do not read are told."""
    settings = bench.settings
    many, objects = (50, 10_000) if settings.quick else (1000, 100_000)
    row = _row(bench, "large-transaction", f"a transaction of {objects:,} objects, told to {many:,} streams that do not read")
    grown = {}
    if bench.has_holdfast:
        for count in (0, many):
            with serve(bench, f"large-{count}", objects) as server:
                streams = Streams(bench, server, [("n", None, stream("Item", "age >= 0"))] * count + Fence.targets)
                try:
                    Fence(server, streams).wait()
                    before, peak, ends = memory_mib(server), 0.0, time.monotonic() + 10
                    patch = threading.Thread(target=client.request, args=(
                        server, "PATCH", "/v1/classes/Item/objects?all=true", {"note": "changed at once"}))
                    patch.start()
                    while patch.is_alive() or time.monotonic() < ends:
                        peak = max(peak, memory_mib(server))
                        if peak - before > 6000:
                            raise BenchError(f"{peak - before:.0f} MiB for {count} streams: ended")
                        time.sleep(0.02)
                finally:
                    streams.stop()
            grown[count] = peak - before
            row.add(f"{count:,} streams", {"rss_mib": grown[count]})
    row.check("memory beside streams, above that without", grown[many] - grown[0] if grown else None, "MiB")
    return row


def resume(bench):
    """Streams that come back after a restart, many versions later, beside reads."""
    settings = bench.settings
    many, versions = (500, 1000) if settings.quick else (9000, 10_000)
    row = _row(bench, "resume", f"1 and {many:,} streams resume over {versions:,} versions after a restart")
    seconds, reads = {}, {}
    if bench.has_holdfast:
        for count in (1, many):
            with serve(bench, f"resume-{count}", 1000) as server:
                reply = client.request(server, "PUT", "/v1/classes/Fence/objects/1", {"n": 1})
                version = {name.lower(): value for name, value in reply.headers}["holdfast-version"]
                writer = Streams(bench, server, Fence.targets)
                try:
                    # The count of a run at a rate is that of its seconds.
                    write(bench, server, writer, versions / 2000, 2000, 1000, 1, matches=lambda age: False)
                finally:
                    writer.stop()
            with serve_again(bench, f"resume-{count}") as server:
                probe = Probe(server)
                began = time.monotonic()
                streams = Streams(bench, server, [("r", version, stream("Item", f"name == 'n{number % 9000}'"))
                                                  for number in range(count)], waits="upToDate")
                try:
                    seconds[count] = time.monotonic() - began
                    reads[count] = percentile(sorted(probe.finish()), 0.99)
                    byte_count = streams.report()["bytes"] / count
                finally:
                    streams.stop()
            row.add(f"{count:,} streams", {"seconds": seconds[count], "read_p99_ms": reads[count], "bytes": byte_count})
    row.check("until all are up to date", seconds.get(many), "s")
    row.check("point reads and short queries meanwhile, p99", reads.get(many), "ms")
    return row


class Probe(threading.Thread):
    """Point reads and short queries, one after the other, until it is finished; their times in ms."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server, self.times, self.ends = server, [], False
        self.start()

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=120)
        query = f"/v1/classes/Item/objects?limit=5&filter={quote('age == 30')}"
        try:
            while not self.ends or len(self.times) < 20:
                for target in ("/v1/classes/Item/objects/5", query):
                    before = time.perf_counter()
                    connection.request("GET", target)
                    connection.getresponse().read()
                    self.times.append((time.perf_counter() - before) * 1e3)
                time.sleep(0.002)
        except (OSError, http.client.HTTPException):
            # The row has failed, and its server is gone.
            return
        finally:
            connection.close()

    def finish(self):
        self.ends = True
        self.join()
        return self.times


def hub(bench):
    """One change of an object that very many link to, beside streams through that link."""
    settings = bench.settings
    objects, many = (10_000, 10) if settings.quick else (100_000, 100)
    row = _row(bench, "hub", f"an unrelated stream beside 1 and {many} streams through a link of {objects:,} objects")
    worst = {}
    if bench.has_holdfast:
        for count in (1, many):
            with serve(bench, f"hub-{count}", objects, hub=True) as server:
                streams = Streams(bench, server, [
                    ("r", None, stream("Item", f"home.zone == {-1 - number}")) for number in range(count)]
                    + Fence.targets)
                try:
                    fence, delays = Fence(server, streams), []
                    fence.wait()
                    for number in range(3):
                        client.request(server, "PATCH", "/v1/classes/Place/objects/0", {"zone": 1000 + number})
                        before = time.monotonic_ns()
                        found = fence.wait()
                        delays.append((found["told"][3][-1][2] - before) / 1e6)
                finally:
                    streams.stop()
            worst[count] = max(delays)
            row.add(f"{count} streams", {"delay_ms": statistics.median(delays), "worst_ms": worst[count]})
    row.check("an unrelated event's delay", worst.get(many), "ms")
    return row


def many_idle(bench):
    """As many idle streams as the file limit lets, one of them not reading."""
    settings = bench.settings
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    many = 500 if settings.quick else min(20_000, limit - 300)
    row = _row(bench, "many-idle", f"{many:,} idle streams, one of which does not read")
    kib = share = None
    if bench.has_holdfast:
        with serve(bench, "idle", 20_000) as server:
            before = memory_mib(server)
            streams = Streams(bench, server, [
                ("r", None, stream("Item", f"age == {-1 - number}")) for number in range(many)])
            try:
                kib = (memory_mib(server) - before) * 1024 / many
                still = Streams(bench, server, [("n", None, stream("Item", "age >= 0"))])
                # More than the socket's buffers take.
                for number in range(3):
                    client.request(server, "PATCH", "/v1/classes/Item/objects?all=true", {"note": f"{number} " + "x" * 300})
                time.sleep(2)
                used = thread_seconds([server.process.pid])
                seconds = max(5, settings.seconds)
                time.sleep(seconds)
                share = (thread_seconds([server.process.pid]) - used) / seconds * 100
                still.stop()
            finally:
                streams.stop()
        row.add(f"{many:,} streams", {"kib": kib, "core_percent": share})
    row.check("an idle stream's memory (RssAnon)", kib, "KiB")
    row.check("the server's CPU while nothing happens", share, "%")
    return row


ROWS = {
    "filters": filters,
    "filters-flat-out": filters_flat_out,
    "filters-unindexed": filters_unindexed,
    "equal-streams": equal_streams,
    "large-transaction": large_transaction,
    "resume": resume,
    "hub": hub,
    "many-idle": many_idle,
}
