"""A small HTTP client that keeps its connection and is quick enough to load the server."""
import json
import socket
from urllib.parse import quote


class Reply:
    """An answer: status, headers (names in lower case) and body."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)

    @property
    def version(self):
        """The number of `Holdfast-Version`."""
        return int(self.headers["holdfast-version"].rsplit("-", 1)[1])

    def __repr__(self):
        return f"{self.status} {self.body[:600]!r}"


class Closed(ConnectionError):
    """The connection ended before the reply did."""


class Connection:
    """One connection, opened when it is first used. Not thread-safe."""

    def __init__(self, server, seconds=30):
        self.server = server
        self.seconds = seconds
        self.socket = None
        self.left = b""

    def close(self):
        if self.socket:
            self.socket.close()
        self.socket, self.left = None, b""

    def request(self, method, path, body=None, headers=None):
        """Sends a request and returns its reply.

        Raises an OSError when the connection fails; the request may have been done or not.
        """
        self.send(method, path, body, headers)
        return self.receive(method)

    def send(self, method, path, body=None, headers=None):
        if self.socket is None:
            self.socket = socket.create_connection(
                (self.server.host, self.server.port), self.seconds)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1"]
        data = b""
        if body is not None:
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            lines.append(f"Content-Length: {len(data)}")
            if "Content-Type" not in (headers or {}):
                lines.append("Content-Type: application/json")
        for name, value in (headers or {}).items():
            lines.append(f"{name}: {value}")
        try:
            self.socket.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + data)
        except OSError:
            self.close()
            raise

    def receive(self, method="GET"):
        try:
            return self._receive(method)
        except OSError:
            self.close()
            raise

    def _receive(self, method):
        head = self._until(b"\r\n\r\n")
        first, *rest = head.decode("latin-1").split("\r\n")
        status = int(first.split(" ", 2)[1])
        headers = {}
        for line in rest:
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        if method == "HEAD" or status in (204, 304):
            body = b""
        elif headers.get("transfer-encoding") == "chunked":
            parts = []
            while count := int(self._until(b"\r\n").split(b";")[0], 16):
                parts.append(self._exactly(count))
                self._exactly(2)
            self._until(b"\r\n")
            body = b"".join(parts)
        else:
            body = self._exactly(int(headers.get("content-length", "0")))
        if headers.get("connection", "").lower() == "close":
            self.close()
        return Reply(status, headers, body)

    def _more(self):
        data = self.socket.recv(1 << 16)
        if not data:
            raise Closed("the connection ended")
        self.left += data

    def _until(self, mark):
        while (place := self.left.find(mark)) < 0:
            self._more()
        head, self.left = self.left[:place], self.left[place + len(mark):]
        return head

    def _exactly(self, count):
        while len(self.left) < count:
            self._more()
        head, self.left = self.left[:count], self.left[count:]
        return head

    # Things that every scenario does.

    def everything(self, class_name, parameters="", limit=1000):
        """All objects that a query finds, page by page."""
        objects, cursor = [], None
        while True:
            path = f"/v1/classes/{class_name}/objects?limit={limit}{parameters}"
            if cursor:
                path += "&cursor=" + quote(cursor, safe="")
            reply = self.request("GET", path)
            if reply.status != 200:
                raise RuntimeError(f"GET {path}: {reply}")
            page = reply.json()
            objects += page["objects"]
            cursor = page.get("next")
            if not cursor:
                return objects

    def version(self):
        """The newest version that can be read, as text."""
        return self.request("GET", "/v1/classes/Item/objects?limit=1").headers["holdfast-version"]


def parameter(name, text):
    """A query parameter, encoded, with its ampersand."""
    return f"&{name}={quote(text, safe='')}"
