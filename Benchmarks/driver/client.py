"""An HTTP client for what wrk does not do: single requests, bulk upload and download."""
import http.client
import json
import os
import socket
from dataclasses import dataclass, field

from .processes import BenchError

_BLOCK_BYTE_COUNT = 1 << 20
_OWN_HEADERS = {"date", "connection", "content-length", "transfer-encoding", "keep-alive"}


@dataclass
class Sample:
    """A reply: what a constant reply has to look like to be comparable."""
    status: int
    headers: list = field(default_factory=list)
    body: bytes = b""


def request(server, method, target, body=None, headers=None, timeout=120):
    """One request on a connection of its own. Raises unless the status is 2xx."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=timeout)
    try:
        if isinstance(body, (dict, list)):
            body = json.dumps(body).encode()
        headers = headers or ({"Content-Type": "application/json"} if body else {})
        connection.request(method, target, body, {**server.headers, **headers})
        reply = connection.getresponse()
        data = reply.read()
        if reply.status // 100 != 2:
            raise BenchError(f"{server.label}: {method} {target}: {reply.status} {data[:300].decode(errors='replace')}")
        kept = [(name, value) for name, value in reply.getheaders() if name.lower() not in _OWN_HEADERS]
        return Sample(reply.status, kept, data)
    except (OSError, http.client.HTTPException) as error:
        raise BenchError(f"{server.label}: {method} {target}: {error}") from error
    finally:
        connection.close()


def check_keeps_connection(server, method, target, body=b""):
    """Asks twice on one connection and raises when the server closed it after the first reply."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    try:
        connection.connect()
        first = connection.sock
        for _ in range(2):
            connection.request(method, target, body or None, {"Content-Type": "application/json"} if body else {})
            reply = connection.getresponse()
            reply.read()
            if reply.will_close or connection.sock is not first:
                raise BenchError(f"{server.label} closes the connection after a reply to {method} {target}")
    except (OSError, http.client.HTTPException) as error:
        raise BenchError(f"{server.label}: {method} {target}: {error}") from error
    finally:
        connection.close()


class KeptConnection:
    """A connection for replies that take less than a millisecond, of which http.client's parsing is a good part."""

    def __init__(self, server):
        self.server = server
        self._socket = socket.create_connection(("127.0.0.1", server.port), 120)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._block = bytearray(_BLOCK_BYTE_COUNT)
        # The size of the smallest reply to each target.
        self._reply_byte_counts = {}

    def get(self, target):
        """The status and the body of a reply with a Content-Length."""
        return self.get_all(target, [""])[0]

    def get_all(self, target, headers):
        """The replies to requests that are sent one behind the other without a wait, one for each of some header lines.

        The client sleeps until all are there, from the second time on, so that the server is not charged with waking it for each.
        """
        least = self._reply_byte_counts.get(target, 1) if len(headers) > 1 else 1
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, len(headers) * least)
        self._socket.sendall("".join(
            f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{self.server.port}\r\n{lines}\r\n" for lines in headers).encode())
        data, replies = b"", []
        while len(replies) < len(headers):
            end = data.find(b"\r\n\r\n")
            wanted = None
            if end >= 0:
                _, found, length = data[:end].lower().partition(b"\r\ncontent-length:")
                if not found:
                    raise BenchError(f"{self.server.label}: GET {target}: the reply has no Content-Length")
                wanted = end + 4 + int(length.partition(b"\r\n")[0])
            if wanted is not None and len(data) >= wanted:
                replies.append((int(data[9:12]), data[end + 4:wanted]))
                self._reply_byte_counts[target] = min(wanted, self._reply_byte_counts.get(target, wanted))
                data = data[wanted:]
                continue
            count = self._socket.recv_into(self._block)
            if not count:
                raise BenchError(f"{self.server.label}: GET {target}: the server closed the connection")
            data += self._block[:count]
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, 1)
        return replies

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._socket.close()


def upload(server, target, path, content_type="application/x-ndjson", chunked=False, timeout=1800):
    """Sends a file as a body straight from the page cache and returns the JSON of the reply."""
    size = os.path.getsize(path)
    length = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {size}"
    own = "".join(f"{name}: {value}\r\n" for name, value in server.headers.items())
    head = (f"POST {target} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n{own}"
            f"Content-Type: {content_type}\r\n{length}\r\n\r\n")
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=timeout)
    with connection, open(path, "rb") as file:
        try:
            connection.sendall(head.encode())
            if chunked:
                offset = 0
                while offset < size:
                    count = min(_BLOCK_BYTE_COUNT, size - offset)
                    connection.sendall(b"%x\r\n" % count)
                    connection.sendfile(file, offset, count)
                    connection.sendall(b"\r\n")
                    offset += count
                connection.sendall(b"0\r\n\r\n")
            else:
                connection.sendfile(file)
        except (BrokenPipeError, ConnectionResetError):
            # The server refused early; its reply, read below, says why.
            pass
        reply = http.client.HTTPResponse(connection)
        try:
            reply.begin()
            data = reply.read()
        except (OSError, http.client.HTTPException) as error:
            raise BenchError(f"{server.label}: POST {target}: no reply ({error!r}); "
                             f"its log ends: {server.log_tail()}") from error
    if reply.status != 200:
        raise BenchError(f"{server.label}: POST {target}: {reply.status} {data[:300].decode(errors='replace')}")
    return json.loads(data)


def download_lines(server, target, timeout=1800):
    """Reads a reply of lines to its end and returns how many lines and bytes it had."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=timeout)
    block = memoryview(bytearray(_BLOCK_BYTE_COUNT))
    lines = byte_count = 0
    try:
        connection.request("GET", target, headers={"Accept": "application/x-ndjson"})
        reply = connection.getresponse()
        if reply.status != 200:
            raise BenchError(f"{server.label}: GET {target}: {reply.status} {reply.read(300).decode(errors='replace')}")
        while count := reply.readinto(block):
            lines += bytes(block[:count]).count(b"\n")
            byte_count += count
        return lines, byte_count
    except (OSError, http.client.HTTPException) as error:
        raise BenchError(f"{server.label}: GET {target}: {error!r}") from error
    finally:
        connection.close()
