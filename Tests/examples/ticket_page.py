"""The page of docs/tokens.md, in Chromium: by a ticket, through restarts, and to the end of its token."""
import functools
import http.server
import json
import re
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import chromium
from service import BINARY, ROOT, Service

# Nothing here is timed; a loaded machine and a debug build are slow.
PATIENCE_SECONDS = 120
SCHEMA = {"classes": [{"name": "Task", "primaryKey": "id", "properties": {
    "id": {"type": "int"}, "title": {"type": "string"}, "done": {"type": "bool"}}}]}
#: How many tickets the page has asked for.
TICKETS = ("performance.getEntriesByType('resource')"
           ".filter(entry => entry.initiatorType === 'fetch' && entry.name.endsWith('/v1/tickets')).length")
#: What it shows.
TITLES = "JSON.stringify([...document.querySelectorAll('li')].map(item => item.textContent))"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


def make_token(service, name, right):
    """A token made by the verb, beside the service that runs or before it."""
    return subprocess.run(
        [BINARY, "token", "create", "--data", service.data, "--name", name, "--rights", right],
        check=True, capture_output=True, text=True).stdout.strip()


def page_text(api, token):
    """The page as the documentation has it, for another service and token."""
    text = (ROOT / "docs" / "tokens.md").read_text()
    page = re.search(r"^```html\n(.*?)^```$", text, re.M | re.S).group(1)
    for documented, present in (("'http://127.0.0.1:8080'", f"'{api}'"), ("'hf_…'", f"'{token}'")):
        if page.count(documented) != 1:
            raise RuntimeError(f"the page of docs/tokens.md has no {documented}")
        page = page.replace(documented, present)
    return page


class Visit:
    """The page in a browser, beside the service that it follows."""

    def __init__(self, service, page, token):
        self.service, self.page = service, page
        self.headers = {"Authorization": f"Bearer {token}"}
        self.expected = []
        self.passed = self.failed = 0

    def add(self, title):
        self.expected.append(title)
        self.service.succeed(
            "PUT", f"/v1/classes/Task/objects/{len(self.expected)}", {"title": title, "done": False}, **self.headers)

    def expect(self, what, tickets):
        """Waits until the page shows what there is, and has asked for a number of tickets that `tickets` takes."""
        end = time.monotonic() + PATIENCE_SECONDS
        found = None
        while time.monotonic() < end:
            found = json.loads(self.page.evaluate(TITLES)), self.page.evaluate(TICKETS)
            if found[0] == self.expected and tickets(found[1]):
                self.passed += 1
                return
            time.sleep(0.1)
        self.failed += 1
        print(f"FAIL  docs/tokens.md {what}: {found}, expected {self.expected}")


def follow(service, page, token, page_right):
    """Changes tasks and restarts the service while the page is open; the counts of passed and failed checks."""
    visit = Visit(service, page, token)
    visit.add("one")
    visit.expect("shows a task by a ticket", lambda count: count == 1)
    for how, title in ((signal.SIGKILL, "two"), (signal.SIGTERM, "three")):
        service.restart(how)
        visit.add(title)
        visit.expect(f"comes back with its ticket after {how.name}", lambda count: count == 1)
    # The ticket is older than one may be by now.
    service.options = (*service.options, "--ticket-age", "1s", "--ticket-restart", "1s")
    service.restart(signal.SIGKILL)
    visit.add("four")
    visit.expect("asks for another ticket when its own is over", lambda count: count > 1)
    before = page.evaluate(TICKETS)
    subprocess.run(
        [BINARY, "token", "revoke", "--data", service.data, "--name", page_right], check=True, capture_output=True)
    visit.expect("is told when its token is revoked", lambda count: count > before)
    return visit.passed, visit.failed


def check():
    """The counts of passed, failed and skipped checks."""
    if not chromium.program():
        print("skip  docs/tokens.md: no Chromium; `make setup-test` installs it")
        return 0, 0, 1
    with tempfile.TemporaryDirectory(prefix="holdfast-page-") as folder:
        pages = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
        threading.Thread(target=pages.serve_forever, daemon=True).start()
        origin = f"http://127.0.0.1:{pages.server_port}"
        with Service("--heartbeat", "1s", "--cors-origin", origin) as service:
            service.succeed("PUT", "/v1/schema", SCHEMA)
            admin = make_token(service, "admin", "admin")
            reader = make_token(service, "page", "read")
            (Path(folder) / "index.html").write_text(page_text(service.url, reader))
            with chromium.Page(origin + "/") as page:
                return *follow(service, page, admin, "page"), 0
