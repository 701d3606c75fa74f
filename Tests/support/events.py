"""Server-sent events as a client sees them (WHATWG HTML, section 9.2)."""
import json
import socket


class Event:
    """One block of a stream; without data a browser dispatches nothing."""

    def __init__(self, name, data, last_id):
        self.name, self.data, self.last_id = name, data, last_id

    @property
    def json(self):
        return json.loads(self.data)

    def __repr__(self):
        return f"{self.name}#{self.last_id} {self.data}"


class EventSource:
    """Follows a stream: use it in a `with`, and iterate. Silence of `patience` seconds is an error."""

    def __init__(self, running, path, patience=60, **headers):
        self.connection = running.connect()
        self.connection.timeout = patience
        self.connection.request(
            "GET", path, headers={
                "Accept": "text/event-stream",
                **{name.replace("_", "-"): value for name, value in headers.items()}})
        self.response = self.connection.getresponse()
        self.status, self.headers = self.response.status, self.response.headers
        self.last_id = None

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        # The stream has no end, so the connection is cut.
        if self.connection.sock:
            self.connection.sock.shutdown(socket.SHUT_RDWR)
        self.connection.close()

    def __iter__(self):
        name, data = "message", []
        while line := self.response.readline():
            line = line.decode().rstrip("\r\n")
            field, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if not line:
                yield Event(name, "\n".join(data) if data else None, self.last_id)
                name, data = "message", []
            elif field == "event":
                name = value
            elif field == "data":
                data.append(value)
            elif field == "id":
                self.last_id = value

    def until(self, name):
        """The events up to and with the first one of that name."""
        found = []
        for event in self:
            found.append(event)
            if event.name == name:
                return found
        raise AssertionError(f"the stream ended without {name}: {found}")
