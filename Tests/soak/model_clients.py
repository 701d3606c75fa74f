"""Hundreds of clients of change streams on one thread. Each does what the table in docs/change-streams.md says and
nothing more, whatever happens to its connection."""
import collections
import selectors
import socket
import time
from urllib.parse import quote

from model_forms import parsed

#: Bytes that a reader which is slow takes at a time.
SLOW_BYTES = 700


class Body:
    """A reply's body as it comes: its head, then plain bytes or chunks."""

    def __init__(self):
        self.received = b""
        self.status = None
        self.left = None
        self.is_chunked = self.is_ended = False

    def take(self, data):
        """The bytes of the body that `data` completes."""
        self.received += data
        if self.status is None:
            end = self.received.find(b"\r\n\r\n")
            if end < 0:
                return b""
            head, self.received = self.received[:end].lower(), self.received[end + 4:]
            self.status = int(head.split(b" ", 2)[1])
            self.is_chunked = b"transfer-encoding: chunked" in head
            if not self.is_chunked:
                self.left = int(head.partition(b"content-length:")[2].split(b"\r\n")[0] or 0)
        if not self.is_chunked:
            found, self.received = self.received[:self.left], self.received[self.left:]
            self.left -= len(found)
            self.is_ended = self.left == 0
            return found
        found = []
        while not self.is_ended:
            if self.left is None:
                end = self.received.find(b"\r\n")
                if end < 0:
                    break
                self.left = int(self.received[:end].split(b";")[0], 16) + 2
                self.received = self.received[end + 2:]
                self.is_ended = self.left == 2
            if len(self.received) < self.left:
                break
            found.append(self.received[:self.left - 2])
            self.received = self.received[self.left:]
            self.left = None
        return b"".join(found)


class Client:
    """A client of one form. It lives as long as the run, through many connections.

    Its place is `last_id` and `since`, which an event stream sends both, as a browser does; pages have `since`.
    """

    def __init__(self, clients, number, form, random):
        self.clients, self.number, self.form, self.random = clients, number, form, random
        self.name = f"client {number} ({form.name})"
        self.mode = random.choice(form.modes)
        self.is_slow = random.random() < 0.15
        #: What happened last, for a message.
        self.history = collections.deque(maxlen=400)
        self.socket = None
        self.connect_after = 0
        self.begin_anew()

    def begin_anew(self):
        """A client without anything, as after its program's start."""
        self.state = self.form.empty()
        self.since, self.last_id = "start", None
        self.is_up_to_date = self.is_in_snapshot = False

    def begin_from_query(self, version):
        """A client that has asked for the result, and follows from the version of the reply."""
        self.state = dict(self.form.truth(self.clients.connection))
        self.since, self.last_id = version, None
        self.is_up_to_date = self.is_in_snapshot = False
        self.note(f"begins from the query at {version}")

    def note(self, text, entries=()):
        self.history.append((self.clients.operation_number, text, entries))

    def told(self, keys):
        """What happened last, and all that was told of some objects before that."""
        lines = []
        for index, (number, text, entries) in enumerate(self.history):
            named = [f"{entry.get('op', 'snapshot')} {entry['id']}" for entry in entries if entry["id"] in keys]
            if named or not entries or index >= len(self.history) - 6:
                lines.append(f"{number}: {text} {len(entries) or ''} {' '.join(named)}".rstrip())
        return " | ".join(lines[-40:])

    def position(self):
        return self.last_id or self.since

    def is_at(self, version):
        """Whether all up to a version is here."""
        return (self.is_up_to_date and "-" in self.position()
                and number_of(self.position()) >= version)

    # Connections

    def connect(self):
        """Sends the next request. Its connection is cut behind a random number of bytes, or stays."""
        random, calm = self.random, self.clients.is_calm
        # Only from a place that says what came before: what a snapshot began goes on where it began.
        if not calm and random.random() < 0.1 and "-" in self.position() and not self.is_in_snapshot:
            self.since, self.last_id = self.position(), None
            self.mode = random.choice(self.form.modes)
        self.is_snapshot_page = self.mode != "events" and self.since == "start"
        target = self.form.target() + f"since={quote(self.since, safe='')}"
        headers = ""
        if self.mode == "events":
            headers = "Accept: text/event-stream\r\n"
            if self.last_id:
                headers += f"Last-Event-ID: {self.last_id}\r\n"
        else:
            self.limit = random.choice([1, 2, 3, 7, 20, 100, 1000])
            target += f"&limit={1000 if calm else self.limit}"
            if self.mode == "polls" and "-" in self.since:
                headers = "Prefer: wait=1\r\n"
        self.cut_after = None
        if not calm and random.random() < 0.9:
            self.cut_after = int(10 ** random.uniform(1, 4.5))
        self.body, self.text = Body(), b""
        self.is_caught_up = False
        try:
            self.socket = socket.socket()
            if self.is_slow:
                self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            self.socket.connect((self.clients.server.host, self.clients.server.port))
            self.socket.sendall(
                f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n{headers}\r\n".encode())
            self.socket.setblocking(False)
        except OSError:
            self.close(40)
            return
        self.note(f"GET {self.mode} since={self.since} last={self.last_id} cut={self.cut_after}")
        self.clients.selector.register(self.socket, selectors.EVENT_READ, self)
        self.is_paused = False

    def close(self, pause=None):
        """Ends the connection; the next one is made some operations later."""
        if self.socket:
            if not self.is_paused:
                self.clients.selector.unregister(self.socket)
            self.socket.close()
            self.socket = None
        self.is_up_to_date = self.is_up_to_date and self.mode != "events"
        self.connect_after = self.clients.operation_number + (
            self.random.randrange(80) if pause is None else pause)

    is_paused = True

    def pause(self, pauses):
        """Stops to read, or goes on."""
        if self.socket and self.is_paused != pauses:
            self.is_paused = pauses
            if pauses:
                self.clients.selector.unregister(self.socket)
            else:
                self.clients.selector.register(self.socket, selectors.EVENT_READ, self)

    def read(self):
        """Takes what has come."""
        is_slow = self.is_slow and not self.clients.is_calm
        try:
            data = self.socket.recv(SLOW_BYTES if is_slow else 1 << 18)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        found = self.body.take(data)
        is_cut = False
        if self.cut_after is not None and not self.clients.is_calm:
            if len(found) >= self.cut_after:
                found, is_cut = found[:self.cut_after], True
            else:
                self.cut_after -= len(found)
        if self.mode == "events" and self.body.status == 200:
            self.events(found)
        else:
            self.text += found
        if is_cut:
            self.clients.count("cuts" if self.is_caught_up else f"cuts before up to date, {self.mode}")
            self.note("cut")
            self.close()
        elif self.mode != "events" and self.body.is_ended:
            self.page()
        elif not data or self.body.is_ended:
            self.note(f"ended, status {self.body.status}")
            if self.body.status not in (200, None):
                # Only a server that is ending or starting refuses.
                self.clients.refused(self, self.body.status, self.text)
            self.close(1)
        elif is_slow and self.random.random() < 0.3:
            self.pause(True)
            self.clients.resume_later(self)

    # What is told

    def events(self, data):
        """Takes the events that `data` completes: WHATWG HTML, 9.2.6."""
        self.text += data
        while (end := self.text.find(b"\n\n")) >= 0:
            block, self.text = self.text[:end], self.text[end + 2:]
            name, lines = None, []
            identifier = self.last_id
            for line in block.lstrip(b"\n").split(b"\n"):
                field, _, value = line.partition(b":")
                value = value[1:] if value.startswith(b" ") else value
                if field == b"event":
                    name = value.decode()
                elif field == b"id":
                    identifier = value.decode()
                elif field == b"data":
                    lines.append(value)
            has_id = identifier != self.last_id
            self.last_id = identifier
            if lines:
                self.event(name, parsed(b"\n".join(lines)), has_id)
            elif has_id and self.is_up_to_date:
                self.compare(identifier)

    def event(self, name, data, has_id):
        self.clients.count(name)
        self.note(f"{name} id {self.last_id if has_id else None} {data.get('reason', '')}",
                  data.get("changes") or data.get("objects") or ())
        if name == "error":
            self.clients.fail(self, f"error: {data}")
            return
        if name == "reset":
            self.clients.reset(self, data["reason"])
        if name in ("reset", "snapshot") or name == "change" and not has_id and self.is_up_to_date:
            self.is_up_to_date = False
        try:
            self.form.take(self.state, name, data)
        except (KeyError, ValueError) as error:
            self.clients.fail(self, f"{name}: {error!r}")
            return
        if name == "upToDate":
            self.is_up_to_date = self.is_caught_up = True
            self.compare(data["cursor"])
        elif name == "change" and has_id:
            self.is_up_to_date = True
            self.compare(self.last_id)

    def page(self):
        """Takes a whole page; sometimes its place is lost, so that it is asked for again."""
        status, random = self.body.status, self.random
        if status == 410:
            self.clients.count("410")
            self.note("410")
            self.clients.reset(self, parsed(self.text)["code"])
            self.begin_anew()
            self.close(0)
            return
        if status != 200:
            self.clients.refused(self, status, self.text)
            self.close(5)
            return
        if self.is_snapshot_page:
            # Who asks for the start has nothing.
            self.state = self.form.empty()
        page = parsed(self.text)
        self.clients.count("pages")
        self.note(f"page to {page.get('cursor') or page.get('next')} {page.get('upToDate')}",
                  page.get("changes") or page.get("objects") or ())
        self.form.take(self.state, "snapshot", {"objects": page.get("objects", ())})
        self.form.take(self.state, "change", {"changes": page.get("changes", ())})
        self.is_up_to_date = page.get("upToDate", False)
        if not self.clients.is_calm and random.random() < 0.15:
            self.clients.count("pages asked for again")
            self.note("loses the place")
            self.is_up_to_date = False
            self.close()
            return
        self.since = page.get("cursor") or page["next"]
        self.is_in_snapshot = "cursor" not in page
        if self.is_up_to_date:
            self.compare(self.since)
        is_more = not self.is_up_to_date
        self.close(random.randrange(3) if is_more or self.mode == "polls" else None)

    def compare(self, version):
        """Compares with what a query says at the same version, if that can be asked: with a share of those."""
        if self.random.random() < 0.2 and (truth := self.clients.truth(self.form, version)) is not None:
            self.clients.check(self, truth, f"at {version}")


class Clients:
    """All clients of a run, and what they are compared with."""

    def __init__(self, server, report):
        self.server, self.report = server, report
        self.selector = selectors.DefaultSelector()
        self.clients = []
        self.operation_number = 0
        #: No cuts, no slow readers: all come to the present.
        self.is_calm = False
        #: The store's version as text, while nothing is written.
        self.present = None
        #: Results of queries by the form's name and the version's text.
        self.truths = collections.OrderedDict()
        self.counts = collections.Counter()
        self.failures = []
        self.failed_forms = collections.Counter()
        self.unexpected_resets = []
        self.resumes = []
        #: A connection for queries.
        self.connection = None

    def count(self, name):
        self.counts[name] += 1

    def fail(self, client, text, keys=()):
        self.failed_forms[client.form.name] += 1
        self.failures.append(
            f"operation {self.operation_number}: {client.name}: {text}; "
            + client.told(keys))

    def check(self, client, truth, when):
        """Compares a client's state with a query's result."""
        self.counts["compared at rest" if "rest" in when else "compared"] += 1
        if client.state != truth:
            keys = [key for key in set(client.state) | set(truth)
                    if client.state.get(key) != truth.get(key)]
            told = "; ".join(
                f"{key}: has {client.state.get(key)}, is {truth.get(key)}"
                for key in sorted(keys, key=str)[:2])
            self.fail(client, f"{when}: {len(keys)} objects differ: {told}", set(keys))
            # Each fault is told once.
            client.state = dict(truth)

    def reset(self, client, reason):
        self.counts[f"reset {reason}"] += 1
        if reason == "schema-changed" and client.form.name != "store":
            self.unexpected_resets.append(f"operation {self.operation_number}: {client.name}")

    def refused(self, client, status, text):
        self.counts[f"status {status}"] += 1
        if status < 500:
            self.fail(client, f"status {status}: {text[:300]}")

    def resume_later(self, client):
        self.resumes.append((self.operation_number + client.random.randrange(1, 25), client))

    def truth(self, form, version):
        """A form's result at a version; None when it is not known and the store is at another by now."""
        found = self.truths.get((form.name, version))
        if found is None and version == self.present:
            found = self.truths[form.name, version] = form.truth(self.connection)
            if len(self.truths) > 1000:
                self.truths.popitem(last=False)
        return found

    def turn(self, seconds=0):
        """Lets all clients do what is due, and read what has come."""
        for client in self.clients:
            if client.socket is None and client.connect_after <= self.operation_number:
                client.connect()
        if self.resumes:
            due = [entry for entry in self.resumes
                   if self.is_calm or entry[0] <= self.operation_number]
            self.resumes = [entry for entry in self.resumes if entry not in due]
            for _, client in due:
                client.pause(False)
        for key, _ in self.selector.select(seconds):
            key.data.read()

    def become_calm(self, version, seconds):
        """Waits until all have come to a version; returns those that have not."""
        self.is_calm = True
        for client in self.clients:
            client.connect_after = 0
        end = time.monotonic() + seconds
        left = list(self.clients)
        while left and time.monotonic() < end:
            for client in left:
                client.connect_after = 0
            self.turn(0.05)
            left = [client for client in left if not client.is_at(version)]
        self.is_calm = False
        return left

    def close(self):
        for client in self.clients:
            client.close()
        self.selector.close()


def number_of(version):
    return int(version.rsplit("-", 1)[1].split(".")[0].split("~")[0])
