import HoldfastServiceSupport
import Testing
import HoldfastTestSupport

@Suite("creating objects")
struct CreateTests {
    let server: TestServer
    let things = "/v1/classes/Thing/objects"

    init() throws { server = try TestServer(schema: Schemas.everything) }

    @Test("the mode says what happens to an object that is there")
    func modes() {
        server.send("POST", things, #"{"id":1,"count":1,"name":"a"}"#)
        APIScenario(
            "POST", things, #"{"id":1,"count":2}"#, status: 409, contains: ["duplicate-key"]
        ).check(on: server)
        APIScenario("POST", things + "?mode=create", #"{"id":1}"#, status: 409).check(on: server)
        APIScenario(
            "POST", things + "?mode=ignore", #"{"id":1,"count":2}"#, status: 200,
            contains: [#""count":1"#, #""name":"a""#]
        ).check(on: server)
        APIScenario(
            "POST", things + "?mode=merge", #"{"id":1,"count":2}"#, status: 200,
            contains: [#""count":2"#, #""name":"a""#]
        ).check(on: server)
        APIScenario(
            "POST", things + "?mode=replace", #"{"id":1,"count":3}"#, status: 200,
            contains: [#""count":3"#, #""name":"""#]
        ).check(on: server)
        for (number, mode) in ["create", "merge", "replace", "ignore"].enumerated() {
            APIScenario(
                "POST", things + "?mode=\(mode)", "{\"id\":\(10 + number)}", status: 201,
                fields: [
                    "location": "/v1/classes/Thing/objects/\(10 + number)", "etag": "",
                    "holdfast-version": "",
                ]
            ).check(on: server)
        }
        APIScenario(
            "POST", things + "?mode=mrege", "{}", status: 400,
            contains: ["\"hint\":\"merge\"", "'mode'"]
        )
        .check(on: server)
        APIScenario("POST", things + "?mode=update", "{}", status: 400).check(on: server)
    }

    @Test("an array is written whole or not at all")
    func arrays() {
        APIScenario("POST", things, "[]", status: 200, contains: [#"{"objects":[],"version":""#])
            .check(on: server)
        let reply = APIScenario(
            "POST", things, #"[{"id":1},{"id":2,"name":"b"}]"#, status: 201,
            contains: [#"{"objects":[{"id":1,"#, #""name":"b""#], fields: ["holdfast-version": ""]
        ).check(on: server)
        #expect(
            reply.text.contains("\"version\":\"\(reply.headers["holdfast-version"] ?? "none")\""))
        APIScenario(
            "POST", things, #"[{"id":3},{"id":2},{"id":4}]"#, status: 409,
            contains: ["duplicate-key", "\"pointer\":\"/1\""]
        ).check(on: server)
        APIScenario(
            "POST", things, #"[{"id":3},{"id":3}]"#, status: 409, contains: ["\"pointer\":\"/1\""]
        ).check(on: server)
        APIScenario("GET", things + "/3", status: 404).check(on: server)
        APIScenario("POST", things + "?mode=merge", #"[{"id":1},{"id":2}]"#, status: 200).check(
            on: server)
        APIScenario("POST", things + "?mode=merge", #"[{"id":1},{"id":5}]"#, status: 201).check(
            on: server)
        APIScenario(
            "POST", things + "?mode=merge", #"[{"id":6,"count":1},{"id":6,"name":"x"}]"#,
            status: 201,
            contains: [#""count":1"#, #""name":"x""#]
        ).check(on: server)
    }

    @Test("a large array is taken by a worker and answered whole")
    func largeArray() {
        let objects = (0..<3000).map { "{\"id\":\($0),\"name\":\"a name of thing \($0)\"}" }
        let reply = server.send("POST", things, "[" + objects.joined(separator: ",") + "]")
        #expect(reply.status == 201)
        #expect(reply.text.components(of: "\"id\":") == 3000)
        APIScenario("GET", things + "/2999", status: 200, contains: ["a name of thing 2999"]).check(
            on: server)
        let bad = (0..<3000).map {
            "{\"id\":\($0 + 5000),\"name\":\($0 == 2500 ? "7" : "\"a name of thing\"")}"
        }
        APIScenario(
            "POST", things, "[" + bad.joined(separator: ",") + "]", status: 422,
            contains: ["/2500/name"]
        ).check(on: server)
        APIScenario("GET", things + "/5000", status: 404).check(on: server)
    }

    @Test("keys are generated for objectId and uuid and have to be stated otherwise")
    func generatedKeys() {
        for (name, count) in [("Dog", 24), ("Ticket", 36)] {
            let reply = APIScenario("POST", "/v1/classes/\(name)/objects", "{}", status: 201).check(
                on: server)
            let id = (reply.headers["location"] ?? "").split(separator: "/").last ?? ""
            #expect(id.count == count)
            APIScenario(
                "GET", "/v1/classes/\(name)/objects/\(id)", status: 200, contains: ["\"\(id)\""]
            ).check(on: server)
        }
        APIScenario(
            "POST", things, "{}", status: 422, contains: ["missing-key", "\"pointer\":\"/id\""]
        ).check(on: server)
        APIScenario(
            "POST", "/v1/classes/Person/objects", "{}", status: 422, contains: ["missing-key"]
        ).check(on: server)
        APIScenario(
            "POST", "/v1/classes/Loose/objects", "{}", status: 422, contains: ["missing-key"]
        ).check(on: server)
        APIScenario("POST", "/v1/classes/Loose/objects", #"{"key":null}"#, status: 201).check(
            on: server)
    }

    @Test("return=minimal leaves the object out and says so")
    func minimal() {
        let prefer = [("Prefer", "foo; bar, return=minimal")]
        let applied = ["preference-applied": "return=minimal", "holdfast-version": ""]
        let created = APIScenario(
            "POST", things, #"{"id":1}"#, headers: prefer, status: 201,
            fields: applied.merging(["location": things + "/1", "etag": ""]) { $1 }
        ).check(on: server)
        #expect(created.body.isEmpty)
        APIScenario("PUT", things + "/1", "{}", headers: prefer, status: 204, fields: applied)
            .check(on: server)
        APIScenario("PUT", things + "/2", "{}", headers: prefer, status: 201, fields: applied)
            .check(on: server)
        APIScenario("PATCH", things + "/1", "{}", headers: prefer, status: 204, fields: applied)
            .check(on: server)
        APIScenario("POST", things, #"[{"id":3}]"#, headers: prefer, status: 201, fields: applied)
            .check(on: server)
        APIScenario(
            "POST", things + "?mode=merge", #"[{"id":3}]"#, headers: prefer, status: 204,
            fields: applied
        )
        .check(on: server)
        APIScenario(
            "POST", things, #"{"id":1}"#, headers: prefer, status: 409, contains: ["duplicate-key"]
        ).check(on: server)
        APIScenario(
            "PUT", things + "/1", "{}", headers: [("Prefer", "return=representation")], status: 200
        ).check(on: server)
    }
}
