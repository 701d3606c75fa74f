"""The Swift library beside the core, in a program outside that is built with default settings."""
import json
import os
import shutil
import statistics
import subprocess

from .processes import BenchError
from .results import Row


def swift_library(bench):
    """Builds Benchmarks/swift-library as a program outside and runs it: both sides are in its process, on one store."""
    settings = bench.settings
    row = Row("swift-library", f"the Swift library, {settings.large:,} objects")
    # The build runs in another folder.
    scratch = os.path.abspath(os.path.join(settings.build, "swift-library"))
    swift = os.environ.get("SWIFT") or subprocess.run(
        [bench.root.parent / "scripts" / "find-swift"], capture_output=True, text=True, check=True).stdout.strip()
    environment = dict(os.environ, HOLDFAST_PATH=str(bench.root.parent))
    make_classes(bench.root / "swift-library/Sources/ManyClasses/Classes.swift", 1000)
    bench.say("building the programs outside")
    built = subprocess.run([swift, "build", "-c", "release", "--scratch-path", scratch], cwd=bench.root / "swift-library",
                           env=environment, capture_output=True, text=True, check=False)
    if built.returncode != 0:
        raise BenchError(f"swift-library is not built: {built.stdout[-800:]}")
    work = bench.path("swift-library")
    program = os.path.join(scratch, "release", "LibraryBenchmark")
    for name in subprocess.run([program], capture_output=True, text=True, check=True).stdout.split():
        ran = subprocess.run([program, work, str(settings.large), str(settings.rounds), name], capture_output=True, text=True,
                             timeout=3600, check=False)
        for line in ran.stdout.splitlines():
            figure = json.loads(line)
            row.check(figure["name"], figure["value"], figure["unit"])
        if ran.returncode != 0:
            raise BenchError(f"swift-library, {name}, failed: {ran.stderr[-500:]}")
    shutil.rmtree(work, ignore_errors=True)
    first_realms(bench, row, os.path.join(scratch, "release", "ManyClasses"))
    return row


def make_classes(path, count):
    """Writes the classes of a program that has many, each with a link to the next."""
    text = "import Foundation\nimport Holdfast\n" + "".join(f"""
class Class{number}: Object {{
    @Persisted(primaryKey: true) var id = 0
    @Persisted(indexed: true) var name = ""
    @Persisted var born: Date?
    @Persisted var numbers: List<Int>
    @Persisted var next: Class{(number + 1) % count}?
}}
""" for number in range(count))
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def first_realms(bench, row, program):
    """The first realm of a program of 1,000 classes: on a new store, and on the one that is there then."""
    times = {"first-realm-new": [], "first-realm": []}
    for _ in range(bench.settings.rounds):
        work = bench.path("many-classes")
        for found in times.values():
            ran = subprocess.run([program, work], capture_output=True, text=True, timeout=600, check=False)
            if ran.returncode != 0:
                raise BenchError(f"ManyClasses failed: {ran.stderr[-500:]}")
            found.append(float(ran.stdout))
        shutil.rmtree(work, ignore_errors=True)
    row.check("first-realm", statistics.median(times["first-realm"]), "ms")
    row.check("first-realm-new", statistics.median(times["first-realm-new"]), "ms")


ROWS = {"swift-library": swift_library}
