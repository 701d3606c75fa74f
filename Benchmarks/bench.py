#!/usr/bin/env python3
"""Measures Holdfast beside its references on this machine: `bench.py [--quick] [--only ROW]…`.

docs/benchmarks.md says what each row compares, how figures are taken and how to read them.
"""
import argparse
import datetime
import pathlib
import shlex
import signal
import sys
import time

from driver import (report, rows_aggregate, rows_collection, rows_fair, rows_follow, rows_library, rows_read, rows_schema,
                    rows_sign_in, rows_stream, rows_user, rows_write)
from driver.bench import Bench
from driver.processes import BenchError, foreign_seconds, stop_all
from driver.results import Row
from driver.servers import installed

ROOT = pathlib.Path(__file__).resolve().parent
REPOSITORY = ROOT.parent

ROWS = {
    "point-get": rows_read.point_get,
    "put-indexed": rows_write.put_indexed,
    "put-plain": rows_write.put_plain,
    "page": rows_read.page,
    "import": rows_write.import_cities,
    "export": rows_read.export,
    "scan": rows_read.scan,
    "embedded": rows_read.embedded,
    "aggregates": rows_aggregate.aggregates,
    "large-list": rows_collection.large_list,
    "add-property": rows_schema.add_property,
    "migration": rows_schema.migration,
    "events": rows_stream.events,
    "idle-streams": rows_stream.idle_streams,
    "beside-idle": rows_stream.beside_idle,
    **rows_follow.ROWS,
    "slow-queries": rows_fair.slow_queries,
    **rows_user.ROWS,
    "sign-ins": rows_sign_in.sign_ins,
    **rows_library.ROWS,
}


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], epilog="Rows: " + ", ".join(ROWS) + ".",
        formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--only", action="append", metavar="ROW", choices=ROWS, help="run this row alone (may be repeated)")
    add("--quick", action="store_true", help="small and short: shows that all works, not what it costs")
    add("--references-only", action="store_true", help="leave Holdfast out")
    add("--objects", type=int, default=100_000, help="objects of a store (default %(default)s)")
    add("--large", type=int, default=1_000_000, help="objects of a large store (default %(default)s)")
    add("--rounds", type=int, default=5, help="interleaved rounds, of which medians are taken (default %(default)s)")
    add("--seconds", type=int, default=5, help="length of one run (default %(default)s)")
    add("--connections", type=int, default=64, help="connections of the load (default %(default)s)")
    add("--group", type=int, default=32, help="writes a commit of bare LMDB (default %(default)s)")
    add("--chunked", action="store_true", help="upload imports in chunks instead of with Content-Length")
    add("--holdfast", default=REPOSITORY / ".build/release/holdfast", metavar="PROGRAM")
    add("--base", metavar="PROGRAM", help="an earlier program, which `without-rules` measures too")
    add("--embedded", default=REPOSITORY / ".build/release/HoldfastBenchmarks", metavar="PROGRAM",
        help="the executable with the embedded rows")
    add("--serve-args", type=shlex.split, default=[], metavar="'ARGS'", help="more options for `holdfast serve`")
    add("--wrk", default="wrk", metavar="PROGRAM")
    add("--nginx", default="/usr/sbin/nginx", metavar="PROGRAM")
    add("--nginx-http", default="", metavar="'DIRECTIVES'", help="more directives for nginx's http block")
    add("--redis", default="redis-server", metavar="PROGRAM")
    add("--webdis", default="webdis", metavar="PROGRAM")
    add("--world", default=REPOSITORY / "Examples/world", metavar="DIR", help="the world data set")
    add("--work", default="/var/tmp", metavar="DIR",
        help="where stores are made: a disk, not a tmpfs (default %(default)s)")
    add("--cache", default=REPOSITORY / ".build/bench/data", metavar="DIR", help="where generated data is kept")
    add("--build", default=REPOSITORY / ".build/bench", metavar="DIR", help="where references are compiled")
    add("--results", default=ROOT / "results", metavar="DIR")
    add("--keep", action="store_true", help="keep the temporary directory")
    add("--strict", action="store_true", help="exit with 1 when a target is missed")
    add("--hold-streams", metavar="PORT:COUNT:CLASS:CONNECTIONS", help=argparse.SUPPRESS)
    settings = parser.parse_args()
    if settings.quick:
        settings.objects, settings.large = min(settings.objects, 20_000), min(settings.large, 100_000)
        settings.rounds, settings.seconds = min(settings.rounds, 2), min(settings.seconds, 2)
    if min(settings.objects, settings.large) < 1000 or min(settings.rounds, settings.seconds) < 1:
        parser.error("--objects and --large must be at least 1000, --rounds and --seconds at least 1")
    return settings


def run(settings):
    """Runs the rows and writes the report; the exit status."""
    started, foreign_before = time.monotonic(), foreign_seconds()
    rows = []
    with Bench(ROOT, settings) as bench:
        description = {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                       "machine": report.machine(settings),
                       "settings": {name: getattr(settings, name) for name in (
                           "objects", "large", "rounds", "seconds", "connections", "group", "quick", "only")}}
        if "tmpfs" in description["machine"]["work"]:
            bench.say("the work directory is in memory: durable writes will look free; use --work DIR on a disk")
        if not bench.has_holdfast:
            bench.say(f"Holdfast is left out ({settings.holdfast}): the references alone are measured")
        for name in settings.only or ROWS:
            bench.say(name)
            bench.salt += 1000
            try:
                row = ROWS[name](bench)
            except BenchError as error:
                row = Row(name, name, error=str(error))
            rows.append(row)
            print(report.table([row]), flush=True)
            description["machine"]["foreign_cores"] = max(
                0.0, (foreign_seconds() - foreign_before) / (time.monotonic() - started))
            # After each row: a run that is interrupted leaves those that it has measured.
            paths = report.write(settings.results, rows, description)
    checks = [check for row in rows for check in row.checks if check.ok is not None]
    missed = [check for check in checks if not check.ok]
    failed = [row for row in rows if row.error]
    print(f"\n{len(checks) - len(missed)} of {len(checks)} bars met, {len(failed)} rows failed, "
          f"{time.monotonic() - started:.0f} s. {paths[0]} {paths[1]}")
    return 1 if failed or (settings.strict and missed) else 0


def main():
    settings = arguments()
    if settings.hold_streams:
        port, count, class_name, connection_count = settings.hold_streams.split(":")
        rows_stream.hold_streams(int(port), int(count), class_name, int(connection_count))
    if not installed(settings.wrk):
        sys.exit("wrk is not installed: apt-get install wrk")

    def interrupted(number, frame):
        raise SystemExit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupted)
    try:
        sys.exit(run(settings))
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        stop_all()


if __name__ == "__main__":
    main()
