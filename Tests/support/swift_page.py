"""Does what a page says of a Swift package: writes its files, runs its commands, and compares what they print.

A ```swift block whose first line names a file, such as `// Sources/kennel/Dog.swift`, is that file of the package; one that begins with
the version of the tools is Package.swift. The ```sh blocks are run by one shell and have to succeed, without a warning; a ```text
block behind one is what it prints. Other blocks are no part of it.
"""
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from documents import ROOT, Shell, blocks, text_matches

FILE = re.compile(r"// ((?:Sources|Tests)/\S+\.swift)\n")


class Programs:
    """A folder for PATH, whose `swift` is the toolchain's with options of the tests, beside the `holdfast` of HOLDFAST_BINARY."""

    def __init__(self, folder, scratch=None):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True)
        swift = os.environ.get("SWIFT") or subprocess.run(
            [ROOT / "scripts" / "find-swift"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        #: The folder of the compiler and its libraries.
        self.toolchain = Path(shutil.which(swift) or swift).resolve().parent.parent
        # With the flags of scripts/build, so that the modules that are built already serve.
        options = f"--scratch-path {shlex.quote(str(scratch))} -Xswiftc -warnings-as-errors" if scratch else ""
        script = self.folder / "swift"
        # `swift package` makes new packages, which are not built.
        script.write_text(f"""#!/bin/bash
if [[ $1 == package ]]; then exec {shlex.quote(swift)} "$@"; fi
exec {shlex.quote(swift)} "$1" {options} "${{@:2}}"
""")
        script.chmod(0o755)
        if binary := os.environ.get("HOLDFAST_BINARY"):
            (self.folder / "holdfast").symlink_to(Path(binary).resolve())

    def environment(self, home):
        """Variables for a program whose user's folder is `home`."""
        kept = {name: value for name, value in os.environ.items() if name != "XDG_DATA_HOME"}
        return kept | {"HOME": str(home), "PATH": f"{self.folder}:{os.environ['PATH']}"}


class SwiftPage:
    """A page, done in a folder that is the package or gets it."""

    def __init__(self, document, heading, folder, environment):
        self.document, self.folder, self.environment = document, Path(folder), environment
        self.blocks = blocks(document, heading)
        self.passed = self.failed = 0
        #: What blocks printed, by their text.
        self.outputs = {}

    def run(self, replaced=()):
        """Goes through the page, with other texts in the place of some, up to its end or the first fault; the counts."""
        with tempfile.TemporaryFile("a+", errors="replace") as errors:
            # The first command that fails tells, not the last one alone.
            shell = Shell(self.folder, self.environment, "trap 'has_failed=1' ERR\n", errors)
            for block, following in zip(self.blocks, [*self.blocks[1:], None]):
                for documented, present in replaced:
                    block.text = block.text.replace(documented, present)
                if block.kind == "swift":
                    self.write(block)
                elif block.kind == "sh":
                    expected = following if following and following.kind == "text" else None
                    if not self.step(shell, block, expected, errors):
                        break
                    self.folder = Path(shell.run("pwd")[0].strip())
            shell.end()
        return self.passed, self.failed

    def write(self, block):
        name = "Package.swift" if block.text.startswith("// swift-tools-version") else None
        if match := FILE.match(block.text):
            name = match[1]
        if name:
            file = self.folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text + "\n")

    def step(self, shell, block, expected, errors):
        """Runs a block; whether all went well."""
        shell.run("has_failed=0")
        # The shell itself is told what to do by its standard input.
        printed, status = shell.run(f"{{\n{block.text}\n}} </dev/null")
        self.outputs[block.text] = printed
        failed = shell.run("echo $has_failed")[0].strip() != "0"
        errors.seek(0)
        told = errors.read()
        errors.seek(0)
        errors.truncate()
        place = f"{self.document}:{block.line}"
        if status or failed:
            problem = f"status {status}" if status else "a command failed"
        elif expected and not text_matches(expected.text.rstrip(), printed.rstrip()):
            problem = "the output differs"
        elif "warning:" in told:
            problem = "there are warnings"
        else:
            self.passed += 1
            print(f"ok    {place}", flush=True)
            return True
        self.failed += 1
        wanted = f"--- expected\n{expected.text}\n" if expected else ""
        print(f"FAIL  {place}: {problem}\n--- commands\n{block.text}\n{wanted}--- printed\n{printed}\n"
              f"{told[-4000:]}\n---", flush=True)
        return False
