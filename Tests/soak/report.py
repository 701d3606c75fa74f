"""Counts checks, prints those that fail, and ends a run that hangs."""
import os
import sys
import threading
import time
import traceback

from server import Server


class Report:
    """The outcome of a run. Thread-safe."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.lock = threading.Lock()
        self.started = time.monotonic()
        self.title = ""

    def note(self, text):
        print(f"[{time.monotonic() - self.started:6.1f}] {text}", flush=True)

    def check(self, name, holds, detail=""):
        """Counts a check; tells about it when it fails."""
        with self.lock:
            if holds:
                self.passed += 1
            else:
                self.failed += 1
        if not holds:
            self.note(f"FAILED {self.title}: {name}{': ' + str(detail)[:6000] if detail else ''}")
        return bool(holds)

    def skip(self, name):
        with self.lock:
            self.skipped += 1
        self.note(f"skipped {self.title}: {name}")

    def run(self, title, body, seconds_max):
        """Runs one scenario; an exception is a failure, and so is taking too long."""
        self.title = title
        self.note(f"== {title}")
        timer = threading.Timer(seconds_max, self._give_up, [title, seconds_max])
        timer.daemon = True
        timer.start()
        try:
            body()
        except Exception:
            self.check("runs to its end", False, traceback.format_exc())
        finally:
            timer.cancel()
            Server.end_all()

    def _give_up(self, title, seconds):
        self.check(f"{title} ends within {seconds} s", False)
        where = sys._current_frames().get(threading.main_thread().ident)
        traceback.print_stack(where, file=sys.stdout)
        Server.end_all()
        Server.remove_directories()
        self.summarize()
        sys.stdout.flush()
        os._exit(1)

    def summarize(self):
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        print(f"{self.passed} passed, {self.failed} failed{skipped}", flush=True)
        return 1 if self.failed else 0
