"""kill -9 in a loop under 64 writing connections, with streams that resume across the restarts."""
import random
import threading
import time

from client import Connection, parameter
from pages import Poller
from server import Server, can_check, check_store
from streams import Follower, wait_for
from world import QUERIES, SCHEMA, TEAM_COUNT, World, difference
from writers import Writer, WriterState, owned, prepare

WRITER_COUNT = 64


class KillLoop:
    def __init__(self, report, seed, kill_count, check_every):
        self.report, self.kill_count, self.check_every = report, kill_count, check_every
        self.random = random.Random(f"{seed}/kills")
        self.server = Server(Server.temporary_directory(), "--heartbeat", "2s")
        self.states = [WriterState(number, seed) for number in range(WRITER_COUNT)]
        self.followers = [Follower(self.server, query, reconnects=True) for query in QUERIES]
        self.pollers = [Poller(self.server, query) for query in QUERIES[1:8:2]]
        self.has_check = can_check()

    def run(self):
        check = self.report.check
        self.server.start()
        prepare(self.server, self.states, SCHEMA)
        for follower in [*self.followers, *self.pollers]:
            follower.start()
        for kill in range(1, self.kill_count + 1):
            failures = self._write_and_kill()
            check("requests get the answers they should", not failures, failures[:3])
            if kill % self.check_every == 0 or kill == self.kill_count:
                self._check(kill)
            if self.random.random() < 0.2:
                # A server that is killed while it starts leaves nothing behind either.
                self.server.spawn()
                time.sleep(self.random.uniform(0, 0.3))
                self.server.kill()
            self.server.start()
            if not self._verify(kill):
                break
            if kill % 10 == 0 or kill == self.kill_count:
                self._tell(kill)
        for poller in self.pollers:
            poller.stop()
            name = f"pages of {poller.query.name}"
            check(f"{name} have no fault", not poller.faults, poller.faults[:3])
            check(f"{name} went on after the kills", poller.restarts >= self.kill_count * 0.5,
                  poller.restarts)
        for follower in self.followers:
            follower.reconnects = False
        status = self.server.terminate()
        check("SIGTERM ends the server with status 0", status == 0, status)
        for follower in self.followers:
            follower.join(30)
            check(f"stream {follower.query.name} has no fault", not follower.replay.faults,
                  follower.replay.faults[:3])
            check(f"stream {follower.query.name} was never reset again",
                  set(follower.replay.reset_reasons) == {"start"}, follower.replay.reset_reasons[:3])
            check(f"stream {follower.query.name} resumed after the kills",
                  follower.connections > self.kill_count * 0.9, follower.connections)
            check(f"stream {follower.query.name} ends cleanly", follower.ended_cleanly)
        self._check(self.kill_count)
        errors = self.server.error_lines()
        check("the log has no error", not errors, errors[:3])

    def _write_and_kill(self):
        """Writes for a while, and kills; returns what went wrong before."""
        stop = threading.Event()
        writers = [Writer(state, self.server, stop) for state in self.states]
        for writer in writers:
            writer.start()
        time.sleep(self.random.uniform(0.02, 1.0) ** 1.5)
        self.server.kill()
        stop.set()
        for writer in writers:
            writer.join(40)
        hanging = [f"writer {writer.state.number} hangs" for writer in writers if writer.is_alive()]
        return hanging + [writer.failure for writer in writers if writer.failure]

    def _check(self, kill):
        if not self.has_check:
            return self.report.skip(f"check after kill {kill}: this holdfast has no 'check'")
        status, text = check_store(self.server.data)
        self.report.check(f"check after kill {kill} finds nothing", status == 0, text[-1500:])

    def _verify(self, kill):
        """Compares the store with what was acknowledged, and the streams with the store."""
        check = self.report.check
        connection = Connection(self.server)
        found = owned(connection, WRITER_COUNT)
        wrong = [text for state, objects in zip(self.states, found) if (text := state.resolve(objects))]
        if not check(f"after kill {kill} what was acknowledged is there and nothing half",
                     not wrong, wrong[:3]):
            return False
        world = World()
        for state in self.states:
            world.apply(state.stored)
        self._verify_access_paths(connection, kill, world)
        version = int(connection.version().rsplit("-", 1)[1])
        late = wait_for(self.followers, version, 60)
        check(f"after kill {kill} streams come to the present", not late, late)
        for follower in self.followers:
            expected = follower.query.expected(world)
            found = follower.query.result(connection)
            check(f"after kill {kill} query {follower.query.name} is as the model says",
                  found == expected, difference(found, expected))
            replayed = follower.state()
            check(f"after kill {kill} the replay of {follower.query.name} is the query's result",
                  replayed == expected, difference(replayed, expected))
        if kill % 5 == 0:
            # A long poll says after its wait that nothing happened.
            late = wait_for(self.pollers, version, 60)
            check(f"after kill {kill} pages come to the present", not late, late)
            for poller in self.pollers:
                expected = poller.query.expected(world)
                check(f"after kill {kill} the pages of {poller.query.name} make the query's result",
                      poller.state() == expected, difference(poller.state(), expected))
        connection.close()
        return True

    def _verify_access_paths(self, connection, kill, world):
        """Rows, indexes and inverse links tell the same."""
        for number in self.random.sample(range(WRITER_COUNT), 6):
            text = f"writer == {number}"
            found = {item["_id"]: item
                     for item in connection.everything("Item", parameter("filter", text))}
            expected = {key: item for key, item in world.items.items() if item["writer"] == number}
            self.report.check(f"after kill {kill} the index finds {text}", found == expected,
                              difference(found, expected))
        low = self.random.randrange(90)
        text = f"value BETWEEN {{{low}, {low + 9}}} SORT(value ASC)"
        values = [item["value"] for item in connection.everything("Item", parameter("filter", text))]
        expected = sorted(item["value"] for item in world.items.values()
                          if low <= item["value"] <= low + 9)
        self.report.check(f"after kill {kill} the index sorts {text}", values == expected)
        for team in self.random.sample(range(TEAM_COUNT), 4):
            path = f"/v1/classes/Team/objects/{team}/properties/items?limit=1000"
            found = {item["_id"] for item in connection.request("GET", path).json()["objects"]}
            expected = world.items_of_team.get(team, set())
            self.report.check(f"after kill {kill} inverse links of team {team} agree",
                              found == expected, found ^ expected)
        for key in self.random.sample(sorted(world.items), min(5, len(world.items))):
            reply = connection.request("GET", f"/v1/classes/Item/objects/{key}")
            self.report.check(f"after kill {kill} the primary key {key} leads to its object",
                              reply.status == 200 and reply.json() == world.items[key], reply)

    def _tell(self, kill):
        live = sum(follower.replay.live_changes for follower in self.followers)
        self.report.note(
            f"{kill} kills, {sum(state.acknowledged for state in self.states)} acknowledged writes, "
            f"{sum(state.done_count for state in self.states)} unanswered ones stored and "
            f"{sum(state.lost_count for state in self.states)} not, {live} live events")


def run(report, seed, is_full):
    loop = KillLoop(report, seed, 100 if is_full else 10, 5)
    loop.run()
