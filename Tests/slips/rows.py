"""The forms of a row: one slip, the request or command that makes it, and the words that its answer must contain."""
from collections import namedtuple
from urllib.parse import quote

# `send` is "METHOD path" or a command line; `words` are all in the answer. `is_open`: the answer does not have them today.
Row = namedtuple("Row", "name send body headers words is_open needs_token")


def http(name, send, *words, body=None, is_open=False, needs_token=False, **headers):
    """A slip in a request; `Content_Type=…` names a header, and a body that is no text is sent as JSON."""
    return Row(name, send, body, headers, words, is_open, needs_token)


def asked(name, filter_text, *words, of="City", is_open=False, more=""):
    """A slip in the filter of a list."""
    return http(name, f"GET /v1/classes/{of}/objects?limit=1&filter={quote(filter_text)}{more}", *words, is_open=is_open)


def stored(name, value, *words, send="POST /v1/classes/Trip/objects", is_open=False, **headers):
    """A slip in the body of a write."""
    return http(name, send, *words, body=value, is_open=is_open, **headers)


def declared(name, properties, *words, is_open=False, **members):
    """A slip in the declaration of a class, which is only checked."""
    return http(
        name, "PUT /v1/schema/classes/Slip?dryRun=true", *words, body={"properties": properties, **members}, is_open=is_open)


def ruled(name, rules, *words, is_open=False, **members):
    """A slip in the rules of a role for the class Trip, which are only checked."""
    return http(
        name, "PUT /v1/access?dryRun=true", *words, is_open=is_open,
        body={"roles": {"member": {"classes": {"Trip": rules}, **members}}})


def typed(name, line, *words, is_open=False):
    """A slip in a command line. {url} is the service, {new} a store's folder that does not exist, {file} a JSON file."""
    return Row(name, line, None, {}, words, is_open, False)
