"""The data that rows need, made once and kept in the cache directory."""
import gzip
import json
import lzma
import os
import re
import subprocess
import sys

from .processes import BenchError

# City and Person as in person/schema.json, and what Person lacks: a class with two indexes and no link,
# whose PUT makes the key changes of reference/bare_lmdb.c, and one with no index at all.
_ACCOUNT = {"_id": "int", "name": {"type": "string", "indexed": True}, "email": "string",
            "age": {"type": "int", "indexed": True}, "score": "double", "active": "bool", "tags": "string[]"}
_DRAFT = {"_id": "int", "name": "string", "email": "string", "age": "int", "score": "double", "active": "bool",
          "tags": "string[]"}

# Larger than the largest city's id, so that no two of the thirty copies share one.
CITY_ID_SHIFT = 20_000_000


def bench_schema(root):
    """The schema of every row but the import's."""
    with open(root / "person" / "schema.json", encoding="utf-8") as file:
        schema = json.load(file)
    schema["classes"] += [{"name": "Account", "primaryKey": "_id", "properties": _ACCOUNT},
                          {"name": "Draft", "primaryKey": "_id", "properties": _DRAFT}]
    return schema


class DataSet:
    """Files of the person and world data sets."""

    def __init__(self, bench):
        self.bench = bench
        self.cache = bench.settings.cache
        os.makedirs(self.cache, exist_ok=True)

    def people(self, count):
        """The directory with City.ndjson and Person.ndjson of `count` people."""
        directory = os.path.join(self.cache, f"person-{count}")
        if not os.path.exists(os.path.join(directory, "complete")):
            self.bench.say(f"making {count:,} people")
            os.makedirs(directory, exist_ok=True)
            generator = self.bench.root / "person" / "generate.py"
            subprocess.run([sys.executable, generator, str(count), directory], check=True)
            open(os.path.join(directory, "complete"), "w", encoding="utf-8").close()
        return directory

    def file(self, class_name, count):
        """The NDJSON file of a class of the bench's schema."""
        directory = self.people(count)
        if class_name in ("Person", "City"):
            return os.path.join(directory, f"{class_name}.ndjson")
        # Account and Draft are Person without its link.
        path = os.path.join(directory, "Account.ndjson")
        if not os.path.exists(path):
            link = re.compile(rb',"city":(?:null|\d+)')
            with open(os.path.join(directory, "Person.ndjson"), "rb") as source, open(path + ".part", "wb") as target:
                for line in source:
                    target.write(link.sub(b"", line, count=1))
            os.rename(path + ".part", path)
        return path

    def lines(self, class_name, count):
        with open(self.file(class_name, count), "rb") as file:
            yield from file

    def _world(self, name):
        for suffix, opener in (("", open), (".gz", gzip.open), (".xz", lzma.open)):
            path = os.path.join(self.bench.settings.world, name + suffix)
            if os.path.exists(path):
                with opener(path, "rb") as file:
                    return file.read()
        raise BenchError(f"{self.bench.settings.world} has no {name} (nor .gz, .xz): "
                         "name the data set with --world DIR")

    def world_schema(self):
        return json.loads(self._world("schema.json"))

    def world_file(self, name):
        """A file of the world data set, decompressed."""
        path = os.path.join(self.cache, name)
        if not os.path.exists(path):
            with open(path + ".part", "wb") as file:
                file.write(self._world(name))
            os.rename(path + ".part", path)
        return path

    def cities(self, copies):
        """All cities `copies` times over with shifted ids in one file; its path and its number of lines."""
        path = os.path.join(self.cache, f"cities-{copies}.ndjson")
        lines = self._world("City.ndjson").splitlines(keepends=True)
        if not os.path.exists(path):
            self.bench.say(f"making {copies * len(lines):,} cities")
            parts = []
            for line in lines:
                match = re.match(rb'\{"id":(\d+),', line)
                if not match or int(match.group(1)) >= CITY_ID_SHIFT:
                    raise BenchError(f"City.ndjson: a line does not begin with an id below {CITY_ID_SHIFT:,}: "
                                     f"{line[:40]!r}")
                parts.append((int(match.group(1)), line[match.end() - 1:]))
            with open(path + ".part", "wb") as file:
                for copy in range(copies):
                    shift = copy * CITY_ID_SHIFT
                    file.writelines(b'{"id":%d%b' % (number + shift, rest) for number, rest in parts)
            os.rename(path + ".part", path)
        return path, copies * len(lines)
