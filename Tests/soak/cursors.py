"""Cursors that are old, of another schema, or in the middle of something."""
import time
from urllib.parse import quote

from client import Connection
from server import WAIT_SECONDS_MAX, Server, wait_until
from streams import Follower, wait_for
from world import QUERIES, SCHEMA, Query, difference

ALL = next(query for query in QUERIES if query.name == "all")
TEAM_LINK = next(query for query in QUERIES if query.name == "link")


class Cursors:
    def __init__(self, report):
        self.report = report
        self.sequence = 0

    def start(self, *options):
        self.server = Server(Server.temporary_directory(), *options).start()
        self.connection = Connection(self.server)
        self.put_schema(SCHEMA)

    def put_schema(self, schema):
        self.expect(self.connection.request("PUT", "/v1/schema", schema), 200)

    def expect(self, reply, *statuses):
        if reply.status not in statuses:
            raise RuntimeError(f"{reply}, not {statuses}")
        return reply

    def put(self, key, **values):
        self.sequence += 1
        body = dict(values, seq=self.sequence)
        reply = self.connection.request("PUT", f"/v1/classes/Item/objects/{key}", body)
        return self.expect(reply, 200, 201).headers["holdfast-version"]

    def post(self, objects):
        reply = self.connection.request("POST", "/v1/classes/Item/objects?mode=replace", objects)
        return self.expect(reply, 200, 201).headers["holdfast-version"]

    def delete(self, key):
        reply = self.connection.request("DELETE", f"/v1/classes/Item/objects/{key}")
        return self.expect(reply, 204).headers["holdfast-version"]

    def page(self, cursor, limit=100, query=ALL, wait=None):
        path = f"{query.path()}&since={quote(cursor)}&limit={limit}".replace("?&", "?")
        return self.connection.request(
            "GET", path, headers={"Prefer": f"wait={wait}"} if wait else None)

    def resume(self, cursor, query=ALL, objects=None):
        """A stream that begins behind a cursor, with the objects that its client has from before."""
        follower = Follower(self.server, query, keeps_events=True)
        follower.replay.last_id = cursor
        follower.replay.objects = objects or {}
        follower.start()
        return follower

    def follow(self, **options):
        """A stream that is live."""
        follower = Follower(self.server, ALL, **options)
        follower.start()
        late = wait_for([follower], 0, WAIT_SECONDS_MAX)
        self.report.check("a stream begins", not late, late)
        return follower

    def ended_as_the_query(self, name, follower, query=ALL):
        version = int(self.connection.version().rsplit("-", 1)[1])
        late = wait_for([follower], version, WAIT_SECONDS_MAX)
        self.report.check(f"{name}: the stream comes to the present", not late, late)
        found = query.result(self.connection)
        self.report.check(f"{name}: the replay is the query's result", follower.state() == found,
                          difference(follower.state(), found))
        self.report.check(f"{name}: no fault", not follower.replay.faults, follower.replay.faults[:2])

    def finish(self):
        self.connection.close()
        self.report.check("SIGTERM ends the server with status 0", self.server.terminate() == 0)
        errors = self.server.error_lines()
        self.report.check("the log has no error", not errors, errors[:3])

    # Scenarios

    def expired(self, is_full):
        """A log of 16 KiB: streams are reset, pages refused, and live streams beside it go on."""
        check = self.report.check
        self.start("--retention-bytes", "16KiB", "--heartbeat", "1s")
        cursor = self.put("a", value=1)
        stuck = self.follow(receive_buffer=65536)
        stuck.reads.clear()
        quick = self.follow()
        self.delete("a")
        for number in range(20000 if is_full else 3000):
            version = self.put(f"i{number % 300}", value=number % 100, name="x" * 40)
            if number % 40 == 0:
                # The log holds some hundred of these: even a stream that keeps up would be behind all of it, if its
                # server's threads got no processor for so many writes.
                wait_for([quick], int(version.rsplit("-", 1)[1]), WAIT_SECONDS_MAX)
        reply = self.page(cursor)
        check("an expired cursor is 410", reply.status == 410, reply)
        check("its code says so", reply.json().get("code") == "cursor-expired", reply)
        reply = self.page(cursor, wait=5)
        check("an expired cursor is 410 for a long poll too", reply.status == 410, reply)
        follower = self.resume(cursor, objects={"a": {"_id": "a"}})
        self.ended_as_the_query("expired", follower)
        names = [event.name for event in follower.events[:3]]
        check("a stream is reset and gets a snapshot", names == ["hello", "reset", "snapshot"], names)
        check("the reason is the cursor", follower.replay.reset_reasons == ["cursor-expired"],
              follower.replay.reset_reasons)
        stuck.reads.set()
        self.ended_as_the_query("a slow stream beside a short log", stuck)
        self.ended_as_the_query("a quick stream beside a short log", quick)
        check("a quick stream is not reset again", quick.replay.reset_reasons == ["start"],
              quick.replay.reset_reasons)
        version = int(self.connection.version().rsplit("-", 1)[1])
        epoch = cursor.rsplit("-", 1)[0]
        reply = self.page(f"{epoch}-{version + 10}")
        check("a cursor of the future is 410", reply.status == 410, reply)
        future = self.resume(f"{epoch}-{version + 10}")
        self.ended_as_the_query("a cursor of the future", future)
        check("a stream of the future is reset", future.replay.reset_reasons == ["restored"],
              future.replay.reset_reasons)
        other = ("a" if epoch[0] != "a" else "b") + epoch[1:]
        reply = self.page(f"{other}-{version}")
        check("a cursor of another epoch is 410", reply.status == 410, reply)
        restored = self.resume(f"{other}-{version}")
        self.ended_as_the_query("another epoch", restored)
        check("a stream of another epoch is reset", restored.replay.reset_reasons == ["restored"],
              restored.replay.reset_reasons)
        for each in (follower, future, restored, stuck, quick):
            each.stop()
        self.finish()

    def folded(self, is_full):
        """What was changed and deleted again while the client was away."""
        check = self.report.check
        self.start()
        self.post([{"_id": f"i{number}"} for number in range(3000)])
        cursor = self.put("gone", value=1)
        first = self.put("gone", value=2)
        self.post([{"_id": f"i{number}", "value": 7} for number in range(1500)])
        self.post([{"_id": f"i{number}", "value": 7} for number in range(1500, 3000)])
        self.delete("gone")
        follower = self.resume(
            cursor,
            objects={f"i{number}": None for number in range(3000)} | {"gone": None})
        self.ended_as_the_query("folded", follower)
        folded = [event for event in follower.events if event.name == "change"]
        check("folded changes do not move the id", all(event.id is None for event in folded))
        check("an object is told once", sum(len(event.data["changes"]) for event in folded) <= 3001)
        follower.stop()
        objects = self.follow_pages(cursor, 7)
        check("small pages end with the same", objects == follower.replay.objects,
              difference(objects, follower.replay.objects))
        reply = self.page(first, limit=1000)
        check("a version of more objects than a page is split",
              len(reply.json()["changes"]) <= 1000 and not reply.json()["upToDate"], reply)
        self.reached()
        self.finish()

    def follow_pages(self, cursor, limit, query=ALL, between=None):
        """All that follows a cursor, from what was there at it; `between` runs after each page."""
        objects = {f"i{number}": None for number in range(3000)} | {"gone": None}
        for count in range(20000):
            reply = self.expect(self.page(cursor, limit, query), 200)
            page = reply.json()
            for entry in page["changes"]:
                if entry["id"] is None:
                    raise RuntimeError(f"a change without an id: {entry}")
                if entry["op"] in ("enter", "update"):
                    objects[entry["id"]] = entry["object"]
                else:
                    objects.pop(entry["id"], None)
            cursor = page["cursor"]
            if page["upToDate"]:
                return objects
            if between:
                between(count)
        raise RuntimeError("pages without end")

    def reached(self):
        """Objects that are reached along a link, while the store changes between the pages."""
        for number in range(2):
            self.expect(self.connection.request(
                "PUT", f"/v1/classes/Team/objects/{number}", {"level": 1}), 201)
        self.post([{"_id": f"r{number}", "team": 0} for number in range(40)])
        cursor = self.connection.version()
        # One version that changes 30 objects itself, and 40 through their team.
        self.post([{"_id": f"i{number}", "value": 8, "team": {"_id": 0, "level": 9}}
                   for number in range(30)])

        def move(count):
            if count < 20:
                self.put(f"r{count}", team=1)

        objects = self.follow_pages(cursor, 10, TEAM_LINK, move)
        objects = {key: value for key, value in objects.items() if value is not None}
        found = TEAM_LINK.result(self.connection)
        self.report.check("pages of what is reached along links lose nothing", objects == found,
                          difference(objects, found))

    def schema_changed(self, is_full):
        """A schema that changes behind a cursor, and under a stream."""
        check = self.report.check
        self.start("--heartbeat", "1s")
        self.put("a", value=1)
        live = self.follow(keeps_events=True)
        cursor = self.put("b", value=2)
        wider = {"classes": [dict(entry, properties=dict(entry["properties"]))
                             for entry in SCHEMA["classes"]]}
        wider["classes"][1]["properties"]["extra"] = {"type": "int", "default": 5}
        self.put_schema(wider)
        self.put("c", value=3)
        check("a live stream is reset", wait_until(
            lambda: "schema-changed" in live.replay.reset_reasons, WAIT_SECONDS_MAX))
        self.ended_as_the_query("a live stream across schemas", live)
        check("the reason is the schema", live.replay.reset_reasons == ["start", "schema-changed"],
              live.replay.reset_reasons)
        follower = self.resume(
            cursor, objects={"a": {"_id": "a", "value": 1}, "b": {"_id": "b"}})
        self.ended_as_the_query("a resumed stream across schemas", follower)
        check("a resumed stream is reset", follower.replay.reset_reasons == ["schema-changed"],
              follower.replay.reset_reasons)
        reply = self.page(cursor)
        check("a page across schemas is 410", reply.status == 410, reply)
        for each in (live, follower):
            each.stop()
        self.finish()

    def long_polls(self, is_full):
        """A long poll answers with the first change that concerns it, or empty after its wait."""
        check = self.report.check
        self.start()
        cursor = self.put("a", value=50)
        narrow = Query("narrow", "Item", None, "value == 77")
        other = Connection(self.server, seconds=90)
        path = f"{narrow.path()}&since={quote(cursor)}"
        started = time.monotonic()
        other.send("GET", path, headers={"Prefer": "wait=60"})
        time.sleep(0.3)
        self.put("b", value=1)
        time.sleep(0.2)
        version = self.put("c", value=77)
        reply = other.receive()
        waited = time.monotonic() - started
        # A folded `leave` may name what the client never had.
        changes = [entry for entry in reply.json()["changes"] if entry["op"] != "leave"]
        check("a long poll waits for what concerns it", 0.5 <= waited < 50, waited)
        check("and tells it", [(entry["op"], entry["id"]) for entry in changes] == [("enter", "c")]
              and reply.json()["cursor"] == version, reply)
        other.send("GET", f"{narrow.path()}&since={quote(version)}", headers={"Prefer": "wait=1"})
        self.put("d", value=2)
        reply = other.receive()
        check("a long poll ends empty after its wait", reply.json()["changes"] == []
              and reply.json()["upToDate"] is True, reply)
        other.close()
        self.finish()


def run(report, seed, is_full):
    for name in ("expired", "folded", "schema_changed", "long_polls"):
        getattr(Cursors(report), name)(is_full)
