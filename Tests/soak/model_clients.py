"""Hundreds of clients of change streams on one thread, and what they are compared with."""
import collections
import selectors
import time


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
        self.compared_forms = collections.Counter()
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
            + client.told({key for key in keys if key != "content"}))

    def check(self, client, truth, when):
        """Compares a client's state with a query's result."""
        self.counts["compared at rest" if "rest" in when else "compared"] += 1
        self.compared_forms[client.form.name] += 1
        held, truth = client.shown(truth)
        if held != truth:
            keys = [key for key in set(held) | set(truth) if held.get(key) != truth.get(key)]
            told = "; ".join(
                f"{key}: has {str(held.get(key))[:1500]}, is {str(truth.get(key))[:1500]}"
                for key in sorted(keys, key=str)[:2])
            self.fail(client, f"{when}: {len(keys)} differ: {told}", set(keys))
            # Each fault is told once.
            client.begin_anew()
            client.close(0)

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
            elif client.socket:
                client.turn()
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
