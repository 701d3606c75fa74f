"""openapi.yaml by itself: valid, complete, and in step with the sources."""
import re
import unittest
from pathlib import Path

import contract
import lint
import openapi_spec_validator
from ruamel.yaml import YAML
from ruamel.yaml.constructor import DuplicateKeyError

SOURCES = contract.ROOT / "Sources"


def examples(holder):
    """The examples of a media type or parameter by name."""
    return {
        name: contract.resolve(example) for name, example in holder.get("examples", {}).items()}


class DocumentTests(unittest.TestCase):
    def test_the_document_is_valid_openapi_3_1(self):
        self.assertEqual(contract.document()["openapi"], "3.1.0")
        openapi_spec_validator.validate(contract.document())

    def test_the_parser_refuses_a_name_that_stands_twice(self):
        with self.assertRaises(DuplicateKeyError):
            YAML(typ="safe", pure=True).load("a: {type: array}\nb: 1\na: {type: string}\n")

    def test_a_linter_finds_nothing(self):
        self.assertEqual(lint.faults(contract.document()), [])

    def test_the_linter_finds_faults(self):
        def operation(path, *parameters, **schemas):
            return {
                "paths": {path: {"get": {"parameters": [
                    {"name": name, "in": "path", "required": True} for name in parameters]}}},
                "components": {"schemas": schemas}}
        for document in (
                operation("/", A={"and for users.": None}), operation("/a/{b}"), operation("/a", "b"), operation("/a/{b}", "b", "b"), operation("/a?b"),
                operation("/", A={"type": "array"}), operation("/", A={"enum": [1, 1]}),
                operation("/", A={"type": "string", "default": 1}),
                operation("/", A={"additionalProperties": False, "properties": {}, "required": ["b"]}),
                operation("/", A={"items": {"$ref": "#/components/schemas/B"}})):
            with self.subTest(document=document):
                self.assertEqual(len(lint.faults(document)), 1)
        self.assertEqual(lint.faults(operation("/a/{b}", "b", A={"type": "array", "items": {}})), [])

    def test_every_operation_has_an_id_of_its_own_a_summary_a_tag_and_a_description(self):
        seen = set()
        tags = {tag["name"] for tag in contract.document()["tags"]}
        for path, method, operation in contract.operations():
            with self.subTest(operation=f"{method} {path}"):
                self.assertRegex(operation["operationId"], r"^[a-z][A-Za-z]+$")
                self.assertNotIn(operation["operationId"], seen)
                seen.add(operation["operationId"])
                self.assertTrue(operation["summary"])
                self.assertTrue(operation["description"])
                self.assertEqual(len(operation["tags"]), 1)
                self.assertLessEqual(set(operation["tags"]), tags)

    def test_every_operation_documents_success_client_errors_and_server_errors(self):
        for _, _, operation in contract.operations():
            statuses = set(operation["responses"])
            with self.subTest(operation=operation["operationId"]):
                for first in "245":
                    self.assertTrue(any(status.startswith(first) for status in statuses))
                self.assertNotIn("default", statuses, "a default hides undocumented statuses")

    def test_every_operation_has_examples_of_its_request_and_its_reply(self):
        for path, _, operation in contract.operations():
            with self.subTest(operation=operation["operationId"]):
                for parameter in map(contract.resolve, operation["parameters"]):
                    if parameter.get("required"):
                        self.assertTrue(examples(parameter), parameter["name"])
                body = contract.resolve(operation.get("requestBody"))
                for kind, content in (body or {"content": {}})["content"].items():
                    self.assertTrue(examples(content), kind)
                good = [
                    contract.resolve(response) for status, response in operation["responses"].items()
                    if status.startswith("2")]
                contents = [
                    one for response in good for one in response.get("content", {}).items()]
                bodies = [
                    content for kind, content in contents if kind != "application/octet-stream"]
                self.assertTrue(contents or path.count("objects/{id}") or "object" in path or
                                operation["operationId"].startswith("delete") or "password" in path)
                for content in bodies:
                    self.assertTrue(examples(content))

    def test_every_example_is_what_its_schema_says(self):
        for where, schema, value in self.all_examples():
            with self.subTest(example=where):
                self.assertEqual(contract.faults(schema, value), [])

    def all_examples(self):
        for _, _, operation in contract.operations():
            name = operation["operationId"]
            for parameter in map(contract.resolve, operation["parameters"]):
                for key, example in examples(parameter).items():
                    yield f"{name} {parameter['name']} {key}", parameter["schema"], example["value"]
            holders = {"request": contract.resolve(operation.get("requestBody"))}
            for status, response in operation["responses"].items():
                holders[status] = contract.resolve(response)
            for holder, described in holders.items():
                for kind, content in ((described or {}).get("content") or {}).items():
                    for key, example in examples(content).items():
                        yield f"{name} {holder} {kind} {key}", content["schema"], example["value"]

    def test_the_status_of_an_error_is_the_one_in_its_examples(self):
        numbers = {
            response["$ref"].rsplit("/", 1)[1]: status
            for _, _, operation in contract.operations()
            for status, response in operation["responses"].items()
            if status[0] in "45" and "$ref" in response}
        for name, status in numbers.items():
            response = contract.document()["components"]["responses"][name]
            found = examples(response["content"]["application/problem+json"])
            self.assertTrue(found, name)
            for example in found.values():
                self.assertEqual(str(example["value"]["status"]), status, name)

    def test_nothing_is_defined_and_not_used(self):
        text = (contract.ROOT / "openapi.yaml").read_text()
        # Of events only the name is said, in the description of the stream.
        for kind, named in contract.document()["components"].items():
            for name in named:
                if kind == "securitySchemes" or name.endswith("Event"):
                    self.assertRegex(text, rf"\b{name}\b")
                else:
                    self.assertIn(f"#/components/{kind}/{name}'", text)

    def test_every_code_in_the_sources_is_documented(self):
        documented = set(contract.document()["components"]["schemas"]["ErrorCode"]["enum"])
        used = set()
        files = [
            file for target in ("ObjectJSON", "Access", "StoreService", "Streams", "Transfer", "Identity", "RESTAPI")
            for file in sorted((SOURCES / target).rglob("*.swift"))]
        fault = (SOURCES / "ObjectJSON" / "Faults" / "RequestFault.swift").read_text()
        kinds = re.findall(
            r"^        case (\w+)$", re.search(r"enum Kind\b.*?\n    \}\n", fault, re.S).group(), re.M)
        self.assertIn("malformed", kinds)
        for file in files:
            text = file.read_text()
            # The kind of a fault and its code.
            used |= set(re.findall(
                rf'\.(?:{"|".join(kinds)}),\s*"([a-z]+(?:-[a-z0-9]+)*)"', text))
            used |= set(re.findall(r'\bcode: "([a-z]+(?:-[a-z0-9]+)*)"', text))
            used |= set(re.findall(r'fault\(\s*(?:\w+(?:\([^()]*\))*, )?"([a-z]+(?:-[a-z0-9]+)+)"', text))
        fault = (SOURCES / "HTTPServer" / "Server" / "ServerFault.swift").read_text()
        used |= set(re.findall(r'case \w+ = "([a-z-]+)"', fault))
        error = (SOURCES / "Query" / "Language" / "QueryError.swift").read_text()
        kinds = re.search(r"enum Kind: String.*?\n    \}\n", error, re.S).group()
        used |= {
            f"query-{code or name}"
            for name, code in re.findall(r'^        case (\w+)(?: = "([a-z-]+)")?$', kinds, re.M)}
        self.assertEqual(sorted(used - documented), [], "used, but not documented")
        everything = "\n".join(file.read_text() for file in files)
        unused = {
            code for code in documented - used if f'"{code}"' not in everything}
        self.assertEqual(sorted(unused), [], "documented, but not used")

    def test_the_changelog_begins_with_the_version_of_the_contract(self):
        newest = re.search(r"^## (\S+)", (contract.ROOT / "CHANGELOG.md").read_text(), re.M)
        self.assertEqual(newest and newest.group(1), contract.document()["info"]["version"])

    def test_the_pages_that_the_description_names_exist(self):
        text = (contract.ROOT / "openapi.yaml").read_text()
        for page in set(re.findall(r"`(docs/[a-z/-]+\.md)`", text)):
            self.assertTrue((contract.ROOT / page).is_file(), page)
