"""What a row hands to the report."""
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

AT_MOST, AT_LEAST = "at most", "at least"
# The bars: by row, and by a pattern of the names of its figures, the most that the figure may be, or the least. A release has to meet
# them, or to say which it misses. All other figures are printed without a target.
BARS = {
    "point-get": {"CPU to the constant reply's": (AT_MOST, 1.5), "CPU to the nginx file's": (AT_MOST, 1.0)},
    "put-indexed": {"CPU to constant PUT + bare LMDB, *": (AT_MOST, 0.6)},
    "put-plain": {"writes/s to webdis + Redis": (AT_LEAST, 1.0)},
    "page": {"page of 20, * CPU to a GET's": (AT_MOST, 4.0), "page of 100, * CPU to a GET's": (AT_MOST, 15.0)},
    "scan": {"scan-int, *": (AT_MOST, 50.0), "scan-string, *": (AT_MOST, 100.0)},
    "import": {"objects imported": (AT_LEAST, 100_000), "RssAnon at its peak": (AT_MOST, 256.0)},
    "export": {"RssAnon at its peak": (AT_MOST, 64.0)},
    "events": {"reply to event, median": (AT_MOST, 1.0)},
    "idle-streams": {"CPU of a PUT, * streams to 1": (AT_MOST, 1.15), "an idle stream's memory (RssAnon)": (AT_MOST, 40.0)},
    "filters": {"feed's CPU a commit, * filters to 10": (AT_MOST, 1.25), "reply to receipt, p99": (AT_MOST, 3.0)},
    "filters-flat-out": {"CPU of a PUT until all is told, *": (AT_MOST, 1.15), "reply to receipt, p99": (AT_MOST, 20.0)},
    "resume": {"until all are up to date": (AT_MOST, 3.0), "point reads and short queries meanwhile, p99": (AT_MOST, 50.0)},
    "slow-queries": {"*, p99 beside": (AT_MOST, 50.0), "slow queries that did not end as too slow": (AT_MOST, 0.0),
                     "the longest one, to its limit": (AT_MOST, 1.2)},
    "aggregates": {"all together, to DuckDB": (AT_MOST, 1.0)},
    "swift-library": {"managed-int": (AT_MOST, 15.0), "managed-string": (AT_MOST, 1.3), "iteration": (AT_MOST, 200.0),
                      "where": (AT_MOST, 1.1), "durable-eight": (AT_LEAST, 2.0), "observed-commit": (AT_MOST, 1.1)},
    "user-lists": {"CPU by indexed rule, to by filter": (AT_MOST, 1.15), "CPU by membership, to by filter": (AT_MOST, 1.3)},
    "user-streams": {"*, by rule to by filter": (AT_MOST, 1.1)},
    "json-web-tokens": {"* the first time, to OpenSSL's verification": (AT_MOST, 1.5),
                        "CPU of a GET, seen to a token of the store": (AT_MOST, 1.03)},
    "sign-ins": {"p99 of a point GET, beside to alone": (AT_MOST, 1.1), "RssAnon beyond that before the sign-ins": (AT_MOST, 128.0)},
}


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

    def check(self, name, value, unit, note=""):
        """Records a figure, with its bar if it has one."""
        sense, target = next(
            (bar for pattern, bar in BARS.get(self.name, {}).items() if fnmatchcase(name, pattern)), (AT_MOST, None))
        self.checks.append(Check(name, value, unit, target, sense, note))

    def as_dict(self):
        return {"name": self.name, "title": self.title, "figures": self.figures,
                "checks": [check.as_dict() for check in self.checks], "notes": self.notes, "error": self.error}

    @classmethod
    def from_dict(cls, members):
        return cls(**{**members, "checks": [Check.from_dict(one) for one in members["checks"]]})
