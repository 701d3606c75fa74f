"""Opens what a tutorial leads to in Chromium, by views.mjs."""
import json
import os
import re
import shutil
import subprocess
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
SECONDS_MAX = 600


def look(document, url, service=None, admin=None):
    """Looks at a page's service, or at the console of a store with tokens, and returns how many checks passed and failed,
    and were skipped.

    `url` is the browser's address, and `service` the service's if a proxy stands between. `admin` is an admin's token.
    """
    name = Path(document).stem
    if not shutil.which("node") or not any(map(shutil.which, CHROMIUM)):
        print(f"skip  the picture of {name}: no Node.js or no Chromium; `make setup-test` installs them")
        return 0, 0, 1
    token = [link_token(service or url, admin)] if admin else []
    done = subprocess.run(
        ["node", HERE / "views.mjs", name, url, *token], env=os.environ, stdout=subprocess.PIPE, text=True, timeout=SECONDS_MAX)
    *lines, last = done.stdout.splitlines() or [""]
    print("\n".join(lines), flush=True)
    counts = re.fullmatch(r"(\d+) passed, (\d+) failed", last)
    return (int(counts[1]), int(counts[2]), 0) if counts else (0, 1, 0)


def link_token(service, admin):
    """A token as the link has it that `serve` prints: the console takes it in its address."""
    request = urllib.request.Request(
        f"{service}/v1/tokens", json.dumps({"name": "console-view", "right": "admin"}).encode(),
        {"Authorization": f"Bearer {admin}", "Content-Type": "application/json"})
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as reply:
        return json.load(reply)["token"]
