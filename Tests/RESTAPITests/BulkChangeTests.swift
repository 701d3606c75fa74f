import HoldfastObjectStore
import HoldfastObjectJSON
import HoldfastRESTAPI
import HoldfastServiceSupport
import Testing
import HoldfastTestSupport

@Suite("changes by filter")
struct BulkChangeTests {
    let server: TestServer
    let things = "/v1/classes/Thing/objects"

    init() throws {
        server = try TestServer(schema: Schemas.everything)
        Self.fill(server)
    }

    /// Ten things, of which the even ones are called so.
    private static func fill(_ server: TestServer) {
        let all = (0..<10).map {
            "{\"id\":\($0),\"count\":\($0),\"name\":\"\($0 % 2 == 0 ? "even" : "odd")\"}"
        }
        server.send("POST", "/v1/classes/Thing/objects", "[\(all.joined(separator: ","))]")
    }

    private func count(_ filter: String) -> Int {
        let text = server.send("GET", things + "?limit=1&count=exact&filter=" + filter).text
        // The number ends the document.
        return Int(text.dropLast().split(separator: ":").last ?? "") ?? -1
    }

    private static let even = "name%20%3D%3D%20%22even%22"
    private static let odd = "name%20%3D%3D%20%22odd%22"

    @Test("all that match are changed, each event and version once, and no others")
    func patch() {
        let before = server.send("GET", things + "/1").headers["etag"]
        let reply = APIScenario(
            "PATCH", things + "?filter=" + Self.even, #"{"name":"EVEN","countN":4}"#, status: 200,
            contains: [#"{"affected":5,"version":""#], fields: ["holdfast-version": ""]
        ).check(on: server)
        let version = reply.headers["holdfast-version"] ?? ""
        #expect(reply.text.contains(version))
        #expect(count("name%20%3D%3D%20%22EVEN%22%20AND%20countN%20%3D%3D%204") == 5)
        #expect(server.send("GET", things + "/1").headers["etag"] == before)
        #expect(server.send("GET", things + "/2").headers["etag"] == "\"\(version)\"")
        APIScenario(
            "GET", things + "/4", status: 200, contains: [#""count":4"#, #""countN":4"#]
        ).check(on: server)
    }

    @Test("a change that changes nothing affects objects and makes no version")
    func unchanged() {
        let version = server.send("GET", things + "/1").headers["holdfast-version"] ?? ""
        APIScenario(
            "PATCH", things + "?filter=" + Self.even, #"{"name":"even"}"#, status: 200,
            contains: ["{\"affected\":5,\"version\":\"\(version)\"}"]
        ).check(on: server)
        APIScenario(
            "PATCH", things + "?filter=FALSEPREDICATE", #"{"name":"x"}"#, status: 200,
            contains: ["{\"affected\":0,\"version\":\"\(version)\"}"]
        ).check(on: server)
    }

    @Test("all that match are deleted, and links to them with them")
    func delete() {
        server.send("PUT", "/v1/classes/Person/objects/a", #"{"dogs":[{"name":"x"},{"name":"y"}]}"#)
        APIScenario(
            "DELETE", "/v1/classes/Dog/objects?filter=name%20%3D%3D%20$0&text=x", status: 200,
            contains: [#"{"affected":1,"#]
        ).check(on: server)
        let dogs = server.send("GET", "/v1/classes/Person/objects/a?expand=dogs").text
        #expect(dogs.contains(#""name":"y""#) && !dogs.contains(#""name":"x""#))
        APIScenario(
            "DELETE", things + "?filter=count%20%3E%3D%20$0%20AND%20count%20%3C%20$1&arg=2&arg=5",
            status: 200, contains: [#"{"affected":3,"#]
        ).check(on: server)
        APIScenario("GET", things + "/3", status: 404).check(on: server)
        APIScenario("GET", things + "/5", status: 200).check(on: server)
        APIScenario("DELETE", things + "?all=true", status: 200, contains: [#"{"affected":7,"#])
            .check(on: server)
        APIScenario("GET", things, status: 200, contains: ["{\"objects\":[]}"]).check(on: server)
    }

    @Test("the filter follows links, and may have an order and a limit")
    func filters() {
        server.send("PUT", "/v1/classes/Person/objects/a", #"{"age":1,"best":"a"}"#)
        server.send("PUT", "/v1/classes/Person/objects/b", #"{"age":2,"best":"a"}"#)
        server.send("PUT", "/v1/classes/Person/objects/c", #"{"age":3,"best":"b"}"#)
        APIScenario(
            "PATCH", "/v1/classes/Person/objects?filter=best.age%20%3D%3D%201", #"{"role":"boss"}"#,
            status: 200, contains: [#"{"affected":2,"#]
        ).check(on: server)
        APIScenario(
            "DELETE", things + "?filter=TRUEPREDICATE%20SORT(count%20DESC)%20LIMIT(2)", status: 200,
            contains: [#"{"affected":2,"#]
        ).check(on: server)
        APIScenario("GET", things + "/9", status: 404).check(on: server)
        APIScenario("GET", things + "/8", status: 404).check(on: server)
        APIScenario("GET", things + "/7", status: 200).check(on: server)
        APIScenario(
            "DELETE", things + "?filter=TRUEPREDICATE%20SORT(count%20ASC)%20DISTINCT(name)",
            status: 200, contains: [#"{"affected":2,"#]
        ).check(on: server)
        APIScenario("GET", things + "/0", status: 404).check(on: server)
        APIScenario("GET", things + "/1", status: 404).check(on: server)
        APIScenario("GET", things + "/2", status: 200).check(on: server)
    }

    @Test("max-affected lets so many be changed, and not one more")
    func maxAffected() {
        for (method, body) in [("PATCH", #"{"flag":true}"#), ("DELETE", nil)] {
            APIScenario(
                method, things + "?filter=" + Self.even, body,
                headers: [("Prefer", "max-affected=4")], status: 409,
                contains: ["max-affected-exceeded", "5 objects match"]
            ).check(on: server)
            // The first of a name counts (RFC 7240, section 2), so that nobody lifts the bound behind it.
            APIScenario(
                method, things + "?filter=" + Self.even, body,
                headers: [("Prefer", "max-affected=4, max-affected=100")], status: 409
            ).check(on: server)
            #expect(count(Self.even) == 5)
            #expect(count("flag%20%3D%3D%20true") == (method == "PATCH" ? 0 : 5))
            APIScenario(
                method, things + "?filter=" + Self.even, body,
                headers: [("Prefer", "max-affected=5")], status: 200,
                contains: [#"{"affected":5,"#], fields: ["preference-applied": "max-affected=5"]
            ).check(on: server)
        }
        #expect(count(Self.even) == 0)
        APIScenario(
            "DELETE", things + "?all=true", headers: [("Prefer", "max-affected=0")], status: 409
        ).check(on: server)
        APIScenario(
            "DELETE", things + "?filter=" + Self.even, headers: [("Prefer", "max-affected=0")],
            status: 200, contains: [#"{"affected":0,"#]
        ).check(on: server)
        APIScenario(
            "DELETE", things + "?all=true", headers: [("Prefer", "max-affected=x")], status: 400
        ).check(on: server)
    }

    @Test("a JSON patch is applied to each, and one that fails takes all back")
    func jsonPatch() {
        let type = [("Content-Type", "application/json-patch+json")]
        APIScenario(
            "PATCH", things + "?all=true",
            #"[{"op":"copy","from":"/count","path":"/countN"},{"op":"add","path":"/counts/-","value":7}]"#,
            headers: type, status: 200, contains: [#"{"affected":10,"#]
        ).check(on: server)
        APIScenario(
            "GET", things + "/6", status: 200, contains: [#""countN":6"#, #""counts":[7]"#]
        ).check(on: server)
        APIScenario(
            "PATCH", things + "?all=true",
            #"[{"op":"replace","path":"/flag","value":true},{"op":"test","path":"/name","value":"even"}]"#,
            headers: type, status: 409, contains: ["test-failed", "\"pointer\":\"/1/value\""]
        ).check(on: server)
        #expect(count("flag%20%3D%3D%20true") == 0)
    }

    @Test(
        "what can't be done is refused, and nothing is changed",
        arguments: [
            ("PATCH", "", "{}", 400, "'filter'"),
            ("DELETE", "", nil, 400, "'filter'"),
            ("DELETE", "?all=false", nil, 400, "'filter'"),
            ("DELETE", "?all=yes", nil, 400, "'all'"),
            ("DELETE", "?filter=nam%20%3D%3D%201", nil, 400, "\"column\":1"),
            ("DELETE", "?fliter=x", nil, 400, "\"hint\":\"filter\""),
            ("DELETE", "?all=true&limit=1", nil, 400, "unknown-parameter"),
            ("DELETE", "?all=true&arg=1", nil, 400, "Arguments are given"),
            ("PATCH", "?all=true", #"{"id":1}"#, 422, "\"pointer\":\"/id\""),
            ("PATCH", "?all=true", ##"{"$id":1}"##, 422, "\"pointer\":\"/$id\""),
            ("PATCH", "?all=true", #"{"$version":"00000000-1"}"#, 422, "key-not-allowed"),
            ("PATCH", "?all=true", #"{"cuont":1}"#, 422, "\"hint\":\"count\""),
            ("PATCH", "?all=true", #"{"count":null}"#, 422, "null-not-allowed"),
            ("PATCH", "?all=true", "[]", 422, "wrong-type"),
            ("PATCH", "?all=true", "{", 400, "malformed-json"),
        ] as [(String, String, String?, Int, String)])
    func refusals(method: String, query: String, body: String?, status: Int, text: String) {
        APIScenario(method, things + query, body, status: status, contains: [text])
            .check(on: server)
        #expect(count("TRUEPREDICATE") == 10)
    }

    @Test("conditions about one object and classes without objects of their own are refused")
    func otherRefusals() {
        APIScenario(
            "DELETE", things + "?all=true", headers: [("If-Match", "*")], status: 400,
            contains: ["invalid-header"]
        ).check(on: server)
        APIScenario("DELETE", "/v1/classes/Nothing/objects?all=true", status: 404).check(on: server)
        APIScenario("DELETE", "/v1/classes/Address/objects?all=true", status: 405)
            .check(on: server)
        APIScenario(
            "PATCH", "/v1/classes/Person/objects?all=true", #"{"best":"nobody"}"#, status: 200
        ).check(on: server)
        server.send("PUT", "/v1/classes/Person/objects/a", "{}")
        server.send("PUT", "/v1/classes/Person/objects/b", "{}")
        let reply = APIScenario(
            "PATCH", "/v1/classes/Person/objects?all=true", #"{"best":"nobody"}"#, status: 422,
            contains: ["dangling-link", "\"pointer\":\"/best\""]
        ).check(on: server)
        #expect(reply.text.components(of: "\"pointer\"") == 1)
    }

    @Test(
        "a change by filter has as many objects as a transaction has operations, and not one more")
    func limit() throws {
        var options = StoreOptions()
        options.operationCountMax = 10
        let server = try TestServer(
            try EngineCase.memory.open(), schema: Schemas.everything, storeOptions: options)
        Self.fill(server)
        APIScenario("PATCH", things + "?all=true", #"{"flag":true}"#, status: 200).check(on: server)
        server.send("PUT", things + "/10", "{}")
        for method in ["PATCH", "DELETE"] {
            APIScenario(
                method, things + "?all=true", method == "PATCH" ? #"{"flag":false}"# : nil,
                status: 422, contains: ["too-many-operations", "10"]
            ).check(on: server)
            APIScenario(
                method, things + "?all=true", method == "PATCH" ? #"{"flag":false}"# : nil,
                headers: [("Prefer", "max-affected=10")], status: 409, contains: ["11 objects"]
            ).check(on: server)
        }
        APIScenario("DELETE", things + "?filter=TRUEPREDICATE%20LIMIT(10)", status: 200)
            .check(on: server)
        APIScenario("GET", things + "/10", status: 200).check(on: server)
    }

    @Test("a change that takes too long is stopped and taken back")
    func time() throws {
        var options = RESTOptions()
        options.limits.queryTimeSecondsMax = 0
        let server = try TestServer(schema: Schemas.everything, options: options)
        let all = (0..<3000).map { "{\"id\":\($0)}" }
        server.send(
            "POST", "/v1/classes/Thing/import", all.joined(separator: "\n"),
            headers: [("Content-Type", "application/x-ndjson")])
        APIScenario(
            "POST", things, #"[{"id":9001},{"id":9002}]"#, status: 503,
            contains: ["write-too-slow"], fields: ["retry-after": ""]
        ).check(on: server)
        APIScenario("GET", things + "/9001", status: 404).check(on: server)
        APIScenario(
            "DELETE", things + "?filter=count%20%3D%3D%200", status: 503,
            contains: ["query-too-slow"]
        ).check(on: server)
        APIScenario("GET", things + "/2999", status: 200).check(on: server)
        // The time counts from the request, so it is over before the search begins.
        APIScenario(
            "PATCH", things + "?filter=id%20%3D%3D%201", #"{"count":1}"#, status: 503,
            contains: ["query-too-slow"], fields: ["retry-after": ""]
        ).check(on: server)
        APIScenario(
            "POST", "/v1/transactions",
            #"{"operations":[{"op":"patch","class":"Thing","id":1,"value":{"count":1}}]}"#,
            status: 503, contains: ["write-too-slow"], fields: ["retry-after": ""]
        ).check(on: server)
        APIScenario("GET", things + "/1", status: 200, contains: [#""count":0"#]).check(on: server)
    }
}
