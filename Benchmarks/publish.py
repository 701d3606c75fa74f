#!/usr/bin/env python3
"""Puts the results of a run of bench.py on docs/benchmarks.md: `publish.py [--results DIR]`."""
import argparse
import json
import pathlib
import shutil
import sys

from driver import page

ROOT = pathlib.Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "results", metavar="DIR")
    parser.add_argument("--docs", type=pathlib.Path, default=ROOT.parent / "docs", metavar="DIR")
    settings = parser.parse_args()
    run = json.loads((settings.results / "latest.json").read_text(encoding="utf-8"))
    target = settings.docs / "benchmarks.md"
    try:
        target.write_text(page.renewed(target.read_text(encoding="utf-8"), run), encoding="utf-8")
    except ValueError as error:
        sys.exit(f"publish: {error}")
    shutil.copy(settings.results / "latest.svg", settings.docs / "benchmarks.svg")


main()
