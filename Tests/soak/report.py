"""Counts scenarios, prints the checks that fail, and ends a run that hangs."""
import os
import sys
import threading
import time
import traceback

from server import Server


class Report:
    """The outcome of a run. Thread-safe."""

    def __init__(self):
        self.passed = self.failed = 0
        # The checks of the scenario that runs.
        self.held = self.missed = 0
        self.lock = threading.Lock()
        self.started = time.monotonic()
        self.title = ""

    def note(self, text):
        print(f"[{time.monotonic() - self.started:6.1f}] {text}", flush=True)

    def check(self, name, holds, detail=""):
        """Counts a check for its scenario; tells about it when it fails."""
        with self.lock:
            if holds:
                self.held += 1
            else:
                self.missed += 1
        if not holds:
            self.note(f"FAILED {self.title}: {name}{': ' + str(detail)[:6000] if detail else ''}")
        return bool(holds)

    def skip(self, name):
        self.note(f"skipped {self.title}: {name}")

    def run(self, title, body, seconds_max):
        """Runs one scenario, which fails with one of its checks, with an exception or when it takes too long."""
        self.title, self.held, self.missed = title, 0, 0
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
            self._count()

    def _count(self):
        if self.missed:
            self.failed += 1
        else:
            self.passed += 1
        self.note(f"== {self.title}: {self.held} checks held, {self.missed} failed")

    def _give_up(self, title, seconds):
        self.check(f"{title} ends within {seconds} s", False)
        where = sys._current_frames().get(threading.main_thread().ident)
        traceback.print_stack(where, file=sys.stdout)
        Server.end_all()
        Server.remove_directories()
        self._count()
        self.summarize()
        sys.stdout.flush()
        os._exit(1)

    def summarize(self):
        print(f"{self.passed} passed, {self.failed} failed", flush=True)
        return 1 if self.failed else 0
