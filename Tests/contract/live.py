"""A running service against openapi.yaml, where requests made by chance do not reach."""
import json
import subprocess
import unittest

import contract
import metrics
import seed
from events import EventSource
from service import BINARY, Service

CITY = {"name": "Ny-Ålesund", "country": "SJ", "population": 45, "timezone": "Arctic/Longyearbyen"}

# The events of a property that have schemas of their own.
PROPERTY = {"snapshot": "Property", "change": "Property"}


def setUpModule():
    global running
    # A short heartbeat, so that a test need not wait long for one.
    running = Service("--heartbeat", "1s").__enter__()
    unittest.addModuleCleanup(running.__exit__, None, None, None)
    seed.seed(running)


class LiveTests(unittest.TestCase):
    def conforms(self, operation_id, reply, status=None):
        """Checks a reply against what the operation documents."""
        if status:
            self.assertEqual(reply.status, status, reply.body[:500])
        self.assertEqual(contract.reply_faults(operation_id, reply), [], reply.body[:500])
        return reply


class Conditions(LiveTests):
    def test_a_precondition_that_does_not_hold_shows_the_object_as_it_is(self):
        path = "/v1/classes/Continent/objects/EU"
        stored = self.conforms("getObject", running.request("GET", path), 200)
        reply = running.request("PATCH", path, {"population": 1}, If_Match='"00000000-1"')
        self.conforms("patchObject", reply, 412)
        self.assertEqual(reply.json["current"]["object"], stored.json)
        self.assertEqual(f'"{reply.json["current"]["etag"]}"', stored.headers["ETag"])

    def test_a_read_of_one_object_takes_if_match_and_others_refuse_it(self):
        tag = running.request("GET", "/v1/classes/Country/objects/IS").headers["ETag"]
        for value, status in ((tag, 200), ("*", 200), ('"00000000-1"', 412)):
            self.conforms("getObject", running.request(
                "GET", "/v1/classes/Country/objects/IS", If_Match=value), status)
        for operation, path in (
                ("getLinks", "/"), ("getSchema", "/v1/schema"), ("listClasses", "/v1/classes"),
                ("listObjects", "/v1/classes/Country/objects"),
                ("getProperty", "/v1/classes/Country/objects/IS/properties/name")):
            with self.subTest(path=path):
                self.conforms(operation, running.request("GET", path, If_Match=tag), 400)
                self.conforms(operation, running.request("GET", path, If_None_Match='"x"'), 200)

    def test_an_object_that_did_not_change_is_304_and_an_expanded_one_never(self):
        path = "/v1/classes/Country/objects/IS"
        etag = running.request("GET", path).headers["ETag"]
        reply = running.request("GET", path, If_None_Match=etag)
        self.conforms("getObject", reply, 304)
        self.assertEqual(reply.body, b"")
        expanded = running.request("GET", path + "?expand=continent", If_None_Match=etag)
        self.conforms("getObject", expanded, 200)

    def test_a_write_that_prefers_a_minimal_reply_gets_no_object(self):
        for key, method, status in ((99000009, "PUT", 201), (99000009, "PUT", 204)):
            reply = running.request(
                method, f"/v1/classes/City/objects/{key}", CITY, Prefer="return=minimal")
            self.conforms("putObject", reply, status)
            self.assertEqual(reply.body, b"")
            self.assertEqual(reply.headers["Preference-Applied"], "return=minimal")

    def test_a_read_sees_the_version_that_a_write_told(self):
        written = running.request("PUT", "/v1/classes/City/objects/99000010", CITY)
        version = written.headers["Holdfast-Version"]
        reply = running.request("GET", f"/v1/classes/City/objects/99000010?minVersion={version}")
        self.conforms("getObject", reply, 200)
        other = running.request("GET", "/v1/classes/City/objects/99000010?minVersion=00000000-1")
        self.conforms("getObject", other, 409)

    def test_head_answers_as_get_does_without_the_body(self):
        for path in ("/v1", "/v1/schema", "/v1/classes/City/objects", "/health/ready", "/metrics",
                     "/v1/classes/Country/objects/FR"):
            with self.subTest(path=path):
                got, asked = running.request("GET", path), running.request("HEAD", path)
                self.assertEqual((asked.status, asked.body), (got.status, b""))
                self.assertEqual(asked.headers["Content-Type"], got.headers["Content-Type"])

    def test_an_embedded_class_has_no_objects_of_its_own(self):
        reply = running.request("GET", "/v1/classes/Location/objects")
        self.conforms("listObjects", reply, 405)

    def test_keys_that_no_path_carries_are_read_and_written_by_parameter(self):
        for key in seed.SETTING_NAMES:
            with self.subTest(key=key):
                query = "".join(f"%{byte:02X}" for byte in json.dumps(key).encode())
                path = f"/v1/classes/Setting/object?key={query}"
                read = self.conforms("getObjectByKey", running.request("GET", path), 200)
                self.assertEqual(read.json["name"], key)
                self.conforms("putObjectByKey", running.request("PUT", path, read.json), 200)

    def test_bytes_come_as_they_are(self):
        reply = running.request(
            "GET", f"/v1/classes/Specimen/objects/{seed.SPECIMEN_IDS[0]}/properties/blob",
            Accept="application/octet-stream")
        self.conforms("getProperty", reply, 200)
        self.assertEqual(reply.body, b"Holdfast")

    def test_elements_are_added_read_set_and_removed(self):
        country = "/v1/classes/Country/objects/FR"
        path = country + "/properties/languages/elements"
        languages = running.request("GET", country).json["languages"]

        def send(operation_id, method, end, body, status):
            body = None if body is None else json.dumps(body).encode()
            reply = running.request(method, path + end, body)
            return self.conforms(operation_id, reply, status)

        added = send("addElement", "POST", "?at=0", "xx", 201)
        self.assertEqual(added.json["languages"], ["xx"] + languages)
        self.assertEqual(added.headers["Location"], path + "/0")
        self.assertEqual(send("getElement", "GET", "/0", None, 200).json, {"value": "xx"})
        send("putElement", "PUT", "/0", "yy", 200)
        send("putElement", "PUT", "/999", "yy", 404)
        send("addElement", "POST", "?at=999", "yy", 422)
        send("deleteElement", "DELETE", "/0", None, 200)
        send("addElement", "POST", "", "xx", 201)
        removed = send("deleteElementByKey", "DELETE", "?value=%22xx%22", None, 200)
        self.assertEqual(removed.json["languages"], languages)
        send("getElementByKey", "GET", "?key=%22a%22", None, 400)
        send("putElementByKey", "PUT", "?key=%22a%22", "x", 400)
        # Strings have no elements of their own; what mixed values do is tested beside them.
        send("getInnerElement", "GET", "/0/0", None, 404)
        send("putInnerElement", "PUT", "/0/0", "x", 404)
        send("deleteInnerElement", "DELETE", "/0/0", None, 404)
        send("addInnerElement", "POST", "/0/0", "x", 404)
        send("addToElement", "POST", "/0", "x", 404)
        cities = running.request("POST", country + "/properties/cities/elements", b"1")
        self.conforms("addElement", cities, 405)

    def test_large_ints_are_strings_for_who_prefers_that(self):
        path = f"/v1/classes/Specimen/objects/{seed.SPECIMEN_IDS[0]}"
        reply = running.request("GET", path, Prefer="int64=string")
        self.conforms("getObject", reply, 200)
        self.assertEqual(reply.json["whole"], "9007199254740993")

    def test_an_export_can_be_imported(self):
        exported = self.conforms(
            "exportObjects", running.request("GET", "/v1/classes/Specimen/export"), 200)
        lines = exported.body.splitlines()
        self.assertEqual(len(lines), len(seed.SPECIMEN_IDS))
        reply = running.request(
            "POST", "/v1/classes/Specimen/import?mode=replace", exported.body,
            Content_Type="application/x-ndjson")
        self.conforms("importObjects", reply, 200)
        self.assertEqual((reply.json["imported"], reply.json["failed"]), (len(lines), 0))

    def test_a_list_as_geojson_can_be_imported(self):
        path = "/v1/classes/City"
        listed = running.request("GET", f"{path}/objects?limit=5&sort=-population", Accept="application/geo+json")
        reply = running.request("POST", f"{path}/import?mode=replace", listed.body, Content_Type="application/geo+json")
        self.conforms("importObjects", reply, 200)
        self.assertEqual((reply.json["imported"], reply.json["failed"]), (5, 0))
        again = running.request("GET", f"{path}/objects?limit=5&sort=-population", Accept="application/geo+json")
        self.assertEqual(again.json["features"], listed.json["features"])

    def test_a_class_is_proposed_for_a_file(self):
        path = "/v1/schema/propose"
        reply = running.request(
            "POST", path + "?class=Sale", "Nr;Preis €;Am\n1;9,50;31.12.2025\n2;;1.2.2026\n".encode(), Content_Type="text/csv")
        self.conforms("proposeClass", reply, 200)
        self.assertEqual(
            reply.json["class"]["properties"],
            {"Nr": {"type": "int"}, "Preis": {"type": "double", "optional": True}, "Am": {"type": "date"}})
        points = b'{"id":1,"at":{"type":"Point","coordinates":[1,2]},"tags":["a"]}'
        reply = self.conforms(
            "proposeClass", running.request("POST", path, points, Content_Type="application/x-ndjson"), 200)
        self.assertEqual(reply.json["class"]["properties"]["at"]["indexed"], "geo")
        for body, kind, status in (
                (b"[]", "application/json", 422), (b"<a/>", "application/xml", 415), (b"id\n", "text/csv", 422)):
            self.conforms("proposeClass", running.request("POST", path, body, Content_Type=kind), status)


class Pages(LiveTests):
    def test_pages_follow_each_other_to_the_end(self):
        path = "/v1/classes/City/objects?filter=country.iso%20%3D%3D%20%22IS%22&sort=-population"
        whole = running.request("GET", path).json["objects"]
        seen, page = [], running.request("GET", path + "&limit=2")
        while True:
            self.conforms("listObjects", page, 200)
            seen += page.json["objects"]
            if "next" not in page.json:
                self.assertIsNone(page.headers["Link"])
                break
            target = page.headers["Link"].split(">")[0].removeprefix("<")
            page = running.request("GET", target)
        self.assertEqual(seen, whole)

    def test_a_query_in_a_body_is_the_query_in_a_target(self):
        asked = running.request(
            "POST", "/v1/classes/City/query",
            {"filter": "country.iso == $0", "args": ["IS"], "sort": ["-population"], "count": "exact",
             "explain": True})
        self.conforms("queryObjects", asked, 200)
        got = running.request(
            "GET", "/v1/classes/City/objects?filter=country.iso%3D%3D$0&text=IS&sort=-population")
        self.assertEqual(asked.json["objects"], got.json["objects"])
        self.assertEqual(asked.json["count"], len(got.json["objects"]))


    def test_objects_are_counted_and_summed_in_groups(self):
        path = "/v1/classes/City/aggregate"
        reply = running.request("GET", path + "?op=count,max(population)&filter=country.iso%3D%3D%22IS%22")
        self.conforms("aggregateObjects", reply, 200)
        self.assertEqual(sorted(reply.json), ["count", "max(population)"])
        total, page = 0, running.request("GET", path + "?by=country.iso&limit=100")
        while True:
            self.conforms("aggregateObjects", page, 200)
            total += sum(group["count"] for group in page.json["groups"])
            if "next" not in page.json:
                break
            page = running.request("GET", page.headers["Link"].split(">")[0].removeprefix("<"))
        self.assertEqual(total, running.request("GET", path).json["count"])

    def test_a_list_comes_as_geojson_and_as_csv(self):
        path = "/v1/classes/City/objects?filter=country.iso%3D%3D%22IS%22&sort=-population&limit=5&fields=id,name"
        plain = running.request("GET", path + "&count=exact")
        features = running.request("GET", path + "&count=exact", Accept="application/geo+json")
        self.conforms("listObjects", features, 200)
        self.assertEqual(features.headers["Content-Type"], "application/geo+json")
        self.assertEqual(
            [feature["properties"] for feature in features.json["features"]], plain.json["objects"])
        self.assertEqual(features.json["count"], plain.json["count"])
        self.assertEqual(features.json["next"], plain.json["next"])
        records = running.request("GET", path, Accept="text/csv")
        self.assertEqual(records.headers["Content-Type"], "text/csv; charset=utf-8")
        self.assertEqual(records.headers["Link"].replace("&count=exact", ""),
                         plain.headers["Link"].replace("&count=exact", ""))
        self.assertEqual(
            records.body.decode().splitlines(),
            ["id,name"] + [f"{city['id']},{city['name']}" for city in plain.json["objects"]])

    def test_objects_are_divided_into_sections(self):
        path = "/v1/classes/City/sections"
        total, keys = 0, []
        page = running.request("GET", path + "?by=prefix(name,1)&objects=2&limit=10&count=exact&explain=true")
        while True:
            self.conforms("sectionObjects", page, 200)
            for section in page.json["sections"]:
                total += section["count"]
                keys.append(section["key"])
                self.assertEqual(
                    {city["name"][:1] for city in section["objects"]}, {section["key"]})
                self.assertEqual(len(section["objects"]), min(2, section["count"]))
            if "next" not in page.json:
                break
            page = running.request("GET", page.headers["Link"].split(">")[0].removeprefix("<"))
        self.assertEqual(keys, sorted(set(keys)))
        self.assertEqual(page.json["count"], len(keys))
        self.assertEqual(
            total, running.request("GET", "/v1/classes/City/aggregate").json["count"])


class Streams(LiveTests):
    def check(self, events, prefixes={}):
        """Checks each event by the schema of its name, which `prefixes` qualifies."""
        for event in events:
            if event.data is None:
                continue
            schema = event.name[0].upper() + event.name[1:] + "Event"
            schema = prefixes.get(event.name, "") + schema
            self.assertEqual(contract.faults(contract.component(schema), event.json), [], event)
        return events

    def follow(self, operation_id, path, write):
        """A stream from the start, a change, and the rest of it from where it was."""
        with EventSource(running, path + "since=start") as stream:
            self.assertEqual(stream.status, 200)
            self.assertEqual(stream.headers["Content-Type"], "text/event-stream")
            first = self.check(stream.until("upToDate"))
            self.assertEqual(first[0].name, "hello")
            self.assertIsNone(first[0].last_id)
            resume = first[-1].last_id
            self.assertEqual(resume, first[-1].json["cursor"])
            write(1)
            live = self.check(stream.until("change"))[-1]
            self.assertEqual(live.last_id, live.json["version"])
        write(2)
        with EventSource(running, path, Last_Event_ID=resume) as stream:
            caught_up = self.check(stream.until("upToDate"))
            self.assertIn("change", [event.name for event in caught_up])
        page = running.request("GET", f"{path}since={resume}")
        self.conforms(operation_id, page, 200)
        self.assertTrue(page.json["upToDate"])
        return first, live, page.json["changes"]

    def city(self, key):
        return lambda population: running.succeed(
            "PUT", f"/v1/classes/City/objects/{key}", {**CITY, "population": population})

    def test_a_query_is_followed(self):
        first, live, changes = self.follow(
            "streamClassChanges",
            "/v1/classes/City/changes?filter=country.iso%20%3D%3D%20%22SJ%22&fields=name,population&",
            self.city(99000021))
        ids = [entry["id"] for event in first if event.name == "snapshot"
               for entry in event.json["objects"]]
        self.assertIn(2729907, ids)
        [entry] = live.json["changes"]
        self.assertEqual((entry["op"], entry["id"]), ("enter", 99000021))
        self.assertEqual(entry["object"], {"name": CITY["name"], "population": 1})
        [entry] = changes
        self.assertEqual(entry["object"]["population"], 2)

    def test_an_object_is_followed_before_it_is_there(self):
        first, live, _ = self.follow(
            "streamObjectChanges", "/v1/classes/City/objects/99000022/changes?", self.city(99000022))
        self.assertEqual([event.name for event in first], ["hello", "reset", "upToDate"])
        self.assertEqual([entry["id"] for entry in live.json["changes"]], [99000022])

    def test_a_live_list_is_followed_by_indices(self):
        path = ("/v1/classes/City/changes?filter=country.iso%20%3D%3D%20%22SJ%22&sort=-population&limit=2"
                "&fields=population&since=start")
        with EventSource(running, path) as stream:
            self.check(stream.until("upToDate"))
            self.city(99000025)(9000)
            change = self.check(stream.until("change"), {"change": "List"})[-1]
            self.assertEqual([entry["op"] for entry in change.json["changes"]], ["leave", "enter"])
            self.assertEqual((change.json["deletions"], change.json["insertions"]), ([1], [0]))
        running.succeed("DELETE", "/v1/classes/City/objects/99000025")

    def test_sections_are_followed_by_pairs_of_indices(self):
        path = ("/v1/classes/City/sections/changes?filter=country.iso%20%3D%3D%20%22SJ%22&by=prefix(name,1)"
                "&objects=5&fields=population&since=start")
        with EventSource(running, path) as stream:
            self.check(stream.until("upToDate"), {"snapshot": "Sections"})
            running.succeed("PUT", "/v1/classes/City/objects/99000026", {**CITY, "name": "Zz"})
            change = self.check(stream.until("change"), {"change": "Sections"})[-1]
            [section] = change.json["sections"]
            self.assertEqual((section["key"], section["count"]), ("Z", 1))
            self.assertEqual(change.json["insertions"], [[section["index"], 0]])
        running.succeed("DELETE", "/v1/classes/City/objects/99000026")

    def test_an_aggregate_is_followed_by_values(self):
        with EventSource(running, "/v1/classes/City/aggregate/changes?op=count&since=start") as stream:
            value = stream.until("value")[-1]
            self.assertEqual(contract.faults(contract.component("Aggregate"), value.json), [])

    def test_the_whole_store_is_followed(self):
        _, live, _ = self.follow("streamChanges", "/v1/changes?", self.city(99000023))
        self.assertIn(("City", 99000023),
                      [(entry["class"], entry["id"]) for entry in live.json["changes"]])

    def test_a_property_is_followed(self):
        bodies = {"languages": (["it"], ["it", "la"]), "neighbours": (["IT"], ["VA"]), "capital": ("A", "B")}
        for name, parameters, members in [
                ("languages", "", {"deletions", "insertions", "modifications", "values"}),
                ("languages", "interval=10&", {"deletions", "insertions", "modifications", "values"}),
                ("neighbours", "fields=name&", {"removed", "inserted", "modified", "entries"}),
                ("capital", "", {"value"})]:
            path = "/v1/classes/Country/objects/SM"
            before, after = bodies[name]
            running.succeed("PATCH", path, {name: before})
            with self.subTest(name + parameters), EventSource(
                    running, f"{path}/properties/{name}/changes?{parameters}since=start") as stream:
                self.check(stream.until("upToDate"), PROPERTY)
                running.succeed("PATCH", path, {name: after})
                change = self.check(stream.until("change"), PROPERTY)[-1]
                self.assertEqual(set(change.json), {"version", "op"} | members)
                self.assertEqual(change.last_id, change.json["version"])

    def test_several_queries_are_followed_on_one_connection(self):
        made = running.request("POST", "/v1/streams", {"queries": {
            "near": {"class": "City", "filter": "country.iso == $0", "args": ["SJ"], "fields": "name,population"},
            "one": {"class": "City", "id": 99000024}}})
        self.conforms("createStream", made, 201)
        path = made.headers["Location"]
        with EventSource(running, path + "?since=start") as stream:
            events = []
            while not events or not events[-1].json.get("cursor") or events[-1].name == "hello":
                events += self.check(stream.until("upToDate"))
            self.assertEqual(events[-1].last_id, events[-1].json["cursor"])
            self.city(99000024)(1)
            [live] = [one for one in self.check(stream.until("change")) if one.name == "change"]
            self.assertEqual(
                sorted((entry["query"], entry["op"]) for entry in live.json["changes"]),
                [("near", "enter"), ("one", "enter")])
            changed = running.request("PATCH", path, {"queries": {
                "near": None, "cards": {"projection": "CityCard", "filter": "population > 9000000"}}})
            self.conforms("patchStream", changed, 200)
            self.assertEqual(changed.json["queries"], ["one", "cards"])
            added = self.check(stream.until("upToDate"))
            self.assertEqual(added[-1].json["query"], "cards")
            self.assertEqual(added[-1].last_id, added[-1].json["cursor"])
            self.conforms("streamQueries", running.request(
                "GET", path, Accept="text/event-stream"), 409)
        self.conforms("deleteStream", running.request("DELETE", path), 204)
        self.conforms("streamQueries", running.request(
            "GET", path, Accept="text/event-stream"), 404)

    def test_a_stream_begins_now_and_gives_signs_of_life(self):
        with EventSource(running, "/v1/classes/Continent/changes") as stream:
            events = []
            for event in stream:
                events.append(event)
                if len(events) == 3:
                    break
        self.check(events)
        self.assertEqual(events[0].name, "hello")
        self.assertEqual(events[0].last_id, events[0].json["cursor"])
        self.assertEqual(events[0].json["heartbeat"], 1)
        self.assertEqual([event.data for event in events[1:]], [None, None])
        self.assertTrue(events[1].last_id)

    def test_a_snapshot_comes_in_pages_of_json(self):
        path = "/v1/classes/Specimen/changes?limit=10&since="
        cursor, ids = "start", []
        while True:
            page = self.conforms("streamClassChanges", running.request("GET", path + cursor), 200)
            ids += [entry["id"] for entry in page.json["objects"]]
            if "cursor" in page.json:
                break
            cursor = page.json["next"]
        self.assertEqual(sorted(ids), sorted(seed.SPECIMEN_IDS))
        follow = running.request("GET", path + page.json["cursor"])
        self.conforms("streamClassChanges", follow, 200)
        self.assertEqual((follow.json["changes"], follow.json["upToDate"]), ([], True))

    def test_a_poll_that_waits_in_vain_is_answered_empty(self):
        reply = running.request("GET", "/v1/classes/Continent/changes", Prefer="wait=1")
        self.conforms("streamClassChanges", reply, 200)
        self.assertEqual(reply.json["changes"], [])

    def test_a_cursor_of_another_epoch_or_of_the_future_is_gone(self):
        gone = running.request("GET", "/v1/changes?since=00000000-1")
        self.conforms("streamChanges", gone, 410)
        version = running.request("GET", "/v1").json["storeVersion"]
        future = running.request("GET", f"/v1/changes?since={version}000")
        self.conforms("streamChanges", future, 410)
        self.assertEqual(future.json["code"], "restored")


class Refusals(LiveTests):
    def test_a_name_that_is_not_known_comes_with_the_nearest_that_is(self):
        cases = [
            ("getClass", "/v1/schema/classes/Citty", 404, "City"),
            ("listObjects", "/v1/classes/Citty/objects", 404, "City"),
            ("listObjects", "/v1/classes/City/objects?fliter=true", 400, "filter"),
            ("listObjects", "/v1/classes/City/objects?filter=poulation%3E1", 400, "population"),
            ("listObjects", "/v1/classes/City/objects?fields=nmae", 400, "name"),
            ("getProperty", "/v1/classes/Country/objects/FR/properties/citys", 404, "cities"),
        ]
        for operation_id, path, status, hint in cases:
            with self.subTest(path=path):
                reply = self.conforms(operation_id, running.request("GET", path), status)
                self.assertEqual(reply.json["errors"][0]["hint"], hint)

    def test_every_fault_of_a_body_is_told_with_its_pointer(self):
        reply = running.request(
            "POST", "/v1/classes/City/objects",
            {"id": "x", "name": None, "populaton": 1, "location": {"coordinates": [1, "a"]},
             "country": "FR", "timezone": "Europe/Paris"})
        self.conforms("createObjects", reply, 422)
        self.assertEqual(
            sorted(fault["pointer"] for fault in reply.json["errors"]),
            ["/id", "/location/coordinates/1", "/name", "/populaton"])

    def test_a_fault_of_a_query_has_its_column(self):
        reply = running.request("GET", "/v1/classes/City/objects?filter=name%20%3D%3D%205%20AND")
        self.conforms("listObjects", reply, 400)
        self.assertGreaterEqual(reply.json["errors"][0]["column"], 1)

    def test_media_types_that_are_not_read_are_named(self):
        form = running.request(
            "POST", "/v1/classes/City/objects", "name=x",
            Content_Type="application/x-www-form-urlencoded")
        self.conforms("createObjects", form, 415)
        self.assertIn("application/json", form.headers["Accept"])
        patch = running.request(
            "PATCH", "/v1/classes/City/objects/2988507", "<name>x</name>",
            Content_Type="application/xml-patch+xml")
        self.conforms("patchObject", patch, 415)
        self.assertIn("application/merge-patch+json", patch.headers["Accept-Patch"])
        image = running.request("GET", "/v1/classes/City/objects/2988507", Accept="image/png")
        self.conforms("getObject", image, 406)

    def test_a_name_of_another_machine_is_not_served_without_tokens(self):
        reply = running.request("GET", "/v1", Host="example.org")
        self.conforms("getService", reply, 421)


class Figures(LiveTests):
    def test_the_figures_are_what_prometheus_reads(self):
        reply = self.conforms("getMetrics", running.request("GET", "/metrics"), 200)
        self.assertTrue(reply.headers["Content-Type"].startswith("text/plain; version=0.0.4"))
        self.assertEqual(metrics.faults(reply.body.decode()), [])
        samples = metrics.samples(reply.body.decode())
        self.assertEqual(samples[("holdfast_objects", (("class", "Continent"),))], 7)


class Tokens(LiveTests):
    def make_tokens(self, data):
        data.mkdir()
        for right in ("metrics", "read", "write", "admin"):
            made = subprocess.run(
                [BINARY, "token", "create", "--data", str(data), "--name", right, "--rights", right],
                capture_output=True, text=True, timeout=60)
            self.assertEqual(made.returncode, 0, made.stderr)
            self.tokens[right] = made.stdout.split()[-1]

    def test_tokens_are_made_changed_and_revoked(self):
        with Service() as fresh:
            made = self.conforms(
                "createToken", fresh.request("POST", "/v1/tokens", {"name": "me", "right": "admin"}), 201)
            mine = {"Authorization": f"Bearer {made.json['token']}"}
            body = {"name": "other", "right": "read"}
            self.conforms("createToken", fresh.request("POST", "/v1/tokens", body, **mine), 201)
            self.conforms("createToken", fresh.request("POST", "/v1/tokens", body, **mine), 409)
            changed = self.conforms(
                "patchToken", fresh.request("PATCH", "/v1/tokens/other", {"right": "write"}, **mine), 200)
            self.assertEqual(changed.json["right"], "write")
            listed = self.conforms("listTokens", fresh.request("GET", "/v1/tokens", **mine), 200)
            self.assertEqual([token["name"] for token in listed.json["tokens"]], ["me", "other"])
            lines = self.conforms("listAuditLines", fresh.request("GET", "/v1/audit", **mine), 200).json["lines"]
            self.assertEqual(
                [(line["operation"], line["principal"]) for line in lines],
                [("patchToken", "me"), ("createToken", "me"), ("createToken", "everybody")])
            me = self.conforms("getCaller", fresh.request("GET", "/v1/me", **mine), 200)
            self.assertEqual(me.json, {"token": "me", "right": "admin"})
            self.conforms(
                "putUserAccess", fresh.request("PUT", "/v1/access/users/ann", {"blocked": True}, **mine), 200)
            barred = self.conforms("listUserAccess", fresh.request("GET", "/v1/access/users", **mine), 200)
            self.assertEqual(barred.json, {"users": [{"id": "ann", "blocked": True}]})
            self.conforms("deleteToken", fresh.request("DELETE", "/v1/tokens/other", **mine), 204)
            self.conforms("deleteToken", fresh.request("DELETE", "/v1/tokens/other", **mine), 404)

    def test_accounts_are_made_and_signed_in_with(self):
        mine = {"login": "ann@example.org", "password": "correct horse battery"}
        self.tokens = {}
        with Service(prepare=self.make_tokens) as guarded:
            admin = {"Authorization": f"Bearer {self.tokens['admin']}"}
            self.conforms("createAccount", guarded.request("POST", "/v1/accounts", mine), 401)
            made = self.conforms("createAccount", guarded.request("POST", "/v1/accounts", mine, **admin), 201)
            self.conforms("createAccount", guarded.request("POST", "/v1/accounts", mine, **admin), 409)
            own = {"login": "bob@example.org", "password": mine["password"], "object": {}}
            self.conforms("createAccount", guarded.request("POST", "/v1/accounts", own, **admin), 422)
            address = f"/v1/accounts/{made.json['id']}"
            listed = self.conforms("listAccounts", guarded.request("GET", "/v1/accounts?login=ANN@example.org", **admin), 200)
            self.assertEqual([account["id"] for account in listed.json["accounts"]], [made.json["id"]])
            self.conforms("getAccount", guarded.request("GET", address, **admin), 200)
            self.conforms("createSession", guarded.request("POST", "/v1/sessions", mine | {"password": "x"}), 401)
            session = self.conforms("createSession", guarded.request("POST", "/v1/sessions", mine), 201)
            self.assertEqual(session.json["user"], made.json["id"])
            ann = {"Authorization": f"Bearer {session.json['token']}"}
            me = self.conforms("getCaller", guarded.request("GET", "/v1/me", **ann), 200)
            self.assertEqual((me.json["user"], me.json["login"]), (made.json["id"], "ann@example.org"))
            body = {"password": mine["password"], "newPassword": "staple correct horse"}
            self.conforms("changePassword", guarded.request("PUT", "/v1/me/password", body, **ann), 204)
            self.conforms("changePassword", guarded.request("PUT", "/v1/me/password", body, **ann), 403)
            self.conforms("deleteSession", guarded.request("DELETE", "/v1/sessions/current", **ann), 204)
            code = self.conforms("createResetCode", guarded.request("POST", address + "/reset-code", **admin), 201)
            body = {"code": code.json["code"], "newPassword": mine["password"]}
            self.conforms("resetPassword", guarded.request("POST", "/v1/password-resets", body), 204)
            self.conforms("resetPassword", guarded.request("POST", "/v1/password-resets", body), 401)
            session = self.conforms("createSession", guarded.request("POST", "/v1/sessions", mine), 201)
            ann = {"Authorization": f"Bearer {session.json['token']}"}
            self.conforms("deleteSessions", guarded.request("DELETE", "/v1/sessions", **ann), 204)
            self.conforms("getCaller", guarded.request("GET", "/v1/me", **ann), 401)
            self.conforms("deleteAccount", guarded.request("DELETE", address, **admin), 204)
            self.conforms("getAccount", guarded.request("GET", address, **admin), 404)

    def test_the_access_document_is_set_read_and_explained(self):
        document = {
            "users": "Person",
            "roles": {"member": {"classes": {"Note": {"read": "owner == $user.id", "create": True}}}},
        }
        with Service() as fresh:
            schema = {"classes": [
                {"name": "Person", "primaryKey": "id", "properties": {"id": "string"}},
                {"name": "Note", "primaryKey": "id", "properties": {"id": "int", "owner": "Person"}},
            ]}
            self.assertEqual(fresh.request("PUT", "/v1/schema", schema).status, 200)
            self.conforms("getAccess", fresh.request("GET", "/v1/access"), 404)
            self.conforms("putAccess", fresh.request("PUT", "/v1/access?dryRun=true", document), 200)
            self.conforms("putAccess", fresh.request("PUT", "/v1/access", document), 200)
            self.conforms("putAccess", fresh.request("PUT", "/v1/access", document | {"revision": 7}), 409)
            self.conforms("putAccess", fresh.request("PUT", "/v1/access", document | {"users": "Nobody"}), 422)
            read = self.conforms("getAccess", fresh.request("GET", "/v1/access"), 200)
            self.assertEqual(read.json["roles"], document["roles"])
            self.assertEqual(read.json["warnings"], [])
            fresh.request("PUT", "/v1/classes/Person/objects/ann", {})
            fresh.request("PUT", "/v1/classes/Note/objects/1", {"owner": "ann"})
            question = {"user": "ann", "class": "Note", "key": 1}
            told = self.conforms("explainAccess", fresh.request("POST", "/v1/access/explain", question), 200)
            self.assertEqual(told.json["actions"]["read"]["role"], "member")
            self.assertFalse(told.json["actions"]["delete"]["allowed"])

    def test_every_operation_asks_for_its_right(self):
        self.tokens = {}
        with Service(prepare=self.make_tokens) as guarded:
            schema = {"classes": [{"name": "Note", "properties": {"text": "string"}}]}
            for path, method, operation in contract.operations():
                name = operation["operationId"]
                address = path.replace("{class}", "Note").replace("{id}", "1")
                address = address.replace("{property}", "text")
                if any(contract.resolve(one).get("name") == "key" for one in operation["parameters"]):
                    address += "?key=1"
                with self.subTest(operation=name):
                    reply = guarded.request(method.upper(), address)
                    if operation.get("security") == []:
                        # Without a body there is nothing to sign in with.
                        self.assertEqual(reply.status, 400 if method == "post" else 200)
                        continue
                    self.conforms(name, reply, 401)
                    wrong = guarded.request(method.upper(), address, Authorization="Bearer wrong")
                    self.conforms(name, wrong, 401)
                    rights = ["metrics", "read", "write", "admin"]
                    needed = [
                        right for right in rights if f"right `{right}`" in operation["description"]]
                    if not needed:
                        # Told once, at the operation that it is like.
                        continue
                    for right in rights:
                        may = rights.index(right) >= rights.index(needed[0])
                        reply = guarded.request(
                            method.upper(), address, Authorization=f"Bearer {self.tokens[right]}")
                        self.assertEqual(
                            (right, reply.status != 403), (right, may), reply.body[:200])
                        if not may:
                            self.conforms(name, reply, 403)
            reply = guarded.request(
                "PUT", "/v1/schema", schema, Authorization=f"Bearer {self.tokens['admin']}")
            self.conforms("putSchema", reply, 200)
