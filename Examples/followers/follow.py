#!/usr/bin/env python3
"""Keeps the result of a query in an SQLite database.

    follow.py URL DATABASE

URL is that of the changes of a class, with the query: http://…/v1/classes/City/changes?filter=…
The table `objects` has each object by its key, as JSON. A snapshot, what was missed and the parts of a large event are
one transaction each, and the cursor is a part of it: readers see no half of it, and a follower that was ended goes on
where it was. Needs httpx-sse.
"""
import json
import random
import sqlite3
import sys
import time

import httpx
from httpx_sse import connect_sse

SCHEMA = """
CREATE TABLE IF NOT EXISTS objects (id TEXT PRIMARY KEY, object TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS place (cursor TEXT NOT NULL);
INSERT INTO place SELECT 'start' WHERE NOT EXISTS (SELECT * FROM place);
"""


def take(database, name, data):
    """Does what the table of change streams says for one event."""
    if name == "reset":
        database.execute("DELETE FROM objects")
    elif name == "error":
        sys.exit(data["detail"])
    for entry in data.get("objects", []) + data.get("changes", []):
        key = json.dumps(entry["id"])
        if entry.get("op") in ("leave", "delete"):
            database.execute("DELETE FROM objects WHERE id = ?", [key])
        else:
            database.execute(
                "INSERT OR REPLACE INTO objects VALUES (?, ?)", [key, json.dumps(entry["object"])])


def follow(client, url, database):
    """Follows one connection to its end."""
    [place] = database.execute("SELECT cursor FROM place").fetchone()
    with connect_sse(client, "GET", url, headers={"Last-Event-ID": place}) as source:
        source.response.raise_for_status()
        for event in source.iter_sse():
            if event.data:
                data = json.loads(event.data)
                take(database, event.event, data)
                is_whole = event.event == "upToDate" or data.get("version") == event.id
            else:
                # A heartbeat, which only moves the cursor.
                is_whole = event.id != "" and not database.in_transaction
            if is_whole:
                database.execute("UPDATE place SET cursor = ?", [event.id])
                database.commit()


def main():
    url, path = sys.argv[1:]
    database = sqlite3.connect(path)
    database.executescript(SCHEMA)
    # The service says something every 15 s; after twice that the connection is lost.
    with httpx.Client(timeout=httpx.Timeout(10, read=35)) as client:
        while True:
            try:
                follow(client, url, database)
            except httpx.HTTPStatusError as error:
                if error.response.status_code < 500:
                    raise
            except httpx.TransportError:
                pass
            database.rollback()
            time.sleep(random.uniform(0.5, 1.5))


if __name__ == "__main__":
    main()
