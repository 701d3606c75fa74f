"""Rows about schema changes: a property added, a type converted, an index built."""
import json
import statistics
import time

from . import client
from .processes import BenchError, cpu_seconds, thread_seconds
from .results import Row
from .rows_read import MemoryWatch

_SMALL = 100


def _change(holdfast, name, edit):
    """Edits the definition of a class and sends it: seconds of the server's CPU, and seconds until the reply."""
    target = f"/v1/schema/classes/{name}"
    definition = json.loads(client.request(holdfast, "GET", target).body)
    edit(definition["properties"])
    pids = holdfast.pids()
    before, begun = thread_seconds(pids), time.perf_counter()
    client.request(holdfast, "PUT", target, definition, timeout=900)
    return thread_seconds(pids) - before, time.perf_counter() - begun


def _count(holdfast, filter_text):
    body = {"filter": filter_text, "limit": 1, "count": "exact"}
    return json.loads(client.request(holdfast, "POST", "/v1/classes/Account/query", body).body)["count"]


def add_property(bench):
    """Adding a property with a default to a large class, to adding it to a class of 100 objects beside it."""
    count = bench.settings.large
    row = Row("add-property", f"a property added to a class of {count:,} objects, to one of {_SMALL}")
    ratio = cpu_ratio = None
    if bench.has_holdfast:
        with bench.serve("Account", count, copy="-schema") as holdfast:
            _make_small(holdfast)
            cpu, seconds = {"large": [], "small": []}, {"large": [], "small": []}
            for number in range(max(8 * bench.settings.rounds, 8)):
                for label, name in (("large", "Account"), ("small", "Few")):
                    def add(properties, number=number):
                        properties[f"added{number}"] = {"type": "int", "default": number}
                    used, elapsed = _change(holdfast, name, add)
                    cpu[label].append(used)
                    seconds[label].append(elapsed)
            stored = json.loads(client.request(holdfast, "GET", "/v1/classes/Account/objects/7").body)
            if stored.get("added1") != 1:
                raise BenchError(f"the added property does not show: {stored}")
        for label in ("large", "small"):
            row.add(f"a property, {label} class", {"cpu_ms": statistics.median(cpu[label]) * 1e3,
                                                   "ms": statistics.median(seconds[label]) * 1e3})
        ratio = statistics.median(seconds["large"]) / statistics.median(seconds["small"])
        cpu_ratio = statistics.median(cpu["large"]) / statistics.median(cpu["small"])
    else:
        row.notes.append("needs the holdfast binary")
    row.check("adding a property, until the reply", ratio, "×")
    row.check("the same, CPU", cpu_ratio, "×")
    return row


def _make_small(holdfast):
    """A class like the large one with a hundred of its objects."""
    definition = json.loads(client.request(holdfast, "GET", "/v1/schema/classes/Account").body)
    definition["name"] = "Few"
    client.request(holdfast, "PUT", "/v1/schema/classes/Few", definition)
    page = json.loads(client.request(holdfast, "GET", f"/v1/classes/Account/objects?limit={_SMALL}").body)
    client.request(holdfast, "POST", "/v1/classes/Few/objects?mode=replace", page["objects"],
                   {"Content-Type": "application/json", "Prefer": "return=minimal"})


def migration(bench):
    """A type converted and an index built over a large class, the server's own memory watched."""
    count = bench.settings.large
    row = Row("migration", f"schema changes that read or write {count:,} objects")
    peaks = {}
    if bench.has_holdfast:
        with bench.serve("Account", count, copy="-schema") as holdfast:
            old = _count(holdfast, "age == 54")

            def convert(properties):
                properties["age"] = {"type": "string", "indexed": True}

            def build(properties):
                properties["email"] = {"type": "string", "indexed": True}

            for label, edit in (("a type converted, with its index", convert), ("an index built", build)):
                pids = holdfast.pids()
                before = cpu_seconds(pids)
                with MemoryWatch(holdfast.process.pid) as memory:
                    _, seconds = _change(holdfast, "Account", edit)
                peaks[label] = memory.peak_kib / 1024
                row.add(label, {"seconds": seconds, "cpu_us": (cpu_seconds(pids) - before) * 1e6 / count,
                                "rss_anon_peak_mib": peaks[label], "rss_anon_start_mib": memory.start_kib / 1024})
            new = _count(holdfast, "age == '54'")
            if new != old or not old:
                raise BenchError(f"{old:,} objects had the age of 54, {new:,} have it now")
        # Other rows need the store as it was loaded.
        bench.drop(f"store-Account-{count}-schema")
    else:
        row.notes.append("needs the holdfast binary")
    for label in ("a type converted, with its index", "an index built"):
        row.check(f"{label}, RssAnon at its peak", peaks.get(label), "MiB")
    return row
