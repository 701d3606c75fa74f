"""The programs of Examples/swift, as their pages have them, the move from Realm of docs/from-realm.md, and docs/swift-library.md."""
import re
import subprocess
import tempfile
from pathlib import Path

from documents import ROOT, blocks
from swift_page import Programs, SwiftPage

MOVE, LIBRARY = "docs/from-realm.md", "docs/swift-library.md"


def package(folder, name):
    """Makes a package of one program, in the place of the one that a reader has."""
    folder.mkdir()
    (folder / "Package.swift").write_text(f"""// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "{name}",
    dependencies: [.package(name: "holdfast", path: "{ROOT}")],
    targets: [
        .executableTarget(
            name: "{name}", dependencies: [.product(name: "Holdfast", package: "holdfast")])
    ],
    swiftLanguageModes: [.v6])
""")
    return folder


def examples(programs, scratch):
    """The counts of the pages of Examples/swift."""
    for page in sorted((ROOT / "Examples" / "swift").glob("*/README.md")):
        home = scratch / page.parent.name
        home.mkdir()
        heading = re.search(r"^# .*$", page.read_text(), re.M)[0]
        yield SwiftPage(page.relative_to(ROOT), heading, page.parent, programs.environment(home)).run()


def move(programs, scratch):
    """The counts of the move from Realm."""
    folder, heading = package(scratch / "move", "move"), "## Move data over"
    export = next(block for block in blocks(MOVE, heading) if block.kind == "json")
    (folder / "export.json").write_text(export.text)
    return SwiftPage(MOVE, heading, folder, programs.environment(scratch)).run()


def library(programs, scratch):
    """The count of the page of the library, whose blocks are one program, one after the other."""
    folder = package(scratch / "pages", "pages")
    main = folder / "Sources" / "pages" / "main.swift"
    main.parent.mkdir(parents=True)
    main.write_text("\n".join(
        block.text for block in blocks(LIBRARY, "# The Swift library") if block.kind == "swift"))
    ended = subprocess.run(
        ["swift", "run"], cwd=folder, env=programs.environment(scratch), stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True)
    if ended.returncode == 0 and "warning:" not in ended.stdout:
        print(f"ok    {LIBRARY}")
        return 1, 0
    print(f"FAIL  {LIBRARY}: status {ended.returncode}\n{ended.stdout[-4000:]}")
    return 0, 1


def check():
    """The counts of passed and failed checks. The library is that of the tests' own debug build."""
    with tempfile.TemporaryDirectory(prefix="holdfast-swift-") as folder:
        scratch = Path(folder)
        programs = Programs(scratch / "bin", ROOT / ".build")
        counts = [*examples(programs, scratch), move(programs, scratch), library(programs, scratch)]
        return tuple(map(sum, zip(*counts)))
