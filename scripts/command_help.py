"""The verbs of `holdfast` and their options, read from its `--help` texts.

`scripts/make-completions` and `scripts/make-manual` print them in other forms. A line that cannot be read is an error, so that
neither leaves out an option.
"""
import re
import subprocess
from dataclasses import dataclass, field

# A verb of the program's help, its summary beside it.
VERB = re.compile(r"  ([a-z]+(?: [a-z]+)?) {2,}(\S.*)")
# An option of a verb's help: its name, the name of its value, and the summary, which may begin on the next line.
OPTION = re.compile(
    r"  --([a-z0-9-]+)(?: ([A-Z]+(?:[=:|][A-Za-z-]+)*|[a-z0-9-]+(?:\|[a-z0-9-]+)+))?(?: +(\S.*))?")
# A summary that lists every value.
LIST = re.compile(r"[a-z]+(?:, [a-z]+)* or [a-z]+")
DEFAULT = re.compile(r" \(default: .*\)$")
SECONDS_MAX = 60


class HelpError(Exception):
    """A text of `--help` that has a form of its own."""


@dataclass
class Option:
    """One option of a verb. `value` is empty for a flag."""
    name: str
    value: str
    text: str

    @property
    def choices(self):
        """The values that the help lists, perhaps beside others."""
        if "|" in self.value:
            return [word for word in self.value.split("|") if word.islower()]
        text = DEFAULT.sub("", self.text)
        return re.split(r", | or ", text) if self.value and LIST.fullmatch(text) else []

    @property
    def is_file(self):
        return "FILE" in self.value.split("|")

    @property
    def is_folder(self):
        return self.value == "DIR"

    @property
    def is_repeatable(self):
        return "repeatable" in self.text or "repeat it for more" in self.text


@dataclass
class Verb:
    """One verb. `operands` is as in the line of usage, and `notes` the text behind the options."""
    name: str
    summary: str
    operands: str = ""
    heading: str = ""
    options: list = field(default_factory=list)
    notes: str = ""

    @property
    def takes_file(self):
        return "FILE" in self.operands


@dataclass
class Help:
    """All of the program's help. `closing` is the paragraph behind the verbs."""
    summary: str
    verbs: list
    closing: str
    version: str

    def families(self):
        """The verbs by their first words, in the order of the help."""
        found = {}
        for verb in self.verbs:
            found.setdefault(verb.name.split()[0], []).append(verb)
        return found


def text_of(program, *words):
    done = subprocess.run(
        [str(program), *words], stdout=subprocess.PIPE, text=True, check=True, timeout=SECONDS_MAX)
    return done.stdout


def read_verb(name, summary, text):
    usage, _, rest = text.partition("\n\n")
    head = f"usage: holdfast {name}"
    first, _, rest = rest.partition("\n")
    if not usage.startswith(head) or first != summary:
        raise HelpError(f"the help of '{name}' begins with {text[:200]!r}")
    operands = usage.removeprefix(head).replace(" [options]", "", 1).strip()
    verb = Verb(name, summary, operands)
    rest = rest.strip("\n")
    if rest.startswith("options ("):
        block, _, verb.notes = rest.partition("\n\n")
        verb.heading, *lines = block.splitlines()
        for line in lines:
            if match := OPTION.fullmatch(line):
                verb.options.append(Option(match[1], match[2] or "", match[3] or ""))
            elif line.startswith("   ") and verb.options and not verb.options[-1].text:
                verb.options[-1].text = line.strip()
            else:
                raise HelpError(f"the help of '{name}' has the line {line!r}")
    else:
        verb.notes = rest
    for option in verb.options:
        if not option.text:
            raise HelpError(f"the help of '{name}' says nothing about --{option.name}")
    return verb


def read(program):
    """The help of the program with this path."""
    paragraphs = text_of(program, "--help").strip("\n").split("\n\n")
    if len(paragraphs) != 4:
        raise HelpError(f"the program's help has {len(paragraphs)} paragraphs, not 4")
    verbs = []
    for line in paragraphs[2].splitlines():
        match = VERB.fullmatch(line)
        if not match:
            raise HelpError(f"the program's help has the line {line!r}")
        verbs.append(read_verb(match[1], match[2], text_of(program, *match[1].split(), "--help")))
    version = text_of(program, "version").split()[-1]
    return Help(paragraphs[1], verbs, paragraphs[3], version)
