"""A client of change streams that does what the table in docs/change-streams.md says and nothing more, whatever happens
to its connection."""
import collections
import selectors
import socket
from urllib.parse import quote

from model_forms import parsed
from model_wire import Body, number_of, taken_events

#: Bytes that a reader which is slow takes at a time.
SLOW_BYTES = 700


class Client:
    """A client of one form. It lives as long as the run, through many connections.

    Its place is `last_id` and `since`, which an event stream sends both, as a browser does; pages have `since`.
    """

    def __init__(self, clients, number, form, random):
        self.clients, self.number, self.form, self.random = clients, number, form, random
        self.name = f"client {number} ({form.name})"
        self.mode = random.choice(form.modes)
        self.is_slow = random.random() < 0.15
        #: Whether it opens event streams by tickets, and its present one: the address and the ticket.
        self.takes_tickets = random.random() < 0.1
        #: What happened last, for a message.
        self.history = collections.deque(maxlen=400)
        self.socket = None
        self.connect_after = 0
        self.begin_anew()

    def begin_anew(self):
        """A client without anything, as after its program's start."""
        self.state = self.form.empty()
        self.since, self.last_id, self.ticket = "start", None, None
        self.is_up_to_date = self.is_in_snapshot = False

    def begin_from_query(self, version):
        """A client that has asked for the result, and follows from the version of the reply."""
        self.state = self.form.begun(self.form.truth(self.clients.connection))
        self.since, self.last_id, self.ticket = version, None, None
        self.is_up_to_date = self.is_in_snapshot = False
        self.note(f"begins from the query at {version}")

    def note(self, text, entries=()):
        self.history.append((self.clients.operation_number, text, entries))

    def told(self, keys):
        """What happened last, and all that was told of some objects before that."""
        lines = []
        for index, (number, text, entries) in enumerate(self.history):
            named = [f"{entry.get('op', 'snapshot')} {entry.get('id')}" for entry in entries
                     if not keys or entry.get("id") in keys]
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

    def target(self):
        """The path of the stream, with a `?` that further parameters follow."""
        return self.form.target()

    def turn(self):
        """What it does beside its connection."""

    def connect(self):
        """Sends the next request. Its connection is cut behind a random number of bytes, or stays."""
        random, calm = self.random, self.clients.is_calm
        # Only from a place that says what came before: what a snapshot began goes on where it began.
        if not calm and random.random() < 0.1 and "-" in self.position() and not self.is_in_snapshot:
            self.since, self.last_id, self.ticket = self.position(), None, None
            self.mode = random.choice(self.form.modes)
        self.is_snapshot_page = self.mode != "events" and self.since == "start"
        target = self.target() + f"since={quote(self.since, safe='')}"
        headers = ""
        if self.mode == "events":
            headers = "Accept: text/event-stream\r\n"
            target = self.with_ticket(target)
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

    def with_ticket(self, target):
        """The address of an event stream, with a ticket where the client has one: it comes back to the same address."""
        if not self.takes_tickets:
            return target
        if self.ticket is None:
            reply = self.clients.connection.request("POST", "/v1/tickets", {"url": target})
            if reply.status not in (200, 201):
                self.clients.refused(self, reply.status, f"ticket: {reply}")
                return target
            self.clients.count("tickets")
            self.ticket = target, f"&ticket={reply.json()['ticket']}"
        return "".join(self.ticket)

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
            self.refused()
            self.close(1)
        elif is_slow and self.random.random() < 0.3:
            self.pause(True)
            self.clients.resume_later(self)

    # What is told

    def refused(self):
        """Takes a reply that is no event stream."""
        status = self.body.status
        if self.ticket and status in (401, 409):
            # Its time is over, the server has begun anew, or it has not noticed that the connection is gone.
            self.clients.count(f"tickets refused, {status}")
            self.since, self.ticket = self.position(), None
        elif status not in (200, None):
            # Only a server that is ending or starting refuses.
            self.clients.refused(self, status, self.text)

    def events(self, data):
        """Takes the events that `data` completes."""
        events, self.text = taken_events(self.text + data)
        for name, identifier, lines in events:
            has_id = identifier is not None
            if has_id:
                self.last_id = identifier
            if lines is not None:
                self.event(name, parsed(lines), has_id)
            elif has_id:
                self.beat()
            if self.socket is None:
                # It was wrong, and begins anew.
                return

    def beat(self):
        """Takes a heartbeat with an id."""
        if self.is_up_to_date:
            self.compare(self.last_id)

    def event(self, name, data, has_id):
        self.clients.count(name)
        if data.get("last"):
            self.clients.count("events in parts")
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
            self.form.take(self.state, name, data, has_id)
        except (KeyError, ValueError, IndexError, TypeError) as error:
            self.clients.fail(self, f"{name}: {error!r}: {str(data)[:500]}")
            self.begin_anew()
            self.close(0)
            return
        if name == "upToDate":
            self.is_up_to_date = self.is_caught_up = True
            self.compare(data["cursor"])
        elif name in ("change", "value") and has_id:
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
        self.form.take(self.state, "snapshot", {"objects": page.get("objects", ())}, False)
        self.form.take(self.state, "change", {"changes": page.get("changes", ())}, False)
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
        if self.random.random() < self.form.compared_share and (truth := self.truth(version)) is not None:
            self.clients.check(self, truth, f"at {version}")

    def truth(self, version):
        """What a query says at a version; None when that is not known."""
        return self.clients.truth(self.form, version)

    def shown(self, truth):
        """What is compared of what the client holds and of what a query says."""
        return self.form.shown(self.state, truth)
