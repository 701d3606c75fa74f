"""Databases in the driver's own process that queries are compared with: DuckDB and SQLite, on files."""
import importlib.metadata
import json
import sqlite3

_CITY_COLUMNS = "_id: 'BIGINT', name: 'VARCHAR'"
_PERSON_COLUMNS = ("_id: 'BIGINT', name: 'VARCHAR', email: 'VARCHAR', age: 'BIGINT', score: 'DOUBLE', "
                   "active: 'BOOLEAN', city: 'BIGINT', tags: 'VARCHAR[]'")
_PERSON = ("_id", "name", "email", "age", "score", "active", "city")


class Database:
    """A connection to a file with the people: `person`, `city`, and `tag` with a row for each element of a list."""
    label = ""

    def __init__(self, path):
        self.path = path
        self.connection = None

    def ask(self, text):
        """The rows of a query; its text is parsed each time."""
        return self.connection.execute(text).fetchall()

    def reopen(self):
        """Forgets what is in memory, as a restart does; pages of the file stay in the kernel's cache."""
        self.close()
        self.connection = self._open()

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None


class DuckDB(Database):
    """DuckDB with a number of threads, on a file of its own: connections to one file share their threads."""

    def __init__(self, path, thread_count):
        super().__init__(f"{path}-{thread_count}")
        self.label = f"DuckDB, {thread_count} thread{'s' if thread_count > 1 else ''}"
        self.thread_count = thread_count

    @staticmethod
    def version():
        """The version of the Python package, or an empty string without it."""
        try:
            return importlib.metadata.version("duckdb")
        except importlib.metadata.PackageNotFoundError:
            return ""

    def _open(self):
        import duckdb
        return duckdb.connect(self.path, config={"autoinstall_known_extensions": False, "threads": self.thread_count})

    def load(self, people, cities):
        """Makes the tables from the files that Holdfast imports."""
        self.reopen()
        for name, path, columns in (("city", cities, _CITY_COLUMNS), ("person", people, _PERSON_COLUMNS)):
            self.connection.execute(f"CREATE TABLE {name} AS SELECT * FROM read_json(?, "
                                    f"format='newline_delimited', columns={{{columns}}})", [path])
        self.connection.execute("CREATE VIEW tag AS SELECT _id AS person, unnest(tags) AS tag FROM person")
        self.connection.execute("CHECKPOINT")


class SQLite(Database):
    label = "SQLite"

    def _open(self):
        connection = sqlite3.connect(self.path)
        connection.execute("PRAGMA cache_size = -1000000")
        return connection

    def load(self, people, cities):
        """Makes the tables from the files that Holdfast imports, and the index that Holdfast has."""
        self.reopen()
        run = self.connection.execute
        run("CREATE TABLE city (_id INTEGER PRIMARY KEY, name TEXT)")
        run("CREATE TABLE person (_id INTEGER PRIMARY KEY, name TEXT, email TEXT, age INTEGER, score REAL, "
            "active INTEGER, city INTEGER)")
        run("CREATE TABLE tag (person INTEGER, tag TEXT)")
        with open(cities, "rb") as lines:
            self.connection.executemany("INSERT INTO city VALUES (:_id, :name)", map(json.loads, lines))
        with open(people, "rb") as lines:
            for line in lines:
                person = json.loads(line)
                run("INSERT INTO person VALUES (?, ?, ?, ?, ?, ?, ?)", [person[name] for name in _PERSON])
                self.connection.executemany("INSERT INTO tag VALUES (?, ?)",
                                            [(person["_id"], tag) for tag in person["tags"]])
        run("CREATE INDEX person_name ON person (name)")
        run("ANALYZE")
        self.connection.commit()
