"""Load by wrk, with the servers' CPU time and the connections watched from outside."""
import json
import statistics
import time
from dataclasses import asdict, dataclass

from .processes import BenchError, Process, connections, cpu_seconds


@dataclass
class Load:
    """What one run of wrk, or the median of several, showed."""
    requests: int
    per_second: float
    p50_us: float
    p99_us: float
    cpu_us: float
    """CPU time of the server's processes, user and system, a request."""
    kept: float
    """The share of connections that were there both early and late in the run."""

    def as_dict(self):
        return asdict(self)


def run(bench, server, script, seconds, seed, **options):
    """Drives `server` with one wrk script. Raises when a request failed or connections were not kept.

    Contestants of a round are given the same seed, so they get the same requests; rows never share one
    (`bench.salt`), because a PUT that repeats what is stored may be answered without a write.
    """
    log = bench.path(f"wrk-{time.monotonic_ns()}.log")
    arguments = [bench.settings.wrk, "-t1", f"-c{bench.settings.connections}", f"-d{seconds}s", "--timeout", "20s",
                 "-s", bench.root / "load" / f"{script}.lua", server.url, "--",
                 f"seed={bench.salt + seed}"]
    arguments += [f"{name}={value}" for name, value in options.items()]
    pids = server.pids()
    before = cpu_seconds(pids)
    wrk = Process(arguments, log)
    try:
        time.sleep(seconds * 0.25)
        early = connections(server.port)
        time.sleep(seconds * 0.55)
        late = connections(server.port)
        wrk.child.wait(seconds + 30)
    finally:
        wrk.stop()
    used = cpu_seconds(pids) - before
    with open(log, encoding="utf-8", errors="replace") as file:
        reports = [line[7:] for line in file if line.startswith("REPORT ")]
    if not reports:
        raise BenchError(f"wrk failed: {wrk.log_tail()}")
    report = json.loads(reports[-1])
    if report["requests"] == 0 or report["refused"] or report["broken"]:
        raise BenchError(f"{server.label}: of {report['requests']} requests {report['refused']} were refused and "
                         f"{report['broken']} broke off; the server's log ends: {server.log_tail()}")
    kept = len(early & late) / max(1, len(early))
    if kept < 0.95:
        raise BenchError(f"{server.label} closes its connections ({kept:.0%} kept): "
                         "the figures would measure accept(2)")
    return Load(report["requests"], report["requests"] / report["seconds"], report["p50_us"], report["p99_us"],
                used * 1e6 / report["requests"], kept)


def interleave_short(bench, contestants):
    """As `interleave`, in three times the rounds of two fifths of the length (at least a second), for bars that the
    drift between two long runs can hide. A contestant is a function of a run's length in seconds and the round's
    number."""
    seconds = max(1, bench.settings.seconds * 2 // 5)
    return interleave(bench, {
        label: lambda number, measure=measure: measure(seconds, number) for label, measure in contestants.items()},
        rounds=3 * bench.settings.rounds)


def median(loads):
    """The median of each figure over several runs."""
    return Load(*(statistics.median(getattr(load, name) for load in loads) for name in Load.__dataclass_fields__))


def interleave(bench, contestants, rounds=None):
    """Runs every contestant once a round, in turn, so that drift of the machine meets all of them alike.

    `contestants` maps a label to a function of the round's number that returns a figure. The result maps
    each label to its figures, one a round, so that ratios can be taken within a round. There are as many
    rounds as the settings say, unless `rounds` does.
    """
    figures = {label: [] for label in contestants}
    for number in range(rounds or bench.settings.rounds):
        for label, measure in contestants.items():
            figures[label].append(measure(number))
    return figures


def median_ratio(above, below):
    """The median over the rounds of `above` to `below`, pairwise."""
    return statistics.median(a / b for a, b in zip(above, below))
