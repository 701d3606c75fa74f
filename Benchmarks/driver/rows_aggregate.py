"""A row about calculating: counts, aggregates, groups and sorts beside DuckDB and SQLite on the same people."""
import json
import math
import statistics
import time
from dataclasses import dataclass
from urllib.parse import quote

from . import client, load
from .databases import DuckDB, SQLite
from .processes import BenchError
from .results import Row
from .streams import metric

_IN_A_ROW = 3
_OURS, _REFERENCE = "Holdfast", "DuckDB, 1 thread"
_CITIES = "person LEFT JOIN city ON person.city = city._id"


@dataclass
class _Query:
    """One query in both languages."""
    title: str
    target: str
    sql: str
    sqlite: str = ""
    """The query where SQLite's differs."""
    has_ties: bool = False
    """Whether groups are ordered by their count alone, so that which of equal ones are last is open."""

    def text(self, database):
        return self.sqlite or self.sql if database.label == SQLite.label else self.sql


def _target(path, parameters):
    return f"/v1/classes/Person/{path}?" + "&".join(f"{name}={quote(text, safe='')}"
                                                    for name, text in parameters.items())


def _aggregate(**parameters):
    return _target("aggregate", parameters)


def _sections(by):
    """All sections by a path, with the highest score of each."""
    return _target("sections", {"by": by, "sort": f"{by},-score", "objects": "1", "fields": "score", "limit": "1000"})


def _objects(fields, sort):
    return f"/v1/classes/Person/objects?fields={fields}&sort={sort}&limit=50"


_QUERIES = [
    _Query("age > 53, count", _aggregate(op="count", filter="age > 53"),
           "SELECT count(*) FROM person WHERE age > 53"),
    _Query("email CONTAINS[c], 12.5 %, count", _aggregate(op="count", filter='email CONTAINS[c] "@MAIL3."'),
           "SELECT count(*) FROM person WHERE email ILIKE '%@MAIL3.%'",
           sqlite="SELECT count(*) FROM person WHERE email LIKE '%@MAIL3.%'"),
    _Query("ANY tags ==, count", _aggregate(op="count", filter='ANY tags == "tag07"'),
           "SELECT count(*) FROM person WHERE list_contains(tags, 'tag07')",
           sqlite="SELECT count(DISTINCT person) FROM tag WHERE tag = 'tag07'"),
    _Query("first 50 by score", _objects("_id,score", "-score"),
           "SELECT _id, score FROM person ORDER BY score DESC LIMIT 50"),
    _Query("sum, avg, min, max of a double", _aggregate(op="sum(score),avg(score),min(score),max(score)"),
           "SELECT sum(score), avg(score), min(score), max(score) FROM person"),
    _Query("median of a double", _aggregate(op="median(score)"), "SELECT median(score) FROM person",
           sqlite="SELECT avg(score) FROM (SELECT score FROM person ORDER BY score "
                  "LIMIT 2 - (SELECT count(*) % 2 FROM person) OFFSET (SELECT (count(*) - 1) / 2 FROM person))"),
    _Query("count of distinct names", _aggregate(op="count(distinct name)"),
           "SELECT count(DISTINCT name) FROM person"),
    _Query("count, avg by an int, half of the objects",
           _aggregate(op="count,avg(score)", by="age", filter="active == true", limit="1000"),
           "SELECT age, count(*), avg(score) FROM person WHERE active GROUP BY age ORDER BY age"),
    _Query("count, avg by city.name", _aggregate(op="count,avg(score)", by="city.name", limit="1000"),
           f"SELECT city.name, count(*), avg(score) FROM {_CITIES} GROUP BY city.name "
           "ORDER BY city.name NULLS FIRST LIMIT 1000"),
    _Query("count by name, indexed, first 100", _aggregate(op="count", by="name", limit="100"),
           "SELECT name, count(*) FROM person GROUP BY name ORDER BY name LIMIT 100"),
    _Query("count by email, no index, first 100", _aggregate(op="count", by="email", limit="100"),
           "SELECT email, count(*) FROM person GROUP BY email ORDER BY email LIMIT 100"),
    _Query("count by city.name and active", _aggregate(op="count", by="city.name,active", limit="1000"),
           f"SELECT city.name, active, count(*) FROM {_CITIES} GROUP BY city.name, active "
           "ORDER BY city.name NULLS FIRST, active LIMIT 1000"),
    _Query("count by bucket(score,10)", _aggregate(op="count", by="bucket(score,10)"),
           "SELECT floor(score / 10) * 10, count(*) FROM person GROUP BY 1 ORDER BY 1",
           sqlite="SELECT CAST(score / 10 AS INTEGER) * 10, count(*) FROM person GROUP BY 1 ORDER BY 1"),
    _Query("count by tags, each element", _aggregate(op="count", by="tags", limit="1000"),
           "SELECT tag, count(*) FROM tag GROUP BY tag ORDER BY tag"),
    _Query("first 50 groups by city.name, order=-count",
           _aggregate(op="count", by="city.name", order="-count", limit="50"),
           f"SELECT city.name, count(*) FROM {_CITIES} GROUP BY city.name ORDER BY count(*) DESC LIMIT 50",
           has_ties=True),
    _Query("first 50 groups by name, order=-count", _aggregate(op="count", by="name", order="-count", limit="50"),
           "SELECT name, count(*) FROM person GROUP BY name ORDER BY count(*) DESC LIMIT 50", has_ties=True),
    _Query("sections by age, the highest score of each", _sections("age"),
           "SELECT age, count(*), max(score) FROM person GROUP BY age ORDER BY age"),
    _Query("sections by city.name, the highest score of each", _sections("city.name"),
           f"SELECT city.name, count(*), max(score) FROM {_CITIES} GROUP BY city.name "
           "ORDER BY city.name NULLS FIRST LIMIT 1000"),
    _Query("first 50 by city.name, -age", _objects("city.name,age", "city.name,-age"),
           f"SELECT city.name, age FROM {_CITIES} ORDER BY city.name NULLS FIRST, age DESC LIMIT 50"),
]


def rows_of(body):
    """A reply as rows like those of the databases."""
    reply = json.loads(body)
    if "objects" in reply:
        return [tuple(_cells(one)) for one in reply["objects"]]
    if "sections" in reply:
        return [(one["key"], one["count"], *_cells(one["objects"][0])) for one in reply["sections"]]
    if "groups" in reply:
        return [tuple(_cells(one)) for one in reply["groups"]]
    return [tuple(_cells(reply))]


def _cells(members):
    """The values of an object's members in their order; of those that are objects themselves, theirs."""
    for value in members.values():
        if isinstance(value, dict):
            yield from _cells(value)
        else:
            yield value


def same(found, expected, has_ties=False):
    """Whether two results are equal, doubles to one in 10⁹; with ties, keys only of those above the last."""
    if has_ties:
        if [row[-1] for row in found] != [row[-1] for row in expected]:
            return False
        found, expected = (sorted((row for row in rows if row[-1] != rows[-1][-1]), key=repr)
                           for rows in (found, expected))
    return len(found) == len(expected) and all(
        len(one) == len(other) and all(map(_is_equal, one, other)) for one, other in zip(found, expected))


def _is_equal(one, other):
    if isinstance(one, float) and isinstance(other, (int, float)):
        return math.isclose(one, other, rel_tol=1e-9)
    return one == other


class _Refused(Exception):
    """The server has no such query."""


def _ask_holdfast(connection, query):
    status, body = connection.get(query.target)
    if status == 400:
        raise _Refused(json.loads(body).get("detail", "400"))
    if status != 200:
        raise BenchError(f"GET {query.target}: {status} {body[:300].decode(errors='replace')}")
    return body


def _milliseconds(ask):
    begun = time.perf_counter()
    ask()
    return (time.perf_counter() - begun) * 1e3


class _Comparison:
    """What the queries take Holdfast over HTTP and the databases in this process, and whose answers differ."""

    def __init__(self, bench, databases):
        self.bench, self.databases = bench, databases
        self.figures = {query.title: {} for query in _QUERIES}
        self.notes, self.faults = {}, []
        self.column_mib = None

    def measure_warm(self):
        """Each query in every round three times in a row, after as many that do not count: the least of all."""
        if not self.bench.has_holdfast:
            for query in _QUERIES:
                self._measure_warm(query, {})
            return
        with self._serve() as holdfast, client.KeptConnection(holdfast) as connection:
            for query in _QUERIES:
                contestants = {}
                try:
                    answer = rows_of(_ask_holdfast(connection, query))
                    self._check(query, answer)
                    contestants[_OURS] = lambda query=query: _ask_holdfast(connection, query)
                except _Refused as refusal:
                    self.notes[query.title] = f"refused: {refusal}"
                self._measure_warm(query, contestants)
            self.column_mib = metric(holdfast, "holdfast_column_bytes") / 2**20

    def _serve(self):
        return self.bench.serve("Person", self.bench.settings.large)

    def _check(self, query, answer):
        for database in self.databases:
            if not same(answer, database.ask(query.text(database)), query.has_ties):
                self.faults.append(f"{query.title}: not {database.label}'s answer")

    def _measure_warm(self, query, contestants):
        for database in self.databases:
            contestants[database.label] = lambda database=database: database.ask(query.text(database))
        for ask in contestants.values():
            for _ in range(_IN_A_ROW):
                ask()
        rounds = load.interleave(self.bench, {
            label: lambda number, ask=ask: min(_milliseconds(ask) for _ in range(_IN_A_ROW))
            for label, ask in contestants.items()})
        self.figures[query.title].update({label: min(times) for label, times in rounds.items()})

    def measure_cold(self):
        """Each query as the first one of a process, or of a database's connection: the median of the rounds.

        The files stay in the kernel's cache. Holdfast's second scan, which makes columns, is taken as well.
        """
        for query in _QUERIES:
            contestants, seconds, column_mib = {}, [], []
            if _OURS in self.figures[query.title]:
                def ours(number):
                    with self._serve() as holdfast, client.KeptConnection(holdfast) as connection:
                        first, second = (_milliseconds(lambda: _ask_holdfast(connection, query)) for _ in range(2))
                        seconds.append(second)
                        column_mib.append(metric(holdfast, "holdfast_column_bytes") / 2**20)
                        return first
                contestants[_OURS] = ours
            for database in self.databases:
                def theirs(number, database=database):
                    database.reopen()
                    return _milliseconds(lambda: database.ask(query.text(database)))
                contestants[database.label] = theirs
            figures = self.figures[query.title]
            for label, times in load.interleave(self.bench, contestants).items():
                figures[f"{label}, first"] = statistics.median(times)
            if column_mib:
                figures["Holdfast, second"] = statistics.median(seconds)
                figures["columns MiB"] = statistics.median(column_mib)


def aggregates(bench):
    """Queries that calculate, over HTTP, beside the same ones in DuckDB and SQLite in this process."""
    count = bench.settings.large
    row = Row("aggregates", f"calculating over {count:,} people, in milliseconds")
    databases = []
    if DuckDB.version():
        databases += [DuckDB(bench.path("duckdb"), threads) for threads in (1, 2)]
    else:
        row.notes.append("DuckDB is not installed: make setup-bench installs it, .build/bench-tools/bin/python has it")
    databases.append(SQLite(bench.path("sqlite")))
    for database in databases:
        bench.say(f"loading {count:,} people into {database.label}")
        database.load(bench.data.file("Person", count), bench.data.file("City", count))
    if not bench.has_holdfast:
        row.notes.append("needs the holdfast binary")
    comparison = _Comparison(bench, databases)
    comparison.measure_warm()
    comparison.measure_cold()
    for database in databases:
        database.close()
    row.error = "; ".join(comparison.faults)
    for query in _QUERIES:
        figures, note = comparison.figures[query.title], comparison.notes.get(query.title, "")
        row.add(query.title, figures)
        ours, theirs = figures.get(_OURS), figures.get(_REFERENCE)
        row.check(f"{query.title}, to DuckDB", ours / theirs if ours and theirs else None, "×", note=note)
    # The sum of the medians, so that a query of a few microseconds counts as little as it takes.
    both = [(figures.get(_OURS), figures.get(_REFERENCE)) for figures in comparison.figures.values()]
    is_whole = all(ours and theirs for ours, theirs in both)
    row.check("all together, to DuckDB",
              sum(ours for ours, _ in both) / sum(theirs for _, theirs in both) if is_whole else None, "×")
    row.check("memory of the columns of all of them", comparison.column_mib, "MiB")
    return row
