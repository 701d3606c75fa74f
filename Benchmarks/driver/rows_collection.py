"""Rows about large collections: inserts in the middle, pages anywhere."""
import json
import statistics
import time

from . import client
from .processes import BenchError, thread_seconds
from .results import Row

_SCHEMA = {"classes": [{"name": "Series", "primaryKey": "_id", "properties": {"_id": "int", "values": "int[]"}}]}
_OBJECT = "/v1/classes/Series/objects/"
_PATCH = {"Content-Type": "application/json-patch+json", "Prefer": "return=minimal"}
_MINIMAL = {"Content-Type": "application/json", "Prefer": "return=minimal"}
_INSERTS = 1_000
_SMALL = 100
_PAGES = 20


def _body(count):
    return ("{\"values\":[" + ",".join(map(str, range(count))) + "]}").encode()


def _insert(holdfast, key, index):
    """1,000 inserts at an index in one transaction: seconds of the server's CPU, and seconds until the reply."""
    steps = [{"op": "add", "path": f"/values/{index}", "value": -number} for number in range(_INSERTS)]
    body = json.dumps(steps).encode()
    pids = holdfast.pids()
    before, begun = thread_seconds(pids), time.perf_counter()
    client.request(holdfast, "PATCH", f"{_OBJECT}{key}", body, _PATCH)
    return thread_seconds(pids) - before, time.perf_counter() - begun


def _cursors(holdfast, key, count):
    """Cursors of pages that begin near the start, in the middle and near the end."""
    found, cursor, seen = {}, "", 0
    while True:
        target = f"{_OBJECT}{key}/properties/values?limit=1000" + (f"&cursor={cursor}" if cursor else "")
        page = json.loads(client.request(holdfast, "GET", target).body)
        seen += len(page["elements"])
        cursor = page.get("next", "")
        for label, place in (("start", 1_000), ("middle", count // 2), ("end", count - 1_000)):
            if cursor and label not in found and seen >= place:
                found[label] = cursor
        if not cursor:
            return found, seen


def large_list(bench):
    """1,000 inserts in the middle of a list, and a page of it, in a large list and in a small one."""
    count = bench.settings.large
    row = Row("large-list", f"a list of {count:,} elements, to one of {_SMALL}")
    ratio = cpu_ratio = pages = cpu_pages = None
    if bench.has_holdfast:
        with bench.serve_empty("collections") as holdfast:
            client.request(holdfast, "PUT", "/v1/schema", _SCHEMA)
            client.request(holdfast, "PUT", f"{_OBJECT}1", _body(count), _MINIMAL)
            cpu, seconds = {"large": [], "small": []}, {"large": [], "small": []}
            rounds = max(4 * bench.settings.rounds, 4)
            for _ in range(rounds):
                client.request(holdfast, "PUT", f"{_OBJECT}2", _body(_SMALL), _MINIMAL)
                for label, key, index in (("large", 1, count // 2), ("small", 2, _SMALL // 2)):
                    used, elapsed = _insert(holdfast, key, index)
                    cpu[label].append(used)
                    seconds[label].append(elapsed)
            cursors, seen = _cursors(holdfast, 1, count)
            if seen != count + rounds * _INSERTS:
                raise BenchError(f"the list has {seen:,} elements")
            page_seconds, page_cpu = {label: [] for label in cursors}, {label: [] for label in cursors}
            for _ in range(20):
                for label, cursor in cursors.items():
                    before = thread_seconds(holdfast.pids())
                    for _ in range(_PAGES):
                        begun = time.perf_counter()
                        client.request(holdfast, "GET", f"{_OBJECT}1/properties/values?limit=100&cursor={cursor}")
                        page_seconds[label].append(time.perf_counter() - begun)
                    page_cpu[label].append((thread_seconds(holdfast.pids()) - before) / _PAGES)
        for label in ("large", "small"):
            row.add(f"{_INSERTS:,} inserts, {label}", {"cpu_ms": statistics.median(cpu[label]) * 1e3,
                                                     "ms": statistics.median(seconds[label]) * 1e3})
        for label, times in page_seconds.items():
            row.add(f"page of 100, {label}", {"cpu_us": statistics.median(page_cpu[label]) * 1e6,
                                                  "us": statistics.median(times) * 1e6})
        cpu_ratio = statistics.median(cpu["large"]) / statistics.median(cpu["small"])
        ratio = statistics.median(seconds["large"]) / statistics.median(seconds["small"])
        medians = [statistics.median(times) for times in page_seconds.values()]
        pages = max(medians) / min(medians)
        medians = [statistics.median(times) for times in page_cpu.values()]
        cpu_pages = max(medians) / min(medians)
    else:
        row.notes.append("needs the holdfast binary")
    row.check(f"{_INSERTS:,} inserts in the middle, in one transaction, until the reply", ratio, "×")
    row.check("the same, CPU", cpu_ratio, "×")
    row.check("a page of 100, the dearest of start, middle and end to the cheapest", pages, "×")
    row.check("the same, CPU", cpu_pages, "×")
    return row
