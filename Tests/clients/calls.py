"""A call of every operation of a document, as data that the clients of all languages make their calls from.

Each call names the operation, its arguments by their names in the document, its body, and the figures that its reply has. Reads come first and deletions last; what
they change or delete is there for them alone (`prepare`).
"""
import json
import re

METHODS = ("get", "post", "put", "patch", "delete")
OBJECTS = {
    "Country": [
        {"iso": iso, "name": f"Country {iso}"} for iso in ("ES", "PT", "XA", "XB", "XC")],
    "City": [
        {"id": 7, "name": "Seven", "country": "ES", "twins": [1, 2, 7], "levels": [0.5, 1.5, 2.5],
         "shares": {"a": 0.5, "b": 1.5, "c": 2.5}, "tags": ["x", "y", "z"],
         "extra": {"list": [1, [2], 3], "gone": 4}},
        {"id": 8, "name": "Eight"}, {"id": 91, "name": "Gone"}, {"id": 92, "name": "Gone too"}],
    "Note": [{"text": text} for text in ("one", "two", "three", "gone")],
    "Reading": [{"celsius": 1.5}]}

# The keys of the objects that operations read, write and delete; those of classes without a key are counted from 1.
KEYS = {
    "Country": {"read": "ES", "write": "PT", "delete": "XA"},
    "City": {"read": 7, "write": 8, "delete": 91},
    "Note": {"read": 1, "write": 2, "delete": 3}}
# The keys of those with a parameter for a key that no path carries, as JSON.
KEY_PARAMETERS = {"read": '"ES"', "write": '"PT"', "delete": '"XB"'}
GONE = {"Country": "iso == 'XC'", "City": "id == 92", "Note": "text == 'gone'"}
NEW = {
    "Country": {"iso": "YA", "name": "New"}, "City": {"id": 70, "name": "New"},
    "Note": {"text": "new"}, "Reading": {"celsius": 2.5}}
CHANGE = {"Country": {"name": "Put"}, "City": {"name": "Put"}, "Note": {"text": "put"}}
LINES = {
    "Country": '{"iso":"YB"}\n', "City": '{"id":71,"name":"Line"}\n', "Note": '{"text":"line"}\n',
    "Reading": '{"celsius":3.5}\n'}
# The places of elements that are read, written and deleted, and the value that is written.
ELEMENTS = {
    "twins": (0, 0, 0, 1), "levels": (0, 0, 0, 4.5), "tags": (0, 0, 0, "w"),
    "shares": ("a", "a", "b", 3.5), "extra": ("list", "new", "gone", "new")}
# What is deleted by its key or value.
ELEMENT_KEYS = {"twins": '1', "levels": "1.5", "tags": '"x"', "shares": '"c"'}
# The figures that aggregates are asked for; those of other classes are counted.
FIGURES = {"Country": "count,max(area)", "City": "count,max(population),avg(rating)"}
TRANSACTION = {"operations": [{"op": "create", "class": "Note", "value": {"text": "taken"}}]}


def prepare(service):
    """Puts what the calls are about into a store; returns up to where the outbox may be acknowledged."""
    for name, objects in OBJECTS.items():
        service.succeed("POST", f"/v1/classes/{name}/objects", objects)
    return service.succeed("GET", "/v1/classes/Reading/outbox").json["through"]


def calls(document, through):
    """The calls, in their order."""
    def resolve(value):
        while "$ref" in value:
            found = document
            for step in value["$ref"].removeprefix("#/").split("/"):
                found = found[step]
            value = found
        return value

    made = []
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                operation = item[method]
                parameters = [
                    resolve(one)
                    for one in item.get("parameters", []) + operation.get("parameters", [])]
                content = operation["responses"].get("200", {}).get("content", {})
                made.append({
                    "id": operation["operationId"], "tag": operation["tags"][0], "method": method,
                    "path": path,
                    "parameters": [one["name"] for one in parameters],
                    "isStream": "text/event-stream" in content,
                    **arguments(path, method, operation, parameters, through)})
    return sorted(made, key=lambda call: METHODS.index(call["method"]))


def arguments(path, method, operation, parameters, through):
    """The arguments of a call, and its body."""
    name, body = operation["tags"][0], None
    use = {"get": "read", "delete": "delete"}.get(method, "write")
    element = (re.search(r"/properties/(\w+)/elements", path) or [None, None])[1]
    place, query = {}, {}
    for parameter in re.findall(r"{(\w+)}", path):
        if parameter == "id":
            # Elements are those of one object, whatever is done to them.
            place[parameter] = KEYS[name]["read" if element else use]
        elif parameter == "property":
            names = next(one for one in parameters if one["name"] == "property")["schema"]["enum"]
            place[parameter] = next((one for one in ("name", "text") if one in names), names[0])
        elif parameter == "element":
            number = ("read", "write", "delete").index(use)
            isInner = method == "post" or "{inner}" in path
            place[parameter] = "list" if isInner else ELEMENTS[element][number]
        else:
            # An element of the list that is one, where something is added.
            place[parameter] = {"post": "1", "delete": "2"}.get(method, "0")
    for parameter in parameters:
        if parameter["in"] == "query" and parameter.get("required"):
            query[parameter["name"]] = {
                "by": "text" if name == "Note" else "name", "through": through,
                "key": '"a"' if element else KEY_PARAMETERS[use]}[parameter["name"]]
    figures = []
    if path.endswith("/aggregate"):
        query["op"] = FIGURES.get(name, "count")
        figures = query["op"].split(",")
    if path.endswith("/objects") and method in ("patch", "delete"):
        query["filter"] = "TRUEPREDICATE" if method == "patch" else GONE[name]
    if path.endswith("/elements") and method == "delete":
        query["key" if element == "shares" else "value"] = ELEMENT_KEYS[element]
    if "requestBody" in operation:
        if element:
            body = ELEMENTS[element][3]
        elif path.endswith("/import"):
            body = LINES[name]
        elif path.endswith("/query"):
            body = {"filter": "TRUEPREDICATE", "limit": 2}
        elif name in NEW:
            body = NEW[name] if method == "post" else CHANGE[name]
        else:
            body = TRANSACTION
    return {"place": place, "query": query, "body": body, "figures": figures}


def swift(made, client):
    """The source of the function that makes the calls by the client of openapi-generator for Swift, whose source is `client`."""
    lines = ["func callAll() async {"]
    for call in made:
        function = re.search(
            rf"open class func {call['id']}\((.*?)\) async throws", client)
        labels = re.findall(r"(\w+): ((?:\[[^\]]*\]|[^,=\[])+)", function.group(1))
        known = {folded(name) for name in call["parameters"]} | {"apiconfiguration"}
        stated = {folded(name): value for name, value in {**call["place"], **call["query"]}.items()}
        arguments = []
        for label, kind in labels:
            name = folded(label)
            if name not in known and call["body"] is not None:
                read = "lines" if kind.startswith("URL") else "value"
                arguments.append(f"{label}: try {read}({quoted(call['body'])})")
            elif name in stated:
                arguments.append(f"{label}: try value({quoted(stated[name])})")
        api = call["tag"][:1].upper() + call["tag"][1:] + "API"
        way = "follow" if call["isStream"] else "call"
        lines.append(
            f'    await {way}("{call["id"]}") {{ _ = try await {api}.{call["id"]}({", ".join(arguments)}) }}')
    return "\n".join([*lines, "}", ""])


def folded(name):
    """A name without what generators change of it."""
    return re.sub("[^a-z0-9]", "", name.lower())


def quoted(value):
    """A value as JSON, in quotes of Swift."""
    return '#"' + json.dumps(value) + '"#'
