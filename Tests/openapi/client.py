"""A client that openapi-python-client generates from the document, at work on the world sample."""
import datetime
import importlib
import json
import subprocess
import sys
import tempfile
import unittest
import uuid
from pathlib import Path

import seed
from made import MEASURE, PATH
from service import BINARY, Service

PACKAGE = "holdfast_client"
# The generator knows no lines of JSON: they are bytes to it.
CONFIGURATION = {
    "content_type_overrides": {"application/x-ndjson": "application/octet-stream"},
    "literal_enums": True,
    # Nobody reads what is generated here.
    "post_hooks": [],
}


def generate(running, folder, package=PACKAGE, **headers):
    """Generates the package from a service's document; every warning is a failure."""
    document = Path(folder) / "openapi.json"
    document.write_bytes(running.succeed("GET", PATH, **headers).body)
    configuration = Path(folder) / "configuration.json"
    configuration.write_text(json.dumps(CONFIGURATION))
    made = subprocess.run(
        [Path(sys.executable).parent / "openapi-python-client", "generate", "--path", document,
         "--config", configuration, "--meta", "none", "--fail-on-warning", "--output-path",
         Path(folder) / package],
        capture_output=True, text=True, timeout=300)
    return made.returncode, made.stdout + made.stderr


def setUpModule():
    global running, client, api, models, types, outcome
    running = Service().__enter__()
    unittest.addModuleCleanup(running.__exit__, None, None, None)
    seed.seed(running)
    running.succeed("PUT", "/v1/schema/classes/Measure", MEASURE)
    folder = tempfile.TemporaryDirectory(prefix="holdfast-client-")
    unittest.addModuleCleanup(folder.cleanup)
    outcome = generate(running, folder.name)
    sys.path.insert(0, folder.name)
    unittest.addModuleCleanup(sys.path.remove, folder.name)
    models = importlib.import_module(f"{PACKAGE}.models")
    types = importlib.import_module(f"{PACKAGE}.types")
    client = importlib.import_module(f"{PACKAGE}.client").Client(base_url=running.url)

    def api(tag, name):
        return importlib.import_module(f"{PACKAGE}.api.{tag}.{name}")


class Generated(unittest.TestCase):
    def test_the_generator_has_nothing_to_warn_of(self):
        self.assertEqual(outcome[0], 0, outcome[1])

    def test_nothing_of_the_document_is_passed_over(self):
        document = running.succeed("GET", PATH).json
        folder = Path(importlib.import_module(PACKAGE).__file__).parent
        operations = sum(
            method in item for item in document["paths"].values()
            for method in ("get", "put", "post", "delete", "patch"))
        made = [file for file in (folder / "api").rglob("*.py") if file.name != "__init__.py"]
        self.assertEqual(len(made), operations)
        for name in ("City", "CityInput", "CityNew", "CityPatch", "CityPage", "Location"):
            self.assertTrue(hasattr(models, name), name)


class Objects(unittest.TestCase):
    def test_an_object_is_created_read_changed_replaced_and_deleted(self):
        created = api("city", "create_city").sync_detailed(
            client=client, body=models.CityNew(
                id=99000001, name="Ny-Ålesund", country="SJ", population=45,
                timezone="Arctic/Longyearbyen",
                location=models.LocationPatch(coordinates=[11.9298, 78.9236])))
        self.assertEqual(created.status_code, 201)
        self.assertIsInstance(created.parsed, models.City)
        # The embedded object got its default.
        self.assertEqual(created.parsed.location.type_, "Point")

        get = api("city", "get_city")
        city = get.sync(99000001, client=client)
        self.assertEqual((city.name, city.country, city.admin1), ("Ny-Ålesund", "SJ", None))
        self.assertEqual(city.alternate_names, [])
        self.assertEqual(city.location.coordinates, [11.9298, 78.9236])

        patched = api("city", "patch_city").sync(
            99000001, client=client, body=models.CityPatch(population=46))
        self.assertEqual((patched.population, patched.name), (46, "Ny-Ålesund"))

        put = api("city", "put_city").sync_detailed(
            99000001, client=client, body=models.CityInput(name="Tiedemannsbukta"),
            if_match=f'"{created.headers["Holdfast-Version"]}"')
        self.assertEqual(put.status_code, 412)
        self.assertEqual(put.parsed.code, "precondition-failed")
        put = api("city", "put_city").sync(
            99000001, client=client, body=models.CityInput(name="Tiedemannsbukta", timezone="UTC"))
        self.assertEqual((put.name, put.population, put.country), ("Tiedemannsbukta", 0, None))

        deleted = api("city", "delete_city").sync_detailed(99000001, client=client)
        self.assertEqual(deleted.status_code, 204)
        gone = get.sync_detailed(99000001, client=client)
        self.assertEqual((gone.status_code, gone.parsed.code), (404, "object-not-found"))

    def test_an_object_that_was_read_can_be_written_back(self):
        read = api("country", "get_country").sync("FR", client=client)
        body = models.CountryInput.from_dict(read.to_dict())
        self.assertEqual(body.to_dict(), read.to_dict())
        put = api("country", "put_country").sync_detailed("FR", client=client, body=body)
        self.assertEqual((put.status_code, put.parsed), (200, read))

    def test_several_objects_are_created_in_one_transaction(self):
        written = api("city", "create_city").sync(client=client, body=[
            models.CityNew(id=99000020 + number, name=f"no. {number}", country="SJ",
                           timezone="UTC") for number in range(3)])
        self.assertIsInstance(written, models.CityWritten)
        self.assertEqual([city.id for city in written.objects], [99000020, 99000021, 99000022])

    def test_an_object_in_the_place_of_a_link_is_created_or_merged(self):
        api("city", "create_city").sync(client=client, body=models.CityNew(
            id=99000030, name="Here", timezone="UTC",
            country=models.CountryNew(iso="IS", capital="Reykjavík")))
        country = api("country", "get_country").sync("IS", client=client)
        # Nothing but what was stated has changed.
        self.assertEqual((country.capital, country.iso3, country.name),
                         ("Reykjavík", "ISL", "Iceland"))

    def test_a_repeated_write_gets_the_reply_that_is_kept(self):
        body = models.CityPatch(population=2138552)
        first, second = (api("city", "patch_city").sync_detailed(
            2988507, client=client, body=body, idempotency_key="a key of its own")
            for _ in range(2))
        self.assertEqual((first.status_code, second.status_code), (200, 200))
        self.assertNotIn("Idempotency-Replayed", first.headers)
        self.assertEqual(second.headers["Idempotency-Replayed"], "true")
        self.assertEqual(second.parsed, first.parsed)

    def test_objects_are_changed_and_deleted_by_a_filter(self):
        api("city", "create_city").sync(client=client, body=[
            models.CityNew(id=99000040 + number, name="By filter", timezone="UTC")
            for number in range(3)])
        asked = {"client": client, "filter_": "name == $0", "text": ["By filter"]}
        changed = api("city", "patch_city_by_filter").sync(
            **asked, body=models.CityPatch(population=7))
        self.assertIsInstance(changed, models.HoldfastAffected)
        self.assertEqual(changed.affected, 3)
        self.assertEqual(
            api("city", "get_city").sync(99000042, client=client).population, 7)
        delete = api("city", "delete_city_by_filter")
        refused = delete.sync_detailed(**asked, prefer="max-affected=2")
        self.assertEqual(refused.status_code, 409)
        self.assertEqual(delete.sync(**asked).affected, 3)

    def test_operations_on_several_classes_are_one_transaction(self):
        operation = models.HoldfastOperation
        done = api("transactions", "create_transaction").sync(
            client=client, body=models.HoldfastTransaction(operations=[
                operation(op="create", class_="City", ref="town", value={
                    "id": 99000050, "name": "Town", "country": "IS", "timezone": "UTC"}),
                operation(op="delete", class_="City", id={"$ref": "town"})]))
        self.assertEqual([(one.class_, one.id) for one in done.results], [("City", 99000050)] * 2)

    def test_faults_are_typed(self):
        reply = api("city", "create_city").sync_detailed(
            client=client, body=models.CityNew(id=99000031, country="XX"))
        self.assertEqual(reply.status_code, 422)
        self.assertEqual((reply.parsed.code, reply.parsed.errors[0].pointer),
                         ("dangling-link", "/country"))


class Projections(unittest.TestCase):
    def test_projected_objects_are_queried_read_changed_and_followed(self):
        page = api("city_card", "list_city_card").sync(
            client=client, filter_="country.iso == $0", text=["FR"], sort="-population", limit=2,
            fields="name,nation")
        self.assertEqual([(card.name, card.nation) for card in page.objects],
                         [("Paris", "France"), ("Marseille", "France")])

        get = api("city_file", "get_city_file")
        file = get.sync(2988507, client=client)
        self.assertIsInstance(file.nation, models.NationCard)
        self.assertEqual((file.title, file.nation.iso, len(file.where.lon_lat)), ("Paris", "FR", 2))
        self.assertIn("Spain", file.nation.neighbour_names)

        stream = api("city_file", "stream_city_file_object_changes")
        start = stream.sync(2988507, client=client, since="start")
        self.assertIsInstance(start, models.CityFileSnapshotPage)
        patched = api("city_file", "patch_city_file").sync(
            2988507, client=client, body=models.CityFilePatch(
                title="Lutèce", where=models.PointPatch(lon_lat=[2.35, 48.85])))
        self.assertEqual((patched.title, patched.where.lon_lat), ("Lutèce", [2.35, 48.85]))
        changes = stream.sync(2988507, client=client, since=start.cursor)
        self.assertEqual(changes.changes[0].object_.title, "Lutèce")

        put_back = api("city", "patch_city_property").sync_detailed(
            2988507, "location", client=client, projection="Point",
            body=models.PointPatch(lon_lat=[2.3488, 48.85341]))
        self.assertEqual(put_back.status_code, 200)
        api("city_card", "patch_city_card").sync(
            2988507, client=client, body=models.CityCardPatch(name="Paris"))


class Queries(unittest.TestCase):
    def test_objects_are_queried_page_by_page(self):
        names, cursor = [], None
        while True:
            page = api("city", "list_city").sync(
                client=client, filter_="country.iso == $0 AND population > 500000",
                text=["FR"], sort="-population", limit=3, count="exact",
                **({"cursor": cursor} if cursor else {}))
            names += [city.name for city in page.objects]
            if not page.next_:
                break
            cursor = page.next_
        self.assertEqual(names, ["Paris", "Marseille", "Lyon", "Toulouse"])
        self.assertEqual(page.count, 4)

    def test_a_query_is_sent_as_a_body(self):
        page = api("city", "query_city").sync(client=client, body=models.HoldfastQuery(
            filter_="population > $0", args=[2000000], sort="name", fields=["name"]))
        self.assertEqual([city.name for city in page.objects], ["Paris"])

    def test_objects_are_counted_and_summed_in_groups(self):
        asked = api("city", "aggregate_city").sync(
            client=client, op="count,max(population)", by="country.iso", limit=1,
            filter_="country.iso == $0", text=["IS"])
        group = asked.groups[0]
        self.assertEqual(group.by["country.iso"], "IS")
        self.assertEqual(group["max(population)"], 118918)

    def test_objects_are_divided_into_sections(self):
        page = api("country", "section_country").sync(
            client=client, by="prefix(name,1)", filter_="continent.code == $0", text=["OC"],
            objects=1, limit=1)
        section = page.sections[0]
        self.assertEqual((section.key, section.count), ("A", 2))
        self.assertIsInstance(section.objects[0], models.Country)
        self.assertTrue(page.next_)

    def test_links_are_followed(self):
        city = api("city", "get_city").sync(2988507, client=client, expand="country.continent")
        self.assertIsInstance(city.country, models.Country)
        self.assertEqual(city.country.continent.name, "Europe")
        page = api("country", "get_country_cities").sync(
            "IS", client=client, sort="-population", limit=2)
        self.assertEqual(page.objects[0].name, "Reykjavík")

    def test_changes_are_read(self):
        stream = api("continent", "stream_continent_changes")
        page = stream.sync(client=client, since="start")
        self.assertIsInstance(page, models.ContinentSnapshotPage)
        self.assertEqual(len(page.objects), 7)
        api("continent", "patch_continent").sync(
            "AN", client=client, body=models.ContinentPatch(population=1101))
        page = stream.sync(client=client, since=page.cursor)
        self.assertIsInstance(page, models.ContinentChangePage)
        self.assertEqual([(change.op, change.id, change.object_.population)
                          for change in page.changes], [("update", "AN", 1101)])

    def test_a_class_goes_out_and_comes_in(self):
        exported = api("continent", "export_continent").sync_detailed(client=client)
        self.assertEqual(len(exported.content.splitlines()), 7)
        report = api("continent", "import_continent").sync(
            client=client, body=types.File(payload=exported.content),
            mode="replace")
        self.assertEqual((report.imported, report.failed), (7, 0))


class Types(unittest.TestCase):
    def test_values_of_every_type_come_and_go(self):
        key = "65a0b1c2d3e4f50617290000"
        tag = uuid.uuid4()
        seen = datetime.datetime(2026, 11, 20, 6, 38, 58, 123456, datetime.timezone.utc)
        written = api("specimen", "create_specimen").sync(
            client=client, body=models.SpecimenPatch(
                field_id=key, flag=True, whole=2**53 + 1, real=0.25, label=None, seen=seen, tag=tag,
                blob="SG9sZGZhc3Q=", reals=[0.5, None, "Infinity"],
                wholes=[3, 1, 3], found=2988507, seen_in=["FR", "IS", "FR"],
                places=[models.LocationInput(coordinates=[1.5])]))
        read = api("specimen", "get_specimen").sync(key, client=client)
        self.assertEqual(read, written)
        self.assertEqual((read.whole, read.real, read.label), (2**53 + 1, 0.25, None))
        self.assertEqual((read.seen, read.tag, read.blob), (seen, tag, "SG9sZGZhc3Q="))
        self.assertEqual(read.reals, [0.5, None, "Infinity"])
        self.assertEqual((read.wholes, read.found), ([1, 3], 2988507))
        self.assertEqual((read.seen_in, read.places[0].type_), (["FR", "IS", "FR"], "Point"))

    def test_numbers_of_every_width_come_and_go(self):
        infinity = "Infinity"
        written = api("measure", "put_measure").sync(
            -5, client=client, body=models.MeasureInput(
                tiny=-128, large=2**63 - 1, short=0.1, shorts=[1.5, None, infinity],
                exact="1.10", exacts=["2", "-0.5"]))
        read = api("measure", "get_measure").sync(-5, client=client)
        self.assertEqual(read, written)
        self.assertEqual((read.number, read.tiny, read.small, read.large), (-5, -128, -7, 2**63 - 1))
        self.assertEqual((read.short, read.shorts), (0.1, [1.5, None, infinity]))
        self.assertEqual((read.exact, read.exacts), ("1.10", ["-0.5", "2"]))

    def test_maps_come_and_go(self):
        marks = models.MeasureInputMarks.from_dict({"b": None, "a": 1.5})
        written = api("measure", "put_measure").sync(
            -6, client=client, body=models.MeasureInput(
                marks=marks, notes=models.MeasureInputNotes.from_dict({"n": "t"}),
                near=models.MeasureInputNear.from_dict({"x": 2988507, "y": None}),
                parts=models.MeasureInputParts.from_dict(
                    {"p": {"type": "Point", "coordinates": [1.5, 2.5]}})))
        read = api("measure", "get_measure").sync(-6, client=client)
        self.assertEqual(read, written)
        self.assertEqual(read.marks.to_dict(), {"a": 1.5, "b": None})
        self.assertEqual((read.notes.to_dict(), read.near["x"]), ({"n": "t"}, 2988507))
        self.assertEqual(read.parts["p"].coordinates, [1.5, 2.5])
        changed = api("measure", "put_measure_marks_element").sync(
            -6, "c", client=client, body=2.5)
        self.assertEqual(changed.marks.to_dict(), {"a": 1.5, "b": None, "c": 2.5})
        added = api("measure", "add_measure_shorts_element").sync(-6, client=client, body=0.5)
        self.assertEqual(added.shorts, [0.5])

    def test_a_class_without_a_primary_key_is_reached_by_its_id(self):
        note = api("note", "create_note").sync(
            client=client, body=models.NotePatch(text="new", tags=["b", "a"]))
        self.assertIsInstance(note.id, int)
        self.assertEqual(api("note", "get_note").sync(note.id, client=client).text, "new")

    def test_a_key_that_no_path_carries_is_a_parameter(self):
        for key in (None, "a/b"):
            setting = api("setting", "get_setting_by_key").sync(
                client=client, key=json.dumps(key))
            self.assertEqual(setting.name, key)


class Outboxes(unittest.TestCase):
    def test_objects_are_put_in_numbered_consumed_and_acknowledged(self):
        old = api("reading", "get_reading_outbox").sync(client=client)
        self.assertEqual(len(old.objects), seed.READING_COUNT)
        api("reading", "acknowledge_reading_outbox").sync(client=client, through=old.through)
        taken = api("reading", "create_reading").sync(
            client=client, body=models.ReadingInput(celsius=21.5, city=2988507))
        self.assertEqual(taken.number, seed.READING_COUNT + 1)
        api("reading", "create_reading").sync(
            client=client, body=[models.ReadingInput(celsius=22), models.ReadingInput(number=40)])
        page = api("reading", "get_reading_outbox").sync(client=client, limit=2)
        self.assertEqual([one.celsius for one in page.objects], [21.5, 22])
        done = api("reading", "acknowledge_reading_outbox").sync(client=client, through=page.through)
        self.assertEqual(done.affected, 2)
        rest = api("reading", "get_reading_outbox").sync(client=client, prefer="wait=1")
        self.assertEqual([one.number for one in rest.objects], [40])


class Tokens(unittest.TestCase):
    def test_a_client_with_a_token_is_let_in(self):
        tokens = []

        def make_token(data):
            data.mkdir()
            made = subprocess.run(
                [BINARY, "token", "create", "--data", str(data), "--name", "all", "--rights",
                 "admin"], capture_output=True, text=True, timeout=60, check=True)
            tokens.append(made.stdout.split()[-1])

        with Service(prepare=make_token) as guarded, tempfile.TemporaryDirectory() as folder:
            right = {"Authorization": f"Bearer {tokens[0]}"}
            guarded.succeed("PUT", "/v1/schema/classes/Word",
                            {"primaryKey": "text", "properties": {"text": "string"}}, **right)
            self.assertEqual(generate(guarded, folder, "guarded_client", **right)[0], 0)
            sys.path.insert(0, folder)
            self.addCleanup(sys.path.remove, folder)
            put_word = importlib.import_module("guarded_client.api.word.put_word")
            body = importlib.import_module("guarded_client.models").WordInput()
            made = importlib.import_module("guarded_client.client")
            for token, status in ((tokens[0], 201), ("wrong", 401)):
                with made.AuthenticatedClient(base_url=guarded.url, token=token) as known:
                    reply = put_word.sync_detailed("hello", client=known, body=body)
                self.assertEqual(reply.status_code, status)
            self.assertEqual(reply.parsed.code, "token-invalid")
