"""Goes through a page as its reader does: block by block, with a shell, against a service.

Each ```sh block of a page runs in one shell, and the block behind it is what it has to print:
```json is compared as JSON, ```http as a status, headers that have to be among the reply's, and a
body, ```text line by line. `…` stands for anything. In a block without such a reply no request may be refused.
A block with `curl -sN` is a second terminal: it runs in a shell of its own in the same folder, and the next
```text block that begins with `event:` or `retry:` is what it prints in the end. ```filters are asked line by line, as
`filters.py` says.
"""
import contextlib
import json
import os
import re
import shlex
import signal
import subprocess
import time
from pathlib import Path

from documents import Shell, blocks, text_matches
from events import EventSource
from filters import problems

ADDRESS = "http://127.0.0.1:8080"
# A stream has nothing to say for longer than that only when it is broken.
STREAM_SECONDS_MAX = 60
# Notes each request that was refused in a file; the status of `curl` stays what it is without `--fail-with-body`.
CURL = """curl() {
    local status=0
    command curl --fail-with-body "$@" || status=$?
    if ((status == 22)); then status=0; printf '%s ' "${!#}" >> "$refused"; fi
    return $status
}
"""


class CurlShell(Shell):
    """The first terminal: one shell for all blocks of a walk-through but those of streams."""

    def __init__(self, folder, environment=None):
        self.refused = Path(folder) / ".refused"
        super().__init__(
            folder, environment, preamble=f"refused={shlex.quote(str(self.refused))}\n{CURL}", session=True)

    def take_refused(self):
        """The last words of the requests that were refused since this was asked last."""
        words = self.refused.read_text() if self.refused.exists() else ""
        self.refused.unlink(missing_ok=True)
        return words.strip()


def matches(expected, actual):
    """Whether a JSON value is as expected, where "…" is any value."""
    if expected == "…":
        return True
    if isinstance(expected, str):
        return isinstance(actual, str) and text_matches(expected, actual)
    if isinstance(expected, dict):
        return isinstance(actual, dict) and list(expected) == list(actual) and all(
            matches(value, actual[name]) for name, value in expected.items())
    if isinstance(expected, list):
        return isinstance(actual, list) and len(expected) == len(actual) and all(
            map(matches, expected, actual))
    return type(expected) is type(actual) and expected == actual


def documents(text):
    """The JSON documents that stand one behind the other."""
    found, decoder, rest = [], json.JSONDecoder(), text.strip()
    while rest:
        value, end = decoder.raw_decode(rest)
        found.append(value)
        rest = rest[end:].lstrip()
    return found


def fault(expected, output):
    """Why an output is not as expected; nothing when it is."""
    if expected.kind == "json":
        try:
            same = matches(documents(expected.text), documents(output))
        except ValueError as error:
            return f"no JSON: {error}"
    elif expected.kind == "http":
        same = http_matches(expected.text, output)
    else:
        same = text_matches(expected.text, output.rstrip("\n"))
    return None if same else "the output differs"


def http_matches(expected, output):
    expected_head, _, expected_body = expected.partition("\n\n")
    head, _, body = output.replace("\r\n", "\n").partition("\n\n")
    lines = head.split("\n")
    wanted = expected_head.split("\n")
    return wanted[0] == lines[0].strip() and text_matches(expected_body, body) and all(
        any(text_matches(field, line) for line in lines[1:]) for field in wanted[1:])


def without_heartbeats(stream):
    """A stream without the signs of life that it gives while it has nothing to say: an `id` by itself."""
    return "\n\n".join(
        block for block in stream.split("\n\n") if not re.fullmatch(r"id: .*", block))


class Walk:
    """One walk-through from its first block to its last."""

    def __init__(self, document, heading, service, folder, environment=None):
        self.document, self.service = document, service
        self.blocks = blocks(document, heading)
        self.folder = folder
        # The variables of the page's programs; without them, those of this program.
        self.environment = environment
        self.shell = CurlShell(folder, environment)
        # What the second terminals print, and their shells.
        self.printed = Path(folder) / "printed.txt"
        self.terminals = []
        # Follows the whole store beside the stream of a block.
        self.watch = None
        self.passed, self.failed = 0, 0

    def run(self):
        position = 0
        while position < len(self.blocks):
            block = self.blocks[position]
            position += 1
            follower = self.blocks[position] if position < len(self.blocks) else None
            if block.kind == "sh":
                has_output = follower is not None and follower.kind in ("json", "http", "text") \
                    and not follower.text.startswith(("event:", "retry:"))
                position += has_output
                self.step(block, follower if has_output else None)
            elif block.kind == "filters":
                self.report(block, "\n".join(problems(self.service, block.text)) or None)
            elif block.text.startswith(("event:", "retry:")):
                self.check_stream(block)
        self.shell.end()
        self.end()

    def end(self):
        """Ends the programs that the page has left running."""
        for process in (self.shell.process, *self.terminals):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def report(self, block, problem, expected="", output=""):
        place = f"{self.document}:{block.line}"
        if problem is None:
            self.passed += 1
            print(f"ok    {place}")
            return
        self.failed += 1
        print(f"FAIL  {place}: {problem}\n--- commands\n{block.text}")
        print(f"--- expected\n{expected}\n--- printed\n{output}\n---", flush=True)

    def step(self, block, expected):
        text = self.actual(block.text)
        if re.search(r"curl -s?N", text):
            self.printed.unlink(missing_ok=True)
            with self.printed.open("w") as output:
                self.terminals.append(subprocess.Popen(
                    ["bash", "--noprofile", "--norc", "-c", text], cwd=self.folder, env=self.environment,
                    stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True))
            # A reader types the next command when the stream has said all it has to say for now.
            has_past = "since=start" in text or "Last-Event-ID" in text
            last = "event: upToDate\n" if has_past else "event: hello\n"
            if "/aggregate/changes" in text:
                last = "event: value\n"
            is_there = self.wait_for_stream(lambda got: "\n\n" in got.partition(last)[2])
            problem = None if is_there else f"the stream says no {last.strip()}"
            self.watch = EventSource(self.service, "/v1/changes")
            return self.report(block, problem)
        output = ""
        # With a stream beside it the commands are run as a reader types them, one by one.
        for command in re.split(r"\n(?=curl )", text) if self.watch else [text]:
            if self.watch:
                self.wait_until_told()
            printed, status = self.shell.run(command)
            output += self.documented(printed)
        refused = self.shell.take_refused()
        if status:
            problem = f"status {status}"
        elif expected:
            problem = fault(expected, output)
        else:
            problem = f"refused: {refused}" if refused else None
        self.report(block, problem, expected.text if expected else "", output)

    def actual(self, text):
        """Commands of the page, with the address of the service in the place of the documented one."""
        return text.replace(ADDRESS, self.service.url)

    def documented(self, text):
        """Output, with the documented address in the place of the service's."""
        return text.replace(self.service.url, ADDRESS)

    def wait_until_told(self):
        """Waits until the service has told all streams of what was written.

        What was written since it last did so is one event, so that commands in quick succession may be one too.
        """
        def number(version):
            return int(version.rsplit("-", 1)[1]) if version else -1

        written = number(self.service.succeed("GET", "/v1").json["storeVersion"])
        events = iter(self.watch)
        while number(self.watch.last_id) < written:
            next(events)

    def wait_for_stream(self, is_done):
        end = time.monotonic() + STREAM_SECONDS_MAX
        while time.monotonic() < end:
            if is_done(self.told()):
                return True
            time.sleep(0.05)
        return False

    def told(self):
        """What the stream has printed so far; it may be in the middle of a letter."""
        if not self.printed.exists():
            return ""
        return without_heartbeats(self.printed.read_text(errors="replace"))

    def check_stream(self, block):
        is_there = self.wait_for_stream(
            lambda got: text_matches(block.text, got.rstrip("\n")))
        self.report(
            block, None if is_there else "the stream differs", block.text, self.told())
        self.watch.__exit__(None, None, None)
        self.watch = None
