"""Runs the scenarios; `HOLDFAST_SOAK=1` for the full counts, else a tenth of them."""
import argparse
import os
import random
import signal
import sys

import cursors
import faults
import kill_loop
import live
import migration_kills
import model
import repeats
import slow
import stop
from report import Report
from server import BINARY, Server

#: Name, function, bound in seconds of a tenth and of the full run.
SCENARIOS = [
    ("kill", kill_loop.run, 300, 1800),
    ("migration", migration_kills.run, 300, 1800),
    ("repeats", repeats.run, 120, 600),
    ("live", live.run, 120, 400),
    ("slow", slow.run, 200, 600),
    ("cursors", cursors.run, 200, 600),
    ("model", model.run, 900, 3600),
    ("stop", stop.run, 120, 600),
    ("faults", faults.run, 120, 120),
]


def main(default_seed):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", metavar="NAME", action="append", help="one scenario; repeatable")
    parser.add_argument("--seed", default=os.environ.get("SEED") or default_seed)
    arguments = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)
    # A plain kill ends the servers too, and removes what they stored.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    is_full = os.environ.get("HOLDFAST_SOAK") == "1"
    seed = arguments.seed or str(random.randrange(1 << 32))
    print(f"binary {BINARY}, {'full counts' if is_full else 'a tenth'}, seed {seed} (SEED={seed} repeats)")
    report = Report()
    for name, body, tenth_seconds, full_seconds in SCENARIOS:
        if arguments.only and name not in arguments.only:
            continue
        report.run(name, lambda: body(report, f"{seed}/{name}", is_full),
                   full_seconds if is_full else tenth_seconds)
    Server.end_all()
    Server.remove_directories()
    return report.summarize()
