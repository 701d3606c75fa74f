"""The dearest requests of every operation that fit the limits of the service: what takes longest to read, check, compile or plan.

Each is a method, a path, a body and its media type. Operations without one say why.
"""
import json
import math
from urllib.parse import quote

# The limits of the service that they fit. Those of a service by default are larger; a debug build is slower by as much.
BODY_BYTES_MAX = 4 << 20
TEXT_BYTES_MAX = 256 << 10
OPERATIONS_MAX = 20_000
POINTS_MAX = 10_000
OPTIONS = (
    "--max-body", str(BODY_BYTES_MAX), "--max-query-text", str(TEXT_BYTES_MAX), "--max-import-line", str(BODY_BYTES_MAX),
    "--max-transaction", str(OPERATIONS_MAX))

JSON = "application/json"
PATCH = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
LINES = "application/x-ndjson"
EVENTS = "text/event-stream"

LINKS = "abcdefghijklmnopqrstuvwxy"
SCHEMA = {"classes": [
    {"name": "Point", "kind": "embedded", "properties": {
        "type": {"type": "string", "default": "Point"}, "coordinates": "double[]"}},
    {"name": "Item", "primaryKey": "id", "properties": {
        "id": "int", "n": {"type": "int", "indexed": True}, "m": "int", "s": "string", "x": "mixed", "place": "Point?",
        "tags": "string[]", "map": "int{}", "ways": "Point[]", "items": "Item[]"}
     | {f"l{letter}": "Item?" for letter in LINKS}},
    {"name": "Other", "primaryKey": "id", "properties": {"id": "int", "n": "int"}},
    {"name": "Event", "kind": "asymmetric", "primaryKey": "id", "properties": {"id": "int", "s": "string", "tags": "string[]"}},
], "projections": [
    {"name": "Card", "class": "Item", "properties": {
        "id": "id", "n": "n", "m": "m", "s": "s", "x": "x", "place": "place", "tags": "tags", "ways": "ways", "next": "la"}}]}
OBJECTS = [
    {"id": number, "n": number, "m": number % 7, "s": "a" * 40 + "b", "x": {"k": [[number]]},
     "place": {"coordinates": [number % 180, 10]}, "tags": ["a"], "map": {"k": 1}, "la": number - 1 if number > 1 else None}
    for number in range(1, 201)]


def ring(count, low, high):
    """A star's ring: its edges are the closer beside each other, the lower its inner points lie."""
    points = []
    for index in range(count - 1):
        turn = 2 * math.pi * index / (count - 1)
        radius = high if index % 2 else low
        points.append([round(10 + radius * math.cos(turn), 6), round(50 + radius * math.sin(turn), 6)])
    return points + points[:1]


def joined(part, separator, count_max=10**9, byte_count_max=TEXT_BYTES_MAX):
    """As many parts as fit; `part` makes one of its number."""
    parts, length = [], 0
    for number in range(count_max):
        text = part(number)
        length += len(text) + len(separator)
        if length > byte_count_max:
            break
        parts.append(text)
    return separator.join(parts)


def nested(depth=400):
    """ANDs and ORs within each other."""
    text = "n == 1"
    terms = max(1, TEXT_BYTES_MAX // depth // 14 - 1)
    for level in range(depth):
        word = "OR" if level % 2 else "AND"
        more = f" {word} ".join(f"n != {level * terms + term}" for term in range(terms))
        text = f"({text} {word} {more})"
    return text


SPIKY = {"type": "Polygon", "coordinates": [ring(POINTS_MAX, 4.6, 5)]}
COMB = {"type": "Polygon", "coordinates": [ring(2_800, 0.5, 5)]}
FILTERS = {
    "different": joined(lambda number: f"n != {number}", " AND "),
    "equal": joined(lambda number: f"n == {number}", " OR "),
    "ranges": joined(lambda number: f"n > {2 * number} AND n < {2 * number + 1}", " OR "),
    "parts": joined(lambda number: f"s CONTAINS[c] 'abc{number}'", " OR "),
    "two properties": joined(lambda number: f"(n == {number} AND m > {number})", " OR "),
    "paths": joined(
        lambda number: ".".join("l" + LINKS[number // 25 ** step % 25] for step in range(6)) + ".n != 1", " AND "),
    "incoming": joined(lambda number: f"@links.@count > {number}", " AND "),
    "subqueries": joined(lambda number: f"SUBQUERY(items, $o, $o.n == {number}).@count > 0", " OR "),
    "mixed": joined(lambda number: f"x['k'][{number}]['a']['n'] == 1", " OR "),
    "nested": nested(),
    "words": joined(lambda number: f"s TEXT 'word{number}'", " OR ", 1000),
    "expressions": joined(lambda number: "s MATCHES[c] '" + "(a|b)*" * 8 + f"{number}'", " OR ", 1000),
    "like": joined(lambda number: f"s LIKE '*a*{number}*b*'", " OR "),
    "list": "n IN {" + joined(str, ",", byte_count_max=TEXT_BYTES_MAX - 10) + "}",
    "all of a list": "n != ALL {" + joined(str, ",", byte_count_max=TEXT_BYTES_MAX - 20) + "}",
    "dates": joined(lambda number: f"x == 2026-11-20T06:38:{number % 60:02}Z", " OR "),
    "sums": "n == " + joined(lambda number: "m", " + ", 190),
}
ARGUMENTS = {
    "a list at many places": (joined(lambda number: "n IN $0", " OR ", 20_000), [list(range(20_000))]),
    "many regions": (
        joined(lambda number: f"place geoWithin ${number}", " OR ", 20), [SPIKY] * 10 + [COMB] * 10),
    "a region at many places": (joined(lambda number: "place geoWithin $0", " OR ", 10_000), [SPIKY]),
    "many values": (joined(lambda number: f"n == ${number}", " OR ", 20_000), list(range(20_000))),
}
EXPRESSION = "s MATCHES '" + "(a+)+" + "$'"
LISTS = {
    "sort": joined(lambda number: ".".join("l" + LINKS[number // 25 ** step % 25] for step in range(4)) + ".n", ","),
    "distinct": joined(lambda number: ".".join("l" + LINKS[number // 25 ** step % 25] for step in range(4)) + ".n", ","),
    "fields": joined(lambda number: ".".join("l" + LINKS[number // 25 ** step % 25] for step in range(6)) + ".*", ","),
    "expand": joined(lambda number: ".".join("l" + LINKS[number // 25 ** step % 25] for step in range(6)), ","),
}
# A page repeats its target in the address of the next one, and both have to fit the memory of a connection.
TARGET = 5_600
SHORT = {
    "filter": joined(lambda number: f"n != {number}", " AND ", byte_count_max=TARGET // 2),
    "a list at many places": joined(lambda number: "n IN $0", " OR ", byte_count_max=TARGET // 2)}


def queries():
    """The bodies of a query, by what is dear in them."""
    for name, text in FILTERS.items():
        yield name, {"filter": text}
    for name, (text, arguments) in ARGUMENTS.items():
        yield name, {"filter": text, "args": arguments}
    for name, text in LISTS.items():
        yield name, {name: text}


def streams():
    """The queries of a stream, as many of a kind as fit a body."""
    for name, query in queries():
        if name == "distinct":
            continue
        query = {"class": "Item", **query}
        if name == "sort":
            query["limit"] = 10
        count = max(1, min(100, (BODY_BYTES_MAX - 100) // (len(json.dumps(query)) + 12)))
        yield f"{count} of {name}", {"queries": {f"q{number}": query for number in range(count)}}


def filled(part, byte_count_max=BODY_BYTES_MAX - 1000, count_max=10**9):
    """A list of as many values as fit, by the length of a late one."""
    length = len(json.dumps(part(999_999))) + 2
    return [part(number) for number in range(min(count_max, byte_count_max // length))]


def drafts():
    """Objects that take long to read."""
    yield "a list", {"tags": filled(lambda number: "")}
    yield "embedded objects", {"ways": filled(lambda number: {"coordinates": []})}
    yield "a map", {"map": {f"k{number}": number for number in range(200_000)}}
    yield "links", {"items": filled(lambda number: number)}
    yield "mixed", {"x": filled(lambda number: {"a": [number]})}
    yield "unknown names", {f"name{number}": number for number in range(150_000)}


def patches():
    """JSON patches that take long to compile or to apply."""
    yield "adds", filled(lambda number: {"op": "add", "path": "/tags/0", "value": "x"})
    yield "copies", filled(lambda number: {"op": "copy", "from": "/x", "path": "/x/k"})
    yield "tests", filled(lambda number: {"op": "test", "path": "/n", "value": 1})


def writes(method, path, isProjected=False):
    """Writes of an object; a projection of it names the same properties."""
    for name, body in drafts():
        if not isProjected or set(body) <= {"tags", "ways", "x"}:
            yield name, method, path, body, JSON if method == "PUT" else PATCH
    for name, body in patches() if method == "PATCH" else []:
        yield name, method, path, body, JSON_PATCH


def short(path):
    """A dear query of a URL."""
    mark = "&" if "?" in path else "?"
    yield "filter", "GET", f"{path}{mark}filter={quote(SHORT['filter'])}", None, None
    yield ("a list at many places", "GET",
           f"{path}{mark}filter={quote(SHORT['a list at many places'])}&arg={quote(json.dumps(list(range(400))))}", None, None)
    yield "expression", "GET", f"{path}{mark}filter={quote(EXPRESSION)}", None, None


def followed(path):
    """The same of a stream of events."""
    for name, method, target, body, _ in short(path):
        yield name, method, target, body, EVENTS


def short_writes(method, path):
    for name, _, target, _, _ in short(path):
        yield name, method, target, {"m": 1} if method == "PATCH" else None, PATCH


def transactions():
    """Transactions of as many operations as fit."""
    yield "creates", {"operations": filled(
        lambda number: {"op": "create", "class": "Item", "value": {"id": 10_000 + number}}, count_max=OPERATIONS_MAX)}
    yield "references", {"operations": filled(
        lambda number: {"op": "put", "class": "Item", "id": 10_000 + number, "ref": f"r{number}",
                        "value": {"la": {"$ref": f"r{number // 2}"}}}, count_max=OPERATIONS_MAX)}
    yield "patches", {"operations": filled(
        lambda number: {"op": "patch", "class": "Item", "id": 1, "value": [{"op": "add", "path": "/tags/0", "value": ""}]},
        count_max=OPERATIONS_MAX)}
    yield "of one object", {"operations": [{"op": "merge", "class": "Item", "id": 1, "value": body} for _, body in drafts()][:1]}


def schemas():
    """Schemas that take long to read and to check."""
    yield "classes", {"classes": SCHEMA["classes"] + filled(
        lambda number: {"name": f"C{number}", "properties": {"a": "int", "b": f"C{number // 2}?"}}, count_max=8_000)}
    yield "properties", {"classes": SCHEMA["classes"] + [
        {"name": "Wide", "properties": {f"p{number}": "int" for number in range(40_000)}}]}
    yield "faults", {"classes": filled(lambda number: {"name": f"C{number}", "properties": {"a": f"D{number}?"}}, count_max=8_000)}


def access():
    yield "roles", {"roles": {f"role{number}": {"classes": {"Item": {
        "read": f"n == {number}", "update": True, "create": True}}} for number in range(4_000)}}
    yield "a rule", {"roles": {"member": {"classes": {"Item": {"read": FILTERS["different"]}}}}}
    yield "unknown classes", {"roles": {"member": {"classes": {
        f"Itemz{number}": {"read": True} for number in range(9_000)}}}}
    yield "properties", {"roles": {"member": {"classes": {"Item": {
        "read": True, "properties": {f"zz{number}": "read" for number in range(100_000)}}}}}}


def cases():
    """The dear requests of each operation by its id; a text says why there is none."""
    item, card = "/v1/classes/Item", "/v1/projections/Card"
    one, card_one = f"{item}/objects/1", f"{card}/objects/1"
    by_key, card_by_key = f"{item}/object?key=1", f"{card}/object?key=1"
    # Nothing changes this one.
    two = f"{item}/objects/2"
    tags = f"{one}/properties/tags"
    found = dict.fromkeys(
        "getLinks getService getVersionLinks getOpenAPI getSchema getClass listClasses getObject getObjectByKey getElement "
        "getElementByKey getInnerElement listProjections getProjection getProjectedObject getProjectedObjectByKey listBackups "
        "createBackup getBackup deleteBackup deleteStream getCaller getAccess listAuditLines listUserAccess getUserAccess listTokens deleteToken "
        "listAccounts getAccount deleteAccount createResetCode deleteSessions deleteSession getLiveness getReadiness getMetrics "
        "deleteObject deleteObjectByKey deleteProjectedObject deleteProjectedObjectByKey deleteElement deleteElementByKey "
        "deleteInnerElement deleteClass deleteProjection exportStore acknowledgeOutbox streamChanges getOutbox".split(),
        "It takes neither a body nor a text that is compiled.")
    found |= dict.fromkeys(
        "createAccount resetPassword changePassword createSession putUserAccess createTicket".split(),
        "Its body is a few short texts: a longer one is refused by its members.")
    found |= dict.fromkeys(
        "streamQueries".split(), "Its queries are those of createStream, which has checked them.")

    def add(names, *made):
        for name in names.split():
            found.setdefault(name, [])
            found[name] += [case for cases in made for case in cases]

    def some(made):
        """Of what two operations make ready in the same way, one has a few."""
        return [case for case in made if case[0].split(" of ")[-1] in (
            "nested", "a list at many places", "many regions", "expand", "expressions", "expression")]

    for kind, path in (("", item), ("Projected", card)):
        dear = some if kind else list
        add(f"query{kind}Objects", dear((name, "POST", f"{path}/query", body, JSON) for name, body in queries()))
        add(f"list{kind}Objects", dear(short(f"{path}/objects")))
        add(f"aggregate{kind}Objects", dear(short(f"{path}/aggregate?by=m&op=sum(n)")))
        add(f"section{kind}Objects", dear(short(f"{path}/sections?by=m")))
        add(f"export{kind}Objects", [("fields", "GET", f"{path}/export?fields={','.join(['n'] * 3_500)}", None, None)])
        add(f"patch{kind}Objects", short_writes("PATCH", f"{path}/objects"))
        add(f"delete{kind}Objects", short_writes("DELETE", f"{path}/objects"))
        add("streamProjectionChanges" if kind else "streamClassChanges", short(f"{path}/changes"))
        add(f"stream{kind}Aggregate", followed(f"{path}/aggregate/changes?op=sum(n)"))
        add(f"stream{kind}Sections", followed(f"{path}/sections/changes?by=m"))
    add("getProperty", short(f"{two}/properties/items"))
    paths = f"fields={','.join(['n'] * 1_000)}"
    add("streamObjectChanges", [("fields", "GET", f"{one}/changes?{paths}", None, None)])
    add("streamProjectedObjectChanges", [("fields", "GET", f"{card_one}/changes?{paths}", None, None)])
    add("streamPropertyChanges", [("fields", "GET", f"{one}/properties/items/changes?{paths}", None, EVENTS)])
    add("createObjects", (
        (name, "POST", f"{item}/objects", {"id": 1_000_000, **body}, JSON) for name, body in drafts()), [
        ("objects", "POST", f"{item}/objects", filled(
            lambda number: {"id": 100_000 + number, "n": number}, count_max=OPERATIONS_MAX), JSON)])
    add("createProjectedObjects", (
        (name, "POST", f"{card}/objects", {"id": 2_000_000, **body}, kind)
        for name, _, _, body, kind in writes("PUT", card_one, isProjected=True)))
    add("putObject", writes("PUT", one))
    add("putObjectByKey", writes("PUT", by_key))
    add("patchObject", writes("PATCH", one))
    add("patchObjectByKey", writes("PATCH", by_key))
    add("putProjectedObject", writes("PUT", card_one, isProjected=True))
    add("putProjectedObjectByKey", writes("PUT", card_by_key, isProjected=True))
    add("patchProjectedObject", writes("PATCH", card_one, isProjected=True))
    add("patchProjectedObjectByKey", writes("PATCH", card_by_key, isProjected=True))
    add("patchProperty", (
        (name, "PATCH", f"{one}/properties/la?projection=Card", body, kind)
        for name, _, _, body, kind in writes("PATCH", one, isProjected=True)))
    value = next(body["ways"] for name, body in drafts() if name == "embedded objects")
    add("addElement", [("a long text", "POST", f"{tags}/elements", "a" * (BODY_BYTES_MAX - 100), JSON)])
    add("putElementByKey", [("a mixed value", "PUT", f"{two}/properties/x/elements?key=%22k%22", value, JSON)])
    add("putElement", [("a mixed value", "PUT", f"{two}/properties/x/elements/k", value, JSON)])
    add("addToElement", [("a mixed value", "POST", f"{two}/properties/x/elements/k", value, JSON)])
    add("putInnerElement", [("a mixed value", "PUT", f"{two}/properties/x/elements/k/0", value, JSON)])
    add("addInnerElement", [("a mixed value", "POST", f"{two}/properties/x/elements/k/0", value, JSON)])
    add("createTransaction", (
        (name, "POST", "/v1/transactions", body, JSON) for name, body in transactions()))
    add("putSchema", ((name, "PUT", "/v1/schema?dryRun=true", body, JSON) for name, body in schemas()))
    wide = {"properties": {f"p{number}": "int" for number in range(40_000)}}
    add("putClass", [("properties", "PUT", "/v1/schema/classes/Wide?dryRun=true", wide, JSON)])
    add("patchClass", [("properties", "PATCH", "/v1/schema/classes/Other?dryRun=true", wide, PATCH)])
    add("putProjection", [
        ("properties", "PUT", "/v1/projections/Many",
         {"class": "Item", "properties": {f"p{number}": "n" for number in range(40_000)}}, JSON)])
    lines = b"\n".join(b'{"id":%d,"n":1}' % number for number in range(1_000, 20_000))
    long_line = json.dumps({"id": 5_000, "tags": value and filled(lambda number: "")}).encode()
    add("importObjects", [
        ("lines", "POST", f"{item}/import?mode=replace", lines, LINES),
        ("a long line", "POST", f"{item}/import?mode=replace", long_line, LINES)])
    # A body has at most a MiB.
    wide_rows = b"\n".join([",".join(f"c{number}" for number in range(900)).encode()] + [b",".join([b"1"] * 900)] * 550)
    dates = b"at\n" + b"01/02/2020\n" * 9_000
    quoted = b"a,b\n" + b'"' + b"x,\n" * (250 << 10)
    inner = {f"{'n' * 50}{number}": {"a": 1} for number in range(80)}
    texts = b"code;name\n" + b"".join(b"%d;k%d\n" % (number, number) for number in range(9_000))
    table = "text/csv"
    add("proposeClass", [
        ("wide records", "POST", "/v1/schema/propose", wide_rows, table),
        ("dates of two forms", "POST", "/v1/schema/propose", dates, table),
        ("an open quote", "POST", "/v1/schema/propose", quoted, table),
        ("keys of no class", "POST", "/v1/schema/propose", texts, table),
        ("a long list", "POST", "/v1/schema/propose", long_line[:900 << 10], LINES),
        ("many objects", "POST", "/v1/schema/propose", lines, LINES),
        ("many names", "POST", "/v1/schema/propose", {f"name{number}": number for number in range(40_000)}, JSON),
        ("many embedded classes", "POST", "/v1/schema/propose", {f"m{number}": inner for number in range(180)}, JSON),
        ("a long name", "POST", "/v1/schema/propose", {"ä" * 250_000: 1}, JSON),
        ("lists within lists", "POST", "/v1/schema/propose", [{"a": [[[number]]]} for number in range(9_000)], JSON)])
    add("importStore", [("a long line", "POST", "/v1/import?mode=replace", b'{"holdfast":1}\n' + long_line, LINES)])
    add("createStream", ((name, "POST", "/v1/streams", body, JSON) for name, body in streams()))
    add("patchStream", some((name, "PATCH", "/v1/streams/{stream}", body, JSON) for name, body in streams()))
    add("putAccess", ((name, "PUT", "/v1/access?dryRun=true", body, JSON) for name, body in access()))
    claims = {f"c{number}": list(range(20)) for number in range(20_000)}
    add("explainAccess", [
        ("claims", "POST", "/v1/access/explain", {"user": "ann", "class": "Item", "key": 1, "claims": claims}, JSON)])
    add("createToken", [
        ("claims", "POST", "/v1/tokens", {"name": "ann", "right": "read", "user": "ann", "claims": claims}, JSON)])
    add("patchToken", [("claims", "PATCH", "/v1/tokens/none", {"claims": claims}, JSON)])
    return found
