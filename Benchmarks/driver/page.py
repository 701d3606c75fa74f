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
    """The machine, and each figure that has a target: bars first, then the others."""
    rows = [Row.from_dict(row) for row in run["rows"]]
    lines = [_machine(run), ""]
    for row in rows:
        if row.error:
            lines += [f"`{row.name}` failed: {_cell(row.error)}", ""]
    lines += ["![The share of each target that is used](benchmarks.svg)", ""]
    described = set()
    for title, word, part in (("Bars", "bars", [row for row in rows if row.is_bar]),
                              ("Figures", "targets of figures", [row for row in rows if not row.is_bar])):
        checks = [check for row in part for check in row.checks if check.ok is not None]
        lines += [f"### {title}", "", f"**{sum(check.ok for check in checks)} of {len(checks)} {word} met.** Missed ones "
                  "are first, the furthest from its target at the top; then those that were not measured.", "",
                  "| row | figure of | figure | target | | contestants in this run |", "|---|---|---|---|---|---|"]
        for row, check in sorted(((row, check) for row in part for check in row.checks if check.target is not None),
                                 key=lambda pair: _order(pair[1])):
            lines.append("| " + " | ".join((
                f"`{row.name}`", _cell(check.name), _figure(check), _target(check), _verdict(check),
                _cell(_contestants(row, check, described)))) + " |")
        lines.append("")
    return "\n".join(lines)


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


def _contestants(row, check, described):
    """What a check was made of: figures with its name, or with a row's first check those of all who were under load.

    Each is shown once; `described` is what was.
    """
    named = next((label for label in row.figures if check.name.startswith(label)), None)
    key = (row.name, named)
    if key in described or (named is None and not any(label.startswith("Holdfast") for label in row.figures)):
        return ""
    described.add(key)
    if named is not None and "cpu_us" not in row.figures[named]:
        return _times(row.figures[named])
    shown = [named] if named is not None else [label for label in row.figures if "cpu_us" in row.figures[label]]
    return "; ".join(_load(label, row.figures[label]) for label in shown)


def _times(figures):
    """Figures in their order, with those of `NAME, MORE` behind that of `NAME` in brackets."""
    parts = []
    for name in figures:
        if not any(name.startswith(f"{other}, ") for other in figures):
            more = ", ".join(f"{other[len(name) + 2:]} {report.number(figures[other])}" for other in figures
                             if other.startswith(f"{name}, "))
            parts.append(f"{name} {report.number(figures[name])}" + (f" ({more})" if more else ""))
    return "; ".join(parts)


def _load(label, figures):
    parts = [f"{figures['cpu_us']:.2f} µs of CPU"]
    if "per_second" in figures:
        parts.insert(0, f"{figures['per_second']:,.0f}/s")
    if "p99_us" in figures:
        parts.append(f"p99 {figures['p99_us'] / 1000:.1f} ms")
    return f"{label}: " + ", ".join(parts)


def _cell(text):
    return text.replace("|", "\\|").replace("\n", " ")
