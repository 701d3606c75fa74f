"""The report: a table for the terminal, JSON for programs, an SVG plot of how much of each allowance is used."""
import json
import os
import platform
import sqlite3
from xml.sax.saxutils import escape

from .databases import DuckDB
from .results import AT_MOST
from .servers import version_line

COLUMNS = (("per_second", "per s", "{:,.0f}"), ("p50_us", "p50 µs", "{:,.0f}"), ("p99_us", "p99 µs", "{:,.0f}"),
            ("cpu_us", "CPU µs", "{:,.2f}"))
_WIDTH, _LABEL_WIDTH, _BAR_HEIGHT, _GAP, _TOP = 1140, 480, 18, 8, 62
_MET, _MISSED, _UNMEASURED = "#2f7d4f", "#b3372f", "#b9bec5"


def machine(settings):
    """What the figures depend on: processor, kernel, file system's device, versions of the peers."""
    model = ""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    with open("/proc/meminfo", encoding="utf-8") as file:
        memory = int(file.readline().split()[1]) // 1024
    versions = {"wrk": version_line([settings.wrk, "-v"]), "nginx": version_line([settings.nginx, "-v"]),
                "redis": version_line([settings.redis, "--version"]), "duckdb": DuckDB.version(),
                "sqlite": sqlite3.sqlite_version, "cc": version_line(["cc", "--version"]),
                "holdfast": version_line([str(settings.holdfast), "version"])}
    return {"processor": model, "cores": os.cpu_count(), "memory_mib": memory, "kernel": platform.release(),
            "work": _mount(settings.work), "load_average": os.getloadavg()[0], "versions": versions}


def _mount(path):
    """The device and file system type that hold `path`."""
    best = ("", "", "")
    real = os.path.realpath(path)
    with open("/proc/mounts", encoding="utf-8") as file:
        for line in file:
            device, point, kind = line.split()[:3]
            inside = real == point or real.startswith(point.rstrip("/") + "/")
            if inside and len(point) >= len(best[1]):
                best = (device, point, kind)
    return f"{best[0]} ({best[2]})"


def number(value):
    """A figure with as many digits as are worth reading."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.2f}" if abs(value) < 100 else f"{value:.0f}"


def verdict(check):
    if check.value is None:
        return "not measured"
    return {True: "ok", False: "MISS", None: ""}[check.ok]


def table(rows):
    """The rows as text: figures of everyone who took part, then the checks."""
    lines = []
    for row in rows:
        lines.append(f"\n{row.title}   [{row.name}]")
        if row.error:
            lines.append(f"  failed: {row.error}")
        known = {name for name, _, _ in COLUMNS}
        if any(known & figures.keys() for figures in row.figures.values()):
            lines.append("  " + " " * 44 + "".join(f"{title:>12}" for _, title, _ in COLUMNS))
        for label, figures in row.figures.items():
            cells = "".join(f"{shape.format(figures[name]) if name in figures else '':>12}"
                            for name, _, shape in COLUMNS)
            rest = "  ".join(f"{name} {number(value)}" for name, value in figures.items()
                             if name not in known and name not in ("requests", "kept"))
            lines.append(f"  {label:<44}{cells}  {rest}".rstrip())
        for check in row.checks:
            target = f"{check.sense} {number(check.target)}" if check.target is not None else ""
            note = f"  ({check.note})" if check.note else ""
            lines.append(f"  → {check.name:<52} {number(check.value):>9} {check.unit:<10}"
                         f"{target:<18}{verdict(check)}{note}")
        lines += [f"  note: {note}" for note in row.notes]
    return "\n".join(lines)


def plot(rows):
    """Bars of the share of each allowance that is used, the largest first; the line at 1 is the target."""
    bars = sorted(((row, check) for row in rows for check in row.checks if check.target is not None),
                  key=lambda bar: -(bar[1].share or 0))
    right = _WIDTH - 240
    longest = max([check.share for _, check in bars if check.share is not None], default=1.0)
    scale = (right - _LABEL_WIDTH) / max(1.25, min(longest, 3.0))
    limit = _LABEL_WIDTH + scale
    height = _TOP + len(bars) * (_BAR_HEIGHT + _GAP) + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        'font-family="Helvetica, Arial, sans-serif" font-size="12">',
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
        '<text x="16" y="24" font-size="16" fill="#1d232b">'
        'Holdfast: share of each target used (shorter is better)</text>',
        f'<text x="{limit:.1f}" y="{_TOP - 12}" text-anchor="middle" fill="#1d232b">target</text>']
    for index, (row, check) in enumerate(bars):
        top = _TOP + index * (_BAR_HEIGHT + _GAP)
        middle = top + _BAR_HEIGHT - 5
        parts.append(f'<text x="{_LABEL_WIDTH - 10}" y="{middle}" text-anchor="end" fill="#1d232b">'
                     f'{escape(row.name)}: {escape(check.name)}</text>')
        if check.share is None:
            parts.append(f'<text x="{_LABEL_WIDTH + 6}" y="{middle}" fill="{_UNMEASURED}">'
                         f'{verdict(check)}</text>')
            continue
        width = min(check.share * scale, right - _LABEL_WIDTH)
        word = "≤" if check.sense == AT_MOST else "≥"
        parts.append(f'<rect x="{_LABEL_WIDTH}" y="{top}" width="{max(width, 1):.1f}" height="{_BAR_HEIGHT}" rx="2" '
                     f'fill="{_MET if check.ok else _MISSED}"/>')
        parts.append(f'<text x="{max(_LABEL_WIDTH + width, limit) + 8:.1f}" y="{middle}" fill="#1d232b">'
                     f'{number(check.value)} {escape(check.unit)} ({word} {number(check.target)})</text>')
    parts.append(f'<line x1="{limit:.1f}" y1="{_TOP - 6}" x2="{limit:.1f}" y2="{height - 14}" stroke="#1d232b" '
                 f'stroke-dasharray="4 3"/>')
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def write(directory, rows, description):
    """Writes latest.json and latest.svg and returns their paths."""
    os.makedirs(directory, exist_ok=True)
    paths = os.path.join(directory, "latest.json"), os.path.join(directory, "latest.svg")
    with open(paths[0], "w", encoding="utf-8") as file:
        json.dump({**description, "rows": [row.as_dict() for row in rows]}, file, indent=1, ensure_ascii=False)
        file.write("\n")
    with open(paths[1], "w", encoding="utf-8") as file:
        file.write(plot(rows))
    return paths
