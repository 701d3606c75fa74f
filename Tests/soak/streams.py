"""Followers of change streams, and the replay of what they are told."""
import http.client
import json
import socket
import threading
import time


class Event:
    """One server-sent event."""

    __slots__ = ("name", "id", "data")

    def __init__(self, name, id, data):
        self.name, self.id, self.data = name, id, data

    @property
    def version(self):
        """The number of the version that the id names; None without one, and for `start`."""
        return int(self.id.rsplit("-", 1)[1]) if self.id and "-" in self.id else None


def parse_events(data):
    """Splits bytes into complete events; returns them and the bytes that are left.

    As in WHATWG HTML 9.2: what is not ended by an empty line is no event.
    """
    end = data.rfind(b"\n\n")
    if end < 0:
        return [], data
    events = []
    for block in data[:end].split(b"\n\n"):
        name, identifier, lines = None, None, []
        for line in block.strip(b"\n").split(b"\n"):
            field, _, value = line.partition(b":")
            value = value[1:] if value.startswith(b" ") else value
            if field == b"event":
                name = value.decode()
            elif field == b"id":
                identifier = value.decode()
            elif field == b"data":
                lines.append(value)
        payload = json.loads(b"\n".join(lines)) if lines else None
        events.append(Event(name, identifier, payload))
    return events, data[end + 2:]


class Replay:
    """What a client holds that does what the table of docs/change-streams.md says and nothing more: it forgets at a
    reset, sets what enters or is updated, and removes what leaves or is deleted.

    Checks on the way what a stream promises: rising versions, a reset before each snapshot, nothing with an id before
    `upToDate`, and in the live phase that nothing enters twice and nothing leaves, changes or is deleted that isn't
    there.
    """

    def __init__(self, name):
        self.name = name
        self.objects = {}
        self.etags = {}
        #: The id to resume behind.
        self.last_id = None
        self.last_version = -1
        self.is_live = False
        self.faults = []
        self.counts = {}
        self.reset_reasons = []
        self.live_changes = 0
        self._is_fresh = True
        #: Whether a reset came since the last `upToDate`.
        self._is_reset = False
        #: The version of a live event of which some parts have come, or of a catch-up: neither has an id yet.
        self._version_without_id = None

    def fault(self, text):
        if len(self.faults) < 20:
            self.faults.append(f"{self.name}: {text}")

    def begin_connection(self):
        """A connection begins: what follows until `upToDate` is folded."""
        self.is_live = self._is_reset = False
        self._version_without_id = None
        self._is_fresh = True

    def take(self, event):
        self.counts[event.name] = self.counts.get(event.name, 0) + 1
        if event.name == "reset":
            if event.id != "start":
                self.fault(f"a reset with id {event.id}")
            self.last_version, self.last_id = -1, event.id or self.last_id
        elif event.id is not None:
            version = event.version
            # A heartbeat may repeat a version, and `upToDate` may say that nothing was missed.
            repeats = event.name in (None, "upToDate", "hello")
            if version < self.last_version or (version == self.last_version and not repeats):
                self.fault(f"id {version} of {event.name} after {self.last_version}")
            if event.name is None and not self.is_live:
                self.fault(f"a heartbeat with id {event.id} before upToDate")
            self.last_version, self.last_id = version, event.id
        if (event.name == "hello") != self._is_fresh:
            self.fault(f"{event.name} where hello was expected, or hello twice")
        self._is_fresh = False
        if event.name == "hello":
            if event.id is not None:
                self.is_live = True
        elif event.name == "reset":
            self.reset_reasons.append(event.data["reason"])
            self.objects, self.etags, self.is_live, self._is_reset = {}, {}, False, True
        elif event.name == "snapshot":
            if not self._is_reset:
                self.fault("a snapshot without a reset before it")
            for entry in event.data["objects"]:
                self._set(entry)
        elif event.name == "upToDate":
            if event.id != event.data["cursor"]:
                self.fault(f"upToDate {event.id} with cursor {event.data['cursor']}")
            self.is_live, self._is_reset, self._version_without_id = True, False, None
        elif event.name == "change":
            self._change(event)
        elif event.name is not None:
            self.fault(f"event {event.name}: {event.data}")

    def _set(self, entry):
        key = entry["id"]
        if entry["object"].get("_id") != key:
            self.fault(f"id {key} of object {entry['object']}")
        self.objects[key], self.etags[key] = entry["object"], entry["etag"]

    def _change(self, event):
        if event.id is None:
            # A part of a large event, or folded: the client was slow, or has just come back.
            self.is_live, self._version_without_id = False, event.data["version"]
        elif not self.is_live:
            if not event.data.get("last") or self._version_without_id != event.data["version"]:
                self.fault("a folded change moves the id")
            self.is_live, self._version_without_id = True, None
            self.live_changes += 1
        else:
            self.live_changes += 1
            if event.id != event.data["version"]:
                self.fault(f"live change with id {event.id} and version {event.data['version']}")
        if not event.data["changes"]:
            self.fault("a change event without changes")
        for entry in event.data["changes"]:
            kind, key = entry["op"], entry["id"]
            if key is None:
                self.fault(f"{kind} without an id: {entry}")
            is_there = key in self.objects
            if self.is_live and not event.data.get("last"):
                if kind == "enter" and is_there:
                    self.fault(f"{key} enters at {event.id} and was there")
                elif kind != "enter" and not is_there:
                    self.fault(f"{kind} of {key} at {event.id}, which was not there")
                if kind == "update":
                    self._check_changed(entry, event)
            if kind in ("enter", "update"):
                self._set(entry)
            elif kind in ("leave", "delete"):
                self.objects.pop(key, None)
                self.etags.pop(key, None)
            else:
                self.fault(f"op {kind}")

    def _check_changed(self, entry, event):
        old, new = self.objects.get(entry["id"]), entry["object"]
        if old is None:
            return
        differs = {name for name in new if new[name] != old.get(name)}
        if not entry["changed"] or not differs <= set(entry["changed"]):
            self.fault(f"{entry['id']} at {event.id}: changed {entry['changed']}, differs {differs}")


class Follower(threading.Thread):
    """Follows one change stream; resumes by Last-Event-ID when `reconnects` is set.

    `server` may be restarted on another port between connections.
    """

    def __init__(self, server, query, reconnects=False, since="start", keeps_events=False,
                 receive_buffer=None):
        super().__init__(daemon=True)
        self.server, self.query, self.since = server, query, since
        self.reconnects, self.keeps_events = reconnects, keeps_events
        self.receive_buffer = receive_buffer
        self.replay = Replay(query.name)
        self.events = []
        self.lock = threading.Lock()
        self.stopping = threading.Event()
        #: Cleared to stop reading, which makes the client slow.
        self.reads = threading.Event()
        self.reads.set()
        self.connected = threading.Event()
        self.connections = 0
        self.ended_cleanly = None
        self.byte_count = 0
        self.socket = None

    def run(self):
        while not self.stopping.is_set():
            try:
                self._follow()
            except (OSError, http.client.HTTPException):
                pass
            except Exception as error:
                self.replay.fault(f"the follower failed: {error!r}")
                return
            if not self.reconnects:
                return
            self.stopping.wait(0.01)

    def stop(self):
        self.stopping.set()
        self.reads.set()
        held = self.socket
        if held:
            try:
                held.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.join(30)

    def _follow(self):
        connection = http.client.HTTPConnection(self.server.host, self.server.port, timeout=30)
        try:
            connection.sock = socket.socket()
            if self.receive_buffer:
                connection.sock.setsockopt(
                    socket.SOL_SOCKET, socket.SO_RCVBUF, self.receive_buffer)
            connection.sock.settimeout(30)
            connection.sock.connect((self.server.host, self.server.port))
            self.socket = connection.sock
            headers = {"Accept": "text/event-stream"}
            path = self.query.path()
            if self.replay.last_id:
                headers["Last-Event-ID"] = self.replay.last_id
            path += ("" if path.endswith("?") else "&") + f"since={self.since}"
            connection.request("GET", path, headers=headers)
            response = connection.getresponse()
            if response.status != 200:
                self.replay.fault(f"GET {path}: {response.status} {response.read()[:500]}")
                self.reconnects = False
                return
            self.connections += 1
            with self.lock:
                self.replay.begin_connection()
            self._read(response)
        finally:
            connection.close()

    def _read(self, response):
        left = b""
        self.ended_cleanly = None
        self.connected.set()
        while not self.stopping.is_set():
            self.reads.wait()
            data = response.read1(1 << 16)
            if not data:
                self.ended_cleanly = not left
                return
            self.byte_count += len(data)
            events, left = parse_events(left + data)
            with self.lock:
                for event in events:
                    self.replay.take(event)
                if self.keeps_events:
                    self.events += events

    def is_at(self, version):
        """Whether the stream has come to a version (its number)."""
        with self.lock:
            return self.replay.is_live and self.replay.last_version >= version

    def place(self):
        replay = self.replay
        return (f"{self.query.name} at {replay.last_version} "
                f"({'live' if replay.is_live else 'folded'}, {replay.counts})")

    def state(self):
        """A copy of what the replay holds."""
        with self.lock:
            return dict(self.replay.objects)


def wait_for(followers, version, seconds):
    """Waits until all have come to a version; returns the names of those that have not."""
    end = time.monotonic() + seconds
    left = list(followers)
    while left and time.monotonic() < end:
        left = [follower for follower in left if not follower.is_at(version)]
        if left:
            time.sleep(0.01)
    return [follower.place() for follower in left]
