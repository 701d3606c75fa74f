"""The programs of Examples/swift, as their pages have them, and the move from Realm of docs/from-realm.md."""
import re
import tempfile
from pathlib import Path

from documents import ROOT, blocks
from swift_page import Programs, SwiftPage

MOVE = "docs/from-realm.md"
#: A package in the place of the one that a reader has.
PACKAGE = f"""// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "move",
    dependencies: [.package(name: "holdfast", path: "{ROOT}")],
    targets: [
        .executableTarget(
            name: "move", dependencies: [.product(name: "Holdfast", package: "holdfast")])
    ],
    swiftLanguageModes: [.v6])
"""


def check():
    """The counts of passed and failed checks. The library is that of the tests' own debug build."""
    counts = (0, 0)
    with tempfile.TemporaryDirectory(prefix="holdfast-swift-") as scratch:
        programs = Programs(Path(scratch) / "bin", ROOT / ".build")
        for page in sorted((ROOT / "Examples" / "swift").glob("*/README.md")):
            home = Path(scratch) / page.parent.name
            home.mkdir()
            heading = re.search(r"^# .*$", page.read_text(), re.M)[0]
            example = SwiftPage(page.relative_to(ROOT), heading, page.parent, programs.environment(home))
            counts = tuple(map(sum, zip(counts, example.run())))
        package = Path(scratch) / "move"
        package.mkdir()
        (package / "Package.swift").write_text(PACKAGE)
        heading = "## Move data over"
        export = next(block for block in blocks(MOVE, heading) if block.kind == "json")
        (package / "export.json").write_text(export.text)
        move = SwiftPage(MOVE, heading, package, programs.environment(scratch))
        return tuple(map(sum, zip(counts, move.run())))
