"""Rows that write: durable PUT with and without indexes, import."""
import json
import shutil
import statistics
import time

from . import client, load
from .processes import BenchError
from .results import Row
from .rows_read import MemoryWatch
from .servers import ConstantReply, Webdis, installed

_BODY = (b'{"name":"Ingrid Nielsen 421","email":"user7@mail3.example.com","age":41,"score":12.345678901,'
         b'"active":true,"tags":["tag01","tag02"]}')


def _sample_of_put():
    """What a PUT's reply looks like where no Holdfast can be asked: the stored object, its ETag, its version."""
    return client.Sample(200, [("Content-Type", "application/json"), ("ETag", '"7k2f9xq1-100000"'),
                               ("Holdfast-Version", "7k2f9xq1-100000")], b'{"_id":7,' + _BODY[1:])


def _put(bench, server, path, objects):
    """Warms the server up and returns its measurement."""
    settings = bench.settings
    load.run(bench, server, "put", 1, 99, path=path, objects=objects)
    return lambda number: load.run(bench, server, "put", settings.seconds, number + 1, path=path, objects=objects)


def _check_put(bench, holdfast, class_name):
    """A PUT must be stored, and answer with what it stored; the reply is the constant's model."""
    target = f"/v1/classes/{class_name}/objects/7"
    client.check_keeps_connection(holdfast, "PUT", target, _BODY)
    sample = client.request(holdfast, "PUT", target, _BODY)
    stored = json.loads(client.request(holdfast, "GET", target).body)
    if stored.get("score") != 12.345678901:
        raise BenchError(f"PUT {target} did not store the object: {stored}")
    return sample


def put_indexed(bench):
    """A durable PUT with two indexes, to the constant reply and bare LMDB together."""
    row = Row("put-indexed", "durable PUT, two indexes, 64 connections")
    for objects in dict.fromkeys((bench.settings.objects, bench.settings.large)):
        _put_indexed(bench, row, objects)
    return row


def _put_indexed(bench, row, objects):
    settings = bench.settings
    path = "/v1/classes/Account/objects/{id}"
    directory = bench.path(f"lmdb-{objects}")
    bench.say(f"preparing bare LMDB with {objects:,} objects")
    bench.run_reference("bare_lmdb", "prepare", "--dir", directory, "--objects", objects)
    started, contestants, latest = [], {}, {"writes": 40_000}
    try:
        sample, seconds = _sample_of_put(), settings.seconds
        if bench.has_holdfast:
            holdfast = bench.serve("Account", objects)
            started.append(holdfast)
            sample = _check_put(bench, holdfast, "Account")
            subject = _put(bench, holdfast, path, objects)

            def measure(number):
                result = subject(number)
                latest["writes"] = result.requests
                return result
            contestants["Holdfast"] = measure
        constant = ConstantReply(bench, sample)
        started.append(constant)
        contestants["constant reply"] = _put(bench, constant, path, objects)
        # The stricter reading of "a constant reply": the same reply to a GET without a body.
        contestants["constant reply to GET"] = lambda number: load.run(
            bench, constant, "get", seconds, number + 1, path=path, objects=objects)

        def bare(number):
            # As many writes as Holdfast made in this round: both stores age alike.
            return bench.run_reference("bare_lmdb", "put", "--dir", directory, "--objects", objects, "--count",
                                       latest["writes"], "--group", settings.group, "--seed", bench.salt + number)
        bench.run_reference("bare_lmdb", "put", "--dir", directory, "--objects", objects, "--count", 5000, "--group",
                            settings.group, "--seed", bench.salt + 999)
        contestants["bare LMDB"] = bare
        runs = load.interleave(bench, contestants)
    finally:
        for server in started:
            server.stop()
        shutil.rmtree(directory, ignore_errors=True)
    for label in ("Holdfast", "constant reply", "constant reply to GET"):
        if label in runs:
            row.add(f"{label}, {objects:,}", load.median(runs[label]))
    lmdb = {name: statistics.median(run[name] for run in runs["bare LMDB"])
            for name in ("writes_per_s", "cpu_us", "user_us", "commit_us")}
    row.add(f"bare LMDB, {objects:,}, groups of {settings.group}",
            {"per_second": lmdb["writes_per_s"], "cpu_us": lmdb["cpu_us"], "user_us": lmdb["user_us"],
             "commit_us": lmdb["commit_us"]})
    for label, name in (("constant reply", "CPU to constant PUT + bare LMDB"),
                        ("constant reply to GET", "CPU to constant GET + bare LMDB")):
        ratio = None
        if "Holdfast" in runs:
            floor = [run.cpu_us + bare["cpu_us"] for run, bare in zip(runs[label], runs["bare LMDB"])]
            ratio = load.median_ratio([run.cpu_us for run in runs["Holdfast"]], floor)
        row.check(f"{name}, {objects:,} objects", ratio, "×")


def put_plain(bench):
    """A durable PUT without an index, to webdis before Redis with `appendfsync always`."""
    settings = bench.settings
    objects = settings.objects
    row = Row("put-plain", f"durable PUT, no index, {objects:,} objects, 64 connections")
    started, contestants = [], {}
    try:
        if bench.has_holdfast:
            holdfast = bench.serve("Draft", objects)
            started.append(holdfast)
            _check_put(bench, holdfast, "Draft")
            contestants["Holdfast"] = _put(bench, holdfast, "/v1/classes/Draft/objects/{id}", objects)
        if installed(settings.webdis) and installed(settings.redis):
            webdis = Webdis(bench)
            started.append(webdis)
            webdis.preload(bench.data.lines("Draft", objects))
            client.check_keeps_connection(webdis, "PUT", "/SET/d:7", _BODY)
            if json.loads(client.request(webdis, "GET", "/GET/d:7").body) != {"GET": _BODY.decode()}:
                raise BenchError("webdis did not store what was put")
            contestants["webdis + Redis"] = _put(bench, webdis, "/SET/d:{id}", objects)
        else:
            row.notes.append("webdis or redis-server is not installed: no comparison with them")
        runs = load.interleave(bench, contestants)
    finally:
        for server in started:
            server.stop()
    for label, loads in runs.items():
        row.add(label, load.median(loads))
    faster = cpu = None
    if len(runs) == 2:
        ours, theirs = runs["Holdfast"], runs["webdis + Redis"]
        faster = load.median_ratio([run.per_second for run in ours], [run.per_second for run in theirs])
        cpu = load.median_ratio([run.cpu_us for run in ours], [run.cpu_us for run in theirs])
    row.check("writes/s to webdis + Redis", faster, "×")
    row.check("CPU to webdis + Redis", cpu, "×")
    return row


def import_cities(bench):
    """NDJSON import of the world's cities many times over, with two indexes and inverse links."""
    settings = bench.settings
    copies = 3 if settings.quick else 30
    row = Row("import", f"NDJSON import of the cities, {copies} times")
    if not bench.has_holdfast:
        row.notes.append("needs the holdfast binary")
        row.check("objects imported", None, "objects/s")
        return row
    path, lines = bench.data.cities(copies)
    rates, costs, peaks = [], [], []
    for number in range(1 if settings.quick else settings.rounds):
        with bench.serve_empty(f"import-{number}") as holdfast:
            client.request(holdfast, "PUT", "/v1/schema", bench.data.world_schema())
            for name in ("Continent", "Country"):
                reply = client.upload(holdfast, f"/v1/classes/{name}/import", bench.data.world_file(f"{name}.ndjson"))
                if reply["failed"]:
                    raise BenchError(f"import of {name}: {reply}")
            pids = holdfast.pids()
            before, begun = bench.cpu_seconds(pids), time.perf_counter()
            with MemoryWatch(holdfast.process.pid) as memory:
                reply = client.upload(holdfast, "/v1/classes/City/import", path, chunked=settings.chunked)
            seconds = time.perf_counter() - begun
            if reply["imported"] != lines or reply["failed"]:
                raise BenchError(f"import of {lines:,} cities: {str(reply)[:400]}")
            rates.append(lines / seconds)
            costs.append((bench.cpu_seconds(pids) - before) * 1e6 / lines)
            peaks.append(memory.peak_kib / 1024)
        bench.drop(f"import-{number}")
    rate = statistics.median(rates)
    row.add("Holdfast", {"per_second": rate, "cpu_us": statistics.median(costs), "rss_anon_peak_mib": max(peaks)})
    row.check("objects imported", rate, "objects/s")
    row.check("RssAnon at its peak", max(peaks), "MiB")
    return row
