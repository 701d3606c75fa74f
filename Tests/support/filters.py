"""Lines of a ```filters block: a class, a filter, its arguments, and how many objects it finds or its error's code.

    City       name == $0          args ["Paris"]      → 5
    City       population > 'x'                        → query-type
"""
import json
import re
from urllib.parse import urlencode

LINE = re.compile(r"(?P<class>\w+)\s+(?P<filter>\S.*?)(?:\s+args (?P<args>\[.*\]))?\s+→ (?P<expected>\S+)")


def ask(service, name, text, arguments):
    """The number of objects that a filter finds, or the code of its error."""
    parameters = [("filter", text), ("limit", "1"), ("count", "exact"), ("fields", "$id")]
    parameters += [("arg", json.dumps(argument)) for argument in arguments]
    reply = service.request("GET", f"/v1/classes/{name}/objects?{urlencode(parameters)}")
    if reply.status == 200:
        return str(reply.json["count"])
    errors = reply.json.get("errors")
    return errors[0]["code"] if errors else reply.json["code"]


def problems(service, text):
    """What is wrong with the lines of a block, a line each."""
    found = []
    for line in text.splitlines():
        parts = LINE.fullmatch(line)
        if parts is None:
            found.append(f"cannot be read: {line}")
            continue
        answer = ask(service, parts["class"], parts["filter"], json.loads(parts["args"] or "[]"))
        if answer != parts["expected"]:
            found.append(f"{answer} and not {parts['expected']}: {line}")
    return found
