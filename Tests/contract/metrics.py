"""The text format of Prometheus, version 0.0.4, as far as a service uses it."""
import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
SAMPLE = re.compile(
    rf"({NAME})(?:\{{((?:[a-zA-Z_]\w*=\"(?:[^\"\\\n]|\\[\\n\"])*\",?)*)\}})? "
    r"([+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|Inf)|NaN)$")
LABEL = re.compile(r'([a-zA-Z_]\w*)="((?:[^"\\\n]|\\.)*)"')
TYPES = {"counter", "gauge", "histogram", "summary", "untyped"}


def samples(text):
    """Each sample by its name and labels."""
    found = {}
    for line in text.splitlines():
        match = SAMPLE.match(line)
        if match:
            labels = tuple(sorted(LABEL.findall(match[2] or "")))
            found[match[1], labels] = float(match[3])
    return found


def family_of(name, types):
    """The family that a sample belongs to."""
    for suffix in ("_bucket", "_sum", "_count"):
        base = name.removesuffix(suffix)
        if base != name and types.get(base) in ("histogram", "summary"):
            return base
    return name


def faults(text):
    """What is wrong with the text, line by line."""
    found, types, helps, seen, order = [], {}, set(), set(), []
    if not text.endswith("\n"):
        found.append("the last line has no end")
    for number, line in enumerate(text.splitlines(), start=1):
        if match := re.match(rf"# HELP ({NAME}) \S", line):
            if match[1] in helps:
                found.append(f"{number}: a second HELP of {match[1]}")
            helps.add(match[1])
        elif match := re.match(rf"# TYPE ({NAME}) (\w+)$", line):
            if match[1] in types or match[2] not in TYPES:
                found.append(f"{number}: TYPE of {match[1]}")
            types[match[1]] = match[2]
        elif match := SAMPLE.match(line):
            family = family_of(match[1], types)
            if family not in types or family not in helps:
                found.append(f"{number}: {match[1]} has no HELP and TYPE before it")
            if not order or order[-1] != family:
                if family in order:
                    found.append(f"{number}: the samples of {family} do not stand together")
                order.append(family)
            key = (match[1], tuple(sorted(LABEL.findall(match[2] or ""))))
            if key in seen:
                found.append(f"{number}: {key} a second time")
            seen.add(key)
            if types.get(family) == "counter" and float(match[3]) < 0:
                found.append(f"{number}: a counter below 0")
        elif line:
            found.append(f"{number}: {line!r} is no sample and no comment that is known")
    return found + histogram_faults(samples(text), types)


def histogram_faults(values, types):
    """Buckets have to grow, and to end with the count of all."""
    found = []
    for family in (name for name, kind in types.items() if kind == "histogram"):
        series = {}
        for (name, labels), value in values.items():
            if name == family + "_bucket":
                rest = tuple(label for label in labels if label[0] != "le")
                bound = float(dict(labels)["le"].replace("+Inf", "inf"))
                series.setdefault(rest, []).append((bound, value))
        for labels, buckets in series.items():
            counts = [count for _, count in sorted(buckets)]
            if counts != sorted(counts):
                found.append(f"{family}{labels}: buckets shrink")
            if max(buckets)[0] != float("inf") or counts[-1] != values.get((family + "_count", labels)):
                found.append(f"{family}{labels}: the last bucket is not the count")
    return found
