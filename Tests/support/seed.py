"""The store that the contract is checked on: a part of the world sample, classes for what it lacks, and projections of them.

`Note` has no primary key, `Setting` one that may be null or have a slash, `Specimen` has every type
and a key that the service makes. `Reading` is asymmetric: it has an outbox, and keys that are numbers.
"""
import json

import service

# Of cities only those of a few countries: a debug build is slow.
CITY_COUNTRIES = {"FR", "IS", "MC", "SJ"}

CLASSES = [
    {
        "name": "Note",
        "properties": {
            "text": "string",
            "at": {"type": "date", "default": "$now", "indexed": True},
            "about": "City?",
            "tags": "string<>",
        },
    },
    {
        "name": "Setting",
        "primaryKey": "name",
        "properties": {"name": "string?", "value": "string?"},
    },
    {
        "name": "Specimen",
        "primaryKey": "_id",
        "properties": {
            "_id": "objectId",
            "flag": "bool",
            "whole": {"type": "int", "indexed": True},
            "real": "double?",
            "label": "string?",
            "seen": "date?",
            "tag": {"type": "uuid", "default": "$uuid"},
            "blob": "data?",
            "reals": "double?[]",
            "wholes": "int<>",
            "found": "City",
            "seenIn": "Country[]",
            "places": "Location[]",
            "ratings": "double?{}",
            "extra": "mixed",
        },
    },
    {
        "name": "Reading",
        "kind": "asymmetric",
        "primaryKey": "number",
        "properties": {
            "number": {"type": "int", "default": "$next"},
            "celsius": {"type": "float", "mapTo": "temperature_c"},
            "city": "City?",
        },
    },
]

# In an order in which each knows those that it shows.
PROJECTIONS = {
    "Point": {"class": "Location", "properties": {"lonLat": "coordinates"}},
    "NationCard": {"class": "Country", "properties": {
        "iso": "iso", "name": "name", "neighbourNames": "neighbours.name"}},
    "CityCard": {"class": "City", "properties": {
        "name": "name", "people": "population", "nation": "country.name",
        "part": "country.continent.name"}},
    "CityFile": {"class": "City", "properties": {
        "id": "id", "title": "name", "where": {"path": "location", "projection": "Point"},
        "nation": {"path": "country", "projection": "NationCard"},
        "around": "country.neighbours", "tongues": "country.languages"}},
    "SettingLine": {"class": "Setting", "properties": {"text": "value"}},
    "NoteLine": {"class": "Note", "properties": {"line": "text", "city": "about.name"}},
}

SPECIMEN_IDS = [f"65a0b1c2d3e4f5061728{number:04x}" for number in range(24)]
SETTING_NAMES = [None, "", ".", "..", "a/b", "plus+and blank", "größe"]
NOTE_COUNT = 12
READING_COUNT = 5


def specimen(number):
    """A specimen with every property."""
    return {
        "_id": SPECIMEN_IDS[number], "flag": number % 2 == 0, "whole": 9007199254740993 + number,
        "real": number / 4, "label": f"no. {number}", "seen": "2026-11-20T06:38:58.123456789Z",
        "tag": f"123e4567-e89b-12d3-a456-4266141740{number:02x}", "blob": "SG9sZGZhc3Q=",
        "reals": [0.5, None, "NaN"], "wholes": [3, 1, 2], "found": 2988507,
        "seenIn": ["FR", "IS", "FR"],
        "places": [{"type": "Point", "coordinates": [2.3488, 48.85341]}],
        "ratings": {"a": 1.5, "none": None},
    }


def seed(running):
    """Fills an empty service."""
    running.load_world(
        lambda name, value: name != "City" or value["country"] in CITY_COUNTRIES)
    schema = running.succeed("GET", "/v1/schema").json
    schema["classes"] += CLASSES
    running.succeed("PUT", "/v1/schema", schema)
    for name, definition in PROJECTIONS.items():
        running.succeed("PUT", f"/v1/projections/{name}", definition)
    running.succeed(
        "POST", "/v1/classes/Specimen/objects",
        [specimen(number) for number in range(len(SPECIMEN_IDS))])
    running.succeed(
        "POST", "/v1/classes/Setting/objects",
        [{"name": name, "value": f"value of {name}"} for name in SETTING_NAMES])
    running.succeed(
        "POST", "/v1/classes/Note/objects",
        [{"text": f"note {number}", "about": 2988507, "tags": ["a", "b"]}
         for number in range(NOTE_COUNT)])
    running.succeed(
        "POST", "/v1/classes/Reading/objects",
        [{"celsius": number / 2, "city": 2988507} for number in range(READING_COUNT)])


def note_ids(running):
    """The keys that the service gave to the notes."""
    page = running.succeed("GET", "/v1/classes/Note/objects?fields=$id").json
    return [note["$id"] for note in page["objects"]]


def city_ids():
    """The keys of the cities in the store."""
    cities = (json.loads(line) for line in service.world_lines("City"))
    return [city["id"] for city in cities if city["country"] in CITY_COUNTRIES]
