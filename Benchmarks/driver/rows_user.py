"""Rows about users and rules: lists that a rule decides, JSON Web Tokens, and streams under a rule."""
import http.client
import json
import os
import statistics
import subprocess
import threading
import time
from urllib.parse import quote

from . import client, load
from .processes import BenchError, Process, thread_seconds
from .results import Row
from .servers import Holdfast
from .streams import SCHEMA as STREAM_SCHEMA
from .streams import Fence, Streams, percentile, stream, write

_ISSUER, _AUDIENCE = "https://id.example.org", "bench"
_NOTES_OF_ONE, _TASKS_OF_LIST, _LISTS_OF_ONE = 100, 20, 20
_SCHEMA = {"classes": [
    {"name": "Person", "primaryKey": "_id", "properties": {"_id": "string"}},
    {"name": "Note", "primaryKey": "_id",
     "properties": {"_id": "int", "owner": {"type": "string", "indexed": True}, "text": "string"}},
    {"name": "List", "primaryKey": "_id", "properties": {"_id": "int", "members": "Person<>"}},
    {"name": "Task", "primaryKey": "_id", "properties": {"_id": "int", "list": "List", "title": "string"}}]}
_MEMBERS = "ANY list.members == {}"
_RULES = {"roles": {"member": {"classes": {
    "Note": {"read": "owner == $user.id"}, "List": {"read": "ANY members == $user.id"},
    "Task": {"read": _MEMBERS.format("$user.id")}}}}}


def new_token(bench, data, name, *more):
    """A token of the store, made by the command; the store too, if it is not there."""
    os.makedirs(data, exist_ok=True)
    made = subprocess.run(
        [bench.settings.holdfast, "token", "create", "--data", data, "--name", name, *more], capture_output=True, text=True,
        check=False)
    if made.returncode != 0:
        raise BenchError(f"token create: {made.stderr[-400:]}")
    return made.stdout.split()[-1]


def _import(bench, server, class_name, lines):
    path = bench.path(f"{class_name}.ndjson")
    with open(path, "w", encoding="ascii") as file:
        file.writelines(json.dumps(one, separators=(",", ":")) + "\n" for one in lines)
    reply = client.upload(server, f"/v1/classes/{class_name}/import", path)
    os.remove(path)
    if reply.get("failed") or not reply.get("imported"):
        raise BenchError(f"import of {class_name}: {str(reply)[:400]}")


def _keys(reply):
    return sorted(one["_id"] for one in json.loads(reply.body)["objects"])


def user_lists(bench):
    """A page of what a rule shows a user, beside the same asked for by a filter as administrator."""
    row = Row("user-lists", f"20 of a user's objects among {bench.settings.large:,}, by a rule to by a filter")
    labels = {"indexed rule": ("Note", "owner == {}"), "membership": ("Task", _MEMBERS)}
    ratios = {}
    if bench.has_holdfast:
        count, data = bench.settings.large, bench.path("user-lists")
        people = max(count // _NOTES_OF_ONE, 2)
        # Each list has two members, so that each person is in as many lists as they should.
        lists = count // _TASKS_OF_LIST
        groups = max(2 * lists // _LISTS_OF_ONE, 2)
        user = "u1"
        admin = new_token(bench, data, "bench", "--rights", "admin")
        token = new_token(bench, data, "user", "--rights", "read", "--user", user)
        bench.say(f"loading {count:,} notes and tasks")
        with Holdfast(bench, data, token=admin) as holdfast:
            client.request(holdfast, "PUT", "/v1/schema", _SCHEMA)
            _import(bench, holdfast, "Person", ({"_id": f"u{key}"} for key in range(max(people, groups))))
            _import(bench, holdfast, "List", ({"_id": key, "members": [
                f"u{key % groups}", f"u{(key + groups // 2) % groups}"]} for key in range(lists)))
            _import(bench, holdfast, "Note", ({"_id": key, "owner": f"u{key % people}", "text": f"note {key}"}
                                              for key in range(count)))
            _import(bench, holdfast, "Task", ({"_id": key, "list": key % lists, "title": f"task {key}"}
                                              for key in range(count)))
            client.request(holdfast, "PUT", "/v1/access", _RULES)
        with Holdfast(bench, data, token=admin) as holdfast:
            for label, (class_name, rule) in labels.items():
                path = f"/v1/classes/{class_name}/objects?limit=20"
                filtered = f"{path}&filter={quote(rule.format(repr(user)), safe='')}"
                bearer = {"Authorization": f"Bearer {token}"}
                if len(_keys(client.request(holdfast, "GET", path, headers=bearer))) != 20 or _keys(
                        client.request(holdfast, "GET", path, headers=bearer)) != _keys(client.request(holdfast, "GET", filtered)):
                    raise BenchError(f"{label}: the rule shows something else than the filter")
                runs = load.interleave_short(bench, {
                    name: lambda seconds, number, asked=asked, by=by: load.run(
                        bench, holdfast, "get", seconds, number + 1, path=asked, token=by)
                    for name, asked, by in (("by rule", path, token), ("by filter", filtered, admin))})
                for name, loads in runs.items():
                    row.add(f"{label}, {name}", load.median(loads))
                ratios[label] = load.median_ratio(*([run.cpu_us for run in loads] for loads in runs.values()))
    else:
        row.notes.append("needs the holdfast binary")
    for label in labels:
        row.check(f"CPU by {label}, to by filter", ratios.get(label), "×")
    return row


def without_rules(bench):
    """Reads and writes of a class without rules by a token of the store, beside a document of rules for others and without one.

    With `--base` in an earlier program too.
    """
    objects = bench.settings.objects
    row = Row("without-rules", f"GET, page and durable PUT of a class without rules, {objects:,} objects")
    alone, beside, base = "no document", "beside rules", "program of before"
    path = "/v1/classes/Draft/objects"
    kinds = {"GET": ("get", path + "/{id}"), "page": ("get", path + "?limit=20"), "PUT": ("put", path + "/{id}")}
    runs = {}
    if bench.has_holdfast:
        programs = {alone: bench, beside: bench}
        if bench.settings.base:
            programs[base] = bench.with_program(bench.settings.base)
        servers = {}
        try:
            for label, program in programs.items():
                data = program.store("Draft", objects, f"-without-rules-{len(servers)}")
                servers[label] = Holdfast(program, data, token=new_token(program, data, "bench", "--rights", "admin"))
            client.request(servers[beside], "PUT", "/v1/access", {"roles": {"member": {"classes": {
                "City": {"read": "name == $user.id"}}}}})
            for kind, (script, asked) in kinds.items():
                runs[kind] = load.interleave(bench, {
                    label: lambda number, server=server, script=script, asked=asked: load.run(
                        bench, server, script, 1, number + 1, path=asked, objects=objects, token=server.token)
                    for label, server in servers.items()}, rounds=8 * bench.settings.rounds)
                for label, loads in runs[kind].items():
                    row.add(f"{kind}, {label}", load.median(loads))
        finally:
            for server in servers.values():
                server.stop()
    else:
        row.notes.append("needs the holdfast binary")
    for kind in kinds:
        cpu = {label: [run.cpu_us for run in loads] for label, loads in runs.get(kind, {}).items()}
        row.check(f"CPU of a {kind}, beside rules to without", load.median_ratio(cpu[beside], cpu[alone]) if cpu else None, "×")
        if base in cpu:
            row.check(f"CPU of a {kind}, to the program of before", load.median_ratio(cpu[alone], cpu[base]), "×")
    return row


class _SignedTokens:
    """A directory with keys and tokens of users n0, n1, …, and what OpenSSL takes to verify one, measured when asked."""

    def __init__(self, bench, count):
        self.directory = bench.path("signed-tokens")
        os.makedirs(self.directory, exist_ok=True)
        self.process = Process([bench.reference("signed_tokens"), self.directory, count, _ISSUER, _AUDIENCE],
                               bench.path("signed-tokens.log"), has_pipes=True)
        # Its first line says that the files are there.
        self.process.read_line()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stop()

    def verification(self):
        """The CPU of a verification by each key, in microseconds."""
        self.process.write("\n")
        return json.loads(self.process.read_line())


def _signed(bench, count):
    """A directory with keys and tokens of users n0, n1, …"""
    with _SignedTokens(bench, count) as signed:
        return signed.directory


def _tokens(directory, name):
    with open(f"{directory}/{name}.txt", encoding="ascii") as file:
        return file.read().split()


def _with_keys(directory):
    return "--jwt-keys", f"{directory}/keys.json", "--jwt-issuer", _ISSUER, "--jwt-audience", _AUDIENCE


def _cpu_of_gets(holdfast, target, tokens):
    """The server's CPU of a GET with each of some tokens, in microseconds."""
    with client.KeptConnection(holdfast) as connection:
        before = thread_seconds([holdfast.process.pid])
        # Several at a time, as a busy server has them: between two alone it would wait, and its caches go cold.
        for first in range(0, len(tokens), 50):
            replies = connection.get_all(target, [f"Authorization: Bearer {token}\r\n" for token in tokens[first:first + 50]])
            if any(status != 200 for status, _ in replies):
                raise BenchError(f"GET {target} with a JSON Web Token: {[status for status, _ in replies]}")
        return (thread_seconds([holdfast.process.pid]) - before) * 1e6 / len(tokens)


def json_web_tokens(bench):
    """What a JSON Web Token costs the first time, and when it has been seen."""
    row = Row("json-web-tokens", "a GET with a JSON Web Token, new and seen before")
    names, openssl, new, seen = ("rs", "es"), {}, {}, None
    if bench.has_holdfast:
        each, rounds = (200, 2) if bench.settings.quick else (500, 3 * bench.settings.rounds)
        data = bench.path("json-web-tokens")
        admin = new_token(bench, data, "bench", "--rights", "admin")
        reader = new_token(bench, data, "user", "--rights", "read", "--user", "n1")
        path = "/v1/classes/Item/objects/7"
        with _SignedTokens(bench, each * rounds) as signed, \
                Holdfast(bench, data, _with_keys(signed.directory), admin) as holdfast:
            client.request(holdfast, "PUT", "/v1/schema", STREAM_SCHEMA)
            client.request(holdfast, "PUT", path, {"name": "seven"})
            client.request(holdfast, "PUT", "/v1/access", {"roles": {"all": {"classes": {"*": {"read": True}}}}})
            _cpu_of_gets(holdfast, path, [reader] * each)
            tokens = {name: _tokens(signed.directory, name) for name in names}
            # One beside the other: the clock of a shared processor is another one a second later.
            before = signed.verification()
            for part in range(rounds):
                for name in names:
                    cost = _cpu_of_gets(holdfast, path, tokens[name][part * each:(part + 1) * each]) \
                        - _cpu_of_gets(holdfast, path, [reader] * each)
                    after = signed.verification()
                    openssl.setdefault(name, []).append((before[f"{name}256_us"] + after[f"{name}256_us"]) / 2)
                    new.setdefault(name, []).append(cost)
                    before = after
            runs = load.interleave_short(bench, {
                label: lambda seconds, number, token=token: load.run(
                    bench, holdfast, "get", seconds, number + 1, path=path, token=token)
                for label, token in (("seen JSON Web Token", tokens["es"][0]), ("token of the store", reader))})
        for label, loads in runs.items():
            row.add(label, load.median(loads))
        seen = load.median_ratio(*([run.cpu_us for run in loads] for loads in runs.values()))
        for label, found in (("OpenSSL's verification", openssl), ("a new token, beyond a GET", new)):
            row.add(label, {f"{name}256_us": statistics.median(values) for name, values in found.items()})
    else:
        row.notes.append("needs the holdfast binary")
    for name in names:
        row.check(f"{name.upper()}256 the first time, to OpenSSL's verification",
                  load.median_ratio(new[name], openssl[name]) if new else None, "×")
    row.check("CPU of a GET, seen to a token of the store", seen, "×")
    return row


def user_streams(bench):
    """Writes flat out beside users' streams under an indexed rule, and beside as many filters that say the same."""
    many = 500 if bench.settings.quick else 9000
    row = Row("user-streams", f"writes flat out beside {many:,} users' streams, by a rule to by filters")
    figures, by_rule, by_filter = {}, "by rule", "by filter"
    if bench.has_holdfast:
        objects, directory = bench.settings.objects, _signed(bench, many)
        tokens = _tokens(directory, "es")
        held, contestants = [], {}
        try:
            for label in (by_rule, by_filter):
                data = bench.path(f"user-streams-{len(held)}")
                admin = new_token(bench, data, "bench", "--rights", "admin")
                server = Holdfast(bench, data, (*_with_keys(directory), "--max-connections", "30000"), admin)
                held.append(server)
                client.request(server, "PUT", "/v1/schema", STREAM_SCHEMA)
                client.request(server, "POST", "/v1/classes/Place/objects", [{"_id": key} for key in range(100)])
                _import(bench, server, "Item", ({"_id": key, "name": f"n{key % 9000}", "age": 1, "home": key % 100}
                                                for key in range(objects)))
                if label == by_rule:
                    client.request(server, "PUT", "/v1/access", {"roles": {"owner": {"classes": {
                        "Item": {"read": "name == $user.id"}}}}})
                    targets = [("r", None, stream("Item"), token) for token in tokens]
                else:
                    targets = [("r", None, stream("Item", f"name == 'n{key}'"), admin) for key in range(many)]
                targets += [("0", None, stream("Item", "age < 25", "&fields=_id"), admin)]
                streams = Streams(bench, server, targets + [(*one, admin) for one in Fence.targets])
                held.append(streams)
                contestants[label] = server, streams
            # The p99 of a machine without a free core is up to six times another one's a moment later: many short runs have one
            # between them.
            seconds = min(2, bench.settings.seconds)
            figures = load.interleave(bench, {
                label: lambda number, server=server, streams=streams: write(
                    bench, server, streams, seconds, 0, objects, number + 1, bench.settings.connections, lambda age: age < 25)
                for label, (server, streams) in contestants.items()},
                rounds=2 if bench.settings.quick else 12 * bench.settings.rounds)
        finally:
            for one in reversed(held):
                one.stop()
        for label, found in figures.items():
            row.add(label, {name: statistics.median(run[name] for run in found if run[name] is not None) for name in found[0]})
    else:
        row.notes.append("needs the holdfast binary")
    for title, name in (("CPU of a PUT until all is told", "cpu_us"), ("reply to receipt, p99", "lag_p99_ms")):
        row.check(f"{title}, by rule to by filter",
                  load.median_ratio(*([run[name] for run in figures[label]] for label in (by_rule, by_filter)))
                  if figures else None, "×")
    return row


class _Newcomer(threading.Thread):
    """Follows a stream until it has been given so many objects, by `enter`, or by `update` where it catches up; `ended` is when."""

    def __init__(self, server, target, token, wanted):
        super().__init__(daemon=True)
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
        self.connection.request("GET", target, headers={"Authorization": f"Bearer {token}", "Accept": "text/event-stream"})
        self.reply = self.connection.getresponse()
        if self.reply.status != 200:
            raise BenchError(f"GET {target}: {self.reply.status} {self.reply.read(300).decode(errors='replace')}")
        # It has begun with the first event's data.
        while not self.reply.readline().startswith(b"data:"):
            pass
        self.wanted, self.ended = wanted, None
        self.start()

    def run(self):
        count = 0
        while count < self.wanted and (line := self.reply.readline()):
            count += line.count(b'"op":"enter"') + line.count(b'"op":"update"')
        self.ended = time.monotonic_ns()
        self.connection.close()


def user_joins(bench):
    """One user joins a list with very many tasks that others follow; how soon they have them, and who waits for it."""
    tasks, others, rounds = (1000, 50, 2) if bench.settings.quick else (10_000, 1000, bench.settings.rounds)
    row = Row("user-joins", f"a user joins a list of {tasks:,} tasks that {others:,} users follow")
    entered, delays = [], []
    if bench.has_holdfast:
        directory = _signed(bench, others + rounds)
        tokens = _tokens(directory, "es")
        data = bench.path("user-joins")
        admin = new_token(bench, data, "bench", "--rights", "admin")
        with Holdfast(bench, data, (*_with_keys(directory), "--max-connections", "30000"), admin) as server:
            fence_class = STREAM_SCHEMA["classes"][-1]
            client.request(server, "PUT", "/v1/schema", {"classes": [*_SCHEMA["classes"], fence_class]})
            _import(bench, server, "Person", ({"_id": f"n{key}"} for key in range(len(tokens))))
            members = [f"n{key}" for key in range(others)]
            client.request(server, "PUT", "/v1/classes/List/objects/1", {"members": members})
            _import(bench, server, "Task", ({"_id": key, "list": 1, "title": f"task {key}"} for key in range(tasks)))
            client.request(server, "PUT", "/v1/access", _RULES)
            target = stream("Task", None, "fields=_id")
            targets = [("r", None, target, tokens[key]) for key in range(others)]
            streams = Streams(bench, server, targets + [(*one, admin) for one in Fence.targets])
            try:
                fence = Fence(server, streams)
                fence.wait()
                for key in range(others, others + rounds):
                    newcomer = _Newcomer(server, target, tokens[key], tasks)
                    streams.clear()
                    before = time.monotonic_ns()
                    client.request(server, "POST", "/v1/classes/List/objects/1/properties/members/elements", f'"n{key}"')
                    begun = time.monotonic_ns()
                    fence.wait()
                    delays.append((streams.report()["told"][3][-1][2] - begun) / 1e6)
                    newcomer.join(60)
                    if newcomer.ended is None:
                        raise BenchError("a user has not got in 60 s what they have joined")
                    entered.append((newcomer.ended - before) / 1e9)
            finally:
                streams.stop()
        row.add("joins", {"enters_s": statistics.median(entered), "enters_worst_s": max(entered),
                          "delay_ms": percentile(sorted(delays), 0.5), "delay_worst_ms": max(delays)})
    else:
        row.notes.append("needs the holdfast binary")
    row.check("request to the last of their enters", max(entered) if entered else None, "s")
    row.check("an unrelated event's delay", max(delays) if delays else None, "ms")
    return row


ROWS = {
    "without-rules": without_rules,
    "user-lists": user_lists,
    "json-web-tokens": json_web_tokens,
    "user-streams": user_streams,
    "user-joins": user_joins,
}
