"""What the tests read of the documents: fenced blocks, a shell that runs them, and how output is compared with them."""
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
END = "\x01end\x01"
SHELL_END_SECONDS_MAX = 120


class Block:
    """A fenced block: its language, its text and the line where it begins."""

    def __init__(self, kind, text, line):
        self.kind, self.text, self.line = kind, text, line


def blocks(document, heading):
    """The blocks of one part of a document."""
    found, kind, text, begin, is_inside = [], None, [], 0, False
    level = heading.split(" ")[0] + " "
    for number, line in enumerate((ROOT / document).read_text().splitlines(), start=1):
        if kind is None and line.startswith("#"):
            if line == heading:
                is_inside = True
            elif line.startswith(level):
                is_inside = False
        if line.startswith("```"):
            if kind is None:
                kind, text, begin = line[3:], [], number
            else:
                if is_inside:
                    found.append(Block(kind, "\n".join(text), begin))
                kind = None
        elif kind is not None:
            text.append(line)
    if not found:
        raise SystemExit(f"{document} has no blocks below {heading!r}")
    return found


class Shell:
    """A shell that runs commands one after the other; what they print goes to one stream unless `errors` is another file.

    With `session`, its process leads a group with the programs that it starts.
    """

    def __init__(self, folder, environment=None, preamble="", errors=subprocess.STDOUT, session=False):
        self.process = subprocess.Popen(
            ["bash", "--noprofile", "--norc"], cwd=folder, env=environment, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=errors, text=True, errors="replace", start_new_session=session)
        self.process.stdin.write(preamble)

    def run(self, text):
        """Runs commands; their output and status."""
        self.process.stdin.write(f"{text}\nprintf '\\n{END}%s\\n' $?\n")
        self.process.stdin.flush()
        output = []
        for line in self.process.stdout:
            if line.startswith(END):
                # Of the line end before the mark nothing was printed by the commands.
                return "".join(output)[:-1], int(line[len(END):])
            output.append(line)
        raise RuntimeError("the shell ended: " + "".join(output))

    def end(self):
        self.process.stdin.write("exit\n")
        self.process.stdin.close()
        self.process.wait(timeout=SHELL_END_SECONDS_MAX)


def text_matches(expected, actual):
    """Whether a text is as expected, where `…` is any text."""
    pattern = ".*?".join(re.escape(part) for part in expected.split("…"))
    return re.fullmatch(pattern, actual, re.DOTALL) is not None
