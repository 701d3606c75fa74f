"""The example of a reverse proxy, tried with the real one: nginx as Debian has it."""
import http.client
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "Tests" / "support"))

from events import EventSource  # noqa: E402
from service import BINARY, Reply, Service, exchange, free_ports  # noqa: E402

EXAMPLE = ROOT / "deploy" / "nginx.conf.example"
NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
OPENSSL = shutil.which("openssl")
NAME = "db.example.com"
WAIT_SECONDS_MAX = 60
BODY_BYTES_MAX = 32 << 20
# From the kernel's include/net/tcp_states.h.
TIME_WAIT = "06"


class Proxy:
    """nginx with the example, its addresses and certificate changed: use it in a `with`."""

    def __init__(self, service_port):
        self.service_port = service_port
        self.http_port, self.https_port = free_ports(2)

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="holdfast-nginx-")
        folder = Path(self._folder.name)
        subprocess.run(
            [OPENSSL, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
             "-nodes", "-days", "2", "-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}",
             "-keyout", folder / "key.pem", "-out", folder / "certificate.pem"],
            check=True, capture_output=True, timeout=WAIT_SECONDS_MAX)
        self.access_log = folder / "access.log"
        self.context = ssl.create_default_context(cafile=folder / "certificate.pem")
        (folder / "site.conf").write_text(self._site(folder))
        temporary = "".join(
            f"{kind}_temp_path {folder}/{kind};\n"
            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        (folder / "nginx.conf").write_text(
            f"daemon off;\npid {folder}/pid;\nerror_log stderr;\nworker_processes 1;\n"
            + ("user root;\n" if os.geteuid() == 0 else "")
            + "events { worker_connections 256; }\n"
            + f"http {{\naccess_log off;\n{temporary}include {folder}/site.conf;\n}}\n")
        command = [NGINX, "-p", folder, "-e", "stderr", "-c", folder / "nginx.conf"]
        self.checked = subprocess.run(
            [*command, "-t"], capture_output=True, text=True, timeout=WAIT_SECONDS_MAX)
        self.log = open(folder / "log", "w+")
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        limit = time.monotonic() + WAIT_SECONDS_MAX
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.https_port), 1).close()
                return self
            except OSError:
                if self._process.poll() is not None or time.monotonic() > limit:
                    text = Path(self.log.name).read_text()
                    self.__exit__()
                    raise RuntimeError(f"nginx did not start:\n{self.checked.stderr}{text}")
                time.sleep(0.05)

    def __exit__(self, *_):
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(WAIT_SECONDS_MAX)
        self.log.close()
        self._folder.cleanup()

    def _site(self, folder):
        """The example with what it says to change, on ports of loopback."""
        text = EXAMPLE.read_text()
        for pattern, change in (
                (r"server 127\.0\.0\.1:8080;", f"server 127.0.0.1:{self.service_port};"),
                (r"\n *listen \[::\]:[^;]*;", ""),
                (r"listen 80;", f"listen 127.0.0.1:{self.http_port};"),
                (r"listen 443 ", f"listen 127.0.0.1:{self.https_port} "),
                (r"access_log [^;]* holdfast;", f"access_log {folder}/access.log holdfast;"),
                (r"ssl_certificate [^;]*;", f"ssl_certificate {folder}/certificate.pem;"),
                (r"ssl_certificate_key [^;]*;", f"ssl_certificate_key {folder}/key.pem;")):
            text, count = re.subn(pattern, change, text)
            if count == 0:
                raise RuntimeError(f"the example has no {pattern}")
        return text

    def connect(self, client="127.0.0.1"):
        """A connection with TLS to the name in the certificate, at the proxy's address, from a client's."""
        connection = http.client.HTTPSConnection(
            NAME, self.https_port, timeout=WAIT_SECONDS_MAX, source_address=(client, 0), context=self.context)
        connection._create_connection = lambda address, *rest: socket.create_connection(
            ("127.0.0.1", address[1]), *rest)
        return connection

    def request(self, method, path, body=None, **headers):
        return exchange(self.connect(), method, path, body, **headers)


@unittest.skipUnless(NGINX and OPENSSL, "no nginx or no openssl here")
class ProxyTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.running = Service(
            "--heartbeat", "1s", "--trusted-proxy", "127.0.0.1", prepare=cls.make_token).__enter__()
        cls.addClassCleanup(cls.running.__exit__, None, None, None)
        cls.proxy = Proxy(cls.running.port).__enter__()
        cls.addClassCleanup(cls.proxy.__exit__)
        cls.right = {"Authorization": f"Bearer {cls.token}"}
        cls.running.succeed("PUT", "/v1/schema/classes/Note", {
            "primaryKey": "name", "properties": {"name": "string", "text": "string"}}, **cls.right)
        cls.running.succeed("PUT", "/v1/schema/classes/Reading", {
            "kind": "asymmetric", "primaryKey": "id",
            "properties": {"id": "objectId", "value": "int"}}, **cls.right)

    @classmethod
    def make_token(cls, data):
        data.mkdir()
        cls.token = subprocess.run(
            [BINARY, "token", "create", "--data", str(data), "--name", "all", "--rights", "admin"],
            capture_output=True, text=True, timeout=60, check=True).stdout.split()[-1]

    def send(self, method, path, body=None, **headers):
        return self.proxy.request(method, path, body, **self.right, **headers)

    def test_nginx_finds_no_fault_in_the_example(self):
        self.assertEqual(self.proxy.checked.returncode, 0, self.proxy.checked.stderr)
        self.assertNotIn("[warn]", self.proxy.checked.stderr)

    def test_an_object_is_put_and_read_through_tls(self):
        path = "/v1/classes/Note/objects/a%2Fb%20c"
        put = self.send("PUT", path, {"text": "through"})
        self.assertEqual(put.status, 201, put.body)
        # A path, so that it holds for who knows the service by another name.
        self.assertTrue(put.headers["Location"].startswith("/v1/"), put.headers["Location"])
        self.assertEqual(self.send("GET", put.headers["Location"]).json["text"], "through")
        read = self.send("GET", path)
        self.assertEqual((read.status, read.json), (200, {"name": "a/b c", "text": "through"}))
        self.assertIn("Strict-Transport-Security", read.headers)
        same = self.send("GET", path, If_None_Match=read.headers["ETag"])
        self.assertEqual(same.status, 304)
        stale = self.send("PUT", path, {"text": "late"}, If_Match='"00000000-1"')
        self.assertEqual((stale.status, stale.json["code"]), (412, "precondition-failed"))

    def test_nobody_is_let_in_without_a_token(self):
        self.assertEqual(self.proxy.request("GET", "/v1").status, 401)

    def test_the_service_knows_who_asks_through_the_proxy(self):
        # Who has no token is limited by address: without --trusted-proxy all would be one.
        with Service("--rate-limit", "1", "--trusted-proxy", "127.0.0.1",
                     prepare=self.make_token) as service, Proxy(service.port) as proxy:
            def statuses(address, count):
                connection = proxy.connect(address)
                # What the client says itself must not count.
                headers = {"X-Forwarded-For": "192.0.2.1"}
                found = []
                for _ in range(count):
                    connection.request("GET", "/v1", headers=headers)
                    reply = connection.getresponse()
                    reply.read()
                    found.append(reply.status)
                connection.close()
                return found
            first = statuses("127.0.0.2", 10)
            self.assertEqual(first[0], 401)
            self.assertIn(429, first)
            self.assertEqual(statuses("127.0.0.3", 1), [401])

    def test_tries_of_passwords_and_audit_lines_are_those_of_the_client(self):
        with Service("--trusted-proxy", "127.0.0.1", prepare=self.make_token) as service, Proxy(service.port) as proxy:
            def request(address, path, body, **headers):
                return exchange(proxy.connect(address), "POST", path, body, **headers)
            password = "correct horse battery staple"
            right = {"Authorization": f"Bearer {self.token}"}
            made = request("127.0.0.4", "/v1/accounts", {"login": "ann", "password": password}, **right)
            self.assertEqual(made.status, 201, made.body)
            self.assertIn('"client":"127.0.0.4', next(
                line for line in service.log().splitlines() if "createAccount" in line))
            # A login each: the address alone has had enough.
            tries = [request("127.0.0.2", "/v1/sessions", {"login": f"l{number}", "password": password}).status
                     for number in range(11)]
            self.assertEqual(tries, 10 * [401] + [429])
            self.assertEqual(request("127.0.0.3", "/v1/sessions", {"login": "ann", "password": password}).status, 201)

    def test_what_a_request_asks_for_stays_out_of_the_proxys_log(self):
        with Proxy(self.running.port) as proxy:
            proxy.request("GET", "/v1/classes/Note/objects?filter=text%20%3D%3D%20%27secret%27", **self.right)
            # The proxy writes the line after the reply, so that the client can be ahead of it.
            deadline = time.monotonic() + WAIT_SECONDS_MAX
            while not (line := proxy.access_log.read_text()).endswith("\n"):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.01)
        self.assertIn("/v1/classes/Note/objects", line)
        self.assertNotIn("secret", line)

    def test_keys_behind_a_certificate_of_an_unknown_authority_are_not_read(self):
        address = f"https://127.0.0.1:{self.proxy.https_port}/keys"
        with Service("--jwt-keys", address, "--jwt-issuer", "https://id.example.org", "--jwt-audience", "notes") as service:
            self.assertIn("certificate", service.log())
            reply = service.request("GET", "/v1/me", Authorization="Bearer eyJhbGciOiJSUzI1NiJ9.e30.e30")
            self.assertEqual((reply.status, reply.json["code"]), (503, "keys-unavailable"))

    def test_plain_http_is_sent_to_tls(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.proxy.http_port, timeout=60)
        connection.request("GET", "/v1/schema?x=%2F", headers={"Host": NAME})
        reply = Reply(connection.getresponse())
        connection.close()
        self.assertEqual(
            (reply.status, reply.headers["Location"]), (308, f"https://{NAME}/v1/schema?x=%2F"))

    def test_connections_to_the_service_are_kept(self):
        before = self.ended_connections()
        for _ in range(40):
            self.assertEqual(self.send("GET", "/v1/schema").status, 200)
        self.assertLess(self.ended_connections() - before, 10)

    def ended_connections(self):
        """How many connections to the service have ended a short time ago."""
        port = f":{self.running.port:04X}"
        rows = [row.split() for row in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        return sum(
            row[3] == TIME_WAIT and (row[1].endswith(port) or row[2].endswith(port))
            for row in rows)

    def test_a_change_is_told_through_the_proxy_as_it_comes(self):
        with EventSource(
                self.proxy, "/v1/classes/Note/changes?since=now", **self.right) as stream:
            self.assertEqual(stream.status, 200)
            events = iter(stream)
            self.assertEqual(next(events).name, "hello")
            for number in range(3):
                # Each is read before the next is made, so nothing may wait for more.
                self.send("PUT", f"/v1/classes/Note/objects/told{number}", {"text": "told"})
                change = next(event for event in events if event.data)
                self.assertEqual(
                    [(one["op"], one["id"]) for one in change.json["changes"]],
                    [("enter", f"told{number}")])
            # A sign of life without data comes through too.
            self.assertIsNone(next(events).data)

    def test_a_query_may_be_as_long_as_the_service_takes_it(self):
        long = "name%3D%3D%22" + "x" * 12_000 + "%22"
        reply = self.send("GET", f"/v1/classes/Note/objects?filter={long}")
        self.assertEqual((reply.status, reply.json), (200, {"objects": []}))

    def test_the_largest_body_goes_through_and_a_larger_one_is_refused_as_by_the_service(self):
        # The service's own answer to a body of the limit is about what stands in it.
        reply = self.send(
            "POST", "/v1/classes/Note/objects", b" " * BODY_BYTES_MAX,
            Content_Type="application/json")
        self.assertEqual((reply.status, reply.json["code"]), (400, "malformed-json"))
        reply = self.send("POST", "/v1/classes/Note/objects", Content_Type="application/json",
                          Content_Length=str(BODY_BYTES_MAX + 1))
        self.assertEqual((reply.status, reply.json["code"]), (413, "body-too-large"))
        self.assertEqual(reply.headers["Content-Type"], "application/problem+json")

    def test_an_outbox_is_fed_through_the_proxy_as_it_comes(self):
        with EventSource(self.proxy, "/v1/classes/Reading/outbox", **self.right) as stream:
            self.assertEqual(stream.status, 200)
            events = iter(stream)
            self.assertEqual(next(events).name, "hello")
            for number in range(3):
                self.send("POST", "/v1/classes/Reading/objects", {"value": number})
                batch = next(event for event in events if event.data)
                self.assertEqual([one["value"] for one in batch.json["objects"]], [number])

    def test_an_import_may_be_longer_than_a_body(self):
        line = b'{"name":"line %d","text":"' + b"x" * (1 << 20) + b'"}\n'
        lines = [line.replace(b"%d", b"%d" % number) for number in range(34)]
        self.assert_imported("/v1/classes/Note/import", lines)
        header = self.send("GET", "/v1/export").body.split(b"\n")[0]
        self.assert_imported(
            "/v1/import",
            [header + b"\n"] + [
                b'{"class":"Note","id":"line %d","object":%s}\n' % (number, line.strip())
                for number, line in enumerate(lines)])

    def assert_imported(self, path, lines):
        reply = self.send(
            "POST", path + "?mode=replace", b"".join(lines), Content_Type="application/x-ndjson")
        self.assertEqual((reply.status, reply.json["imported"]), (200, 34), reply.body)

    def test_a_service_that_is_away_is_503(self):
        with socket.socket() as nobody:
            nobody.bind(("127.0.0.1", 0))
            with Proxy(nobody.getsockname()[1]) as proxy:
                reply = proxy.request("GET", "/v1")
        self.assertEqual((reply.status, reply.json["code"]), (503, "not-ready"))
        self.assertEqual(reply.headers["Retry-After"], "5")
