"""Every operation with its dearest requests, and the end of a service while they run."""
import http.client
import json
import signal
import socket
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import bodies
import contract
from service import Service

LIMIT_SECONDS = 1
GRACE_SECONDS = 1
# A debug build on a machine that has much else to do; what was not divided took minutes.
SPARE_SECONDS = 20
# So many requests run at once.
WIDTH = 6


def start():
    """A service with the objects that the requests are about."""
    return Service(
        *bodies.OPTIONS, "--max-query-time", f"{LIMIT_SECONDS}s", "--grace", f"{GRACE_SECONDS}s",
        "--stream-return", "10m")


def fill(running):
    """Puts the objects into the store; the stream that some requests change."""
    running.succeed("PUT", "/v1/schema", {"classes": bodies.SCHEMA["classes"]})
    for projection in bodies.SCHEMA["projections"]:
        running.succeed(
            "PUT", f"/v1/projections/{projection['name']}",
            {name: value for name, value in projection.items() if name != "name"})
    running.succeed("POST", "/v1/classes/Item/objects", bodies.OBJECTS)
    return running.succeed("POST", "/v1/streams", {"queries": {"all": {"class": "Item"}}}).json["id"]


def data(body):
    return body if body is None or isinstance(body, bytes) else json.dumps(body).encode()


def send(running, stream, case, patience):
    """Sends a request; its status, or the error where it is not answered in time, and how long that took."""
    _, method, path, body, kind = case
    connection = http.client.HTTPConnection(running.host, running.port, timeout=patience)
    headers = {} if body is None else {"Content-Type": kind}
    if kind == bodies.EVENTS:
        headers = {"Accept": kind}
    begin = time.monotonic()
    try:
        connection.request(method, path.replace("{stream}", stream), data(body), headers)
        response = connection.getresponse()
        # A stream of events has no end.
        if kind != bodies.EVENTS or response.status != 200:
            response.read()
        return response.status, time.monotonic() - begin
    except (OSError, http.client.HTTPException) as error:
        return repr(error), time.monotonic() - begin
    finally:
        connection.close()


class Bodies(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cases = bodies.cases()

    def test_every_operation_has_dear_requests_or_says_why_it_has_none(self):
        known = {operation["operationId"] for _, _, operation in contract.operations()}
        self.assertEqual(set(self.cases), known)
        for name, cases in self.cases.items():
            self.assertTrue(cases, name)

    def test_each_is_answered_within_the_time_limit(self):
        """Several at a time, each of which waits for its turns among the others."""
        slow, statuses = [], {}
        with start() as running:
            stream = fill(running)

            def answer(one):
                name, case = one
                status, seconds = send(
                    running, stream, case, patience=LIMIT_SECONDS + 1 + SPARE_SECONDS)
                statuses[status] = statuses.get(status, 0) + 1
                if isinstance(status, str):
                    slow.append(f"{name}, {case[0]}: {status}, {seconds:.1f} s")

            with ThreadPoolExecutor(WIDTH) as pool:
                list(pool.map(answer, [
                    (name, case) for name, cases in self.cases.items()
                    if not isinstance(cases, str) for case in cases]))
            self.assertTrue(running.is_running(), running.log()[-2000:])
        self.assertEqual(slow, [], statuses)
        # They reach what they are about, and are not refused before.
        self.assertLess(statuses.get(404, 0) + statuses.get(400, 0), 20, statuses)

    def test_a_service_stops_within_its_grace_while_they_run(self):
        """The dearest of each operation, whose clients stay, and a second time those that take long, whose clients leave."""
        dear = ("queryObjects", "createStream", "patchStream", "listObjects", "patchObjects", "streamClassChanges")
        chosen = [
            case for name in dear for case in self.cases[name]
            if case[0].split(" of ")[-1] in (
                "many regions", "a region at many places", "expand", "fields", "nested", "all of a list", "expressions",
                "expression", "paths")]
        for leaves in (False, True):
            with self.subTest(leaves=leaves), start() as running:
                stream = fill(running)
                sockets = []
                for _, method, path, body, kind in chosen:
                    raw = socket.create_connection((running.host, running.port))
                    sockets.append(raw)
                    text = data(body) or b""
                    head = (f"{method} {path.replace('{stream}', stream)} HTTP/1.1\r\nHost: a\r\n"
                            f"Content-Length: {len(text)}\r\n" + (f"Content-Type: {kind}\r\n" if body else "") + "\r\n")
                    raw.sendall(head.encode() + text)
                if leaves:
                    for raw in sockets:
                        raw.close()
                time.sleep(0.3)
                begin = time.monotonic()
                running._process.send_signal(signal.SIGTERM)
                running._process.wait(timeout=120)
                seconds = time.monotonic() - begin
                for raw in sockets:
                    raw.close()
                self.assertLess(seconds, GRACE_SECONDS + 1 + SPARE_SECONDS)
                self.assertEqual(running._process.returncode, 0)
