"""A page in headless Chromium, driven by the DevTools protocol over a pair of pipes."""
import base64
import itertools
import json
import os
import shutil
import subprocess
import tempfile

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def program():
    """The Chromium of this machine, if there is one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Page:
    """A page that is open: use it in a `with`."""

    def __init__(self, url):
        self.url = url
        self.numbers = itertools.count(1)

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="holdfast-page-", ignore_cleanup_errors=True)
        requests, self.requests = os.pipe()
        self.replies, replies = os.pipe()
        # Chromium takes requests from descriptor 3 and replies on 4. Its sandbox needs rights that a
        # container and root do not have; the page is ours.
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{requests} 4>&{replies}', "bash", program(), "--headless",
             "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
             f"--user-data-dir={self.folder.name}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            pass_fds=(requests, replies))
        os.close(requests)
        os.close(replies)
        self.reader = os.fdopen(self.replies, "rb")
        target = self.call("Target.createTarget", url=self.url)["targetId"]
        self.session = self.call(
            "Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        return self

    def __exit__(self, kind, error, trace):
        self.process.kill()
        self.process.wait()
        os.close(self.requests)
        self.reader.close()
        self.folder.cleanup()

    session = None

    def call(self, method, **parameters):
        """Calls a method of the protocol, of the page once it is there."""
        number = next(self.numbers)
        request = {"id": number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.requests, json.dumps(request).encode() + b"\0")
        while True:
            reply = json.loads(self.message())
            if reply.get("id") == number:
                if "error" in reply:
                    raise RuntimeError(f"{method}: {reply['error']}")
                return reply["result"]

    def message(self):
        """The next message, which ends with a zero byte."""
        found = bytearray()
        while (byte := self.reader.read(1)) != b"\0":
            if not byte:
                raise RuntimeError("Chromium has ended")
            found += byte
        return found

    def evaluate(self, expression):
        """The value of an expression of JavaScript."""
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"]["value"]

    def screenshot(self, path):
        """Writes a picture of the page as PNG."""
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))
