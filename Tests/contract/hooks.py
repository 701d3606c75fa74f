"""What schemathesis has to know of the store so that its requests reach the handlers.

It makes up names of classes, keys and filters, and nearly all of them would end as 404 or 400. So in
most requests whose part was made up to be valid, that part is replaced by one that exists in the store
of support/seed.py; what was made up to be invalid is left as it is. A request's own text decides, so a
seed repeats a run.

HOLDFAST_CONTRACT_REPORT names the file that gets the count of each status of each operation.
"""
import atexit
import collections
import json
import os
import random
import sys
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))

import requests  # noqa: E402
import schemathesis  # noqa: E402
import seed  # noqa: E402
from schemathesis.core import NotSet  # noqa: E402
from schemathesis.core.failures import AcceptedNegativeData  # noqa: E402
from schemathesis.core.parameters import ParameterLocation  # noqa: E402

# How many of the requests with made-up parts get parts that exist instead.
KNOWN_SHARE = 0.8
# A long poll that waits longer holds the run up; `wait` is a matter of seconds, not of the schema.
WAIT_SECONDS_MAX = 1

CITIES = seed.city_ids()
KEYS = {
    "City": CITIES,
    "Country": ["FR", "IS", "DE", "MC", "SJ"],
    "Continent": ["EU", "AF", "AS"],
    "Specimen": seed.SPECIMEN_IDS,
    "Setting": seed.SETTING_NAMES,
    "Note": json.loads(os.environ.get("HOLDFAST_CONTRACT_NOTES", "[]")),
}
PROPERTIES = {
    "City": ["name", "alternateNames", "country", "location", "population"],
    "Country": ["languages", "neighbours", "cities", "continent", "areaKm2"],
    "Continent": ["countries", "name"],
    "Specimen": ["blob", "reals", "wholes", "whole", "tag", "seen", "seenIn", "places", "found"],
    "Setting": ["value"],
    "Note": ["tags", "at", "about"],
}
# Of each class: filters with their arguments.
FILTERS = {
    "City": [
        ("population > 100000", {}),
        ("country.iso == $0", {"text": ["IS"]}),
        ("name BEGINSWITH[c] $0 AND population BETWEEN {$1, $2}",
         {"arg": ['"b"', "20000", "900000"]}),
        ("ANY alternateNames CONTAINS 'ik'", {}),
        ("country.continent.name == 'Europe' AND NOT population < 50000", {}),
        ("location == null", {}),
    ],
    "Country": [
        ("cities.@count > 5", {}),
        ("ANY neighbours.iso == 'FR'", {}),
        ("NONE languages IN {'en', 'fr-FR'}", {}),
        ("ALL cities.population > $0", {"arg": ["15000"]}),
    ],
    "Continent": [("countries.@count > 20", {})],
    "Specimen": [
        ("whole >= $0 AND flag == true", {"arg": ["9007199254740995"]}),
        ("tag == $0", {"text": ["123e4567-e89b-12d3-a456-426614174003"]}),
        ("seen < $0", {"arg": ['{"$date":"2027-01-01T00:00:00Z"}']}),
        ("real == nan OR real < 2.5", {}),
        ("found.country.iso == 'FR'", {}),
    ],
    "Setting": [("name == null OR value != null", {})],
    "Note": [("ANY tags == 'a'", {}), ("about.name == 'Paris'", {})],
}
SORTS = {
    "City": ["-population,name", "country.name,-name"],
    "Country": ["name", "-areaKm2"],
    "Continent": ["-population"],
    "Specimen": ["real,-whole", "found.name"],
    "Setting": ["name"],
    "Note": ["-at"],
}
EXPANSIONS = {
    "City": ["country", "country.continent"],
    "Country": ["continent", "neighbours"],
    "Continent": ["countries"],
    "Specimen": ["found", "seenIn"],
    "Setting": [],
    "Note": ["about"],
}
# Projections with a change that each takes.
PROJECTIONS = {
    "CityCard": {"people": 5}, "CityFile": {"title": "patched", "where": {"lonLat": [1.5, 2]}},
    "NationCard": {"name": "Patchland"}, "SettingLine": {"text": None}, "NoteLine": {"line": "patched"},
}
# Changes by filter, which get an object of their own, so that the others stay.
BULK = ("patchObjects", "deleteObjects")
OUTBOX = ("getOutbox", "acknowledgeOutbox")
BACKUP = ("getBackup", "deleteBackup")
STREAM = ("streamQueries", "patchStream", "deleteStream")
PAGED_STREAMS = ("streamChanges", "streamClassChanges", "streamObjectChanges", "streamProjectionChanges",
                 "streamProjectedObjectChanges")
FIELDS = ["*", "*,$version", "$id,$version"]

@schemathesis.hook.apply_to(operation_id=["importObjects", "importStore", "proposeClass"])
def filter_failure(context, failure, case, response):
    """Any text is a list of lines, good or bad, so what is no string is no wrong body either."""
    if not isinstance(failure, AcceptedNegativeData):
        return True
    if case.operation.definition.raw["operationId"] == "proposeClass":
        # Of a sample the objects are read that can be.
        return is_positive(case, ParameterLocation.BODY)
    return isinstance(case.body, str)


@schemathesis.serializer("application/x-ndjson")
def serialize_lines(context, value):
    """Lines as they are; anything else as the JSON of one line."""
    if isinstance(value, bytes):
        return value
    return (value if isinstance(value, str) else json.dumps(value)).encode(errors="replace")


@schemathesis.deserializer("application/octet-stream", "application/x-ndjson", "text/csv")
def read_bytes(context, response):
    return response.content.decode(errors="replace")


STATUSES = collections.defaultdict(collections.Counter)
made = 0


def new_object(class_name, choice):
    """A valid object that is not in the store."""
    global made
    made += 1
    if class_name == "City":
        return {
            "id": 90_000_000 + made, "name": choice.choice(["Testholm", "Prøvevik", "試験"]),
            "country": choice.choice(["IS", "SJ", None]), "population": choice.randrange(10**6),
            "timezone": "Atlantic/Reykjavik", "alternateNames": [],
            "location": {"type": "Point", "coordinates": [choice.random(), choice.random()]},
        }
    if class_name == "Country":
        return {"iso": f"X{made}", "name": "Testland", "continent": "EU", "neighbours": ["FR"]}
    if class_name == "Continent":
        return {"code": f"Y{made}", "name": "Testia", "population": made}
    if class_name == "Setting":
        return {"name": f"made/{made}", "value": choice.choice(["x", None])}
    if class_name == "Note":
        return {"text": f"made {made}", "tags": ["x", "x"]}
    return {"label": f"made {made}", "whole": made, "real": choice.choice([1.5, None, "Infinity"])}


def path_text(key):
    """A key as a part of a path; nothing where none can carry it."""
    return None if key in (None, "", ".", "..") else str(key)


class Target:
    """The object that a request is led to."""

    def __init__(self, case, choice, isByKey):
        self.class_name = choice.choice(sorted(KEYS))
        keys = KEYS[self.class_name]
        if not isByKey:
            keys = [key for key in keys if path_text(key) is not None]
        self.key = choice.choice(keys)
        if case.operation.definition.raw["operationId"].startswith("delete"):
            self.make_deletable(case, choice, isByKey)

    def make_deletable(self, case, choice, isByKey):
        """Deletes have objects of their own, so that the others stay."""
        self.class_name = choice.choice(["City", "Setting"] if isByKey else ["City", "Country"])
        value = new_object(self.class_name, choice)
        reply = requests.post(
            f"{case.operation.base_url}/v1/classes/{self.class_name}/objects", json=value, timeout=30)
        reply.raise_for_status()
        self.key = value[{"City": "id", "Setting": "name", "Country": "iso"}[self.class_name]]


def is_positive(case, part):
    """Whether a part of the request was made up to be valid."""
    meta = case.meta
    if meta is None:
        return True
    component = meta.components.get(part)
    if component is not None:
        return component.mode.is_positive
    # Where nothing that is there is wrong, what is missing is, such as a body.
    return meta.generation.mode.is_positive or not all(
        one.mode.is_positive for one in meta.components.values())


@schemathesis.hook
def before_call(context, case, kwargs):
    # What stands for no body has an address in its text, which is another one in each run.
    body = None if isinstance(case.body, NotSet) else case.body
    text = repr((case.path_parameters, case.query, case.headers, body))
    choice = random.Random(zlib.crc32(text.encode(errors="replace")))
    operation = case.operation.definition.raw.get("operationId")
    bound_wait(case)
    begin_with_snapshot(case)
    choose_mode(case, operation, choice)
    if case.query and is_positive(case, ParameterLocation.QUERY):
        # One that was made up opens nothing.
        case.query.pop("ticket", None)
    if operation == "createTicket" and is_positive(case, ParameterLocation.BODY):
        case.body = {"url": choice.choice(["/v1/changes", "/v1/classes/City/changes?fields=name"])}
    if operation in ("createStream", "patchStream") and is_positive(case, ParameterLocation.BODY):
        case.body = {"queries": stream_queries(choice)}
    isExample = case.meta is not None and case.meta.phase.name.value == "examples"
    if operation in ("putSchema", "putClass") and all(is_positive(case, part) for part in (
            ParameterLocation.BODY, ParameterLocation.QUERY, ParameterLocation.HEADER)):
        if isExample or choice.random() < KNOWN_SHARE:
            replace_schema(case, operation, choice)
        return
    # Those that a delete takes from the document's examples would be missed.
    isDelete = operation in (
        "deleteObject", "deleteObjectByKey", "deleteProjection", "deleteElement", "deleteElementByKey",
        "acknowledgeOutbox", *BACKUP, *BULK, *STREAM)
    if operation in BULK:
        # A filter that was made up must not take what the other requests need.
        case.headers = {**(case.headers or {}), "Prefer": "max-affected=0"}
        if case.query:
            case.query.pop("all", None)
    if operation == "createTransaction":
        replace_transaction(case, isExample, choice)
    if not isDelete and (isExample or choice.random() > KNOWN_SHARE):
        return
    if case.headers and is_positive(case, ParameterLocation.HEADER):
        for name in ("If-Match", "If-None-Match", "Idempotency-Key"):
            case.headers.pop(name, None)
    parameters = case.path_parameters
    if operation in BACKUP and is_positive(case, ParameterLocation.PATH):
        parameters["name"] = made_backup(case, operation)
        return
    if operation in STREAM and is_positive(case, ParameterLocation.PATH):
        stream = succeed(case, "POST", "/v1/streams", json={"queries": stream_queries(choice)})
        parameters["id"] = stream.json()["id"]
        return
    if operation in OUTBOX and is_positive(case, ParameterLocation.PATH):
        replace_outbox(case, operation)
        return
    if operation == "exportStore" and is_positive(case, ParameterLocation.QUERY):
        # A version that was made up is one of another store.
        (case.query or {}).pop("minVersion", None)
        return
    if operation == "importStore" and is_positive(case, ParameterLocation.BODY):
        case.body = store_lines(case, choice)
        return
    if "Element" in operation and is_positive(case, ParameterLocation.PATH):
        # Where only a field of the header is wrong, everything else being right, nothing would refuse it.
        if is_positive(case, ParameterLocation.HEADER):
            replace_element(case, operation, choice)
        return
    if parameters and "projection" in parameters:
        if is_positive(case, ParameterLocation.PATH):
            replace_projected(case, operation, choice)
        return
    if not parameters or "class" not in parameters or not is_positive(case, ParameterLocation.PATH):
        return
    isByKey = operation.endswith("ByKey")
    target = Target(case, choice, isByKey)
    parameters["class"] = target.class_name
    if "id" in parameters:
        parameters["id"] = path_text(target.key)
    if "property" in parameters:
        parameters["property"] = choice.choice(PROPERTIES[target.class_name])
    if operation == "patchProperty":
        parameters.update({"class": "City", "id": str(choice.choice(CITIES)), "property": "location"})
        if is_positive(case, ParameterLocation.QUERY):
            case.query = {"projection": "Point"}
        if is_positive(case, ParameterLocation.BODY):
            case.body = {"lonLat": [choice.random(), choice.random()]}
        return
    if operation in BULK and is_positive(case, ParameterLocation.QUERY):
        if operation == "patchObjects":
            target.make_deletable(case, choice, isByKey)
            parameters["class"] = target.class_name
        name = {"City": "id", "Country": "iso"}[target.class_name]
        case.query = {"filter": f"{name} == $0", "arg": [json.dumps(target.key)]}
        case.headers["Prefer"] = "max-affected=1"
    elif is_positive(case, ParameterLocation.QUERY):
        replace_query(case, target, choice)
    if isinstance(case.body, (dict, list)) and is_positive(case, ParameterLocation.BODY):
        replace_body(case, operation, target, choice)
    if operation == "importObjects" and is_positive(case, ParameterLocation.BODY):
        lines = [json.dumps(new_object(target.class_name, choice)) for _ in range(3)]
        case.body = "\n".join(lines + choice.choice([[], ["{", '{"nothing":1}']]))
        if case.media_type == "application/geo+json":
            case.body = {"type": "FeatureCollection", "features": [
                {"type": "Feature", "geometry": None, "properties": json.loads(line)} for line in lines]}


def succeed(case, method, path, **more):
    """Sends a request that prepares another one."""
    reply = requests.request(method, case.operation.base_url + path, timeout=30, **more)
    reply.raise_for_status()
    return reply


def made_backup(case, operation):
    """The name of a backup that is there; a new one for who deletes it."""
    if operation == "getBackup":
        for backup in succeed(case, "GET", "/v1/backups").json()["backups"]:
            return backup["name"]
    return succeed(case, "POST", "/v1/backups").json()["name"]


def stream_queries(choice):
    """Some queries of a stream by their names, one of them of a projection."""
    queries = {"cards": {"projection": "CityCard", "filter": "population > 5000000"}}
    for name in choice.sample(sorted(FILTERS), 2):
        text, arguments = choice.choice(FILTERS[name])
        queries[name] = {"class": name, "filter": text}
        if arguments:
            values = [json.loads(value) for value in arguments.get("arg", [])]
            queries[name]["args"] = arguments.get("text", []) + values
    return queries


def replace_outbox(case, operation):
    """Leads a request to the outbox that there is, and to a place in it."""
    case.path_parameters["class"] = "Reading"
    if not is_positive(case, ParameterLocation.QUERY):
        return
    case.query = {name: value for name, value in (case.query or {}).items() if name == "limit"}
    if operation == "acknowledgeOutbox":
        succeed(case, "POST", "/v1/classes/Reading/objects", json={"celsius": 1})
        page = succeed(case, "GET", "/v1/classes/Reading/outbox", params={"limit": 1}).json()
        case.query["through"] = page["through"]


def store_lines(case, choice):
    """The store's own header, good lines and often a bad one."""
    with requests.get(f"{case.operation.base_url}/v1/export", timeout=30, stream=True) as exported:
        header = next(exported.iter_lines()).decode()
    lines = [header]
    for _ in range(2):
        value = new_object("City", choice)
        lines.append(json.dumps({"class": "City", "id": value["id"], "object": value}))
    return "\n".join(lines + choice.choice([[], ["{", '{"class":"Nothing","object":{}}']]))


def replace_element(case, operation, choice):
    """Leads a request to an element of a list, or an entry of a map, that is there."""
    isByKey = operation.endswith("ByKey")
    key = choice.choice(seed.SPECIMEN_IDS)
    if operation == "addToElement" or operation.endswith("InnerElement"):
        replace_inner(case, operation, key)
        return
    name = "ratings" if isByKey else "reals"
    case.path_parameters.update({"class": "Specimen", "id": key, "property": name})
    if "element" in case.path_parameters:
        case.path_parameters["element"] = "0"
    path = f"/v1/classes/Specimen/objects/{key}/properties/{name}/elements"
    if isByKey:
        succeed(case, "PUT", path, params={"key": '"a"'}, json=0.25)
    else:
        succeed(case, "POST", path, json=0.25)
    if is_positive(case, ParameterLocation.QUERY):
        case.query = {"key": '"a"'} if isByKey else {}
    if operation.startswith(("put", "add")) and is_positive(case, ParameterLocation.BODY):
        case.body = choice.choice([0.5, 2, "Infinity"])


def replace_inner(case, operation, key):
    """Leads a request to what stands inside a mixed value that is there."""
    case.path_parameters.update(
        {"class": "Specimen", "id": key, "property": "extra", "element": "0"})
    if "inner" in case.path_parameters:
        case.path_parameters["inner"] = "0"
    succeed(
        case, "PATCH", f"/v1/classes/Specimen/objects/{key}", json={"extra": [[[1, 2], "b"], "c"]})
    if is_positive(case, ParameterLocation.QUERY):
        case.query = {}
    if operation.startswith(("put", "add")) and is_positive(case, ParameterLocation.BODY):
        case.body = "inside"


def replace_projected(case, operation, choice):
    """Leads a request about a projection to one that is there."""
    global made
    parameters = case.path_parameters
    isBodyValid = is_positive(case, ParameterLocation.BODY)
    if operation in ("putProjection", "deleteProjection"):
        made += 1
        parameters["projection"] = f"Shown {made}"
        definition = choice.choice(sorted(seed.PROJECTIONS.items()))[1]
        if operation == "deleteProjection":
            requests.put(
                f"{case.operation.base_url}/v1/projections/Shown {made}", json=definition,
                timeout=30).raise_for_status()
        elif isBodyValid:
            case.body = definition
        return
    parameters["projection"] = name = choice.choice(sorted(PROJECTIONS))
    class_name = seed.PROJECTIONS[name]["class"]
    keys = KEYS[class_name]
    if "id" in parameters:
        keys = [key for key in keys if path_text(key) is not None]
        parameters["id"] = path_text(choice.choice(keys))
    query = case.query
    if query and is_positive(case, ParameterLocation.QUERY):
        for parameter in ("cursor", "minVersion", "arg", "text", "distinct", "geometry"):
            query.pop(parameter, None)
        if "filter" in query:
            query["filter"], arguments = choice.choice(FILTERS[class_name])
            query.update(arguments)
        replacements = {
            "key": [json.dumps(choice.choice(keys))], "sort": SORTS[class_name],
            "fields": ["*,$version", *PROJECTIONS[name]], "since": ["now", "start"],
        }
        for parameter in replacements.keys() & query.keys():
            query[parameter] = choice.choice(replacements[parameter])
    if not isinstance(case.body, dict) or not isBodyValid:
        return
    if operation == "queryProjectedObjects":
        # A projection says itself what is expanded.
        case.body.pop("expand", None)
        shown = {"fields": ["*,$version", *PROJECTIONS[name]]}
        replace_query_body(case.body, class_name, shown, choice)
    else:
        case.body = PROJECTIONS[name]


def replace_schema(case, operation, choice):
    """Makes a schema or class of the store's own, often with one more class or property."""
    schema = requests.get(f"{case.operation.base_url}/v1/schema", timeout=30).json()
    del schema["revision"]
    added = new_class(choice)
    if operation == "putSchema":
        case.body = schema
        if choice.random() < 0.5:
            schema["classes"].append(added)
    elif is_positive(case, ParameterLocation.PATH):
        known = next(one for one in schema["classes"] if one["name"] == "Note")
        known["properties"].setdefault(f"more {choice.randrange(20)}", "string?")
        case.body = choice.choice([known, added])
        case.path_parameters["class"] = case.body["name"]


def new_class(choice):
    """A class with properties of any type."""
    global made
    made += 1
    types = ["bool", "int?", "double[]", "string<>", "date", "objectId?", "uuid", "data", "City",
             "Country[]", "Location?", {"type": "int", "indexed": True, "default": 7},
             {"type": "list", "element": {"type": "object", "class": "Location"}}]
    return {
        "name": f"Made {made}",
        "properties": {
            f"property {number}": choice.choice(types) for number in range(choice.randrange(1, 6))},
    }


def begin_with_snapshot(case):
    """Has a stream that only tells events begin with a snapshot: three events, where `now` may tell one."""
    raw = case.operation.definition.raw["responses"].get("200", {})
    if list(raw.get("content", {})) != ["text/event-stream"]:
        return
    if is_positive(case, ParameterLocation.QUERY):
        case.query = {**(case.query or {}), "since": "start"}
    if case.headers and is_positive(case, ParameterLocation.HEADER):
        case.headers.pop("Last-Event-ID", None)


def choose_mode(case, operation, choice):
    """A live list and an interval are for event streams; changes are pages where nobody says so."""
    query = case.query
    if operation not in PAGED_STREAMS or not query or not is_positive(case, ParameterLocation.QUERY):
        return
    if choice.random() < 0.5:
        query.pop("sort", None)
        query.pop("interval", None)
    elif is_positive(case, ParameterLocation.HEADER):
        query.pop("old", None)
        case.headers = {
            **(case.headers or {}), "Accept": "text/event-stream", "Last-Event-ID": "start"}


def bound_wait(case):
    preference = (case.headers or {}).get("Prefer")
    if isinstance(preference, str) and "wait" in preference:
        case.headers["Prefer"] = f"wait={WAIT_SECONDS_MAX}"


def replace_query(case, target, choice):
    query = case.query
    if not query:
        return
    name = target.class_name
    if "key" in query:
        query["key"] = json.dumps(target.key)
    # Those that were made up belong to nothing.
    query.pop("cursor", None)
    query.pop("minVersion", None)
    query.pop("geometry", None)
    if "arg" in query or "text" in query or "filter" in query:
        query.pop("arg", None)
        query.pop("text", None)
        query["filter"], arguments = choice.choice(FILTERS[name])
        query.update(arguments)
    if "op" in query:
        query["op"] = "count"
    if "by" in query:
        query["by"] = (SORTS[name] or ["$"])[0].split(",")[0].lstrip("-")
        if "objects" in query and name in ("City", "Country") and choice.random() < 0.5:
            query["by"] = "prefix(name,1)"
    replacements = {
        "sort": SORTS[name], "distinct": [SORTS[name][0].lstrip("-")],
        "expand": EXPANSIONS[name], "fields": FIELDS, "since": ["now", "start"],
    }
    if "property" in case.path_parameters:
        # What a property of that kind takes is left to chance: a value takes none of these.
        for parameter in ("filter", "arg", "text", "sort", "distinct", "expand", "fields"):
            query.pop(parameter, None)
        return
    for parameter, values in replacements.items():
        if parameter in query:
            if values:
                query[parameter] = choice.choice(values)
            else:
                query.pop(parameter)
    if case.operation.definition.raw["operationId"] == "listObjects":
        choose_form(case, name, choice)


def choose_form(case, name, choice):
    """Asks for a list in one of its forms."""
    form = choice.choice(["application/json", "application/geo+json", "text/csv"])
    if form == "application/geo+json" and name == "City":
        case.query["geometry"] = "location"
    elif form == "text/csv" and name in ("City", "Country"):
        case.query["fields"] = "name,population"
        for parameter in ("expand", "count", "explain"):
            case.query.pop(parameter, None)
    else:
        return
    case.headers = {**(case.headers or {}), "Accept": form}


def replace_query_body(body, name, shown, choice):
    """Makes a query in a body one of a class, of which `shown` has what may be shown."""
    for member in ("cursor", "minVersion", "geometry"):
        body.pop(member, None)
    if "filter" in body or "args" in body:
        body.pop("args", None)
        text, arguments = choice.choice(FILTERS[name])
        body["filter"] = text
        if arguments:
            body["args"] = [
                json.loads(value) for value in arguments.get("arg", [])
            ] + arguments.get("text", [])
    replacements = {"sort": SORTS[name], "distinct": [SORTS[name][0].lstrip("-")], **shown}
    for member in replacements.keys() & body.keys():
        values = replacements[member]
        body[member] = choice.choice(values) if values else []


def replace_body(case, operation, target, choice):
    if operation == "queryObjects":
        name = target.class_name
        replace_query_body(case.body, name, {"expand": EXPANSIONS[name], "fields": FIELDS}, choice)
    elif operation == "createObjects":
        case.body = new_object(target.class_name, choice)
        if choice.random() < 0.3:
            case.body = [case.body, new_object(target.class_name, choice)]
    elif operation.startswith("patchObject") and isinstance(case.body, list):
        names = {"City": "timezone", "Country": "name", "Continent": "name", "Note": "text",
                 "Specimen": "label", "Setting": "value"}
        case.body = [
            {"op": "replace", "path": f"/{names[target.class_name]}", "value": "patched"}]
    elif operation.startswith(("putObject", "patchObject")):
        body = new_object(target.class_name, choice)
        for key in ("id", "iso", "code", "name" if target.class_name == "Setting" else "id", "_id"):
            body.pop(key, None)
        case.body = body


def replace_transaction(case, isExample, choice):
    """A body that was made up names no class that exists."""
    if not isinstance(case.body, dict) or not is_positive(case, ParameterLocation.BODY):
        return
    if not isExample and choice.random() > KNOWN_SHARE:
        return
    case.body.pop("ifVersion", None)
    value = new_object("City", choice)
    key = value.pop("id")
    case.body["operations"] = [
        {"op": choice.choice(["put", "create", "merge"]), "class": "City", "id": key, "ref": "c",
         "value": value},
        {"op": "create", "class": "Note", "value": {"text": "x", "about": {"$ref": "c"}}},
        {"op": "patch", "class": "City", "id": key, "ifMatch": "*", "value": choice.choice(
            [{"population": 1}, [{"op": "test", "path": "/id", "value": key}]])},
        {"op": "delete", "class": "City", "id": {"$ref": "c"}},
    ][:choice.choice([1, 2, 3, 4])]


@schemathesis.hook
def after_call(context, case, response):
    if response is not None and case.meta is not None:
        operation = case.operation.definition.raw["operationId"]
        method = response.request.method if response.request is not None else ""
        # A probe of another method is not this operation.
        if method == case.operation.method.upper():
            STATUSES[operation][response.status_code] += 1


@atexit.register
def write_report():
    path = os.environ.get("HOLDFAST_CONTRACT_REPORT")
    if path and STATUSES:
        Path(path).write_text(json.dumps(STATUSES))
