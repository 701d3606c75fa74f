"""Tests of the client's parts that do no I/O."""
import json
import unittest
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from uuid import UUID

from holdfast import HoldfastError, RetryPolicy, StoredObject
from holdfast import operations as ops
from holdfast.conversation import Pause, Report, Send, conversation
from holdfast.credentials import Credentials
from holdfast.errors import reply_error, result_of
from holdfast.request import Lost, Reply, Request
from holdfast.retry import backoff, is_temporary, request_pause, stream_pause
from holdfast.stored import etag_header, json_bytes
from holdfast.stream_state import refusals

POLICY = RetryPolicy(attempts=3, first_pause=1.0, longest_pause=8.0)
PROBLEM = {"content-type": "application/problem+json"}
JSON = {"content-type": "application/json"}


def problem(status, code, headers=None, **members):
    content = json.dumps({"code": code, "detail": "A fault.", "status": status, **members}).encode()
    return Reply(status, {**PROBLEM, **(headers or {})}, content)


class Values(unittest.TestCase):
    def test_values_of_python_take_the_forms_of_the_service(self):
        time = datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone(timedelta(hours=1)))
        value = {"d": Decimal("1.10"), "b": b"\x00\xff", "t": time, "u": UUID(int=1)}
        self.assertEqual(json.loads(json_bytes(value)), {
            "d": "1.10", "b": "AP8=", "t": "2026-01-02T03:04:05+01:00",
            "u": "00000000-0000-0000-0000-000000000001"})

    def test_values_without_a_form_are_refused(self):
        for value, error in ((datetime(2026, 1, 1), TypeError), (float("nan"), ValueError),
                             ({1, 2}, TypeError)):
            with self.assertRaises(error):
                json_bytes({"a": value})

    def test_an_etag_is_sent_in_quotes_however_it_was_got(self):
        for etag in ("abc-1", '"abc-1"', 'W/"abc-1"', StoredObject({}, "abc-1"),
                     StoredObject({"$version": "abc-1"})):
            self.assertEqual(etag_header(etag), '"abc-1"')
        self.assertEqual(etag_header("*"), "*")
        with self.assertRaises(ValueError):
            etag_header(StoredObject({"a": 1}))


class Requests(unittest.TestCase):
    def test_a_key_is_one_segment_of_the_path(self):
        for key, path in ((7, "7"), ("a b", "a%20b"), ("50%", "50%25"), ("é?#", "%C3%A9%3F%23")):
            request = ops.get("Task", key, None, None).request
            self.assertEqual(request.url("http://h"), f"http://h/v1/classes/Task/objects/{path}")

    def test_a_key_that_no_path_can_carry_is_a_parameter(self):
        for key, text in ((None, "null"), ("", "%22%22"), (".", "%22.%22"), ("..", "%22..%22"),
                          ("a/b", "%22a%2Fb%22")):
            request = ops.delete("Task", key, None).request
            self.assertEqual(request.url("http://h"), f"http://h/v1/classes/Task/object?key={text}")

    def test_only_requests_without_another_effect_are_repeated(self):
        repeatable = [
            ops.get("T", 1, None, None), ops.page("T", {}, None), ops.replace("T", 1, {}, None, None),
            ops.delete("T", 1, None), ops.create("T", {}, None, "key"),
            ops.patch("T", 1, {}, "e-1", False, "key"), ops.transaction([], None, "key")]
        once = [
            ops.create("T", {}, None, None), ops.patch("T", 1, {}, None, False, None),
            ops.replace("T", 1, {}, "e-1", None), ops.replace("T", 1, {}, None, "*"),
            ops.delete("T", 1, "e-1"), ops.transaction([], None, None), ops.sign_up("a", "b")]
        self.assertTrue(all(call.request.is_repeatable for call in repeatable))
        self.assertFalse(any(call.request.is_repeatable for call in once))

    def test_a_patch_says_which_kind_it_is(self):
        for changes, kind in (({"a": 1}, "merge"), ([{"op": "remove", "path": "/a"}], "json")):
            request = ops.patch("T", 1, changes, None, False, None).request
            self.assertEqual(request.headers["Content-Type"], f"application/{kind}-patch+json")

    def test_the_token_is_sent_except_for_a_sign_in(self):
        self.assertEqual(
            ops.get("T", 1, None, None).request.all_headers("t"), {"Authorization": "Bearer t"})
        self.assertNotIn("Authorization", ops.sign_in("a", "b").request.all_headers("t"))


class Errors(unittest.TestCase):
    def test_a_problem_is_read_whole(self):
        fault = {"code": "unknown-property", "detail": "None.", "pointer": "/nmae", "hint": "name"}
        error = reply_error(problem(
            412, "precondition-failed", {"retry-after": "3"}, errors=[fault],
            current={"etag": "e-1", "object": {"id": 1}}))
        self.assertEqual((error.status, error.code, error.detail), (412, "precondition-failed", "A fault."))
        self.assertEqual((error.hint, error.faults[0].pointer), ("name", "/nmae"))
        self.assertEqual((error.current, error.current.etag, error.retry_after), ({"id": 1}, "e-1", 3.0))

    def test_the_reply_of_a_proxy_is_unexpected_and_passes(self):
        for content in (b"<h1>Bad Gateway</h1>", b"", b"{"):
            error = reply_error(Reply(502, {"content-type": "text/html"}, content))
            self.assertEqual((error.status, error.code, error.hint), (502, "unexpected-reply", None))
            self.assertTrue(is_temporary(error))

    def test_only_json_with_a_status_of_2xx_is_a_result(self):
        html, of_json = {"content-type": "text/html"}, {"content-type": "application/json; charset=utf-8"}
        foreign = [
            Reply(308, {"location": "https://elsewhere/"}, b""), Reply(304, {}, b""), Reply(302, html, b"<a>Moved</a>"),
            Reply(200, html, b"<h1>Sign in to the Wi-Fi</h1>"), Reply(200, of_json, b'{"id":')]
        for call in (ops.get("T", 1, None, None), ops.delete("T", 1, None), ops.page("T", {}, None), ops.make_stream({})):
            for reply in foreign[:4] if call.request.method == "DELETE" else foreign:
                with self.subTest(call=call.request.method, status=reply.status), self.assertRaises(HoldfastError) as raised:
                    result_of(call, reply)
                error = raised.exception
                self.assertEqual((error.status, error.code, is_temporary(error)), (reply.status, "unexpected-reply", True))
        for call in (ops.page("T", {}, None), ops.make_stream({})):
            for content in (b"", b"[]", b"{}"):
                with self.assertRaises(HoldfastError):
                    result_of(call, Reply(200, of_json, content))
        self.assertEqual(result_of(ops.get("T", 1, None, None), Reply(200, of_json, b'{"id":1}')), {"id": 1})

    def test_a_refused_stream_names_its_queries(self):
        def error(code, *pointers):
            faults = [{"code": code, "detail": ".", "pointer": pointer} for pointer in pointers]
            return reply_error(problem(400, code, errors=faults))
        names = ["q1", "q2", "q3"]
        for found, expected in (
                (error("query-syntax", "/queries/q2/filter"), ["q2"]),
                (error("query-syntax", "/queries/q3", "/queries/q1/sort", "/queries/q9"), ["q1", "q3"]),
                (error("too-many-queries", "/queries"), ["q3"]),
                (error("not-allowed"), names)):
            refused = refusals(found, names)
            self.assertEqual(sorted(refused), expected)
            self.assertEqual({error.code for error in refused.values()}, {found.code})


class Retries(unittest.TestCase):
    def test_a_pause_doubles_up_to_the_longest_one(self):
        self.assertEqual([backoff(n, POLICY, 1.0) for n in (1, 2, 3, 4, 5, 9)], [1, 2, 4, 8, 8, 8])
        self.assertEqual(backoff(2, POLICY, 0.0), 1.0)
        self.assertEqual(backoff(100_000, POLICY, 1.0), 8.0)

    def test_what_is_tried_again(self):
        safe, once = Request("GET", "/", is_repeatable=True), Request("POST", "/")
        text = {"content-type": "text/html"}
        table = [
            # outcome, pause of a repeatable request, pause of another one
            (Lost("refused", False), 1, 1),
            (Lost("cut", True), 1, None),
            (Reply(503, text, b""), 1, 1),
            (Reply(429, text, b""), 1, 1),
            (Reply(502, text, b""), 1, None),
            (Reply(504, text, b""), 1, None),
            (Reply(500, text, b""), None, None),
            (Reply(404, text, b""), None, None),
            (Reply(200, text, b""), None, None),
            (Reply(503, {**text, "retry-after": "5"}, b""), 5, 5),
            (Reply(503, {**text, "retry-after": "9"}, b""), None, None),
            (problem(503, "stopping"), 1, 1),
            (problem(503, "query-too-slow"), None, None),
            (problem(429, "too-many-tries", {"retry-after": "1"}), None, None)]
        for outcome, first, second in table:
            with self.subTest(outcome=outcome):
                self.assertEqual(request_pause(safe, outcome, 1, POLICY, 1.0), first)
                self.assertEqual(request_pause(once, outcome, 1, POLICY, 1.0), second)

    def test_the_attempts_are_limited(self):
        request, lost = Request("GET", "/", is_repeatable=True), Lost("refused", False)
        pauses = [request_pause(request, lost, attempts, POLICY, 1.0) for attempts in (1, 2, 3)]
        self.assertEqual(pauses, [1, 2, None])

    def test_a_stream_comes_back_when_it_said_so(self):
        self.assertEqual(stream_pause(0, 2.5, None, POLICY, 1.0), 2.5)
        self.assertEqual(stream_pause(0, 60.0, None, POLICY, 1.0), 8.0)
        self.assertEqual(stream_pause(0, None, None, POLICY, 1.0), 1.0)
        self.assertEqual(stream_pause(3, 2.5, None, POLICY, 1.0), 4.0)
        self.assertEqual(stream_pause(1, 2.5, 6.0, POLICY, 1.0), 6.0)


class Conversations(unittest.TestCase):
    def course(self, call, answers, credentials=None, on_report=lambda: None):
        """Drives a conversation with answers. Returns its steps, and its result or error."""
        course = conversation(call, credentials or Credentials(None), POLICY, lambda: 1.0)
        steps, answers, answer = [], iter(answers), None
        while True:
            try:
                step = course.send(answer)
            except StopIteration as end:
                return steps, end.value
            except HoldfastError as error:
                return steps, error
            steps.append(step)
            answer = next(answers) if isinstance(step, Send) else None
            if isinstance(step, Report):
                on_report()

    def test_a_request_waits_for_the_service_and_then_succeeds(self):
        call = ops.get("T", 1, None, None)
        steps, result = self.course(
            call, [Lost("refused", False), problem(503, "stopping"), Reply(200, JSON, b'{"id":1}')])
        self.assertEqual([type(step) for step in steps], [Send, Pause, Send, Pause, Send])
        self.assertEqual(result, {"id": 1})

    def test_a_lost_reply_of_a_write_is_reported(self):
        steps, error = self.course(ops.create("T", {}, None, None), [Lost("cut", True)])
        self.assertEqual((len(steps), error.status, error.code), (1, None, "connection-failed"))

    def test_a_session_that_has_ended_is_reported_once(self):
        credentials = Credentials("t")
        answers = [problem(401, "token-invalid")]
        steps, error = self.course(ops.get("T", 1, None, None), answers, credentials)
        self.assertEqual([type(step) for step in steps], [Send, Report])
        self.assertEqual(error.code, "token-invalid")
        steps, error = self.course(ops.get("T", 1, None, None), answers, credentials)
        self.assertEqual([type(step) for step in steps], [Send])

    def test_a_refused_request_is_sent_again_after_a_sign_in(self):
        credentials = Credentials("old")
        steps, result = self.course(
            ops.get("T", 1, None, None), [problem(401, "token-invalid"), Reply(200, JSON, b"{}")],
            credentials, lambda: credentials.set("new", "ann"))
        self.assertEqual([step.token for step in steps if isinstance(step, Send)], ["old", "new"])
        self.assertEqual(result, {})

    def test_a_wrong_password_is_no_ended_session(self):
        steps, error = self.course(
            ops.sign_in("a", "b"), [problem(401, "sign-in-refused")], Credentials("t"))
        self.assertEqual(([type(step) for step in steps], error.code), ([Send], "sign-in-refused"))
