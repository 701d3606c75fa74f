"""What a row hands to the report."""
from dataclasses import dataclass, field

AT_MOST, AT_LEAST = "at most", "at least"
# Rows whose targets are no bars: nobody is promised them, and several are times of one machine. A target tells there where a
# peer stood. The targets of all other rows are bars, which a release has to meet or to name.
FIGURES = frozenset(("aggregates", "embedded", "large-list", "add-property"))


@dataclass
class Check:
    """One figure against its target; `target` None for information only, `value` None when not measured."""
    name: str
    value: float | None
    unit: str
    target: float | None = None
    sense: str = AT_MOST
    note: str = ""

    @property
    def ok(self):
        """Whether the target is met; None when there is nothing to compare."""
        if self.value is None or self.target is None:
            return None
        return self.value <= self.target if self.sense == AT_MOST else self.value >= self.target

    @property
    def share(self):
        """How much of the allowance is used: 1 is the limit, less is better, whatever the sense."""
        if self.value is None or not self.target:
            return None
        return self.value / self.target if self.sense == AT_MOST else self.target / max(self.value, 1e-9)

    def as_dict(self):
        return {"name": self.name, "value": self.value, "unit": self.unit, "target": self.target, "sense": self.sense,
                "ok": self.ok, "note": self.note}

    @classmethod
    def from_dict(cls, members):
        return cls(**{name: value for name, value in members.items() if name != "ok"})


@dataclass
class Row:
    """A row of the table: figures of who took part, and checks made of them."""
    name: str
    title: str
    figures: dict = field(default_factory=dict)
    checks: list = field(default_factory=list)
    notes: list = field(default_factory=list)
    error: str = ""

    def add(self, label, load):
        """Records the figures of one contestant, a `Load` or a dictionary of numbers."""
        self.figures[label] = load if isinstance(load, dict) else load.as_dict()

    @property
    def is_bar(self):
        """Whether its targets are bars."""
        return self.name not in FIGURES

    def check(self, name, value, unit, target=None, sense=AT_MOST, note=""):
        self.checks.append(Check(name, value, unit, target, sense, note))

    def as_dict(self):
        return {"name": self.name, "title": self.title, "figures": self.figures,
                "checks": [check.as_dict() for check in self.checks], "notes": self.notes, "error": self.error}

    @classmethod
    def from_dict(cls, members):
        return cls(**{**members, "checks": [Check.from_dict(one) for one in members["checks"]]})
