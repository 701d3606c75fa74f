"""The page of Examples/shared-lists in Chromium: people who sign up or come with tokens share some of their lists.

HOLDFAST_LISTS_SCREENSHOT names a file for pictures of the pages of two people in the end, with `-ann` and `-bob` before its suffix.
"""
import contextlib
import functools
import http.server
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import chromium
from service import BINARY, ROOT, Service

EXAMPLE = ROOT / "Examples" / "shared-lists"
# Nothing here is timed; a loaded machine and a debug build are slow.
PATIENCE_SECONDS = 120
PASSWORD = "correct horse battery staple"
#: The lists that a page shows, each with its tasks.
LISTS = """JSON.stringify(Object.fromEntries([...document.querySelectorAll('#lists section')].map(section =>
    [section.querySelector('h2').textContent,
     [...section.querySelectorAll('li span')].map(task => task.textContent.trim() + (task.className ? ' (done)' : ''))])))"""
KEYS = ("--jwt-keys", "keys.json", "--jwt-issuer", "https://id.example.org", "--jwt-audience", "lists")


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


class Person:
    """Somebody before the page."""

    def __init__(self, name, page):
        self.name, self.page = name, page

    def run(self, script):
        self.page.evaluate("{ " + script + "; true }")

    def fill(self, form, act="", **values):
        """Fills a form and sends it, by a button where there are several."""
        texts = "".join(f"form.elements[{json.dumps(name)}].value = {json.dumps(value)};" for name, value in values.items())
        self.run(f"const form = {form}; {texts} form.requestSubmit({act})")

    def sign_up(self):
        self.fill("document.getElementById('door')", "form.querySelector('[value=up]')", login=self.name, password=PASSWORD)

    def add_list(self, title):
        self.fill("document.getElementById('new-list')", title=title)

    def section(self, title):
        return f"""[...document.querySelectorAll('#lists section')].find(section =>
            section.querySelector('h2').textContent === {json.dumps(title)})"""

    def add_task(self, of_list, title):
        self.fill(f"{self.section(of_list)}.querySelector('form')", title=title)

    def check_task(self, of_list):
        self.run(f"{self.section(of_list)}.querySelector('[type=checkbox]').click()")

    def share(self, title, name):
        self.run(f"""const choice = {self.section(title)}.querySelector('select');
            choice.value = [...choice.options].find(option => option.textContent === {json.dumps(name)}).value;
            choice.dispatchEvent(new Event('change'))""")

    def can_share(self, title, name):
        return self.page.evaluate(f"""[...({self.section(title)}?.querySelectorAll('option') ?? [])]
            .some(option => option.textContent === {json.dumps(name)})""")


class Visits:
    """Counts what holds."""

    def __init__(self):
        self.passed = self.failed = 0

    def wait(self, what, found, expected):
        """Waits until `found()` is what is expected."""
        end = time.monotonic() + PATIENCE_SECONDS
        last = None
        while time.monotonic() < end:
            last = found()
            if last == expected:
                self.passed += 1
                return
            time.sleep(0.1)
        self.failed += 1
        print(f"FAIL  Examples/shared-lists {what}: {last}, expected {expected}")

    def shows(self, person, lists):
        self.wait(f"of {person.name}", lambda: json.loads(person.page.evaluate(LISTS)), lists)

    def shows_door(self, person):
        self.wait(
            f"shows the door to {person.name}",
            lambda: person.page.evaluate("document.getElementById('door')?.hidden + location.hash"), "false")

    def greets(self, person):
        self.wait(
            "greets", lambda: person.page.evaluate("document.getElementById('who')?.textContent ?? ''"),
            f"You are {person.name}.")


def command_count():
    """How many commands the page's README needs for accounts, from an empty folder on."""
    text = (EXAMPLE / "README.md").read_text().split("## Start it")[1].split("\n## ")[0]
    lines = "".join(re.findall(r"^```\w+\n(.*?)^```$", text, re.M | re.S)).splitlines()
    return sum(not line.startswith("put() ") for line in lines)


def commands(folder, service):
    """The commands of the page's README, as they stand: what they print."""
    text = (EXAMPLE / "README.md").read_text()
    script = "set -euo pipefail\n" + "".join(re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S))
    script += "\necho TOKENS; token dora Dora; token emil Emil\n"
    (folder / "bin").mkdir()
    (folder / "bin" / "holdfast").symlink_to(BINARY)
    (folder / "data").symlink_to(service.data)
    environment = dict(os.environ, PATH=f"{folder / 'bin'}:{os.environ['PATH']}")
    done = subprocess.run(
        ["bash", "-c", script.replace("http://127.0.0.1:8080", service.url)], cwd=folder, env=environment, check=True,
        capture_output=True, text=True)
    return done.stdout.split("TOKENS\n")[1].split()


def meet(visits, ann, bob):
    """Two people of whom one shares a list."""
    ann.add_list("Party")
    visits.shows(ann, {"Party": []})
    ann.add_list("Diary")
    bob.add_list("Work")
    visits.shows(ann, {"Diary": [], "Party": []})
    visits.shows(bob, {"Work": []})
    visits.wait(f"offers {bob.name}", lambda: ann.can_share("Party", bob.name), True)
    ann.share("Party", bob.name)
    visits.shows(bob, {"Party": [], "Work": []})
    bob.add_task("Party", "Bread")
    visits.shows(ann, {"Diary": [], "Party": ["Bread"]})
    ann.check_task("Party")
    visits.shows(bob, {"Party": ["Bread (done)"], "Work": []})
    visits.shows(ann, {"Diary": [], "Party": ["Bread (done)"]})


def leave(visits, out, refused):
    """Somebody who signs out, and somebody whose token is refused: both can sign in."""
    out.run("document.getElementById('out').click()")
    for visitor in (out, refused):
        visits.shows_door(visitor)


def picture(*people):
    target = os.environ.get("HOLDFAST_LISTS_SCREENSHOT")
    for person in people if target else ():
        path = Path(target)
        person.page.screenshot(path.with_stem(f"{path.stem}-{person.name}"))


def check():
    """The counts of passed, failed and skipped checks."""
    if not chromium.program():
        print("skip  Examples/shared-lists: no Chromium; `make setup-test` installs it")
        return 0, 0, 1
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="holdfast-lists-"))) / "lists"
        shutil.copytree(EXAMPLE, folder)
        pages = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
        threading.Thread(target=pages.serve_forever, daemon=True).start()
        stack.callback(pages.shutdown)
        origin = f"http://127.0.0.1:{pages.server_port}"
        service = stack.enter_context(Service("--heartbeat", "1s", "--cors-origin", origin))
        tokens = commands(folder, service)

        def person(name, token=""):
            address = f"{origin}/?service={service.url}" + (token and f"#token={token}")
            return Person(name, stack.enter_context(chromium.Page(address)))

        visits, began = Visits(), time.monotonic()
        ann, bob = person("ann"), person("bob")
        for visitor in (ann, bob):
            visits.shows_door(visitor)
            visitor.sign_up()
            visits.greets(visitor)
        meet(visits, ann, bob)
        picture(ann, bob)
        if command_count() != 5:
            visits.failed += 1
            print(f"FAIL  Examples/shared-lists: its README promises five commands, and has {command_count()}")
        print(f"Examples/shared-lists: {command_count()} commands, and {time.monotonic() - began:.1f} s from there to a list that is shared")
        service.options = (*service.options, KEYS[0], str(folder / KEYS[1]), *KEYS[2:])
        service.restart(15)
        dora, emil = person("Dora", tokens[0]), person("Emil", tokens[1])
        for visitor in (dora, emil):
            visits.greets(visitor)
        meet(visits, dora, emil)
        visits.shows(bob, {"Party": ["Bread (done)"], "Work": []})
        leave(visits, dora, person("Fay", tokens[0][:-8] + "AAAAAAAA"))
        return visits.passed, visits.failed, 0
