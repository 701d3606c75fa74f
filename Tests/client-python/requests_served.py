"""The requests of both clients against a service."""
import asyncio
import inspect
import signal
import threading
import unittest

from holdfast import AsyncHoldfast, Holdfast, HoldfastError, RetryPolicy
from service import Service

RETRY = RetryPolicy(first_pause=0.02, longest_pause=0.2)
SCHEMA = {"classes": [
    {"name": "Task", "primaryKey": "id", "properties": {
        "id": "int", "title": "string", "done": "bool", "rank": "int", "hidden": "bool", "list": "List"}},
    {"name": "List", "primaryKey": "id", "properties": {"id": "string", "name": "string"}},
    {"name": "Person", "primaryKey": "id", "properties": {"id": "uuid", "name": "string"}},
    {"name": "Note", "properties": {"text": "string"}}]}
ACCESS = {"users": "Person", "signUp": True, "roles": {"member": {"classes": {
    "Person": {"read": "id == $user.id", "create": "id == $user.id"},
    "Task": {"read": "hidden == false", "create": True, "update": True, "delete": True},
    "List": {"read": True, "create": True}}}}}
PASSWORD = "correct horse battery"


def prepare(service, with_access=True):
    """Gives a service its classes, a token and the access document. Returns the token."""
    service.succeed("PUT", "/v1/schema", SCHEMA)
    if not with_access:
        return None
    token = service.succeed("POST", "/v1/tokens", {"name": "admin", "right": "admin"}).json["token"]
    service.succeed("PUT", "/v1/access", ACCESS, Authorization=f"Bearer {token}")
    return token


class Both(unittest.TestCase):
    """Runs each check with the client for threads and with the one for asyncio."""

    @classmethod
    def setUpClass(cls):
        cls.service = Service().__enter__()
        cls.addClassCleanup(cls.service.__exit__, None, None, None)
        cls.admin = prepare(cls.service)

    def with_both(self, check, **options):
        """Runs an asynchronous check, for the first client with functions that need no event loop."""
        for kind in (Holdfast, AsyncHoldfast):
            with self.subTest(client=kind.__name__):
                asyncio.run(self.with_client(kind, check, {"retry": RETRY, "token": self.admin, **options}))

    async def with_client(self, kind, check, options):
        client = kind(self.service.url, **options)
        try:
            await check(client)
        finally:
            await done(client.close())

    async def assert_error(self, attempt, status, code):
        try:
            await done(attempt())
        except HoldfastError as error:
            self.assertEqual((error.status, error.code), (status, code), str(error))
            return error
        raise AssertionError(f"no error {code}")


async def done(result):
    """The result of either client."""
    return await result if inspect.isawaitable(result) else result


async def listed(query):
    if hasattr(query, "__aiter__"):
        return [value async for value in query]
    return list(query)


class ObjectRequests(Both):
    def test_an_object_is_created_read_changed_replaced_and_deleted(self):
        async def check(client):
            tasks = client.objects("Task")
            made = await done(tasks.create({"id": 1, "title": "bread", "rank": 5}))
            self.assertEqual((made["title"], made["done"]), ("bread", False))
            read = await done(tasks.get(1))
            self.assertEqual((read, read.etag), (made, made.etag))
            patched = await done(tasks.patch(1, {"done": True}))
            self.assertEqual((patched["rank"], patched["done"]), (5, True))
            self.assertNotEqual(patched.etag, made.etag)
            patched = await done(tasks.patch(1, [{"op": "replace", "path": "/rank", "value": 6}]))
            self.assertEqual(patched["rank"], 6)
            replaced = await done(tasks.replace(1, {"title": "butter"}))
            self.assertEqual((replaced["title"], replaced["rank"]), ("butter", 0))
            await done(tasks.delete(1))
            await self.assert_error(lambda: tasks.get(1), 404, "object-not-found")
        self.with_both(check)

    def test_a_write_of_a_stale_object_fails_with_the_present_one(self):
        async def check(client):
            tasks = client.objects("Task")
            mine = await done(tasks.create({"id": 2, "title": "mine"}))
            theirs = await done(tasks.patch(2, {"title": "theirs"}))
            for attempt in (lambda: tasks.patch(2, {"title": "late"}, if_match=mine),
                            lambda: tasks.replace(2, {"title": "late"}, if_match=mine.etag),
                            lambda: tasks.delete(2, if_match=f'"{mine.etag}"')):
                error = await self.assert_error(attempt, 412, "precondition-failed")
                self.assertEqual((error.current["title"], error.current.etag), ("theirs", theirs.etag))
            await self.assert_error(lambda: tasks.replace(2, {}, if_none_match="*"), 412, "precondition-failed")
            await done(tasks.delete(2, if_match=theirs))
        self.with_both(check)

    def test_keys_of_every_form_reach_their_objects(self):
        async def check(client):
            lists = client.objects("List")
            for key in ("", ".", "..", "a/b", "a b", "50%", "%2F", "é", "a?b#c", "+", "\\"):
                with self.subTest(key=key):
                    await done(lists.replace(key, {"name": key}))
                    self.assertEqual((await done(lists.get(key)))["name"], key)
                    await done(lists.delete(key))
        self.with_both(check)

    def test_an_object_without_a_primary_key_is_known_by_its_id(self):
        async def check(client):
            notes = client.objects("Note")
            made = await done(notes.create({"text": "rain"}))
            self.assertEqual((await done(notes.get(made["$id"])))["text"], "rain")
            await done(notes.delete(made["$id"], if_match=made))
        self.with_both(check)

    def test_a_repeat_with_an_idempotency_key_changes_nothing(self):
        async def check(client):
            notes = client.objects("Note")
            key = f"{type(client).__name__}-1"
            first = await done(notes.create({"text": "once"}, idempotency_key=key))
            second = await done(notes.create({"text": "once"}, idempotency_key=key))
            self.assertEqual(first["$id"], second["$id"])
            await done(notes.delete(first["$id"]))
        self.with_both(check)

    def test_an_error_names_the_fault_and_the_nearest_name(self):
        async def check(client):
            tasks = client.objects("Task")
            error = await self.assert_error(lambda: tasks.create({"id": 3, "titel": "x"}), 422, "unknown-property")
            self.assertEqual((error.hint, error.faults[0].pointer), ("title", "/titel"))
            error = await self.assert_error(lambda: listed(tasks.query("done == true AND titel == 1")), 400, "invalid-query")
            self.assertEqual((error.hint, error.faults[0].code), ("title", "query-unknown-property"))
        self.with_both(check)


class QueryRequests(Both):
    def test_a_query_iterates_over_all_pages(self):
        async def check(client):
            tasks = client.objects("Task")
            await done(client.transaction([
                {"op": "put", "class": "Task", "id": key, "value": {"title": f"t{key}", "rank": key % 3}}
                for key in range(25)]))
            query = tasks.query("rank == $0", args=[1], sort="-id", limit=3, fields=["id", "$version"])
            found = await listed(query)
            self.assertEqual([value["id"] for value in found], [22, 19, 16, 13, 10, 7, 4, 1])
            self.assertIsNotNone(found[0].etag)
            page = await done(tasks.query(limit=10, count=True).page())
            self.assertEqual((len(page.objects), page.count), (10, 25))
            self.assertEqual(await listed(tasks.query("rank == 7")), [])
            await done(client.transaction([{"op": "delete", "class": "Task", "id": key} for key in range(25)]))
        self.with_both(check)

    def test_links_are_expanded(self):
        async def check(client):
            await done(client.objects("Task").create({"id": 1, "title": "x", "list": {"id": "home", "name": "Home"}}))
            [found] = await listed(client.objects("Task").query(expand="list", fields="title,list.name"))
            self.assertEqual(found, {"title": "x", "list": {"name": "Home"}})
            await done(client.objects("Task").delete(1))
            await done(client.objects("List").delete("home"))
        self.with_both(check)


class Transactions(Both):
    def test_a_transaction_happens_whole_or_not_at_all(self):
        async def check(client):
            tasks = client.objects("Task")
            made = await done(client.transaction([
                {"op": "create", "class": "List", "ref": "home", "value": {"id": "home"}},
                {"op": "create", "class": "Task", "value": {"id": 1, "title": "a", "list": {"$ref": "home"}}}]))
            self.assertEqual([(one.class_name, one.key) for one in made.results], [("List", "home"), ("Task", 1)])
            self.assertEqual((made.results[1].object["list"], made.results[1].etag), ("home", made.version))
            stale = made.results[1].object
            await done(tasks.patch(1, {"title": "b"}))
            error = await self.assert_error(lambda: client.transaction([
                {"op": "create", "class": "Task", "value": {"id": 2}},
                {"op": "patch", "class": "Task", "id": 1, "ifMatch": stale, "value": {"title": "c"}}]),
                412, "precondition-failed")
            self.assertEqual(error.current["title"], "b")
            await self.assert_error(lambda: tasks.get(2), 404, "object-not-found")
            await self.assert_error(
                lambda: client.transaction([{"op": "delete", "class": "Task", "id": 1}], if_version=made.version),
                412, "store-changed")
            await done(client.transaction([
                {"op": "delete", "class": "Task", "id": 1}, {"op": "delete", "class": "List", "id": "home"}]))
        self.with_both(check)


class Accounts(Both):
    def test_a_user_signs_up_in_and_out(self):
        async def check(client):
            login = f"{type(client).__name__}@example.org"
            tasks = client.objects("Task")
            await self.assert_error(lambda: tasks.get(1), 401, "token-missing")
            refused = await self.assert_error(
                lambda: client.sign_up(login, PASSWORD, {"nam": "Ann"}), 422, "unknown-property")
            self.assertEqual([fault.pointer for fault in refused.faults], ["/object/nam"])
            account = await done(client.sign_up(login, PASSWORD, {"name": "Ann"}))
            self.assertEqual(account.login, login)
            await self.assert_error(lambda: client.sign_in(login, "wrong password"), 401, "sign-in-refused")
            session = await done(client.sign_in(login, PASSWORD))
            self.assertEqual((session.user, session.token), (account.id, client.token))
            self.assertEqual(
                await done(client.objects("Person").get(account.id)), {"id": account.id, "name": "Ann"})
            await done(tasks.create({"id": 1, "title": "bread"}))
            secret = await done(tasks.create({"id": 2, "title": "secret", "hidden": True}))
            # The user may not read it.
            self.assertEqual((secret, secret.etag), ({}, None))
            self.assertEqual([value["id"] for value in await listed(tasks.query())], [1])
            await done(tasks.delete(1))
            await done(client.sign_out())
            self.assertIsNone(client.token)
            await self.assert_error(lambda: tasks.get(1), 401, "token-missing")
            client.token = session.token
            await self.assert_error(lambda: tasks.get(1), 401, "token-invalid")
            # The session has ended already.
            await done(client.sign_out())
            self.service.succeed(
                "DELETE", "/v1/classes/Task/objects/2", Authorization=f"Bearer {self.admin}")
        self.with_both(check, token=None)

    def test_a_session_that_has_ended_is_reported_and_a_new_one_continues(self):
        for kind in (Holdfast, AsyncHoldfast):
            with self.subTest(client=kind.__name__):
                login = f"{kind.__name__}-2@example.org"
                reports = []

                def report(error, reports=reports, login=login):
                    reports.append(error.code)
                    return client.sign_in(login, PASSWORD)

                async def check(other, kind=kind, login=login, reports=reports):
                    await done(other.sign_up(login, PASSWORD))
                    await done(other.sign_in(login, PASSWORD))
                    self.service.succeed("DELETE", "/v1/sessions", Authorization=f"Bearer {other.token}")
                    before = other.token
                    self.assertEqual(await listed(other.objects("Task").query()), [])
                    self.assertEqual(reports, ["token-invalid"])
                    self.assertNotEqual(other.token, before)

                async def run(kind=kind, check=check, report=report):
                    nonlocal client
                    client = kind(self.service.url, retry=RETRY, on_session_ended=report)
                    try:
                        await check(client)
                    finally:
                        await done(client.close())

                client = None
                asyncio.run(run())


class Waits(unittest.TestCase):
    def test_requests_wait_for_a_service_that_starts_again(self):
        with Service() as service:
            prepare(service, with_access=False)
            with Holdfast(service.url, retry=RetryPolicy(attempts=200, first_pause=0.02, longest_pause=0.1)) as client:
                notes = client.objects("Note")
                notes.create({"text": "before"})
                restart = threading.Thread(target=service.restart, args=(signal.SIGKILL,))
                restart.start()
                found = []
                while restart.is_alive():
                    found.append(len(list(notes.query())))
                restart.join()
                self.assertEqual({1, len(list(notes.query()))}, {*found, 1})
