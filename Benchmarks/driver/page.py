"""The results on docs/benchmarks.md: one table and one plot of one run."""
import re

from . import report
from .results import AT_MOST, Row

BEGIN, END = "<!-- results: written by Benchmarks/publish.py -->", "<!-- end of the results -->"
_AT_REST_CORES = 0.1


def renewed(page, run):
    """The page with the results of a run of all rows in place of those that it has."""
    if run["settings"]["only"]:
        raise ValueError("the last run measured some rows only: make bench measures all")
    before, found, rest = page.partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not found or not ended:
        raise ValueError(f"the page has no lines {BEGIN} and {END}")
    return f"{before}{BEGIN}\n{results(run)}{END}{after}"


def results(run):
    """The machine, and each figure that has a bar."""
    rows = [Row.from_dict(row) for row in run["rows"]]
    lines = [_machine(run), ""]
    for row in rows:
        if row.error:
            lines += [f"`{row.name}` failed: {_cell(row.error)}", ""]
    checks = [(row, check) for row in rows for check in row.checks if check.target is not None]
    known = [check.ok for _, check in checks if check.ok is not None]
    lines += ["![The share of each bar that is used](benchmarks.svg)", "",
              f"**{sum(known)} of {len(known)} bars met.** Missed bars are first, the furthest at the top; then those that were not "
              "measured.", "", "| row | figure of | figure | bar | |", "|---|---|---|---|---|"]
    for row, check in sorted(checks, key=lambda pair: _order(pair[1])):
        lines.append("| " + " | ".join((
            f"`{row.name}`", _cell(check.name), _figure(check), _target(check), _verdict(check))) + " |")
    return "\n".join((*lines, ""))


def _order(check):
    """The missed ones first, then what was not measured, then the met ones in the order of their rows."""
    return {False: (0, -(check.share or float("inf"))), None: (1, 0), True: (2, 0)}[check.ok]


def _machine(run):
    machine, settings = run["machine"], run["settings"]
    versions = ", ".join(f"{name} {_version(text)}" for name, text in machine["versions"].items() if text)
    text = (f"{run['date'][:10]}, one run: {machine['cores']} cores of {machine['processor']}, "
            f"{machine['memory_mib'] / 1024:.0f} GiB, Linux {machine['kernel']}, stores on {machine['work']}; {versions}; "
            f"{settings['objects']:,} and {settings['large']:,} objects, rounds: "
            f"{settings['rounds']} of {settings['seconds']} s, {settings['connections']} connections.")
    foreign = machine["foreign_cores"]
    if settings["quick"] or foreign > _AT_REST_CORES:
        reasons = ["a quick one"] * settings["quick"]
        if foreign > _AT_REST_CORES:
            reasons.append(f"beside other work on the machine, which took {foreign:.1f} cores on average")
        text += f"\n\n**This run was {' and '.join(reasons)}: it shows the table, not what Holdfast costs.**"
    return text


def _version(text):
    """The number in a program's version line."""
    found = re.search(r"\d+(\.\d+)+", text)
    return found.group() if found else text


def _figure(check):
    return f"{report.number(check.value)} {check.unit}".strip() if check.value is not None else "–"


def _target(check):
    return f"{'≤' if check.sense == AT_MOST else '≥'} {report.number(check.target)} {check.unit}".strip()


def _verdict(check):
    return {True: "met", False: "**missed**", None: f"not measured{f' ({check.note})' if check.note else ''}"}[check.ok]


def _cell(text):
    return text.replace("|", "\\|").replace("\n", " ")
