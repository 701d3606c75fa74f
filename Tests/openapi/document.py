"""The document by itself: valid, in step with openapi.yaml, and true of what the service answers."""
import json
import re
import subprocess
import unittest
import urllib.parse

import contract
import lint
import openapi_spec_validator
import seed
from made import MEASURE, PATH, Document
from service import BINARY, Service

# Names that are near each other, that need escapes, or that the document has for itself.
ODD_CLASSES = [
    {"name": "Item", "properties": {"id": "string", "text": "string?"}},
    {"name": "item", "primaryKey": "id", "properties": {"id": "int?"}},
    {"name": "ItemInput", "primaryKey": "_id", "properties": {"_id": "uuid"}},
    {"name": "HoldfastProblem", "properties": {"class": "string", "import": "bool"}},
    {"name": "Größe in m", "primaryKey": "Schlüssel",
     "properties": {"Schlüssel": "string", "der Wert": "double?[]", "Teile": "Teil[]",
                    "andere": "Größe in m<>",
                    "von": {"type": "linkingObjects", "class": "Größe in m", "property": "andere"}}},
    {"name": "Teil", "kind": "embedded",
     "properties": {"Teil": "Teil?", "Teile": "Teil[]", "Größe": "Größe in m",
                    "n": {"type": "int", "default": 7}}},
    {"name": "_", "properties": {}},
]

# What a typed client does not get told: the preference changes the types of a reply.
LEFT_OUT = {"PreferRead"}


def setUpModule():
    global running, empty, seeded
    running = Service().__enter__()
    unittest.addModuleCleanup(running.__exit__, None, None, None)
    empty = Document(running)
    seed.seed(running)
    schema = running.succeed("GET", "/v1/schema").json
    schema["classes"] += [*ODD_CLASSES, MEASURE]
    running.succeed("PUT", "/v1/schema", schema)
    seeded = Document(running)


def generic(path):
    """The path of openapi.yaml that a path of the document is one of."""
    path = re.sub(r"^/v1/classes/[^/]+/", "/v1/classes/{class}/", path)
    path = re.sub(r"^/v1/projections/[^/]+/", "/v1/projections/{projection}/", path)
    return re.sub(r"/properties/[^/]+(/elements.*)?$", r"/properties/{property}\1", path)


class Form(unittest.TestCase):
    def test_the_document_is_valid_openapi_3_1(self):
        for document in (empty, seeded):
            self.assertEqual(document.value["openapi"], "3.1.0")
            openapi_spec_validator.validate(document.value)

    def test_a_linter_finds_nothing(self):
        for document in (empty, seeded):
            self.assertEqual(lint.faults(lint.strict_json(document.reply.body)), [])

    def test_an_event_of_a_stream_may_be_checked_by_the_schema_of_its_media_type(self):
        # Tools check each event, as an object of its fields, generators the text of all of them.
        streams = 0
        for path, _, operation in seeded.operations():
            for response in map(seeded.resolve, operation["responses"].values()):
                media = response.get("content", {}).get("text/event-stream")
                if media:
                    streams += 1
                    for value in ({"event": "hello", "data": "{}"}, "event: hello\ndata: {}\n\n"):
                        self.assertEqual(seeded.faults(media["schema"], value), [], path)
        self.assertGreater(streams, 6)

    def test_an_operation_is_marked_if_its_only_reply_has_no_end(self):
        for path, method, operation in seeded.operations():
            media = seeded.resolve(operation["responses"].get("200", {})).get("content", {})
            self.assertEqual(
                operation.get("x-endless", False), list(media) == ["text/event-stream"], f"{method} {path}")

    def test_a_store_without_classes_has_no_operations(self):
        self.assertEqual(empty.value["paths"], {})

    def test_every_reference_leads_somewhere(self):
        for reference in set(seeded.references()):
            self.assertIsNotNone(seeded.resolve({"$ref": reference}), reference)

    def test_names_are_legal_and_differ_by_more_than_case_and_signs(self):
        names = list(seeded.value["components"]["schemas"])
        ids = [operation["operationId"] for _, _, operation in seeded.operations()]
        for some in (names, ids):
            for name in some:
                self.assertRegex(name, r"^[A-Za-z0-9._-]+$")
            folded = [re.sub(r"[^a-z0-9]", "", name.lower()) for name in some]
            self.assertEqual(len(set(folded)), len(folded))

    def test_every_class_keeps_its_name_where_it_can(self):
        for name in ("City", "Country", "Continent", "Location", "Specimen", "Item", "ItemInput"):
            self.assertIn(f"`{name}`", seeded.component(name)["description"])

    def test_addresses_are_relative(self):
        self.assertEqual(seeded.value["servers"], [{"url": "/"}])

    def test_every_operation_has_what_the_contract_has_for_it(self):
        contracts = {(path, method): operation for path, method, operation in contract.operations()}
        for path, method, operation in seeded.operations():
            with self.subTest(operation=operation["operationId"]):
                agreed = contracts[generic(path), method]
                statuses = set(agreed["responses"])
                if operation["tags"] == ["Reading"] and not path.endswith("/outbox"):
                    # Objects of an asymmetric class can't be compared with what is there.
                    self.assertLessEqual(set(operation["responses"]), statuses)
                    continue
                self.assertEqual(set(operation["responses"]), statuses)
                named = {
                    (one["in"], one["name"]) for one in map(seeded.resolve, operation["parameters"])}
                wanted = {
                    (one["in"], one["name"])
                    for reference in agreed["parameters"]
                    if reference.get("$ref", "").rsplit("/", 1)[-1] not in LEFT_OUT
                    for one in [contract.resolve(reference)]}
                if operation["operationId"].endswith("Property"):
                    # The others are for collections, which have operations of their own.
                    wanted &= named
                self.assertEqual(
                    named, wanted - {("path", "class"), ("path", "projection")}
                    - ({("path", "property")} - named))

    def test_every_default_of_a_parameter_may_be_stated(self):
        # Generated clients send them.
        count = 0
        for path, method, operation in seeded.operations():
            parameters = [
                one for one in map(seeded.resolve, operation["parameters"]) if one["in"] == "query"]
            defaults = {
                one["name"]: one["schema"]["default"] for one in parameters
                if "default" in one["schema"]}
            if not defaults:
                continue
            count += 1
            query = urllib.parse.urlencode({
                name: value if isinstance(value, str) else json.dumps(value)
                for name, value in defaults.items()})
            target = re.sub(r"{[^}]+}", "1", path) + "?" + query
            forms = ["application/json"]
            if path.endswith("/changes"):
                forms.append("text/event-stream")
            for form in forms:
                connection = running.connect()
                connection.request(method.upper(), target, headers={"Accept": form})
                reply = connection.getresponse()
                # What is taken may have no end.
                body = json.loads(reply.read()) if reply.status >= 400 else {}
                connection.close()
                refused = {fault.get("parameter") for fault in body.get("errors", [])}
                self.assertFalse(refused & set(defaults), f"{method} {target}: {body}")
        self.assertGreater(count, 50)

    def test_the_figures_of_an_aggregate_are_members_of_any_name(self):
        # Without it some generators make clients that leave them out.
        for name in ("HoldfastAggregate", "HoldfastGroup"):
            self.assertIn("additionalProperties", seeded.component(name))
        self.assertIn(
            "additionalProperties", seeded.component("HoldfastGroup")["properties"]["by"])

    def test_the_replies_of_an_operation_have_one_type_whatever_their_status(self):
        # Generators take that of the first one for all of them.
        for _, _, operation in seeded.operations():
            types = [
                reply["content"]["application/json"]["schema"]
                for status, reply in operation["responses"].items()
                if status.startswith("2") and "application/json" in reply.get("content", {})]
            self.assertTrue(all(one == types[0] for one in types), operation["operationId"])

    def test_every_operation_of_a_class_in_the_contract_is_there(self):
        wanted = {
            (path, method) for path, method, _ in contract.operations()
            if path.startswith(
                ("/v1/classes/{class}/", "/v1/projections/{projection}/", "/v1/transactions"))}
        found = {(generic(path), method) for path, method, _ in seeded.operations()}
        self.assertEqual(found, wanted)

    def test_a_choice_that_a_plain_type_is_part_of_is_a_choice_of_one(self):
        # Generators of TypeScript, Swift, Kotlin and Rust make one object of all parts of an `anyOf`.
        plain = {"string", "integer", "number", "boolean"}
        count = 0
        for value in seeded.objects():
            parts = value.get("anyOf")
            if isinstance(parts, list):
                self.assertFalse([one for one in parts if one.get("type") in plain], parts)
            count += "oneOf" in value
        self.assertGreater(count, 30)

    def test_an_empty_array_for_an_asymmetric_class_is_answered_as_the_document_says(self):
        operation = next(
            one for _, _, one in seeded.operations() if one["operationId"] == "createReading")
        reply = running.request("POST", "/v1/classes/Reading/objects", [])
        self.assertEqual(reply.status, 200)
        schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
        self.assertEqual(seeded.faults(schema, reply.json), [])

    def test_the_reply_to_a_write_is_one_object_or_that_to_several(self):
        operation = next(
            one for _, _, one in seeded.operations() if one["operationId"] == "createNote")
        schema = operation["responses"]["201"]["content"]["application/json"]["schema"]
        for body in ({"text": "one"}, [{"text": "two"}, {"text": "three"}]):
            reply = running.request("POST", "/v1/classes/Note/objects", body)
            self.assertEqual((reply.status, seeded.faults(schema, reply.json)), (201, []))

    def test_a_transaction_is_what_the_document_says(self):
        operation = next(
            one for path, _, one in seeded.operations() if path == "/v1/transactions")
        body = {"operations": [
            {"op": "create", "class": "Note", "ref": "note", "value": {"text": "new"}},
            {"op": "patch", "class": "Note", "id": {"$ref": "note"}, "value": {"text": "newer"}}]}
        taken = operation["requestBody"]["content"]["application/json"]["schema"]
        self.assertEqual(seeded.faults(taken, body), [])
        reply = running.request("POST", "/v1/transactions", body)
        told = operation["responses"]["200"]["content"]["application/json"]["schema"]
        self.assertEqual((reply.status, seeded.faults(told, reply.json)), (200, []))

    def test_the_contract_describes_the_document(self):
        reply = running.request("GET", PATH)
        self.assertEqual(contract.reply_faults("getOpenAPI", reply), [])


class Examples(unittest.TestCase):
    def test_every_example_is_what_its_schema_says(self):
        count = 0
        for _, _, operation in seeded.operations():
            for parameter in map(seeded.resolve, operation["parameters"]):
                if "example" in parameter:
                    self.assertEqual(
                        seeded.faults(parameter["schema"], parameter["example"]), [], parameter)
            holders = [operation.get("requestBody", {}), *operation["responses"].values()]
            for holder in map(seeded.resolve, holders):
                for content in holder.get("content", {}).values():
                    for example in map(seeded.resolve, content.get("examples", {}).values()):
                        count += 1
                        self.assertEqual(
                            seeded.faults(content["schema"], example["value"]), [],
                            operation["operationId"])
        self.assertGreater(count, 100)

    def test_the_examples_of_bodies_are_taken(self):
        for name in ("Continent", "Specimen", "Note", "Measure"):
            value = dict(seeded.value["components"]["examples"][name]["value"])
            # What an example links to need not be there.
            for link in ("about", "found", "seenIn", "near"):
                value.pop(link, None)
            reply = running.request("POST", f"/v1/classes/{name}/objects?mode=merge", value)
            self.assertIn(reply.status, (200, 201), reply.body)


class Truth(unittest.TestCase):
    """What the service answers is what the document says, and nothing else is."""

    def answers(self, name, path):
        value = running.succeed("GET", path).json
        self.assertEqual(seeded.faults({"$ref": f"#/components/schemas/{name}"}, value), [], path)
        return value

    def test_objects_are_what_their_schema_says(self):
        for name in ("City", "Country", "Continent", "Specimen", "Note", "Setting"):
            page = self.answers(f"{name}Page", f"/v1/classes/{name}/objects?limit=30&count=exact")
            self.assertTrue(page["objects"])

    def test_an_asymmetric_class_is_created_imported_and_consumed_alone(self):
        operations = {
            (method, path.removeprefix("/v1/classes/Reading/"))
            for path, method, operation in seeded.operations() if operation["tags"] == ["Reading"]}
        self.assertEqual(operations, {
            ("post", "objects"), ("post", "import"), ("get", "outbox"), ("delete", "outbox")})
        page = self.answers("ReadingPage", "/v1/classes/Reading/outbox")
        self.assertEqual(len(page["objects"]), seed.READING_COUNT)
        self.assertNotIn("required", seeded.component("ReadingInput"))

    def test_a_property_has_the_name_that_json_has_and_not_the_one_it_is_mapped_to(self):
        self.assertEqual(set(seeded.component("Reading")["properties"]), {"number", "celsius", "city"})

    def test_expanded_links_and_inverse_links_are_what_their_schema_says(self):
        for path in ("City/objects?expand=country.continent",
                     "Country/objects?expand=neighbours,cities&fields=*,cities,$version&limit=20",
                     "Continent/objects?fields=*,countries,$id", "Note/objects?fields=$id,$version",
                     "Specimen/objects?expand=found,seenIn"):
            self.answers(f"{path.split('/')[0]}Page", f"/v1/classes/{path}")

    def test_projected_objects_are_what_their_schema_says(self):
        for name in seed.PROJECTIONS:
            if name == "Point":
                continue
            page = self.answers(f"{name}Page", f"/v1/projections/{name}/objects?fields=*,$version")
            self.assertGreater(len(page["objects"]), 1)
        fields = set(seeded.component("CityFile")["properties"])
        self.assertEqual(fields, set(seed.PROJECTIONS["CityFile"]["properties"]))
        patch = seeded.component("CityFilePatch")["properties"]
        self.assertEqual(set(patch), fields)
        self.assertNotIn("neighbourNames", seeded.component("NationCardPatch")["properties"])

    def test_pages_of_changes_are_what_their_schema_says(self):
        page = self.answers("NoteSnapshotPage", "/v1/classes/Note/changes?since=start")
        while "cursor" not in page:
            page = self.answers(
                "NoteSnapshotPage", f"/v1/classes/Note/changes?since={page['next']}")
        running.succeed("POST", "/v1/classes/Note/objects", {"text": "told"})
        changes = self.answers(
            "NoteChangePage", f"/v1/classes/Note/changes?since={page['cursor']}")
        self.assertEqual([change["op"] for change in changes["changes"]], ["enter"])

    def test_pages_of_collections_are_what_their_schema_says(self):
        paths = {
            "City": "2988507", "Country": "FR", "Continent": "EU",
            "Specimen": seed.SPECIMEN_IDS[0], "Note": str(seed.note_ids(running)[0])}
        checked = 0
        for path, method, operation in seeded.operations():
            if method != "get" or "/properties/" not in path:
                continue
            if "/elements" in path or path.endswith("/changes"):
                continue
            name = path.split("/")[3]
            if name not in paths:
                continue
            schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
            for property in self.properties(operation, path):
                address = f"/v1/classes/{name}/objects/{paths[name]}/properties/{property}"
                value = running.succeed("GET", address).json
                self.assertEqual(seeded.faults(schema, value), [], address)
                checked += 1
        self.assertGreater(checked, 30)

    @staticmethod
    def properties(operation, path):
        if path.endswith("{property}"):
            return next(one for one in operation["parameters"] if one.get("name") == "property")[
                "schema"]["enum"]
        return [path.rsplit("/", 1)[1]]

    def test_what_the_schema_of_a_write_refuses_the_service_refuses_too(self):
        for body in ({"name": 7}, {"population": None}, {"contry": "FR"}, {"countries": []},
                     {"location": {"type": None}}, {"alternateNames": [None]}):
            with self.subTest(body=body):
                self.assertTrue(seeded.faults({"$ref": "#/components/schemas/CityPatch"}, body))
                reply = running.request("PATCH", "/v1/classes/City/objects/2988507", body)
                self.assertEqual(reply.status, 422, reply.body)

    def test_numbers_out_of_range_are_refused_by_both(self):
        for body in ({"tiny": 128}, {"small": -32769}, {"exact": True}, {"short": "1"}):
            with self.subTest(body=body):
                self.assertTrue(seeded.faults({"$ref": "#/components/schemas/MeasurePatch"}, body))
                reply = running.request(
                    "POST", "/v1/classes/Measure/objects", {"number": 9, **body})
                self.assertEqual(reply.status, 422, reply.body)
        reply = running.request("POST", "/v1/classes/Measure/objects", {"number": 1 << 31})
        self.assertEqual(reply.status, 422, reply.body)

    def test_what_the_schema_of_a_write_takes_the_service_takes_too(self):
        for body in ({"population": 2138551}, {"country": {"iso": "FR"}}, {"admin1": None},
                     {"country": {"$link": {"class": "Country", "id": "FR"}}}, {"$id": 2988507},
                     {"location": {"coordinates": [2.3488, "NaN"]}}):
            with self.subTest(body=body):
                self.assertEqual(
                    seeded.faults({"$ref": "#/components/schemas/CityPatch"}, body), [])
                reply = running.request("PATCH", "/v1/classes/City/objects/2988507", body)
                self.assertEqual(reply.status, 200, reply.body)

    def test_defaults_stand_where_what_is_left_out_gets_them(self):
        for name, has in (("LocationInput", True), ("Location", False), ("LocationPatch", False)):
            self.assertEqual(
                seeded.component(name)["properties"]["type"].get("default"),
                "Point" if has else None, name)

    def test_inverse_links_are_read_only_and_in_no_write(self):
        self.assertTrue(seeded.component("Country")["properties"]["cities"]["readOnly"])
        for name in ("CountryInput", "CountryPatch"):
            self.assertNotIn("cities", seeded.component(name)["properties"])

    def test_only_keys_that_the_service_does_not_make_are_required(self):
        self.assertEqual(seeded.component("CityNew")["allOf"][1], {"required": ["id"]})
        self.assertNotIn("SpecimenNew", seeded.value["components"]["schemas"])


class Freshness(unittest.TestCase):
    def test_it_is_made_of_the_schema_and_not_of_what_the_store_holds(self):
        before = running.request("GET", PATH)
        running.succeed("POST", "/v1/classes/Note/objects", {"text": "a word of its own"})
        after = running.request("GET", PATH)
        self.assertEqual((after.body, after.headers["ETag"]), (before.body, before.headers["ETag"]))
        same = running.request("GET", PATH, If_None_Match=before.headers["ETag"])
        self.assertEqual((same.status, same.body), (304, b""))
        self.assertEqual(same.headers["ETag"], before.headers["ETag"])

    def test_it_is_in_step_with_the_schema(self):
        with Service() as other:
            tags = set()
            for names in (["a"], ["a", "b"], ["a", "b", "c"]):
                other.succeed("PUT", "/v1/schema/classes/Thing",
                              {"properties": {name: "int" for name in names}})
                document = Document(other)
                self.assertEqual(
                    [name for name in document.component("ThingInput")["properties"]], names)
                self.assertEqual(
                    document.value["info"]["version"],
                    str(other.succeed("GET", "/v1/schema").json["revision"]))
                tags.add(document.reply.headers["ETag"])
            self.assertEqual(len(tags), 3)

    def test_a_parameter_is_refused(self):
        self.assertEqual(running.request("GET", PATH + "?x=1").status, 400)

    def test_with_tokens_it_asks_for_one_and_says_so(self):
        tokens = []

        def make_token(data):
            data.mkdir()
            made = subprocess.run(
                [BINARY, "token", "create", "--data", str(data), "--name", "all", "--rights",
                 "admin"], capture_output=True, text=True, timeout=60, check=True)
            tokens.append(made.stdout.split()[-1])

        for _, _, operation in seeded.operations():
            self.assertNotIn("security", operation)
        with Service(prepare=make_token) as guarded:
            self.assertEqual(guarded.request("GET", PATH).status, 401)
            right = {"Authorization": f"Bearer {tokens[0]}"}
            guarded.succeed("PUT", "/v1/schema/classes/Word", {"properties": {}}, **right)
            document = Document(guarded, **right)
            openapi_spec_validator.validate(document.value)
            for _, _, operation in document.operations():
                self.assertEqual(operation["security"], [{"bearerToken": []}])
            scheme = document.value["components"]["securitySchemes"]["bearerToken"]
            self.assertEqual((scheme["type"], scheme["scheme"]), ("http", "bearer"))


class Size(unittest.TestCase):
    def test_a_large_schema_has_a_document_too(self):
        properties = {f"p{number}": "Part?" for number in range(1000)}
        with Service() as other:
            other.succeed("PUT", "/v1/schema", {"classes": [
                {"name": "Whole", "properties": properties},
                {"name": "Part", "kind": "embedded",
                 "properties": {**properties, "p0": "string[]"}}]})
            reply = other.succeed("GET", PATH)
            # Embedded classes are told once, not in the place of each property.
            self.assertLess(len(reply.body), 4 << 20)
            self.assertEqual(len(json.loads(reply.body)["components"]["schemas"]["Whole"][
                "properties"]), 1001)
