"""Rows that read: one object, a page by an index, scans, export."""
import json
import os
import shutil
import subprocess
import threading
import time

from . import client, load
from .processes import BenchError, memory_kib
from .results import Row
from .servers import ConstantReply, Nginx, installed


def _object_path(class_name):
    return f"/v1/classes/{class_name}/objects/{{id}}"


def _sample_of_person(bench):
    """What a GET of an object looks like where no Holdfast can be asked: the same bytes of body."""
    line = next(bench.data.lines("Person", bench.settings.objects)).rstrip(b"\n")
    return client.Sample(200, [("Content-Type", "application/json"), ("ETag", '"7k2f9xq1-100000"')], line)


def _files(bench, count):
    """A directory with one small JSON file an object, named by its id."""
    directory = bench.path(f"files-{count}")
    if not os.path.isdir(directory):
        bench.say(f"writing {count:,} files for nginx")
        os.makedirs(directory)
        for index, line in enumerate(bench.data.lines("Person", count)):
            with open(f"{directory}/{index}", "wb") as file:
                file.write(line.rstrip(b"\n"))
    return directory


def point_get(bench):
    """GET of one object by its key, beside the constant reply and beside nginx serving a file."""
    settings = bench.settings
    row = Row("point-get", f"GET one of {settings.objects:,} objects")
    contestants, started = {}, []

    def measure(server, path):
        load.run(bench, server, "get", 1, 99, path=path, objects=settings.objects)
        return lambda seconds, number: load.run(bench, server, "get", seconds, number + 1, path=path,
                                                objects=settings.objects)

    try:
        sample = _sample_of_person(bench)
        if bench.has_holdfast:
            holdfast = bench.serve("Person", settings.objects)
            started.append(holdfast)
            target = _object_path("Person").replace("{id}", "7")
            sample = client.request(holdfast, "GET", target)
            if json.loads(sample.body).get("_id") != 7:
                raise BenchError(f"GET {target} answered something else: {sample.body[:200]!r}")
            client.check_keeps_connection(holdfast, "GET", target)
            contestants["Holdfast"] = measure(holdfast, _object_path("Person"))
        constant = ConstantReply(bench, sample)
        started.append(constant)
        client.check_keeps_connection(constant, "GET", "/")
        contestants["constant reply"] = measure(constant, _object_path("Person"))
        if installed(settings.nginx):
            nginx = Nginx(bench, _files(bench, settings.objects))
            started.append(nginx)
            client.request(nginx, "GET", "/7")
            contestants["nginx file"] = measure(nginx, "/{id}")
        else:
            row.notes.append("nginx is not installed: no comparison with it")
        runs = load.interleave_short(bench, contestants)
    finally:
        for server in started:
            server.stop()
    for label, loads in runs.items():
        row.add(label, load.median(loads))
    for label in ("constant reply", "nginx file"):
        if label in runs:
            ratio = None
            if "Holdfast" in runs:
                ratio = load.median_ratio([run.cpu_us for run in runs["Holdfast"]], [run.cpu_us for run in runs[label]])
            row.check(f"CPU to the {label}'s", ratio, "×")
    return row


def page(bench):
    """The first page by an index beside a point GET, in a small and in a large store."""
    settings = bench.settings
    row = Row("page", "first page by an index, to a point GET")
    if not bench.has_holdfast:
        row.notes.append("needs the holdfast binary")
    ratios = {}
    for count in (10_000, settings.large):
        for limit in (20, 100):
            ratios[limit, count] = None
        if bench.has_holdfast:
            with bench.serve("Person", count) as holdfast:
                contestants = {"GET": _object_path("Person")}
                for limit in (20, 100):
                    path = f"/v1/classes/Person/objects?sort=name&limit={limit}"
                    reply = json.loads(client.request(holdfast, "GET", path).body)
                    names = [one["name"] for one in reply["objects"]]
                    if len(names) != limit or names != sorted(names, key=str.encode):
                        raise BenchError(f"GET {path}: not the first {limit} by name")
                    contestants[f"page of {limit}"] = path
                runs = load.interleave(bench, {
                    label: lambda number, path=path: load.run(bench, holdfast, "get", settings.seconds, number + 1,
                                                              path=path, objects=count)
                    for label, path in contestants.items()})
            for label, loads in runs.items():
                row.add(f"{label}, {count:,} objects", load.median(loads))
            for limit in (20, 100):
                ratios[limit, count] = load.median_ratio([run.cpu_us for run in runs[f"page of {limit}"]],
                                                         [run.cpu_us for run in runs["GET"]])
        for limit in (20, 100):
            row.check(f"page of {limit}, {count:,} objects, CPU to a GET's", ratios[limit, count], "×")
    for limit in (20, 100):
        small, large = ratios[limit, 10_000], ratios[limit, settings.large]
        row.check(f"page of {limit}, {settings.large:,} to 10,000 objects",
                  large / small if small and large else None, "×")
    return row


def scan(bench):
    """The embedded scan, measured by our own executable, beside a bare LMDB cursor."""
    settings = bench.settings
    row = Row("scan", "embedded scan from rows")
    directory = bench.path("lmdb-scan")
    objects = settings.large
    bench.run_reference("bare_lmdb", "prepare", "--dir", directory, "--objects", objects, "--no-index")
    bare = bench.run_reference("bare_lmdb", "scan", "--dir", directory, "--objects", objects)
    shutil.rmtree(directory)
    row.add("bare LMDB cursor", {name: bare[name] for name in ("first_ns", "int_ns", "string_ns")})
    found = {}
    if installed(settings.embedded):
        arguments = [settings.embedded, "--people", bench.data.people(objects), "--objects", str(objects)]
        bench.say("running the embedded benchmarks")
        result = subprocess.run(arguments, capture_output=True, text=True, timeout=1800, check=False)
        for line in result.stdout.splitlines():
            if line.startswith("{"):
                figure = json.loads(line)
                found[figure["name"]] = figure
        if result.returncode != 0 or not found:
            raise BenchError(f"{settings.embedded} failed: {(result.stderr or result.stdout)[-500:]}")
        row.add("embedded", {f"{name} ({figure['unit']})": figure["value"] for name, figure in found.items()})
    else:
        row.notes.append(f"no {settings.embedded}: build it for the embedded figures")
    scans = ("scan-int", "scan-string")
    for name in scans:
        row.check(f"{name}, {objects:,} rows", found.get(name, {}).get("value"), "ns/row")
    for name, figure in found.items():
        if name not in scans:
            row.check(name, figure["value"], figure["unit"])
    return row


# Our figure, and bare_people's mode that makes the same key changes.
_EMBEDDED_FLOORS = [("bulk-insert", "load"), ("single-insert", "single"), ("update", "update"), ("delete", "delete")]


def embedded(bench):
    """The table of the embedded store: queries by columns, keys, and writes, beside plain loops and bare LMDB."""
    settings = bench.settings
    objects = settings.large
    row = Row("embedded", f"embedded store of {objects:,} people")
    directory = bench.path("lmdb-people")
    bench.say("running bare LMDB with the people's keys")
    floors = {mode: bench.run_reference("bare_people", mode, "--dir", directory, "--objects", objects)
              for _, mode in _EMBEDDED_FLOORS}
    shutil.rmtree(directory)
    for mode, figures in floors.items():
        row.add(f"bare LMDB, {mode}", {"per_second": figures["writes_per_s"], "cpu_us": figures["cpu_us"]})
    if not installed(settings.embedded):
        row.notes.append(f"no {settings.embedded}: build it for the embedded figures")
        return row
    work = bench.path("embedded")
    bench.say("running the embedded table")
    found = {}
    # A process for each half, so that what one has in memory is not cleared or kept in the other's time.
    for suite in ("writes", "reads"):
        result = subprocess.run(
            [settings.embedded, "--people", bench.data.people(objects), "--objects", str(objects), "--suite", suite,
             "--work", work], capture_output=True, text=True, timeout=3600, check=False)
        for line in result.stdout.splitlines():
            if line.startswith("{"):
                figure = json.loads(line)
                found[figure["name"]] = figure
        for one in (work, f"{work}-writes", f"{work}-random"):
            shutil.rmtree(one, ignore_errors=True)
        if result.returncode != 0 or not result.stdout:
            raise BenchError(f"{settings.embedded} failed: {(result.stderr or result.stdout)[-500:]}")
    row.add("embedded", {f"{name} ({figure['unit']})": figure["value"] for name, figure in found.items()})
    for name, figure in found.items():
        row.check(name, figure["value"], figure["unit"])
    for name, mode in _EMBEDDED_FLOORS:
        if name in found:
            row.check(f"{name} to bare LMDB", found[name]["value"] / floors[mode]["writes_per_s"], "×")
    return row


class MemoryWatch:
    """Samples RssAnon of a process while a body runs; `peak_kib` is the highest it saw."""

    def __init__(self, pid, interval=0.01):
        self.pid, self.interval = pid, interval
        self.start_kib = self.peak_kib = memory_kib(pid)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def _watch(self):
        while not self._over.wait(self.interval):
            try:
                self.peak_kib = max(self.peak_kib, memory_kib(self.pid))
            except (OSError, BenchError):
                return

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *error):
        self._over.set()
        self._thread.join()


def export(bench):
    """An export of the large class, read as fast as the client can, with the server's own memory watched."""
    count = bench.settings.large
    row = Row("export", f"export of {count:,} objects over HTTP")
    rate = peak = None
    if bench.has_holdfast:
        with bench.serve("Person", count) as holdfast:
            pids = holdfast.pids()
            before = bench.cpu_seconds(pids)
            begun = time.perf_counter()
            with MemoryWatch(holdfast.process.pid) as memory:
                lines, byte_count = client.download_lines(holdfast, "/v1/classes/Person/export")
            seconds = time.perf_counter() - begun
            used = bench.cpu_seconds(pids) - before
        if lines != count:
            raise BenchError(f"the export had {lines:,} lines, not {count:,}")
        rate, peak = count / seconds, memory.peak_kib / 1024
        row.add("Holdfast", {"per_second": rate, "cpu_us": used * 1e6 / count,
                             "mib_per_s": byte_count / seconds / 2**20, "rss_anon_peak_mib": peak,
                             "rss_anon_start_mib": memory.start_kib / 1024})
    else:
        row.notes.append("needs the holdfast binary")
    row.check("RssAnon at its peak", peak, "MiB")
    row.check("objects exported", rate, "objects/s")
    return row
