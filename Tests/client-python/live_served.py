"""Live queries of both clients against a service, through restarts, a failing proxy and an ended session."""
import asyncio
import os
import random
import signal
import threading
import time
import unittest

from holdfast import AsyncHoldfast, Holdfast, HoldfastError, RetryPolicy
from proxy import Proxy
from requests_served import PASSWORD, SCHEMA, prepare
from service import Service

SEED = int(os.environ.get("HOLDFAST_SEED", 70))
# Nothing here is timed; a loaded machine and a debug build are slow.
PATIENCE = 60
# Short pauses, so that the tests take little time.
RETRY = RetryPolicy(first_pause=0.02, longest_pause=0.2)
#: A task that is in every query, and says how far a reader has come.
MARK = 1_000_000
QUERIES = {
    "open": {"filter": f"done == false OR id == {MARK}"},
    "home": {"filter": "list.name BEGINSWITH $0 OR id == $1", "args": ["H", MARK], "fields": "id,title,list.name"},
    "top": {"filter": "done == false", "sort": "-rank,id", "limit": 5, "fields": ["id", "title", "rank"]},
    "all": {}}


class Writer:
    """Changes tasks at random, past the proxy."""

    def __init__(self, service, token=None):
        self.service, self.random = service, random.Random(SEED)
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.mark_count = 0
        self.run([{"op": "put", "class": "List", "id": name, "value": {"name": name}} for name in ("Home", "Work")])

    def run(self, operations):
        self.service.succeed("POST", "/v1/transactions", {"operations": operations}, **self.headers)

    def operation(self):
        key, draw = self.random.randrange(40), self.random.random()
        if draw < 0.05:
            name = self.random.choice(("Home", "Work"))
            return {"op": "patch", "class": "List", "id": name,
                    "value": {"name": self.random.choice(("Home", "House", "Work"))}}
        if draw < 0.2:
            return {"op": "put", "class": "Task", "id": key, "value": {"hidden": True}}
        return {"op": "put", "class": "Task", "id": key, "value": {
            "title": f"task {self.random.randrange(100)}", "done": draw < 0.5, "rank": self.random.randrange(50),
            "list": self.random.choice(("Home", "Work", None))}}

    def write(self, count=40):
        while count:
            size = min(count, self.random.randrange(1, 8))
            self.run([self.operation() for _ in range(size)])
            # By a filter, because the object may not exist.
            self.service.succeed(
                "DELETE", f"/v1/classes/Task/objects?filter=id%20==%20{self.random.randrange(40)}", **self.headers)
            count -= size

    def mark(self):
        """Says that everything before is written. Returns the title that says so."""
        self.mark_count += 1
        self.run([{"op": "put", "class": "Task", "id": MARK, "value": {
            "title": f"mark {self.mark_count}", "rank": 1000, "list": "Home"}}])
        return f"mark {self.mark_count}"


class Reader:
    """Reads a live query, and keeps a copy by the changes of its states."""

    def __init__(self, test, client, name, live=None):
        self.test, self.client, self.name = test, client, name
        self.live = live or client.objects("Task").live(**QUERIES[name])
        self.copy, self.state = {}, None

    def take(self, state):
        for change in state.changes:
            if change.op == "leave":
                self.test.assertEqual(self.copy.pop(change.key), change.before)
            else:
                self.test.assertEqual(self.copy.get(change.key), change.before)
                self.copy[change.key] = change.object
        self.test.assertEqual(self.copy, dict(state.objects))
        self.state = state

    def is_at(self, mark):
        return self.state is not None and self.state.objects.get(MARK, {}).get("title") == mark

    def await_mark(self, mark):
        while not self.is_at(mark):
            self.take(self.live.next(PATIENCE))

    async def await_mark_async(self, mark):
        while not self.is_at(mark):
            self.take(await self.live.next(PATIENCE))

    def compare(self, page):
        """Compares the state with the page of a query; a live list with its order."""
        found = list(self.state.objects.values())
        if "sort" not in QUERIES[self.name]:
            found = sorted(found, key=lambda value: value["id"])
        self.test.assertEqual(found, list(page.objects), self.name)

    def query(self, client):
        return client.objects("Task").query(**{"sort": "id", "limit": 1000, **QUERIES[self.name]})


class Followed(unittest.TestCase):
    """The client for threads behind a proxy, with a store without tokens."""

    def setUp(self):
        print(f"seed {SEED}", flush=True)
        self.service = self.enterContext(Service("--heartbeat", "1s"))
        prepare(self.service, with_access=False)
        self.writer = Writer(self.service)
        self.proxy = self.enterContext(Proxy(self.service.port))
        self.client = self.enterContext(Holdfast(self.proxy.url, retry=RETRY))
        self.direct = self.enterContext(Holdfast(self.service.url))

    def compare(self, readers):
        mark = self.writer.mark()
        for reader in readers.values():
            reader.await_mark(mark)
            reader.compare(reader.query(self.direct).page())

    def wait(self, condition):
        end = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)

    def stream_lines(self, beginning):
        return sum(line.startswith(beginning) for line in self.proxy.lines)


class Streams(Followed):
    def test_live_queries_end_with_the_results_through_all_that_fails(self):
        self.writer.write()
        readers = {name: Reader(self, self.client, name) for name in ("open", "home", "top")}
        self.compare(readers)
        self.assertEqual(self.stream_lines("GET /v1/streams/"), 1)
        self.assertEqual(self.stream_lines("POST /v1/streams"), 1)

        with self.subTest("changes while it runs"):
            self.writer.write()
            self.compare(readers)
        with self.subTest("a cut connection"):
            self.proxy.cut()
            self.writer.write()
            self.compare(readers)
        with self.subTest("a proxy that answers 503"):
            self.proxy.fail()
            self.writer.write()
            self.wait(lambda: self.proxy.unavailable_count > 2)
            self.proxy.recover()
            self.compare(readers)
        with self.subTest("a crash of the service"):
            self.service.restart(signal.SIGKILL)
            self.writer.write()
            self.compare(readers)
        with self.subTest("a query is added and another one removed"):
            readers["all"] = Reader(self, self.client, "all")
            readers.pop("home").live.close()
            self.writer.write()
            self.compare(readers)
        with self.subTest("a query is added while the service stops"):
            stopping = threading.Thread(target=self.service.restart, args=(signal.SIGTERM,))
            stopping.start()
            readers["home"] = Reader(self, self.client, "home")
            stopping.join()
            self.writer.write()
            self.compare(readers)
        for reader in readers.values():
            reader.live.close()
        with self.subTest("the stream ends with its last query"):
            self.wait(lambda: self.stream_lines("DELETE /v1/streams/") > 0)

    def test_a_refused_query_raises_its_error_and_the_others_continue(self):
        good = Reader(self, self.client, "open")
        bad = self.client.objects("Task").live("titel == 'x'")
        absent = self.client.objects("Nothing").live()
        self.compare({"open": good})
        late = self.client.objects("Task").live("rank >")
        for live, code in ((bad, "query-unknown-property"), (absent, "unknown-class"), (late, "query-syntax")):
            with self.assertRaises(HoldfastError) as caught:
                live.next(PATIENCE)
            self.assertEqual(caught.exception.code, code)
            self.assertRaises(StopIteration, live.next, PATIENCE)
        self.writer.write()
        self.compare({"open": good})

    def test_a_query_beyond_the_limit_is_refused_and_may_be_added_when_another_one_has_left(self):
        with Service("--max-stream-queries", "2") as service:
            prepare(service, with_access=False)
            with Holdfast(service.url, retry=RETRY) as client:
                tasks = client.objects("Task")
                first, second = tasks.live(), tasks.live("done == true")
                self.assertEqual(len(first.next(PATIENCE).objects) + len(second.next(PATIENCE).objects), 0)
                with self.assertRaises(HoldfastError) as caught:
                    tasks.live("rank > 0").next(PATIENCE)
                self.assertEqual(caught.exception.code, "too-many-queries")
                first.close()
                third = tasks.live("rank > 0")
                third.next(PATIENCE)
                tasks.create({"id": 1, "rank": 1, "done": True})
                self.assertEqual(set(second.next(PATIENCE).objects), {1})
                self.assertEqual(set(third.next(PATIENCE).objects), {1})

    def test_a_live_query_begins_also_after_the_last_one_has_ended(self):
        for _ in range(3):
            reader = Reader(self, self.client, "all")
            self.writer.write(5)
            self.compare({"all": reader})
            reader.live.close()

    def test_a_query_that_is_invalid_for_a_time_begins_again(self):
        notes = self.client.objects("Note")
        notes.create({"text": "before"})
        live = notes.live("text != ''")
        other = Reader(self, self.client, "open")
        self.assertEqual(len(live.next(PATIENCE).objects), 1)
        self.service.succeed("DELETE", "/v1/schema/classes/Note?allowDataLoss=true")
        with self.assertRaises(HoldfastError) as caught:
            while True:
                live.next(PATIENCE)
        self.assertEqual(caught.exception.code, "unknown-class")
        self.compare({"open": other})
        self.service.succeed("PUT", "/v1/schema", SCHEMA)
        notes.create({"text": "after"})
        state = live.next(PATIENCE)
        while not state.objects:
            state = live.next(PATIENCE)
        self.assertEqual([value["text"] for value in state.objects.values()], ["after"])

    def test_one_object_is_followed_before_it_exists_and_until_it_is_deleted(self):
        tasks = self.client.objects("Task")
        with tasks.live_object(7, fields="title") as live:
            self.assertEqual(dict(live.next(PATIENCE).objects), {})
            made = tasks.create({"id": 7, "title": "bread"})
            state = live.next(PATIENCE)
            self.assertEqual((dict(state.objects), state.objects[7].etag), ({7: {"title": "bread"}}, made.etag))
            self.assertTrue(live.is_current)
            tasks.delete(7)
            [change] = live.next(PATIENCE).changes
            self.assertEqual((change.op, change.key, change.before), ("leave", 7, {"title": "bread"}))
            with self.assertRaises(TimeoutError):
                live.next(0.01)
        self.assertEqual(list(live), [])

    def test_a_subscriber_is_called_for_each_state_also_after_it_has_failed(self):
        arrived, seen = threading.Event(), []

        def on_state(state):
            seen.append(sorted(state.objects))
            if len(seen) == 1:
                raise ValueError("a fault of the program")
            if MARK in state.objects:
                arrived.set()

        with self.assertLogs("holdfast", "ERROR"):
            live = self.client.objects("Task").live().subscribe(on_state)
            self.wait(lambda: seen)
            self.writer.mark()
            self.assertTrue(arrived.wait(PATIENCE))
        live.close()
        count = len(seen)
        self.writer.mark()
        self.assertEqual(len(seen), count)

    def test_closing_the_client_ends_all_iteration(self):
        lives = [self.client.objects("Task").live() for _ in range(3)]
        ended = []
        threads = [threading.Thread(target=lambda live=live: ended.append(len(list(live))), daemon=True)
                   for live in lives]
        for thread in threads:
            thread.start()
        self.client.close()
        for thread in threads:
            thread.join(PATIENCE)
        self.assertEqual(len(ended), 3)
        self.assertRaises(RuntimeError, self.client.objects("Task").live)


class Silence(Followed):
    def test_a_silent_connection_is_lost(self):
        readers = {name: Reader(self, self.client, name) for name in ("open", "top")}
        self.compare(readers)
        self.proxy.silence()
        self.writer.write()
        self.compare(readers)


class Sessions(unittest.IsolatedAsyncioTestCase):
    """The client for asyncio, as a user with a session."""

    def setUp(self):
        self.service = self.enterContext(Service("--heartbeat", "1s"))
        self.admin = prepare(self.service)
        self.writer = Writer(self.service, self.admin)

    async def user(self, login, **options):
        client = AsyncHoldfast(self.service.url, retry=RETRY, **options)
        self.addAsyncCleanup(client.close)
        await client.sign_up(login, PASSWORD)
        await client.sign_in(login, PASSWORD)
        return client

    async def compare(self, readers):
        mark = await asyncio.to_thread(self.writer.mark)
        await asyncio.gather(*(reader.await_mark_async(mark) for reader in readers))
        for reader in readers:
            reader.compare(await reader.query(reader.client).page())

    def end_sessions(self, client):
        """Ends all sessions of the client's user, as another device may do."""
        self.service.succeed("DELETE", "/v1/sessions", Authorization=f"Bearer {client.token}")

    async def test_live_queries_continue_with_the_next_session(self):
        reports = []

        async def sign_in(error):
            reports.append(error.code)
            await client.sign_in("ann@example.org", PASSWORD)

        client = await self.user("ann@example.org", on_session_ended=sign_in)
        await asyncio.to_thread(self.writer.write)
        readers = [Reader(self, client, name) for name in QUERIES]
        await self.compare(readers)
        self.end_sessions(client)
        await asyncio.to_thread(self.writer.write)
        await self.compare(readers)
        self.assertEqual(len(reports), 1)
        with self.subTest("the service starts again while the session ends"):
            self.end_sessions(client)
            await asyncio.to_thread(self.service.restart, signal.SIGKILL)
            await asyncio.to_thread(self.writer.write)
            await self.compare(readers)
            self.assertEqual(len(reports), 2)

    async def test_without_a_function_the_error_is_raised_and_a_sign_in_continues(self):
        client = await self.user("bob@example.org")
        readers = [Reader(self, client, name) for name in ("open", "top")]
        await self.compare(readers)
        self.end_sessions(client)
        for reader in readers:
            with self.assertRaises(HoldfastError) as caught:
                while True:
                    reader.take(await reader.live.next(PATIENCE))
            self.assertIn(caught.exception.code, ("access-ended", "token-invalid"))
        with self.assertRaises(HoldfastError) as caught:
            await client.objects("Task").live().next(PATIENCE)
        self.assertEqual(caught.exception.code, "token-invalid")
        await asyncio.to_thread(self.writer.write)
        await client.sign_in("bob@example.org", PASSWORD)
        await self.compare(readers)

    async def test_another_user_sees_only_what_they_may(self):
        document = {"signUp": True, "roles": {"member": {"classes": {
            "List": {"read": "id == $user.id", "create": True}}}}}
        self.service.succeed("PUT", "/v1/access", document, Authorization=f"Bearer {self.admin}")
        client = await self.user("cem@example.org")
        cem = await client.sign_in("cem@example.org", PASSWORD)
        dan = await client.sign_up("dan@example.org", PASSWORD)
        for user in (cem.user, dan.id):
            self.service.succeed("PUT", f"/v1/classes/List/objects/{user}", {"name": "own"},
                                 Authorization=f"Bearer {self.admin}")
        async with client.objects("List").live() as live, client.objects("List").live() as other:
            self.assertEqual(set((await live.next(PATIENCE)).objects), {cem.user})
            self.assertEqual(set((await other.next(PATIENCE)).objects), {cem.user})
            self.service.succeed("PATCH", f"/v1/classes/List/objects/{cem.user}", {"name": "changed"},
                                 Authorization=f"Bearer {self.admin}")
            # The same event has a state for the first one, too. If it was not read before, the next user does not read it.
            await other.next(PATIENCE)
            await client.sign_in("dan@example.org", PASSWORD)
            state = await live.next(PATIENCE)
            self.assertEqual(set(state.objects), {dan.id})
            self.assertEqual({change.op for change in state.changes}, {"enter", "leave"})
            await client.sign_out()
            with self.assertRaises(HoldfastError) as caught:
                await live.next(PATIENCE)
            self.assertEqual(caught.exception.code, "token-missing")

    async def test_a_renewed_token_continues(self):
        def token(name):
            return self.service.succeed(
                "POST", "/v1/tokens", {"name": name, "right": "write", "user": "gil"},
                Authorization=f"Bearer {self.admin}").json["token"]

        reports = []
        client = AsyncHoldfast(
            self.service.url, retry=RETRY, token=token("first"), on_session_ended=reports.append)
        self.addAsyncCleanup(client.close)
        readers = [Reader(self, client, name) for name in ("open", "top")]
        await self.compare(readers)
        client.token = token("second")
        await asyncio.to_thread(self.writer.write)
        await self.compare(readers)
        self.service.succeed("DELETE", "/v1/tokens/first", Authorization=f"Bearer {self.admin}")
        await self.compare(readers)
        self.assertEqual(reports, [])

    async def test_a_subscriber_may_be_a_coroutine_function(self):
        client = await self.user("eve@example.org")
        seen, arrived = [], asyncio.Event()

        async def on_state(state):
            await asyncio.sleep(0)
            seen.append(state)
            if MARK in state.objects:
                arrived.set()

        live = client.objects("Task").live().subscribe(on_state)
        await asyncio.to_thread(self.writer.mark)
        async with asyncio.timeout(PATIENCE):
            await arrived.wait()
        await live.close()
        self.assertEqual([state async for state in live], [])

    async def test_iteration_ends_with_the_client(self):
        client = await self.user("fay@example.org")
        live = client.objects("Task").live()
        await live.next(PATIENCE)

        async def rest():
            return [state async for state in live]

        waiting = asyncio.create_task(rest())
        await asyncio.sleep(0)
        await client.close()
        self.assertEqual(await waiting, [])
