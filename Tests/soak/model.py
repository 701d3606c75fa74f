"""Clients that do exactly what the table of docs/change-streams.md says, in every form and in every trouble, beside
random operations: at each `upToDate`, and after each live `change`, they hold what a query finds."""
import os
import random

from client import Connection
from model_catalog import FORMS
from model_client import Client
from model_clients import Clients
from model_groups import GroupClient, GroupForm
from model_world import PROJECTIONS, SCHEMA, Elsewhere, Operations
from server import Server, can_check, check_store

#: What a server is started with: all it needs, a short log, short queues.
OPTIONS = [
    (), ("--retention-bytes", "32KiB"), ("--stream-queue", "16KiB"),
    ("--retention-bytes", "256KiB", "--stream-queue", "64KiB"),
]
#: Replies that a random operation may get.
STATUSES = {200, 201, 204, 404, 409, 412, 422}
SECONDS_TO_CATCH_UP_MAX = 120


class Run:
    """One run: a server that is killed now and then, its operations, and its clients."""

    def __init__(self, report, seed, operation_count, client_count):
        self.report, self.operation_count = report, operation_count
        self.random = random.Random(f"{seed}/model")
        self.operations = Operations(seed)
        self.elsewhere = Elsewhere()
        self.server = Server(Server.temporary_directory())
        self.clients = Clients(self.server, report)
        self.connections = []
        self.refusals = []
        self.version = None
        self.quiet_count = 0
        self.start()
        self.prepare()
        for number in range(client_count):
            form = FORMS[number % len(FORMS)]
            kind = GroupClient if isinstance(form, GroupForm) else Client
            self.clients.clients.append(
                kind(self.clients, number, form, random.Random(f"{seed}/client {number}")))

    def start(self):
        options = self.random.choice(OPTIONS)
        self.server.options = ("--heartbeat", "1s", *options)
        self.server.start()
        for connection in self.connections:
            connection.close()
        self.connections = [Connection(self.server) for _ in range(4)]
        self.clients.connection = self.connections[0]

    def prepare(self):
        self.expect("PUT", "/v1/schema", SCHEMA)
        for name, projection in PROJECTIONS.items():
            self.expect("PUT", f"/v1/projections/{name}", projection)
        for operation in self.operations.fill():
            self.expect(*operation)

    def expect(self, *request):
        reply = self.connections[0].request(*request)
        if reply.status not in (200, 201):
            raise RuntimeError(f"{request}: {reply}")

    # Operations

    def take(self, operation, reply):
        if reply.status not in STATUSES:
            self.refusals.append(f"{operation}: {reply}")
        self.version = reply.headers.get("holdfast-version", self.version)

    def one(self):
        """One operation; now and then a client that begins anew after it."""
        operation = self.operations.next()
        self.version = None
        self.take(operation, self.connections[0].request(*operation))
        self.clients.present = self.version
        if self.version is None:
            return
        if self.random.random() < 0.02:
            client = self.random.choice(self.clients.clients)
            client.close(0)
            if self.random.random() < 0.5:
                client.begin_anew()
            else:
                client.begin_from_query(self.version)

    def several(self):
        """Operations at the same time."""
        sent = []
        for connection in self.connections:
            operation = self.operations.next()
            connection.send(*operation)
            sent.append((connection, operation))
        for connection, operation in sent:
            self.take(operation, connection.receive(operation[0]))

    def kill(self):
        """Ends the server amid operations, and starts it again with other options."""
        is_kill = self.random.random() < 0.6
        if is_kill:
            for connection in self.connections:
                connection.send(*self.operations.next())
            self.server.kill()
        else:
            self.report.check("SIGTERM ends the server with status 0", self.server.terminate() == 0)
        self.clients.count("kills" if is_kill else "restarts")
        self.start()

    def quiet(self):
        """All clients come to the present, and hold what their queries find."""
        self.quiet_count += 1
        version = self.connections[0].request(
            "GET", "/v1/classes/Task/objects?limit=1").headers["holdfast-version"]
        late = self.clients.become_calm(
            int(version.rsplit("-", 1)[1]), SECONDS_TO_CATCH_UP_MAX)
        # The service closes connections that are idle for a minute, which this can take.
        for connection in self.connections:
            connection.close()
        for client in late[:5]:
            self.clients.fail(client, f"not at {version} but {client.position()}")
        self.clients.present = version
        for client in self.clients.clients:
            if client not in late:
                self.clients.check(
                    client, client.truth(version), f"at rest at {version}")

    def run(self):
        quiet_in = 100
        while (number := self.operations.number) < self.operation_count:
            self.clients.operation_number = number
            self.clients.present = None
            roll = self.random.random()
            if roll < 0.002:
                self.expect("PUT", "/v1/schema", self.elsewhere.next())
                self.clients.count("schema changes elsewhere")
            elif roll < 0.003:
                self.kill()
            elif roll < 0.15:
                self.several()
            else:
                self.one()
            self.clients.turn()
            if number >= quiet_in:
                self.quiet()
                quiet_in = number + self.random.randrange(100, 1500)
            if len(self.clients.failures) > 300:
                break
        self.quiet()
        self.clients.close()

    def finish(self):
        check, clients, counts = self.report.check, self.clients, self.clients.counts
        check("operations get the answers they should", not self.refusals, self.refusals[:3])
        check("clients hold what their queries find", not clients.failures,
              f"{dict(clients.failed_forms)}: " + "\n".join(clients.failures[:6]))
        check("a schema that changes elsewhere resets nobody", not clients.unexpected_resets,
              clients.unexpected_resets[:3])
        for name in ("cuts before up to date, events", "pages asked for again",
                     "compared", "compared at rest", "snapshot", "change", "upToDate", "tickets"):
            check(f"there were some: {name}", counts[name] > 0)
        unequal = [form.name for form in FORMS if not clients.compared_forms[form.name]]
        check("each form was compared", not unequal or len(clients.clients) < len(FORMS), unequal)
        for connection in self.connections:
            connection.close()
        status = self.server.terminate()
        check("SIGTERM ends the server with status 0", status == 0, status)
        if can_check():
            status, text = check_store(self.server.data)
            check("check finds nothing", status == 0, text[-1500:])
        errors = self.server.error_lines()
        check("the log has no error", not errors, errors[:3])
        self.report.note(
            f"{self.operations.number} operations, {len(clients.clients)} clients, at rest "
            f"{self.quiet_count} times; "
            + ", ".join(f"{name} {count}" for name, count in sorted(counts.items(), key=str)))


def run(report, seed, is_full):
    operation_count = int(os.environ.get("OPERATIONS") or (100_000 if is_full else 10_000))
    client_count = int(os.environ.get("CLIENTS") or 300)
    model = Run(report, seed, operation_count, client_count)
    model.run()
    model.finish()
