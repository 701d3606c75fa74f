"""A client of the JSON modes: a snapshot in pages, then pages of changes by long poll."""
import threading
from urllib.parse import quote

from client import Connection


class Poller(threading.Thread):
    """Follows a query page by page; goes on from its cursor whatever happens to the server."""

    def __init__(self, server, query, limit=7, wait=1):
        super().__init__(daemon=True)
        self.server, self.query, self.limit, self.wait = server, query, limit, wait
        self.objects = {}
        self.cursor = None
        self.version = -1
        self.faults = []
        self.pages = self.restarts = 0
        self.lock = threading.Lock()
        self.stopping = threading.Event()

    def run(self):
        connection = Connection(self.server)
        following, up_to_date = None, False
        while not self.stopping.is_set():
            since = following or self.cursor or "start"
            path = f"{self.query.path()}&since={quote(since)}&limit={self.limit}".replace("?&", "?")
            headers = {"Accept": "application/json"}
            if up_to_date:
                headers["Prefer"] = f"wait={self.wait}"
            try:
                reply = connection.request("GET", path, headers=headers)
            except OSError:
                # Asked again from the same cursor; the server may listen on another port now.
                connection.close()
                connection = Connection(self.server)
                self.restarts += 1
                self.stopping.wait(0.02)
                continue
            if reply.status == 503:
                self.stopping.wait(0.05)
                continue
            if reply.status != 200:
                self.faults.append(f"GET {path}: {reply}")
                return
            page = reply.json()
            self.pages += 1
            with self.lock:
                if "objects" in page:
                    for entry in page["objects"]:
                        self.objects[entry["id"]] = entry["object"]
                    following = page.get("next")
                    self.cursor = page.get("cursor")
                    up_to_date = False
                else:
                    self._take(page)
                    following, self.cursor = None, page["cursor"]
                    up_to_date = page["upToDate"]
                if self.cursor and up_to_date:
                    self.version = int(self.cursor.split(".")[0].rsplit("-", 1)[1])
        connection.close()

    def _take(self, page):
        for entry in page["changes"]:
            if entry["id"] is None:
                self.faults.append(f"a change without an id: {entry}")
            if entry["op"] in ("enter", "update"):
                self.objects[entry["id"]] = entry["object"]
            else:
                self.objects.pop(entry["id"], None)

    def is_at(self, version):
        with self.lock:
            return self.version >= version

    def place(self):
        return f"{self.query.name} at {self.version} ({self.cursor}, {self.pages} pages)"

    def state(self):
        with self.lock:
            return dict(self.objects)

    def stop(self):
        self.stopping.set()
        self.join(40)
