"""The server under test, as a process of its own."""
import atexit
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BINARY = Path(os.environ.get("HOLDFAST_BINARY") or ROOT / ".build" / "debug" / "holdfast")
if not BINARY.is_absolute():
    BINARY = ROOT / BINARY
#: What is waited for comes at once, unless the machine is busy with something else.
WAIT_SECONDS_MAX = 60


class Server:
    """`holdfast serve` on a data directory; started and killed again and again."""

    _all = []
    _directories = []
    _lock = threading.Lock()

    def __init__(self, data, *options, environment=None):
        self.data = str(data)
        self.options = options
        self.environment = dict(os.environ, **(environment or {}))
        self.process = None
        self.host = self.port = None
        #: The log of every start, in order.
        self.log_path = tempfile.mktemp(prefix="log-", dir=Server.temporary_directory())
        self.peak_rss = 0

    @classmethod
    def temporary_directory(cls, parent=None):
        """A new directory, removed at the end of the run."""
        path = tempfile.mkdtemp(prefix="holdfast-soak-", dir=parent)
        with cls._lock:
            cls._directories.append(path)
        return path

    def spawn(self):
        """Starts the process and does not wait until it serves."""
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                [BINARY, "serve", "--data", self.data, "--listen", "127.0.0.1:0", *self.options],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, env=self.environment)
        with Server._lock:
            Server._all.append(self.process)

    def start(self, seconds=60):
        """Starts the process and waits until it serves."""
        self.spawn()
        timer = threading.Timer(seconds, self.process.kill)
        timer.start()
        try:
            line = self.process.stdout.readline().decode()
        finally:
            timer.cancel()
        match = re.search(r"http://([0-9.]+):(\d+)", line)
        if not match:
            self.process.wait()
            raise RuntimeError(f"the server did not start: {line!r} {self.log()[-2000:]}")
        self.host, self.port = match.group(1), int(match.group(2))
        return self

    def kill(self):
        """kill -9, and waits for the end."""
        if self.process and self.process.poll() is None:
            self.rss()
            self.process.kill()
        self._reap()

    def terminate(self, seconds=60):
        """SIGTERM; returns the exit status, or None when it had to be killed."""
        self.rss()
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = None
        self._reap()
        return status

    def _reap(self):
        if self.process:
            self.process.wait()
            self.process.stdout.close()
            with Server._lock:
                if self.process in Server._all:
                    Server._all.remove(self.process)

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def rss(self):
        """Bytes of memory that are not the mapped store: RssAnon of proc(5)."""
        try:
            for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
                if line.startswith("RssAnon:"):
                    size = int(line.split()[1]) << 10
                    self.peak_rss = max(self.peak_rss, size)
                    return size
        except OSError:
            pass
        return 0

    def log(self):
        return Path(self.log_path).read_text(errors="replace")

    def error_lines(self):
        """Lines of the log that tell of errors."""
        return [line for line in self.log().splitlines()
                if '"level":"error"' in line or "Fatal error" in line]

    @classmethod
    def end_all(cls):
        with cls._lock:
            left = list(cls._all)
            cls._all.clear()
        for process in left:
            if process.poll() is None:
                process.kill()
            process.wait()

    @classmethod
    def remove_directories(cls):
        with cls._lock:
            left = list(cls._directories)
            cls._directories.clear()
        for path in left:
            shutil.rmtree(path, ignore_errors=True)


def can_check():
    """Whether this `holdfast` has the verb `check`."""
    return subprocess.run(
        [BINARY, "check", "--help"], stdin=subprocess.DEVNULL, capture_output=True).returncode == 0


def check_store(data, seconds=300):
    """Runs `holdfast check`; returns (status, what it said)."""
    done = subprocess.run(
        [BINARY, "check", "--data", str(data)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, timeout=seconds)
    return done.returncode, done.stdout


def wait_until(condition, seconds, pause=0.02):
    """Whether a condition becomes true in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(pause)
    return True


atexit.register(Server.remove_directories)
atexit.register(Server.end_all)
