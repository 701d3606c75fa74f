import HoldfastObjectJSON
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing
import HoldfastText

@Suite("headers, parameters and media types")
struct RequestTests {
    let server: TestServer

    init() throws { server = try TestServer(schema: Schemas.everything) }

    @Test(
        "what an operation does not know is refused",
        arguments: [
            APIScenario(
                "PUT", "/v1/classes/Thing/objects/1?mode=merge", "{}", status: 400,
                contains: ["unknown-parameter", "no parameters"]),
            APIScenario(
                "PATCH", "/v1/classes/Thing/objects/1?upsrt=true", "{}", status: 400,
                contains: ["\"hint\":\"upsert\""]),
            APIScenario(
                "DELETE", "/v1/classes/Thing/objects/1?force=true", status: 400,
                contains: ["unknown-parameter"]),
            APIScenario(
                "POST", "/v1/classes/Thing/objects?mod=merge", "{}", status: 400,
                contains: ["\"hint\":\"mode\""]),
            APIScenario(
                "PUT", "/v1/classes/Thing/object?key=1&x=2", "{}", status: 400,
                contains: ["unknown-parameter"]),
            APIScenario(
                "PUT", "/v1/classes/Thing/objects/1", "{}",
                headers: [("Content-Type", "text/plain")], status: 415,
                contains: ["application/json"], fields: ["accept": "application/json"]),
            APIScenario(
                "POST", "/v1/classes/Thing/objects", "id=1",
                headers: [("Content-Type", "application/x-www-form-urlencoded")], status: 415,
                contains: ["curl"]),
            APIScenario(
                "PUT", "/v1/classes/Thing/objects/1", "{}",
                headers: [("Content-Type", "application/merge-patch+json")],
                status: 415),
            APIScenario(
                "PUT", "/v1/classes/Thing/objects/1", "{}",
                headers: [("Content-Type", "application/json; charset=latin1")], status: 415),
            APIScenario(
                "PUT", "/v1/classes/Thing/objects/1", "{}",
                headers: [("Content-Type", "application/json; charset=\"utf-8\"")], status: 201),
            APIScenario(
                "GET", "/v1/classes/Thing/objects/1", headers: [("Accept", "text/html")],
                status: 406, contains: ["not-acceptable"]),
            APIScenario(
                "PUT", "/v1/classes/Thing/objects/1", "{}", headers: [("Accept", "text/html")],
                status: 406),
            APIScenario(
                "PATCH", "/v1/classes/Thing/objects/1", "{}",
                headers: [("Accept", "application/json;q=0")], status: 406),
            APIScenario(
                "POST", "/v1/classes/Thing/objects", "{}", headers: [("Accept", "image/*")],
                status: 406),
            APIScenario(
                "GET", "/v1/classes/Thing/objects/1",
                headers: [("Accept", "text/html, application/*;q=0.5")], status: 404),
            APIScenario(
                "GET", "/v1/classes/Thing/objects/1", headers: [("Accept", "*/*")], status: 404),
            // The range that names a type best decides, wherever it stands.
            APIScenario(
                "GET", "/v1/classes/Thing/objects/1",
                headers: [("Accept", "application/json;q=0, */*")], status: 406,
                contains: ["not-acceptable"]),
            APIScenario(
                "GET", "/v1/classes/Thing/objects/1",
                headers: [("Accept", "*/*"), ("Accept", "application/json; q=0.0")], status: 406),
            APIScenario(
                "GET", "/v1/classes/Thing/objects/1",
                headers: [("Accept", "*/*;q=0, application/json")], status: 404),
            APIScenario(
                "GET", "/v1/changes", headers: [("Accept", "application/json;q=0, text/html")],
                status: 406),
            APIScenario(
                "GET", "/v1/changes",
                headers: [("Accept", "text/event-stream;q=0.1, application/json")], status: 200,
                contains: ["\"changes\":"]),
            APIScenario(
                "GET", "/v1/export", headers: [("Accept", "application/x-ndjson;q=0, */*;q=0")],
                status: 406),
            APIScenario(
                "GET", "/v1/classes/Thing/export", headers: [("Accept", "text/csv;q=0, */*")],
                status: 200),
            APIScenario(
                "PUT", "/v1/classes/Thing/objects", "{}", status: 405,
                contains: ["method-not-allowed"], fields: ["allow": ""]),
            APIScenario("GET", "/v1/nothing", status: 404, contains: ["\"code\":\"not-found\""]),
        ])
    func refused(scenario: APIScenario) {
        let before = server.send("GET", "/v1/classes/Thing/objects/1")
        scenario.check(on: server)
        if scenario.status >= 400 {
            #expect(server.send("GET", "/v1/classes/Thing/objects/1").status == before.status)
        }
    }

    @Test("a body without a media type is read as JSON")
    func noContentType() {
        let reply = server.client.send("PUT", "/v1/classes/Thing/objects/1", body: Array("{}".utf8))
        #expect(reply.status == 201)
    }

    @Test("HEAD has the header of GET and no body")
    func head() {
        server.send("PUT", "/v1/classes/Thing/objects/1", "{}")
        let get = server.send("GET", "/v1/classes/Thing/objects/1")
        let head = server.send("HEAD", "/v1/classes/Thing/objects/1")
        #expect(head.status == 200 && head.body.isEmpty)
        for name in ["etag", "content-type", "content-length", "holdfast-version"] {
            #expect(head.headers[name] == get.headers[name])
        }
        APIScenario("HEAD", "/v1/classes/Thing/objects/404", status: 404).check(on: server)
    }

    @Test(
        "a read says which preferences it followed",
        arguments: [
            ("GET", "/objects", "int64=string", "int64=string"),
            ("POST", "/query", "int64=string", "int64=string"),
            ("GET", "/aggregate?op=max(count)", "int64=string", "int64=string"),
            ("GET", "/sections?by=count", "int64=string", "int64=string"),
            ("GET", "/objects/1", "int64=string", "int64=string"),
            ("GET", "/objects/1/properties/count", "int64=string", "int64=string"),
            ("GET", "/objects/1/properties/counts", "int64=string", "int64=string"),
            ("GET", "/objects/1/properties/counts/elements/0", "int64=string", "int64=string"),
            ("GET", "/changes?since=start", "int64=string", "int64=string"),
            ("GET", "/changes", "wait=1", "wait=1"),
            ("GET", "/changes", "wait=1, int64=string", "int64=string, wait=1"),
            ("GET", "/objects", "wait=1, int64=number", nil),
            ("GET", "/changes", "wait=0", nil),
            // There is nothing to wait for.
            ("GET", "/changes?since=start", "wait=1", nil),
        ] as [(String, String, String, String?)])
    func preferences(method: String, path: String, preference: String, applied: String?) {
        server.send("PUT", "/v1/classes/Thing/objects/1", "{\"counts\":[1]}")
        let reply = server.send(
            method, "/v1/classes/Thing" + path, method == "POST" ? "{}" : nil,
            headers: [("Prefer", preference)])
        #expect(reply.status == 200, "\(reply.text)")
        #expect(reply.headers["preference-applied"] == applied, "\(path)")
    }

    @Test("CSV has one form of ints, whatever is preferred")
    func preferencesOfCSV() {
        let reply = server.send(
            "GET", "/v1/classes/Thing/objects?fields=count",
            headers: [("Prefer", "int64=string"), ("Accept", "text/csv")])
        #expect(reply.status == 200 && reply.headers["preference-applied"] == nil, "\(reply.text)")
    }

    @Test("a change of the schema takes strong tags alone, as the other writes do")
    func schemaTags() throws {
        let server = try TestServer(schema: Schemas.everything)
        let reply = server.send("GET", "/v1/schema")
        let tag = try #require(reply.headers["etag"])
        let body = reply.text
        for (match, status) in [
            ("W/" + tag, 412), ("\"other\"", 412), ("\"a\", W/" + tag, 412), (tag, 200),
            ("W/\"a\", " + tag, 200), ("*", 200), ("tag", 400),
        ] {
            APIScenario(
                "PUT", "/v1/schema", body, headers: [("If-Match", match)], status: status
            ).check(on: server)
        }
        for (match, status) in [("W/" + tag, 304), (tag, 304), ("\"other\"", 200), ("x", 400)] {
            for path in ["/v1/schema", "/v1/schema/classes/Thing", "/v1/projections"] {
                APIScenario(
                    "GET", path, headers: [("If-None-Match", match)], status: status
                ).check(on: server)
            }
        }
    }

    @Test("entity tags are read as RFC 9110 writes them")
    func entityTags() {
        #expect(EntityTags("*") == .any)
        #expect(EntityTags(" * ") == .any)
        for text in [
            "", " ", ",", "x", "\"x", "x\"", "\"a\" \"b\"", "* , \"a\"", "W/x", "w/\"x\"",
            "\"a\",b",
        ] {
            #expect(EntityTags(text) == nil, "\(text)")
        }
        guard case .list(let tags)? = EntityTags(" \"zzzzzzzz-7\",,W/\"zzzzzzzz-8\" , \"other\"")
        else {
            Issue.record("not a list")
            return
        }
        #expect(tags.map(\.text) == ["zzzzzzzz-7", "zzzzzzzz-8", "other"])
        #expect(tags.map(\.isWeak) == [false, true, false])
    }

    @Test("the nearest name is found, and none that is far away")
    func nearestNames() {
        let known = ["name", "age", "alternateNames", "$id"]
        #expect(NearestName.of("nmae", among: known) == "name")
        #expect(NearestName.of("Name", among: known) == "name")
        #expect(NearestName.of("alternatNams", among: known) == "alternateNames")
        #expect(NearestName.of("id", among: known) == "$id")
        #expect(NearestName.of("population", among: known) == nil)
        #expect(NearestName.of("", among: known) == nil)
        #expect(NearestName.of(String(repeating: "n", count: 10_000), among: known) == nil)
    }
}
