"""Disks that wait, fail or are full, under the whole server; by Tests/Interpose/interpose.c."""
import os
import select
import shutil
import subprocess
import time
from pathlib import Path

from client import Connection
from server import ROOT, WAIT_SECONDS_MAX, Server, can_check, check_store, wait_until
from streams import Follower, wait_for
from world import QUERIES, SCHEMA, difference

ALL = next(query for query in QUERIES if query.name == "all")
CONNECTION_COUNT = 16


class Faults:
    """One server whose disk does what it is told."""

    def __init__(self, report, library, data=None, options=()):
        self.report, self.library = report, library
        self.check = report.check
        self.control = Path(Server.temporary_directory())
        self.data = data or Server.temporary_directory()
        self.server = Server(
            self.data, "--heartbeat", "1s", *options,
            environment={"LD_PRELOAD": str(library), "HOLDFAST_INTERPOSE": str(self.control)})
        self.objects = {}
        self.sequence = 0

    def begin(self):
        self.server.start()
        self.connection = Connection(self.server)
        self.expect(self.connection.request("PUT", "/v1/schema", SCHEMA), 200)
        self.expect(self.connection.request(
            "PUT", "/v1/classes/Team/objects/1", {"level": 1}), 201)
        for number in range(4):
            self.put(f"before-{number}", 201)
        self.follow()
        return self

    def follow(self):
        self.follower = Follower(self.server, ALL)
        self.follower.start()
        self.comes_to("the stream begins", 0)

    def comes_to(self, name, version=None):
        """Checks that the stream comes to a version: without one, to the newest that can be read."""
        if version is None:
            version = int(self.connection.version().rsplit("-", 1)[1])
        late = wait_for([self.follower], version, WAIT_SECONDS_MAX)
        self.check(name, not late, late)

    def expect(self, reply, *statuses):
        if reply.status not in statuses:
            raise RuntimeError(f"{reply}, not {statuses}")
        return reply

    def tell(self, name):
        (self.control / name).touch()

    def untell(self, name):
        (self.control / name).unlink(missing_ok=True)

    def body(self, key):
        self.sequence += 1
        return {"seq": self.sequence, "value": self.sequence % 100, "name": key, "tags": ["red"],
                "team": 1, "batch": "x" * 300}

    def put(self, key, *statuses):
        body = self.body(key)
        reply = self.expect(
            self.connection.request("PUT", f"/v1/classes/Item/objects/{key}", body), *statuses)
        if reply.status < 300:
            self.objects[key] = reply.json()
        return reply

    def sync_waits(self):
        self.check("a sync is waiting",
                   wait_until((self.control / "sync-waiting").exists, WAIT_SECONDS_MAX))

    def has_failed(self, how):
        """Checks that the server tells of a failure: to who asks for its health, and in its log."""
        self.check(f"{how}: the server says that it is not ready", wait_until(
            lambda: self.connection.request("GET", "/health/ready").status == 503,
            WAIT_SECONDS_MAX))
        self.check(f"{how}: the log tells of it",
                   wait_until(self.server.error_lines, WAIT_SECONDS_MAX))

    def send_many(self, prefix):
        """Writes on connections of their own, none of which is waited for."""
        sent = []
        for number in range(CONNECTION_COUNT):
            connection = Connection(self.server)
            key = f"{prefix}-{number}"
            connection.send("PUT", f"/v1/classes/Item/objects/{key}", self.body(key))
            sent.append((key, connection))
        return sent

    @staticmethod
    def answered(sent, seconds):
        """Those of which something arrives within some time."""
        ready, _, _ = select.select([connection.socket for _, connection in sent], [], [], seconds)
        return ready

    def problem(self, name, reply, status, code):
        """A precise answer that shows nothing of the inside."""
        body = reply.json() if reply.body else {}
        self.check(f"{name}: {status} {code}", reply.status == status and body.get("code") == code
                   and reply.headers.get("content-type", "").startswith("application/problem+json"),
                   reply)
        text = reply.body.decode()
        self.check(f"{name}: tells nothing of the inside",
                   "MDB_" not in text and self.data not in text and "errno" not in text, text)

    def reads_go_on(self, name):
        """Queries, single reads, probes and streams show what was acknowledged, and no more."""
        found = ALL.result(self.connection)
        self.check(f"{name}: what can be read is what was acknowledged", found == self.objects,
                   difference(found, self.objects))
        reply = self.connection.request("GET", "/v1/classes/Item/objects/before-1")
        self.check(f"{name}: an object can be read", reply.status == 200, reply)
        reply = self.connection.request("GET", "/health/live")
        self.check(f"{name}: the server is alive", reply.status == 200, reply)
        self.check(f"{name}: no stream tells more", self.follower.state() == self.objects,
                   difference(self.follower.state(), self.objects))

    def restarted(self, name):
        """After a restart with a good disk the store is as acknowledged, and takes writes."""
        for told in list(self.control.iterdir()):
            told.unlink()
        self.follower.stop()
        self.check(f"{name}: no fault of the stream", not self.follower.replay.faults,
                   self.follower.replay.faults[:2])
        self.connection.close()
        status = self.server.terminate()
        self.check(f"{name}: SIGTERM ends the server with status 0", status == 0, status)
        if can_check():
            status, text = check_store(self.data)
            self.check(f"{name}: check finds nothing", status == 0, text[-1500:])
        self.server.start()
        self.connection = Connection(self.server)
        found = ALL.result(self.connection)
        self.check(f"{name}: after a restart the store is as acknowledged", found == self.objects,
                   difference(found, self.objects))
        self.put("after", 201)
        found = ALL.result(self.connection)
        self.check(f"{name}: and takes writes", found == self.objects,
                   difference(found, self.objects))
        self.connection.close()
        self.check(f"{name}: and ends", self.server.terminate() == 0)

    # Scenarios

    def blocked(self):
        """No reply, and no event, leaves before its sync."""
        self.begin()
        self.tell("sync-block")
        sent = self.send_many("blocked")
        self.sync_waits()
        ready = self.answered(sent, 1.0)
        self.check("no reply arrives before its sync", not ready, len(ready))
        self.reads_go_on("blocked")
        poll = Connection(self.server)
        poll.send("GET", f"/v1/classes/Item/changes?since={self.connection.version()}",
                  headers={"Prefer": "wait=50"})
        self.check("no long poll is answered before the sync",
                   not self.answered([("poll", poll)], 0.3))
        self.untell("sync-block")
        for key, connection in sent:
            reply = connection.receive()
            self.check("the reply arrives after the sync", reply.status == 201, reply)
            self.objects[key] = reply.json()
            connection.close()
        self.check("the long poll is answered after the sync", poll.receive().json()["changes"])
        poll.close()
        self.comes_to("the events arrive after the sync")
        self.reads_go_on("no more blocked")
        self.restarted("blocked")

    def failing(self, how):
        """A sync that fails: its group fails, nothing of it is seen, and no more writes are taken."""
        self.begin()
        self.tell("sync-block")
        first = Connection(self.server)
        first.send("PUT", "/v1/classes/Item/objects/first", self.body("first"))
        self.sync_waits()
        # These wait behind the first commit, as one group.
        sent = [("first", first), *self.send_many("failing")]
        time.sleep(0.3)
        self.tell(how)
        self.untell("sync-block")
        for key, connection in sent:
            self.problem(f"{how} of {'the first' if key == 'first' else 'a group'}",
                         connection.receive(), 500, "storage-failed")
            connection.close()
        self.reads_go_on(how)
        self.untell(how)
        self.refuses_writes(how)
        self.has_failed(how)
        self.reads_go_on(f"later, {how}")
        self.restarted(how)

    def failing_checkpoint(self, how):
        """Writing what was acknowledged to the data file fails: nothing is lost, and no more writes are taken."""
        self.begin()
        self.tell(how)
        # The checkpoint begins some time after the first commit that waits for it, so that any number of writes may
        # come before it, or none.
        end = time.monotonic() + WAIT_SECONDS_MAX
        number = 0
        while (reply := self.put(f"kept-{number}", 201, 500)).status == 201 and time.monotonic() < end:
            number += 1
            time.sleep(0.02)
        self.problem(f"the first write after {how}", reply, 500, "storage-failed")
        self.has_failed(how)
        self.untell(how)
        self.comes_to(f"{how}: the stream tells of what was acknowledged")
        self.reads_go_on(how)
        self.refuses_writes(how)
        self.reads_go_on(f"later, {how}")
        self.restarted(how)

    def refuses_writes(self, how):
        reply = self.connection.request("PUT", "/v1/classes/Item/objects/later", self.body("later"))
        self.problem(f"a write after {how}", reply, 500, "storage-failed")
        self.check("the answer tells to restart", "restart" in reply.json().get("detail", ""), reply)
        reply = self.connection.request("DELETE", "/v1/classes/Item/objects/before-1")
        self.check("a deletion is refused too", reply.status == 500, reply)
        reply = self.connection.request("POST", "/v1/classes/Item/objects", [{"_id": "x"}])
        self.check("an array is refused too", reply.status == 500, reply)

    def full(self, how):
        """A full disk: 507, and writes again when there is room."""
        self.begin()
        self.tell(how)
        self.fill(how)
        self.reads_go_on(how)
        version = int(self.connection.version().rsplit("-", 1)[1])
        self.untell(how)
        reply = self.put("room", 201)
        self.check(f"{how}: writes go on when there is room", reply.version > version, reply)
        self.put("before-1", 200)
        self.comes_to(f"{how}: streams go on", reply.version + 1)
        self.reads_go_on(f"after {how}")
        self.restarted(how)

    def fill(self, name, count=4000):
        """Writes until the disk is full. Pages that are free in the file are used before."""
        for number in range(count):
            key = f"fill-{number}"
            reply = self.connection.request(
                "PUT", f"/v1/classes/Item/objects/{key}", dict(self.body(key), batch="x" * 3000))
            if reply.status != 201:
                self.problem(f"{name}, write {number}", reply, 507, "storage-full")
                break
            self.objects[key] = reply.json()
        else:
            self.check(f"{name}: the disk becomes full", False)
        self.comes_to(f"{name}: the stream tells of what was acknowledged")

    def tmpfs(self):
        """A real file system that becomes full."""
        self.begin()
        self.fill("tmpfs")
        self.reads_go_on("tmpfs")
        for key in sorted(self.objects)[:40]:
            reply = self.connection.request("DELETE", f"/v1/classes/Item/objects/{key}")
            self.check("a deletion on a full disk is done or refused", reply.status in (204, 507), reply)
            if reply.status == 204:
                del self.objects[key]
        self.comes_to("tmpfs: the stream tells of the deletions")
        if can_check():
            # While it is full, beside nobody.
            self.follower.stop()
            self.connection.close()
            self.check("tmpfs: SIGTERM ends the server with status 0", self.server.terminate() == 0)
            status, text = check_store(self.data)
            self.check("tmpfs: check of a full disk finds nothing", status == 0, text[-1500:])
            self.server.start()
            self.connection = Connection(self.server)
            found = ALL.result(self.connection)
            self.check("tmpfs: the store on a full disk is as acknowledged", found == self.objects,
                       difference(found, self.objects))
            self.follow()
        done = subprocess.run(["mount", "-o", "remount,size=24m", self.data], capture_output=True)
        if done.returncode == 0:
            self.put("room", 201)
        self.comes_to("tmpfs: streams go on")
        self.restarted("tmpfs")


def build(report):
    """Compiles the library; None when there is no compiler."""
    compiler = shutil.which("cc") or shutil.which("clang") or shutil.which("gcc")
    if not compiler:
        return None
    library = Path(Server.temporary_directory()) / "interpose.so"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-O1", "-o", library,
         ROOT / "Tests" / "Interpose" / "interpose.c", "-ldl"], check=True)
    return library


def run(report, seed, is_full):
    library = build(report)
    if not library:
        return report.skip("there is no C compiler for the interposer")
    Faults(report, library).blocked()
    Faults(report, library).failing("sync-fail")
    Faults(report, library).failing_checkpoint("meta-fail")
    # Short writes come with the tmpfs: where there is room, one is a fault and not a full disk.
    Faults(report, library).full("write-full")
    run_tmpfs(report, library)


def run_tmpfs(report, library):
    data = Server.temporary_directory()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", data], capture_output=True, text=True)
    if done.returncode != 0 or os.geteuid() != 0:
        return report.skip(f"no tmpfs can be mounted: {done.stderr.strip()}")
    try:
        Faults(report, library, data=data).tmpfs()
    finally:
        Server.end_all()
        subprocess.run(["umount", "-l", data], capture_output=True)
