import ObjectModel
import ObjectStore
import ObjectJSON
import RESTAPI
import TestSupport
import Testing

@Suite("JSON patch of large collections")
struct LargePatchTests {
    let server: TestServer
    let album = "/v1/classes/Album/objects/1"
    let type = [("Content-Type", "application/json-patch+json")]

    init() throws {
        server = try TestServer(
            try EngineCase.memory.open(valueByteCountMax: 64 << 20), schema: LargeValueTests.schema)
        let tracks = (0..<50).map { "{\"id\":\($0)}" }.joined(separator: ",")
        server.send("POST", "/v1/classes/Track/objects", "[\(tracks)]")
        func numbers(_ count: Int, _ text: (Int) -> String) -> String {
            (0..<count).map(text).joined(separator: ",")
        }
        let made = server.send(
            "PUT", album,
            """
            {"title":"a","plays":[\(numbers(12_000) { "\($0)" })],\
            "tags":[\(numbers(9_000) { "\"t\($0)\"" })],\
            "prices":{\(numbers(9_000) { "\"k\($0)\":\($0)" })},\
            "tracks":[\(numbers(9_000) { "\($0 % 50)" })],\
            "pages":[\(numbers(1_000) { "{\"text\":\"page \($0) of an album with a good many\",\"track\":\($0 % 50)}" })]}
            """)
        #expect(made.status == 201, "\(made.text.prefix(300))")
    }

    private func element(_ property: String, _ index: Int) -> String {
        // A page of one element is found through the cursor of the page before.
        let all = server.send("GET", album + "/properties/\(property)?limit=1000").text
        guard index >= 1000 else {
            return all.split(separator: "[")[1].split(separator: "]")[0].split(separator: ",")[
                index
            ].description
        }
        return ""
    }

    private func count(_ property: String) -> String {
        let text = server.send("GET", album + "/properties/\(property)?limit=1&count=exact").text
        return text.split(separator: "\"count\":").last.map { String($0.dropLast()) } ?? ""
    }

    private func check(_ location: SourceLocation = #_sourceLocation) throws {
        let report = try StoreCheck.run(server.store)
        #expect(report.findings.isEmpty, sourceLocation: location)
    }

    @Test("elements of each kind of collection are put in, replaced, tested and taken out")
    func elements() throws {
        let patch = """
            [{"op":"add","path":"/plays/500","value":-1},{"op":"add","path":"/plays/-","value":null},
             {"op":"replace","path":"/plays/0","value":-7},{"op":"remove","path":"/plays/2"},
             {"op":"test","path":"/plays/499","value":-1},{"op":"test","path":"/plays/12000","value":null},
             {"op":"add","path":"/tags/-","value":"t1"},{"op":"add","path":"/tags/-","value":"new"},
             {"op":"add","path":"/prices/eur","value":5},{"op":"replace","path":"/prices/k7","value":8},
             {"op":"remove","path":"/prices/k8"},{"op":"test","path":"/prices/k7","value":8},
             {"op":"add","path":"/tracks/100","value":{"id":77}},{"op":"remove","path":"/tracks/0"},
             {"op":"replace","path":"/pages/3/text","value":"changed"},
             {"op":"add","path":"/pages/4/marks/-","value":9},
             {"op":"remove","path":"/pages/5"},
             {"op":"replace","path":"/title","value":"b"}]
            """
        APIScenario(
            "PATCH", album, patch, headers: type, status: 200,
            contains: [
                #""title":"b""#, #""$omitted":["plays"]"#, "\"eur\":5", "\"k7\":8", "\"new\"",
                "changed", "\"marks\":[9]",
            ],
            excludes: ["\"k8\":", "page 5 of"]
        ).check(on: server)
        #expect(count("plays") == "12001" && count("tags") == "9001" && count("prices") == "9000")
        #expect(count("tracks") == "9000" && count("pages") == "999")
        #expect(
            element("plays", 0) == "-7" && element("plays", 2) == "3"
                && element("plays", 499) == "-1")
        APIScenario(
            "GET", "/v1/classes/Track/objects/77?fields=albums", status: 200, contains: ["[1]"]
        ).check(on: server)
        try check()
    }

    @Test("steps alone, without another change of the object, write nothing else")
    func alone() throws {
        let before = server.send("GET", album).headers["etag"]
        APIScenario(
            "PATCH", album,
            #"[{"op":"test","path":"/plays/3","value":3},{"op":"replace","path":"/plays/3","value":3}]"#,
            headers: type, status: 200, fields: ["etag": before ?? "x"]
        ).check(on: server)
        APIScenario(
            "PATCH", album, #"[{"op":"add","path":"/plays/6000","value":1}]"#,
            headers: type + [("If-Match", before ?? "")], status: 200
        ).check(on: server)
        APIScenario(
            "PATCH", album, #"[{"op":"add","path":"/plays/6000","value":1}]"#,
            headers: type + [("If-Match", before ?? "")], status: 412
        ).check(on: server)
        #expect(count("plays") == "12001")
        let changes = server.send(
            "GET", "/v1/classes/Album/changes?since=\(before?.replacing("\"", with: "") ?? "")"
        ).text
        #expect(
            changes.contains(#""changed":["plays"]"#) && !changes.contains("\"plays\":["),
            "\(changes.prefix(300))")
        try check()
    }

    @Test(
        "a failing step is told with its place, and nothing is changed",
        arguments: [
            (#"{"op":"remove","path":"/plays/12000"}"#, 422, "path-missing", "/1/path"),
            (#"{"op":"add","path":"/plays/12001","value":1}"#, 422, "path-missing", "/1/path"),
            (#"{"op":"replace","path":"/plays/x","value":1}"#, 422, "path-missing", "/1/path"),
            (#"{"op":"add","path":"/plays/0","value":"x"}"#, 422, "wrong-type", "/1/value"),
            (#"{"op":"test","path":"/plays/5","value":7}"#, 409, "test-failed", "/1/value"),
            (#"{"op":"remove","path":"/tags/0"}"#, 422, "set-index", "/1/path"),
            (#"{"op":"remove","path":"/prices/none"}"#, 422, "path-missing", "/1/path"),
            (#"{"op":"add","path":"/prices/a.b","value":1}"#, 422, "invalid-map-key", "/1/value"),
            (#"{"op":"add","path":"/tracks/-","value":999}"#, 422, "dangling-link", "/1/value"),
            (#"{"op":"replace","path":"/pages/1/none","value":1}"#, 422, "path-missing", "/1/path"),
            (
                #"{"op":"replace","path":"/pages/1/text","value":1}"#, 422, "wrong-type",
                "/1/value"
            ),
        ])
    func failures(step: String, status: Int, code: String, pointer: String) throws {
        let etag = server.send("GET", album).headers["etag"]
        APIScenario(
            "PATCH", album, "[{\"op\":\"remove\",\"path\":\"/plays/0\"},\(step)]", headers: type,
            status: status, contains: [code, "\"pointer\":\"\(pointer)\""]
        ).check(on: server)
        #expect(server.send("GET", album).headers["etag"] == etag)
        #expect(element("plays", 0) == "0")
        try check()
    }

    @Test("steps about whole collections work as for small ones")
    func whole() throws {
        APIScenario(
            "PATCH", album,
            #"[{"op":"copy","from":"/plays/5","path":"/plays/0"},{"op":"move","from":"/tracks","path":"/tracks"},"#
                + #"{"op":"add","path":"/prices/a","value":1},{"op":"replace","path":"/tags","value":["x"]}]"#,
            headers: type, status: 200, contains: [#""tags":["x"]"#, "\"a\":1"]
        ).check(on: server)
        #expect(element("plays", 0) == "5" && count("plays") == "12001" && count("tags") == "1")
        try check()
    }

    @Test("whole collections are compared, copied, moved and replaced however large they are")
    func tooLarge() throws {
        var options = RESTOptions()
        options.limits.collectionElementCountMax = 100
        let server = try TestServer(
            try EngineCase.memory.open(), schema: LargeValueTests.schema, options: options)
        let numbers = (0..<10_001).map { "\($0)" }.joined(separator: ",")
        func put(_ front: String) {
            #expect(
                server.send("PUT", album, "{\"plays\":[\(numbers)],\"front\":\(front)}").status
                    < 300)
        }
        put("{\"marks\":[\(numbers)]}")
        let steps = [
            #"{"op":"copy","from":"/plays/5","path":"/plays/0"},{"op":"test","path":"/plays/0","value":5}"#,
            "{\"op\":\"remove\",\"path\":\"/plays/0\"},{\"op\":\"test\",\"path\":\"/plays\",\"value\":[\(numbers)]}",
            #"{"op":"move","from":"/plays","path":"/plays"},{"op":"test","path":"/plays/10000","value":10000}"#,
            #"{"op":"add","path":"/front/text","value":"x"}"#,
            #"{"op":"add","path":"/front/marks/-","value":1},{"op":"test","path":"/front/marks/10001","value":1}"#,
            #"{"op":"copy","from":"/front","path":"/pages/-"},{"op":"test","path":"/pages/0/marks/10001","value":1}"#,
            #"{"op":"remove","path":"/front"},{"op":"test","path":"/pages/0/marks/9","value":9}"#,
            #"{"op":"add","path":"/plays/-","value":1},{"op":"replace","path":"/plays","value":[1]},{"op":"add","path":"/plays/-","value":2},{"op":"test","path":"/plays","value":[1,2]}"#,
        ]
        for step in steps {
            APIScenario("PATCH", album, "[\(step)]", headers: type, status: 200).check(on: server)
            #expect(try StoreCheck.run(server.store).findings.isEmpty, "\(step.prefix(100))")
        }
        APIScenario(
            "PATCH", album, #"[{"op":"copy","from":"/plays","path":"/tags"}]"#, headers: type,
            status: 422, contains: ["wrong-type", "\"pointer\":\"/0/value\""]
        ).check(on: server)
    }

    @Test("a collection that is emptied or shrinks far returns to its row, and grows again")
    func shrinking() throws {
        let removals = (0..<11_990).map { _ in #"{"op":"remove","path":"/plays/0"}"# }
        APIScenario(
            "PATCH", album, "[" + removals.joined(separator: ",") + "]", headers: type, status: 200,
            contains: ["\"plays\":[11990,11991,"]
        ).check(on: server)
        try check()
        let rest = (0..<10).map { _ in #"{"op":"remove","path":"/plays/0"}"# }
        APIScenario(
            "PATCH", album, "[" + rest.joined(separator: ",") + "]", headers: type, status: 200,
            contains: ["\"plays\":[]"]
        ).check(on: server)
        try check()
    }

    @Test("operations of one transaction change one large collection after another")
    func transaction() throws {
        let operations = (0..<20).map { number in
            "{\"op\":\"patch\",\"class\":\"Album\",\"id\":1,\"value\":[{\"op\":\"add\",\"path\":\"/plays/\(number * 500)\",\"value\":\(number)},"
                + "{\"op\":\"add\",\"path\":\"/tracks/0\",\"value\":{\"$ref\":\"t\"}}]}"
        }
        APIScenario(
            "POST", "/v1/transactions",
            "{\"operations\":[" + operations.joined(separator: ",")
                + ",{\"op\":\"create\",\"class\":\"Track\",\"ref\":\"t\",\"value\":{\"id\":500}}]}",
            headers: [("Prefer", "return=minimal")], status: 200
        ).check(on: server)
        #expect(count("plays") == "12020" && count("tracks") == "9020")
        try check()
        APIScenario(
            "POST", "/v1/transactions",
            "{\"operations\":[" + operations.joined(separator: ",")
                + ",{\"op\":\"create\",\"class\":\"Track\",\"ref\":\"t\",\"value\":{\"id\":500}}]}",
            status: 409
        ).check(on: server)
        #expect(count("plays") == "12020" && count("tracks") == "9020")
        try check()
    }
}
