"""Processes that a run starts, what they cost, and their certain end.

Every process is started through `Process`, which remembers it, so that `stop_all` ends exactly those, by
pid. The kernel is also asked to end them when the driver itself is killed.
"""
import contextlib
import ctypes
import os
import pathlib
import signal
import socket
import subprocess
import time

_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)
_running = []


class BenchError(Exception):
    """A row cannot be measured; the text says why and what to do."""


def free_port():
    """A loopback port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _end_with_parent():
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


class Process:
    """A child process with its output in a file, or with pipes as standard input and output."""

    def __init__(self, arguments, log, has_pipes=False, **options):
        self.arguments = [str(argument) for argument in arguments]
        self.log = log
        with open(log, "ab") as output:
            self.child = subprocess.Popen(
                self.arguments, stdin=subprocess.PIPE if has_pipes else subprocess.DEVNULL,
                stdout=subprocess.PIPE if has_pipes else output, stderr=output,
                preexec_fn=_end_with_parent, **options)
        _running.append(self)

    @property
    def pid(self):
        return self.child.pid

    def alive(self):
        return self.child.poll() is None

    def write(self, text):
        """Writes to its standard input, a pipe; raises with the log's end when it is gone."""
        try:
            self.child.stdin.write(text.encode())
            self.child.stdin.flush()
        except OSError:
            raise self._ended() from None

    def read_line(self):
        """A line of its standard output, a pipe; raises with the log's end when there is none."""
        line = self.child.stdout.readline()
        if not line:
            raise self._ended()
        return line

    def _ended(self):
        return BenchError(f"{os.path.basename(self.arguments[0])} ended: {self.log_tail()}")

    def stop(self, seconds=20):
        """Asks it to end, insists after `seconds`, waits until it is gone, and closes its pipes."""
        if self.alive():
            self.child.terminate()
            try:
                self.child.wait(seconds)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()
        for pipe in filter(None, (self.child.stdin, self.child.stdout)):
            # What was written and not taken is lost with it.
            with contextlib.suppress(OSError):
                pipe.close()
        if self in _running:
            _running.remove(self)

    def log_tail(self, byte_count=800):
        try:
            with open(self.log, "rb") as file:
                file.seek(0, os.SEEK_END)
                file.seek(max(0, file.tell() - byte_count))
                return file.read().decode(errors="replace").strip()
        except OSError:
            return ""

    def wait_for_port(self, port, seconds=30):
        """Returns once the port takes connections; raises with the log's end if it never does."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if not self.alive():
                break
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            except OSError:
                time.sleep(0.05)
        name = os.path.basename(self.arguments[0])
        raise BenchError(f"{name} does not answer on port {port}: {self.log_tail()}")


def stop_all():
    """Ends every process that is still running, the youngest first."""
    for process in reversed(list(_running)):
        process.stop()


def _stat(pid):
    """The fields of /proc/PID/stat behind the command's name, from `state` on."""
    with open(f"/proc/{pid}/stat", "rb") as file:
        return file.read().rpartition(b")")[2].split()


def family(pid):
    """The process and all its descendants that are alive: nginx works in its children."""
    children = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                children.setdefault(int(_stat(name)[1]), []).append(int(name))
            except (OSError, IndexError):
                continue
    found, queue = [], [pid]
    while queue:
        current = queue.pop()
        found.append(current)
        queue.extend(children.get(current, ()))
    return found


def cpu_seconds(pids):
    """User and system time of these processes together, in seconds; ended threads are included."""
    total = 0
    for pid in pids:
        fields = _stat(pid)
        total += int(fields[11]) + int(fields[12])
    return total / _TICKS_PER_SECOND


def foreign_seconds():
    """CPU time that the machine has spent on others than this process and its ended children, in seconds.

    What the hypervisor gave to others is in it. Take the difference of two calls.
    """
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, _, _, *rest = map(int, file.readline().split()[1:9])
    return (user + nice + system + sum(rest)) / _TICKS_PER_SECOND - sum(os.times()[:4])


def thread_seconds(pids):
    """The time that the threads of processes ran: in nanoseconds, where a process's own clock ticks every 10 ms.

    What threads took that have ended is not in it.
    """
    nanoseconds = 0
    for path in (path for pid in pids for path in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat")):
        # A thread may end between the listing and the look at it.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            nanoseconds += int(path.read_text().split()[0])
    return nanoseconds / 1e9


def named_thread_seconds(pid, name):
    """The time that a process's threads of a name ran, in seconds; None when it has none."""
    found = [path for path in pathlib.Path(f"/proc/{pid}/task").iterdir()
             if (path / "comm").read_text().strip() == name]
    return sum(int((path / "schedstat").read_text().split()[0]) for path in found) / 1e9 if found else None


def memory_kib(pid, field="RssAnon"):
    """A field of /proc/PID/status in KiB: RssAnon leaves out the mapped store."""
    with open(f"/proc/{pid}/status") as file:
        for line in file:
            if line.startswith(field + ":"):
                return int(line.split()[1])
    raise BenchError(f"/proc/{pid}/status has no {field}")


def connections(port):
    """The client ports of the connections that a loopback server on `port` has now."""
    wanted = f"0100007F:{port:04X}"
    clients = set()
    with open("/proc/net/tcp") as file:
        next(file)
        for line in file:
            fields = line.split()
            if fields[1] == wanted and fields[3] == "01":
                clients.add(int(fields[2].rpartition(":")[2], 16))
    return clients
