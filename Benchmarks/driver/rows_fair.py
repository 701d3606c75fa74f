"""A row about fairness: short requests beside clients whose queries take long."""
import http.client
import json
import statistics
import threading
import time

from . import client
from .processes import BenchError
from .results import Row
from .servers import Holdfast

_COUNT, _LINKS, _SLOW_CLIENTS, _LIMIT_SECONDS = 30_000, 20, 20, 5
_SCHEMA = {"classes": [
    {"name": "Node", "primaryKey": "_id",
     "properties": {"_id": "int", "name": {"type": "string", "indexed": True}, "next": "Node[]"}},
    {"name": "Few", "primaryKey": "_id", "properties": {"_id": "int", "name": "string"}}]}
_SLOW = ("/v1/classes/Node/objects?filter=SUBQUERY(next,$a,SUBQUERY($a.next,$b,SUBQUERY($b.next,$c,"
         "SUBQUERY($c.next,$d,$d._id%3C0).@count%3E0).@count%3E0).@count%3E0).@count%3E0")
_SHORT = {"indexed page": "/v1/classes/Node/objects?sort=name&limit=20",
          "filter on ten objects": "/v1/classes/Few/objects?filter=name%20CONTAINS%20'7'"}


def _lines(objects):
    return b"".join(json.dumps(one).encode() + b"\n" for one in objects)


def _load(bench, holdfast):
    client.request(holdfast, "PUT", "/v1/schema", _SCHEMA)
    path = bench.path("nodes.ndjson")
    for name, objects in (
            ("Node", ({"_id": key, "name": f"node {key * 7919 % _COUNT}",
                       "next": [(key * 31 + step * 977 + 1) % _COUNT for step in range(_LINKS)]}
                      for key in range(_COUNT))),
            ("Few", ({"_id": key, "name": f"few {key}"} for key in range(10)))):
        with open(path, "wb") as file:
            file.write(_lines(objects))
        reply = client.upload(holdfast, f"/v1/classes/{name}/import", path)
        if reply.get("failed") or not reply.get("imported"):
            raise BenchError(f"import of {name}: {str(reply)[:400]}")


def _milliseconds(holdfast, target, seconds):
    """How long each of the requests takes that one connection makes, 10 ms after the other's end."""
    connection = http.client.HTTPConnection("127.0.0.1", holdfast.port, timeout=120)
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end:
        begun = time.perf_counter()
        connection.request("GET", target)
        reply = connection.getresponse()
        body = reply.read()
        times.append((time.perf_counter() - begun) * 1000)
        if reply.status != 200:
            raise BenchError(f"GET {target}: {reply.status} {body[:200]!r}")
        time.sleep(0.01)
    connection.close()
    return sorted(times)


def _figures(times):
    return {"requests": len(times), "p50_ms": round(statistics.median(times), 2),
            "p99_ms": round(times[min(len(times) - 1, len(times) * 99 // 100)], 2), "max_ms": round(times[-1], 2)}


class _SlowClient(threading.Thread):
    """Asks the slow query again and again, and notes when and how each ended."""

    def __init__(self, port, is_over):
        super().__init__(daemon=True)
        self.port, self.is_over, self.ends = port, is_over, []

    def run(self):
        while not self.is_over.is_set():
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
            begun = time.perf_counter()
            connection.request("GET", _SLOW)
            reply = connection.getresponse()
            self.ends.append((reply.status, b"query-too-slow" in reply.read(), time.perf_counter() - begun))
            connection.close()


def slow_queries(bench):
    """p99 of an indexed page and of a filter on ten objects, alone and beside 20 clients with slow queries."""
    row = Row("slow-queries", f"short requests beside {_SLOW_CLIENTS} slow clients of one address")
    seconds = max(2 * bench.settings.seconds, 4)
    alone, beside, ends = {}, {}, []
    if bench.has_holdfast:
        with Holdfast(bench, bench.path("fair"), ["--max-query-time", f"{_LIMIT_SECONDS}s"]) as holdfast:
            _load(bench, holdfast)
            for label, target in _SHORT.items():
                alone[label] = _figures(_milliseconds(holdfast, target, seconds))
            is_over = threading.Event()
            slow = [_SlowClient(holdfast.port, is_over) for _ in range(_SLOW_CLIENTS)]
            for one in slow:
                one.start()
            time.sleep(1)
            for label, target in _SHORT.items():
                beside[label] = _figures(_milliseconds(holdfast, target, seconds))
            is_over.set()
            for one in slow:
                one.join()
            ends = [end for one in slow for end in one.ends]
        for label in _SHORT:
            row.add(f"{label}, alone", alone[label])
            row.add(f"{label}, beside", beside[label])
        row.add("slow queries", {"count": len(ends), "longest_s": round(max(end[2] for end in ends), 2)})
    else:
        row.notes.append("needs the holdfast binary")
    for label in _SHORT:
        row.check(f"{label}, p99 beside", beside.get(label, {}).get("p99_ms"), "ms")
    others = sum(1 for status, is_too_slow, _ in ends if status != 503 or not is_too_slow)
    row.check("slow queries that did not end as too slow", others if ends else None, "")
    row.check("the longest one, to its limit",
              max(end[2] for end in ends) / _LIMIT_SECONDS if ends else None, "×")
    return row
