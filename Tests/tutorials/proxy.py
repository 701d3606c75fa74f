"""Runs docs/tutorials/behind-a-proxy.md with the real proxies, on free ports of loopback.

The page's blocks write the configurations, so its own text is tested. Steps of a proxy that is not
installed are skipped and counted.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(Path(__file__).resolve().parent), str(ROOT / "Tests" / "support")]

from documents import Shell, blocks  # noqa: E402
from service import BINARY, free_ports  # noqa: E402
from views import look  # noqa: E402
from walk import fault  # noqa: E402

PAGE = "docs/tutorials/behind-a-proxy.md"
PARTS = [
    # The heading of a part, and the programs that its steps need.
    ("## Start the service", ["openssl"]),
    ("## nginx", ["openssl", "nginx"]),
    ("## Caddy", ["openssl", "caddy"]),
    ("## Stop the service", ["openssl"]),
]
PORTS = ["8080", "8443", "9443"]
STOP_NGINX = 'nginx -p "$PWD" -e nginx-error.log -c nginx.conf -s quit'
PAGE_SECONDS_MAX = 300
PROGRAMS = f"{os.environ.get('PATH', '/usr/bin:/bin')}:/usr/sbin"


def steps(heading):
    """The commands of a part, each with the block that has its output."""
    found = []
    for block in blocks(PAGE, heading):
        if block.kind == "sh":
            found.append([block, None])
        elif block.kind in ("json", "text") and found and found[-1][1] is None:
            found[-1][1] = block
    return found


def run(shell, ports, block, expected):
    """Runs a step, and returns whether it is as the page says."""
    text = block.text
    for name, port in ports.items():
        text = re.sub(rf"\b{name}\b", str(port), text)
    output, status = shell.run(text)
    problem = f"status {status}" if status else fault(expected, output) if expected else None
    place = f"{PAGE}:{block.line}"
    if problem is None:
        print(f"ok    {place}")
        return True
    print(f"FAIL  {place}: {problem}\n--- commands\n{block.text}\n--- expected\n"
          f"{expected.text if expected else ''}\n--- printed\n{output}\n---", flush=True)
    return False


def end(folder):
    """Ends the programs that a failed step has left: each has the folder as its own."""
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and os.readlink(entry / "cwd") == folder:
                os.kill(int(entry.name), signal.SIGKILL)
        except OSError:
            continue


def check(binary):
    """Runs the page; returns how many steps passed, failed and were skipped."""
    passed, failed, skipped = 0, 0, 0
    ports = dict(zip(PORTS, free_ports(len(PORTS))))
    with tempfile.TemporaryDirectory(prefix="holdfast-proxy-") as place:
        folder, path = Path(place, "work"), Path(place, "bin")
        folder.mkdir()
        path.mkdir()
        (path / "holdfast").symlink_to(Path(binary).resolve())
        shell = Shell(folder, dict(os.environ, PATH=f"{path}:{PROGRAMS}", HOME=str(folder)))
        watchdog = subprocess.Popen(
            ["sh", "-c", f"sleep {PAGE_SECONDS_MAX}; kill -9 {shell.process.pid}"], start_new_session=True)
        try:
            for heading, programs in PARTS:
                wanted = steps(heading)
                missing = [program for program in programs if not shutil.which(program, path=PROGRAMS)]
                if missing:
                    print(f"skip  {PAGE}: {len(wanted)} steps of {heading!r}, no {missing[0]} here")
                    skipped += len(wanted)
                    continue
                for block, expected in wanted:
                    if block.text.startswith(STOP_NGINX):
                        counts = look(
                            PAGE, f"https://localhost:{ports['8443']}", f"http://127.0.0.1:{ports['8080']}",
                            (folder / "ops.token").read_text().strip())
                        passed, failed, skipped = map(sum, zip(counts, (passed, failed, skipped)))
                    if run(shell, ports, block, expected):
                        passed += 1
                    else:
                        failed += 1
            shell.end()
        except (RuntimeError, OSError) as error:
            failed += 1
            print(f"FAIL  {PAGE}: {error}", flush=True)
        finally:
            os.killpg(watchdog.pid, signal.SIGKILL)
            watchdog.wait()
            end(str(folder))
    return passed, failed, skipped


if __name__ == "__main__":
    totals = check(BINARY)
    print("{} passed, {} failed, {} skipped".format(*totals), flush=True)
    sys.exit(1 if totals[1] else 0)
