"""A running Holdfast on a free port of 127.0.0.1, for the checks from outside.

HOLDFAST_BINARY names the program. Everything is put into the store over HTTP, so that these checks
need nothing but `serve`.
"""
import gzip
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BINARY = os.environ.get("HOLDFAST_BINARY", str(ROOT / ".build" / "debug" / "holdfast"))
WORLD = ROOT / "Examples" / "world"

# A loaded machine and a debug build are slow; nothing here is timed.
START_SECONDS_MAX = 60
REQUEST_SECONDS_MAX = 300


def free_ports(count):
    """Different ports of loopback that were free a moment ago."""
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]
    finally:
        for probe in probes:
            probe.close()


class ServiceError(Exception):
    """The service did not do what a check needs before it can begin."""


class Reply:
    """A whole reply."""

    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def json(self):
        return json.loads(self.body)


def exchange(connection, method, path, body=None, **headers):
    """Sends one request on a connection and closes it; `Content_Type=…` names a header."""
    if body is not None and not isinstance(body, (bytes, str)):
        body = json.dumps(body)
        headers.setdefault("Content_Type", "application/json")
    if isinstance(body, str):
        body = body.encode()
    try:
        connection.request(
            method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        return Reply(connection.getresponse())
    finally:
        connection.close()


class Service:
    """Starts `holdfast serve` on an empty store, or on the one in the folder `data`, and stops it: use it in a `with`."""

    def __init__(self, *options, port=0, prepare=None, data=None):
        self.options = options
        self.port = port
        # Called with the store's folder before the service starts.
        self.prepare = prepare
        self._given_data = data

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="holdfast-")
        self.data = self._given_data or Path(self._folder.name) / "data"
        if self.prepare:
            self.prepare(self.data)
        self._log = open(Path(self._folder.name) / "log", "w+b")
        try:
            self._start()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def _start(self):
        self._process = subprocess.Popen(
            [BINARY, "serve", "--data", str(self.data), "--listen", f"127.0.0.1:{self.port}",
             *self.options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._log)
        self.url = self._wait_until_ready()
        self.host, port = self.url.removeprefix("http://").split(":")
        self.port = int(port)

    def restart(self, how):
        """Ends the service by a signal, and starts it again on its store and address."""
        self._process.send_signal(how)
        self._process.wait(timeout=START_SECONDS_MAX)
        self._process.stdout.close()
        self._start()

    def __exit__(self, kind, error, trace):
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(timeout=START_SECONDS_MAX)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._process.stdout.close()
        if error is not None or self._process.returncode not in (0, -signal.SIGKILL):
            print(f"the service ended with status {self._process.returncode}; its log:")
            print(self.log()[-4000:])
        self._log.close()
        self._folder.cleanup()

    def _wait_until_ready(self):
        # A service that hangs is ended, so that the line below ends too.
        timer = threading.Timer(START_SECONDS_MAX, self._process.kill)
        timer.start()
        try:
            for line in self._process.stdout:
                found = re.search(rb" at (http://[0-9.]+:\d+)", line)
                if found:
                    return found.group(1).decode()
        finally:
            timer.cancel()
        raise ServiceError(f"{BINARY} serve did not start:\n{self.log()}")

    def log(self):
        """What the service has written to standard error."""
        self._log.seek(0)
        return self._log.read().decode(errors="replace")

    def is_running(self):
        return self._process.poll() is None

    def connect(self):
        return http.client.HTTPConnection(self.host, self.port, timeout=REQUEST_SECONDS_MAX)

    def request(self, method, path, body=None, **headers):
        """Sends one request on a connection of its own; `Content_Type=…` names a header."""
        return exchange(self.connect(), method, path, body, **headers)

    def succeed(self, method, path, body=None, **headers):
        """A request that has to succeed, for what a check takes for granted."""
        reply = self.request(method, path, body, **headers)
        if not 200 <= reply.status < 300:
            raise ServiceError(
                f"{method} {path}: {reply.status} {reply.body.decode(errors='replace')[:2000]}")
        return reply

    def import_lines(self, class_name, lines):
        """Imports objects, one a line; every one of them has to be taken."""
        reply = self.succeed(
            "POST", f"/v1/classes/{class_name}/import?mode=replace", b"\n".join(lines) + b"\n",
            Content_Type="application/x-ndjson").json
        if reply["failed"]:
            raise ServiceError(f"import of {class_name}: {json.dumps(reply)[:2000]}")
        return reply["imported"]

    def load_world(self, keep=lambda class_name, value: True):
        """Puts the world sample into the store: the objects that `keep` says."""
        self.succeed("PUT", "/v1/schema", world_schema())
        for class_name in (WORLD / "import-order").read_text().split():
            self.import_lines(
                class_name,
                [line for line in world_lines(class_name) if keep(class_name, json.loads(line))])


def world_schema():
    return json.loads((WORLD / "schema.json").read_text())


def world_lines(class_name):
    with gzip.open(WORLD / f"{class_name}.ndjson.gz") as lines:
        return [line.rstrip(b"\n") for line in lines]
