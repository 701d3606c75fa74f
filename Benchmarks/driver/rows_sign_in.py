"""A row about signing in: point reads beside a hundred sign-ins at once, and the memory that those take."""
import http.client
import json
import multiprocessing
import statistics
import threading
import time

from . import client
from .processes import BenchError
from .results import Row
from .rows_read import MemoryWatch
from .rows_user import new_token
from .servers import Holdfast

_SIGN_INS, _PASSWORD = 100, "correct horse battery"
_SCHEMA = {"classes": [{"name": "Note", "primaryKey": "id", "properties": {"id": "int", "text": "string"}}]}
_JSON = {"Content-Type": "application/json"}


def _credentials(number):
    return {"login": f"user{number}@example.org", "password": _PASSWORD}


def _prepare(bench, holdfast):
    client.request(holdfast, "PUT", "/v1/schema", _SCHEMA)
    client.request(holdfast, "PUT", "/v1/classes/Note/objects/1", {"text": "one"})
    bench.say(f"making {_SIGN_INS} accounts")
    for number in range(_SIGN_INS):
        client.request(holdfast, "POST", "/v1/accounts", _credentials(number))


class _Person(threading.Thread):
    """Signs in again and again, from an address of their own behind the proxy that the service trusts."""

    def __init__(self, port, number, is_over):
        super().__init__(daemon=True)
        self.port, self.number, self.is_over, self.statuses = port, number, is_over, []

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        body = json.dumps(_credentials(self.number))
        headers = {**_JSON, "X-Forwarded-For": f"10.0.0.{self.number + 1}"}
        while not self.is_over.is_set():
            connection.request("POST", "/v1/sessions", body, headers)
            reply = connection.getresponse()
            reply.read()
            self.statuses.append(reply.status)
        connection.close()


def _sign_in_all(port, is_over, statuses):
    """Everybody, in a process of their own: in that of the reads they would keep Python's lock from these."""
    people = [_Person(port, number, is_over) for number in range(_SIGN_INS)]
    for person in people:
        person.start()
    for person in people:
        person.join()
    statuses.send([status for person in people for status in person.statuses])


def _times(holdfast, seconds):
    """How long point reads take, in milliseconds, one after the other with a pause between them."""
    connection = http.client.HTTPConnection("127.0.0.1", holdfast.port, timeout=120)
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end:
        begun = time.perf_counter()
        connection.request("GET", "/v1/classes/Note/objects/1", headers=holdfast.headers)
        reply = connection.getresponse()
        reply.read()
        times.append((time.perf_counter() - begun) * 1000)
        if reply.status != 200:
            raise BenchError(f"a point read was answered {reply.status}")
        time.sleep(0.001)
    connection.close()
    return sorted(times)


def _p99(times):
    return times[min(len(times) - 1, len(times) * 99 // 100)]


def sign_ins(bench):
    """p99 of a point read alone and beside 100 people who sign in, and the service's own memory meanwhile."""
    row = Row("sign-ins", f"point GET beside {_SIGN_INS} sign-ins at once")
    ratio = grown = rate = None
    if bench.has_holdfast:
        data = bench.path("sign-ins")
        token = new_token(bench, data, "bench", "--rights", "admin")
        seconds = max(bench.settings.seconds, 4)
        alone, beside, statuses, spent, peaks = [], [], [], 0.0, []
        with Holdfast(bench, data, ["--trusted-proxy", "127.0.0.1"], token) as holdfast:
            _prepare(bench, holdfast)
            for _ in range(bench.settings.rounds):
                # The watch takes its share of Python's lock from both.
                with MemoryWatch(holdfast.process.pid):
                    alone.append(_times(holdfast, seconds))
                is_over = multiprocessing.Event()
                received, sent = multiprocessing.Pipe(duplex=False)
                people = multiprocessing.Process(target=_sign_in_all, args=(holdfast.port, is_over, sent), daemon=True)
                memory = MemoryWatch(holdfast.process.pid)
                begun = time.perf_counter()
                people.start()
                sent.close()
                with memory:
                    beside.append(_times(holdfast, seconds))
                    is_over.set()
                    try:
                        statuses += received.recv()
                    except EOFError:
                        raise BenchError("the people who sign in ended before the reads") from None
                    people.join()
                spent += time.perf_counter() - begun
                peaks.append((memory.peak_kib - memory.start_kib) / 1024)
        others = sum(1 for status in statuses if status != 201)
        if others or not statuses:
            raise BenchError(f"of {len(statuses)} sign-ins {others} were refused")
        ratio = statistics.median(_p99(b) / _p99(a) for a, b in zip(alone, beside))
        grown, rate = max(peaks), len(statuses) / spent
        for label, rounds in (("alone", alone), ("beside", beside)):
            row.add(f"point GET, {label}", {
                "p50_ms": statistics.median(statistics.median(one) for one in rounds),
                "p99_ms": statistics.median(_p99(one) for one in rounds)})
        row.add("sign-ins", {"per_second": rate, "rss_anon_grown_mib": grown})
    else:
        row.notes.append("needs the holdfast binary")
    row.check("p99 of a point GET, beside to alone", ratio, "×")
    row.check("RssAnon beyond that before the sign-ins", grown, "MiB")
    row.check("sign-ins", rate, "1/s")
    return row
