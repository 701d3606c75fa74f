"""Clients of several queries on one stream, which add and remove queries while it runs."""
from urllib.parse import parse_qsl

from model_client import Client
from model_forms import Form, ObjectForm


def stated(form):
    """A query of a stream, as its body states it."""
    kind, name = form.path.split("/")[2:4]
    body = {"projection" if kind == "projections" else "class": name, **dict(parse_qsl(form.parameters))}
    if isinstance(form, ObjectForm):
        body["id"] = form.id
    if "old" in body:
        body["old"] = True
    if "limit" in body:
        body["limit"] = int(body["limit"])
    return body


class GroupForm(Form):
    """Some of several queries on one stream."""

    modes = ("events",)

    def __init__(self, name, forms, interval=None):
        super().__init__(name, "/v1/streams")
        self.forms = {form.name: form for form in forms}
        self.settings = {"interval": interval} if interval else {}


class GroupClient(Client):
    """A client of a few of a form's queries, by their names. What the table says holds for each by itself."""

    def begin(self, since, make_state):
        names = self.random.sample(sorted(self.form.forms), self.random.randrange(1, 6))
        self.state = {name: make_state(self.form.forms[name]) for name in names}
        self.since, self.last_id, self.ticket = since, None, None
        self.stream = None
        #: Queries that no `upToDate` has come for, those of them that are amid a snapshot, and those that the stream
        #: has still to be given.
        self.pending, self.resetting, self.left_out = set(), set(), set()
        #: Those that were added and not reset, with the generations of the replies: what comes before is of one of
        #: the name that was removed.
        self.added = {}
        self.is_up_to_date = self.is_in_snapshot = False

    def begin_anew(self):
        self.begin("start", lambda form: form.empty())
        self.pending = set(self.state)

    def begin_from_query(self, version):
        self.begin(version, lambda form: form.begun(form.truth(self.clients.connection)))
        self.note(f"begins from the queries at {version}")

    # The stream

    def bodies(self, names):
        return {"queries": {name: stated(self.form.forms[name]) for name in sorted(names)}}

    def connect(self):
        if self.stream is None and not self.make():
            return self.close(5)
        super().connect()

    def target(self):
        return f"/v1/streams/{self.stream}?"

    def make(self):
        """Makes the stream again, without the queries that the client does not know up to its place."""
        self.left_out = set(self.pending) if "-" in self.position() else set()
        if self.left_out == set(self.state):
            self.begin_anew()
        self.since, self.last_id, self.ticket = self.position(), None, None
        self.added = {}
        reply = self.clients.connection.request(
            "POST", "/v1/streams", self.bodies(set(self.state) - self.left_out) | self.form.settings)
        if reply.status != 201:
            self.clients.refused(self, reply.status, f"POST /v1/streams: {reply}")
            return False
        self.stream = reply.json()["id"]
        self.note(f"makes a stream of {sorted(set(self.state) - self.left_out)}")
        return True

    def patch(self, added, removed):
        """Adds and removes queries while the stream runs."""
        body = self.bodies(added)
        body["queries"].update({name: None for name in removed})
        reply = self.clients.connection.request("PATCH", f"/v1/streams/{self.stream}", body)
        self.note(f"adds {sorted(added)}, removes {sorted(removed)}: {reply.status}")
        if reply.status == 404:
            self.stream = None
            return self.close(0)
        if reply.status != 200:
            return self.clients.refused(self, reply.status, f"PATCH: {reply}")
        self.clients.count("streams patched")
        for name in removed:
            del self.state[name]
        for name in added:
            self.state[name] = self.form.forms[name].empty()
        self.pending = self.pending - removed | added
        self.resetting -= removed | added
        self.left_out -= removed | added
        generation = reply.json()["generation"]
        self.added = {name: number for name, number in self.added.items() if name not in removed}
        self.added.update({name: generation for name in added})
        if set(reply.json()["queries"]) != set(self.state) - self.left_out:
            self.clients.fail(self, f"PATCH says {reply.json()}, not {sorted(self.state)}")

    def turn(self):
        """Gives the stream what was left out, and now and then other queries."""
        if self.stream is None:
            return
        if self.left_out:
            if self.is_up_to_date:
                self.patch(set(self.left_out), set())
        elif not self.clients.is_calm and self.random.random() < 0.005:
            name = self.random.choice(sorted(self.form.forms))
            if name not in self.state:
                others = sorted(self.state) if len(self.state) > 3 else []
                self.patch({name}, set(others[:1]))
            elif len(self.state) > 1:
                self.patch(set(), {name})

    def refused(self):
        status = self.body.status
        if status == 404:
            self.clients.count("streams made again")
            self.stream = None
        elif status == 409:
            self.clients.count("streams in use")
        else:
            super().refused()

    # What is told

    def event(self, name, data, has_id):
        self.clients.count(f"several, {name}")
        entries = data.get("changes") or data.get("objects") or ()
        self.note(f"{name} {data.get('query', '')} id {self.last_id if has_id else None} "
                  f"{data.get('reason', '')} {data.get('last', '')}", entries)
        if name == "error":
            return self.clients.fail(self, f"error: {data}")
        try:
            self.take(name, data, entries, has_id)
        except (KeyError, ValueError) as error:
            self.clients.fail(self, f"{name}: {error!r}: {str(data)[:500]}")
            self.begin_anew()
            return self.close(0)
        if name == "reset" or entries and not has_id:
            self.is_up_to_date = False
        if has_id and "-" in self.last_id and name != "hello":
            if self.resetting:
                self.clients.fail(self, f"an id while {self.resetting} are in a snapshot")
            self.is_up_to_date = self.is_caught_up = True
            self.compare(self.last_id)

    def beat(self):
        # An event had no id because a list among the queries was not so far.
        if "-" in self.last_id and not self.resetting:
            self.is_up_to_date = True
        super().beat()

    def take(self, name, data, entries, has_id):
        query = data.get("query")
        if name == "reset":
            self.clients.reset(self, data["reason"])
            is_present = self.added.get(query, data["generation"]) == data["generation"]
            if query in self.state and query not in self.left_out and is_present:
                self.state[query] = self.form.forms[query].empty()
                self.pending.add(query)
                self.resetting.add(query)
                self.added.pop(query, None)
        elif name == "upToDate":
            if query in self.resetting:
                self.pending.discard(query)
                self.resetting.discard(query)
        elif name not in ("hello", "snapshot", "change"):
            raise ValueError(f"event {name}")
        for entry in entries:
            if (query := entry["query"]) in self.state and query not in self.left_out | set(self.added):
                part = {"objects" if name == "snapshot" else "changes": [entry]}
                if entry.get("op") == "indices":
                    part = {**entry, "changes": []}
                self.form.forms[query].take(self.state[query], name, part, False)

    # Comparing

    def is_at(self, version):
        return super().is_at(version) and not self.pending

    def truth(self, version):
        found = {name: self.clients.truth(self.form.forms[name], version)
                 for name in self.state if name not in self.pending}
        return found if found and None not in found.values() else None

    def shown(self, truth):
        held, told = {}, {}
        for name in truth:
            held[name], told[name] = self.form.forms[name].shown(self.state[name], truth[name])
        return held, told
