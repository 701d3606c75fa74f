"""The Swift library beside the core, in a program outside that is built with default settings."""
import json
import os
import shutil
import subprocess

from .processes import BenchError
from .results import AT_LEAST, AT_MOST, Row


def swift_library(bench):
    """Builds Benchmarks/swift-library as a program outside and runs it: both sides are in its process, on one store."""
    settings = bench.settings
    row = Row("swift-library", f"the Swift library, {settings.large:,} objects")
    scratch = os.path.join(settings.build, "swift-library")
    swift = os.environ.get("SWIFT") or subprocess.run(
        [bench.root.parent / "scripts" / "find-swift"], capture_output=True, text=True, check=True).stdout.strip()
    # The flags of `make` are not for programs outside.
    environment = {name: value for name, value in os.environ.items() if name != "HOLDFAST_MAKE"}
    environment.update(HOLDFAST_CORE="1", HOLDFAST_PATH=str(bench.root.parent))
    bench.say("building the program outside")
    built = subprocess.run([swift, "build", "-c", "release", "--scratch-path", scratch], cwd=bench.root / "swift-library",
                           env=environment, capture_output=True, text=True, check=False)
    if built.returncode != 0:
        raise BenchError(f"swift-library is not built: {built.stdout[-800:]}")
    work = bench.path("swift-library")
    ran = subprocess.run([os.path.join(scratch, "release", "LibraryBenchmark"), work, str(settings.large),
                          str(settings.rounds)], capture_output=True, text=True, timeout=3600, check=False)
    shutil.rmtree(work, ignore_errors=True)
    for line in ran.stdout.splitlines():
        figure = json.loads(line)
        row.check(figure["name"], figure["value"], figure["unit"], figure["target"],
                  AT_LEAST if figure["sense"] == AT_LEAST else AT_MOST)
    if ran.returncode != 0:
        raise BenchError(f"swift-library failed: {ran.stderr[-500:]}")
    return row


ROWS = {"swift-library": swift_library}
