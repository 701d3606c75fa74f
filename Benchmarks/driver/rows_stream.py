"""Rows about change streams: commit to event, and the cost of streams that a commit does not concern."""
import re
import select
import socket
import statistics
import sys
import time

from . import client, load
from .processes import BenchError, Process, memory_kib
from .results import Row

_ID = re.compile(rb"(?:^|\n)id: ?[^\n]*-(\d+)")
# A stream that a worker brings to the present has its id in `upToDate`, behind changes without one.
_TELLS = re.compile(rb"(?:^|\n)event: ?(?:change|upToDate)(?:\n|$)")
_VERSION = re.compile(rb"\r\nholdfast-version: *[^\r\n]*-(\d+)", re.I)
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.I)
_WRITER_COUNT = 4
# How often a connection that does nothing says so, in seconds: the server ends one that is silent for a minute.
_KEPT_SECONDS = 20


class Writer:
    """A connection with at most one PUT on its way."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), 10)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.busy, self.buffer = False, b""

    def send(self, number, objects):
        body = (b'{"name":"Aoife Byrne %d","email":"user@mail1.example.com","age":%d,"score":%d.5,"active":true,'
                b'"tags":["tag01","tag02"]}' % (number, 18 + number % 72, number))
        self.socket.sendall(b"PUT /v1/classes/Account/objects/%d HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: "
                            b"application/json\r\nPrefer: return=minimal\r\nContent-Length: %d\r\n\r\n%s"
                            % (number * 7919 % objects, len(body), body))
        self.busy = True

    def receive(self):
        """The version of the write whose reply is complete, or None while it is not."""
        part = self.socket.recv(1 << 16)
        if not part:
            raise BenchError("the server closed a writing connection")
        self.buffer += part
        head, separator, rest = self.buffer.partition(b"\r\n\r\n")
        if not separator:
            return None
        length = _LENGTH.search(head + b"\r\n")
        if len(rest) < (int(length.group(1)) if length else 0):
            return None
        version = _VERSION.search(head)
        if not head.startswith(b"HTTP/1.1 2") or not version:
            raise BenchError(f"a PUT failed or has no Holdfast-Version: {self.buffer[:300]!r}")
        self.busy, self.buffer = False, b""
        return int(version.group(1))


class EventReader:
    """A subscription to a class; the chunked framing is taken off before events are looked for."""

    def __init__(self, port, target):
        self.socket = socket.create_connection(("127.0.0.1", port), 10)
        self.socket.sendall(f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n".encode())
        self.raw = self.text = b""
        self.chunked, self.left = False, 0
        while b"\r\n\r\n" not in self.raw:
            part = self.socket.recv(1 << 16)
            if not part:
                raise BenchError(f"the stream ended before it began: {self.raw[:300]!r}")
            self.raw += part
        head, _, self.raw = self.raw.partition(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200"):
            raise BenchError(f"no stream: {head[:300]!r} {self.raw[:300]!r}")
        self.chunked = b"transfer-encoding: chunked" in head.lower()
        self._unframe()

    def receive(self):
        """The versions up to which events that are complete now have told."""
        part = self.socket.recv(1 << 18)
        if not part:
            raise BenchError("the server ended the stream")
        self.raw += part
        self._unframe()
        versions = []
        while b"\n\n" in self.text:
            event, _, self.text = self.text.partition(b"\n\n")
            if _TELLS.search(event):
                found = _ID.search(event)
                if found:
                    versions.append(int(found.group(1)))
            elif b"event: reset" in event:
                raise BenchError(f"the stream was reset: {event[:200]!r}")
        return versions

    def _unframe(self):
        if not self.chunked:
            self.text, self.raw = self.text + self.raw, b""
            return
        while self.raw:
            if self.left > 2:
                part = self.raw[:self.left - 2]
                self.text, self.raw, self.left = self.text + part, self.raw[len(part):], self.left - len(part)
            elif self.left:
                # The line end behind a chunk's data.
                part = self.raw[:self.left]
                self.raw, self.left = self.raw[len(part):], self.left - len(part)
            else:
                line, separator, rest = self.raw.partition(b"\r\n")
                if not separator:
                    return
                self.raw, self.left = rest, int(line.split(b";")[0], 16) + 2


def _percentile(sorted_values, share):
    return sorted_values[min(len(sorted_values) - 1, int(len(sorted_values) * share))]


def _measure_latency(port, objects, rate, seconds):
    """Commits `rate` times a second; the delays from a write's reply to its event, in ms, and the writes made."""
    reader = EventReader(port, "/v1/classes/Account/changes")
    writers = [Writer(port) for _ in range(_WRITER_COUNT)]
    # Every run writes other values: a write that changes nothing makes no version and no event.
    replied, told, late, number = {}, [], 0, int(time.time() * 1000) % 1_000_000_000
    begun = time.perf_counter()
    next_write, end = begun, begun + seconds
    sockets = {writer.socket: writer for writer in writers}
    while True:
        now = time.perf_counter()
        if now < end and now >= next_write:
            idle = next((writer for writer in writers if not writer.busy), None)
            if idle:
                idle.send(number, objects)
                number += 1
                next_write += 1 / rate
            else:
                late += 1
                next_write += 1 / rate
        if now >= end and not any(writer.busy for writer in writers):
            if not told or told[-1][0] >= max(replied, default=0) or now > end + 5:
                break
        pause = max(0.0, next_write - time.perf_counter()) if now < end else 0.05
        ready, _, _ = select.select([reader.socket, *sockets], [], [], pause)
        received = time.perf_counter()
        # Both stamps are taken when the kernel says "readable", before any parsing: what parsing costs
        # here is the client's affair.
        for one in ready:
            if one is reader.socket:
                told.extend((version, received) for version in reader.receive())
            else:
                version = sockets[one].receive()
                if version is not None:
                    replied[version] = received
    for one in (reader.socket, *sockets):
        one.close()
    delays, position = [], 0
    for version in sorted(replied):
        # An event may cover several versions: the first whose id is not older tells of this write.
        while position < len(told) and told[position][0] < version:
            position += 1
        if position == len(told):
            raise BenchError(f"no event told of version {version}")
        delays.append((told[position][1] - replied[version]) * 1e3)
    return sorted(delays), number, late


def events(bench):
    """Commit to event: a writer at a steady rate and a reader of the class's stream, in one process."""
    settings, rate = bench.settings, 500
    objects = settings.objects
    row = Row("events", f"commit to event, {rate} commits/s")
    median = high = None
    if bench.has_holdfast:
        with bench.serve("Account", objects) as holdfast:
            _measure_latency(holdfast.port, objects, rate, 1)
            medians, highs, late = [], [], 0
            for _ in range(settings.rounds):
                delays, written, missed = _measure_latency(holdfast.port, objects, rate, settings.seconds)
                medians.append(_percentile(delays, 0.5))
                highs.append(_percentile(delays, 0.99))
                late += missed
                if written < rate * settings.seconds * 0.95:
                    row.notes.append(f"only {written / settings.seconds:.0f} commits/s were reached")
        median, high = statistics.median(medians), statistics.median(highs)
        row.add("Holdfast", {"p50_ms": median, "p99_ms": high, "late_writes": late})
    else:
        row.notes.append("needs the holdfast binary")
    row.check("reply to event, median", median, "ms")
    row.check("reply to event, p99", high, "ms")
    return row


def idle_streams(bench):
    """What a PUT costs beside streams that it does not concern, and what such a stream holds in memory."""
    settings = bench.settings
    many, objects = (500 if settings.quick else 9000), settings.objects
    row = Row("idle-streams", f"a PUT beside 1 and {many:,} streams that it does not concern")
    ratio = kib = None
    if bench.has_holdfast:
        path = "/v1/classes/Account/objects/{id}"
        with bench.serve("Account", objects) as few_server, bench.serve("Account", objects, copy="many") as many_server:
            before = memory_kib(many_server.process.pid)
            holders = [_hold(bench, few_server, 1), _hold(bench, many_server, many)]
            try:
                kib = (memory_kib(many_server.process.pid) - before) / many
                runs = load.interleave(bench, {
                    label: lambda number, server=server: load.run(bench, server, "put", settings.seconds, number + 1,
                                                                  path=path, objects=objects)
                    for label, server in (("1 stream", few_server), (f"{many:,} streams", many_server))})
            finally:
                for holder in holders:
                    holder.stop()
        for label, loads in runs.items():
            row.add(label, load.median(loads))
        ratio = load.median_ratio(*([run.cpu_us for run in runs[label]] for label in (f"{many:,} streams", "1 stream")))
    else:
        row.notes.append("needs the holdfast binary")
    row.check(f"CPU of a PUT, {many:,} streams to 1", ratio, "×")
    row.check("an idle stream's memory (RssAnon)", kib, "KiB")
    return row


def beside_idle(bench):
    """What requests cost beside a hundred streams and a hundred connections that do nothing."""
    settings, count = bench.settings, 100
    row = Row("beside-idle", f"requests beside {count} idle streams and {count} idle connections, to the same without")
    path = "/v1/classes/Draft/objects/{id}"
    found = "/v1/classes/Draft/aggregate?op=count&filter=email%20CONTAINS%5Bc%5D%20%22%40MAIL3.%22"
    asked = (("a GET of an object", "get", path), ("a PUT without an index", "put", path),
             ("a count by CONTAINS[c], 12.5 %", "get", found))
    ratios = {}
    if bench.has_holdfast:
        objects = settings.objects
        with bench.serve("Draft", objects) as alone, bench.serve("Draft", objects, copy="beside") as beside:
            holder = _hold(bench, beside, count, "Draft", count)
            try:
                for what, script, target in asked:
                    runs = load.interleave_short(bench, {
                        label: lambda seconds, number, server=server: load.run(
                            bench, server, script, seconds, number + 1, path=target, objects=objects)
                        for label, server in (("alone", alone), ("beside", beside))})
                    for label, loads in runs.items():
                        row.add(f"{what}, {label}", load.median(loads))
                    ratios[what] = load.median_ratio(*([run.cpu_us for run in runs[label]]
                                                       for label in ("beside", "alone")))
            finally:
                holder.stop()
    else:
        row.notes.append("needs the holdfast binary")
    for what, _, _ in asked:
        row.check(f"CPU of {what}", ratios.get(what), "×")
    return row


def _hold(bench, server, count, class_name="Account", connection_count=0):
    """A process that holds streams and connections open; returns once all have begun."""
    log = bench.path(f"hold-{count}-{server.port}.log")
    process = Process([sys.executable, bench.root / "bench.py", "--hold-streams",
                       f"{server.port}:{count}:{class_name}:{connection_count}"], log)
    end = time.monotonic() + 120
    while "held" not in process.log_tail():
        if not process.alive() or time.monotonic() > end:
            process.stop()
            raise BenchError(f"{count} streams could not be opened: {process.log_tail()}")
        time.sleep(0.05)
    return process


def hold_streams(port, count, class_name, connection_count):
    """Opens `count` streams that no PUT to a class concerns, says so, and reads until it is ended.

    Half of them watch another class, half have an equality on a property that a PUT never changes. Connections
    beside them ask whether the server lives, as often as it takes to keep them.
    """
    connections = [socket.create_connection(("127.0.0.1", port)) for _ in range(connection_count)]
    poll = select.epoll()
    sockets = {}
    for number in range(count):
        name, key = ("Person", number) if number % 2 else (class_name, -1 - number)
        target = f"/v1/classes/{name}/changes?filter=_id%20%3D%3D%20{key}"
        stream = EventReader(port, target)
        sockets[stream.socket.fileno()] = stream.socket
        poll.register(stream.socket, select.EPOLLIN)
    print("held", flush=True)
    asked = 0.0
    while True:
        # Events wake this loop as well: without a look at the time they would make idle connections busy ones.
        if time.monotonic() - asked >= _KEPT_SECONDS:
            asked = time.monotonic()
            for connection in connections:
                connection.sendall(f"GET /health/live HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
                if not connection.recv(1 << 16):
                    sys.exit("the server ended a connection")
        for descriptor, _ in poll.poll(_KEPT_SECONDS):
            if not sockets[descriptor].recv(1 << 16):
                sys.exit("the server ended a stream")
