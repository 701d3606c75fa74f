import HoldfastServiceSupport
import Testing
import HoldfastTestSupport

@Suite("bodies that are not what they should be")
struct BodyTests {
    let server: TestServer

    init() throws { server = try TestServer(schema: Schemas.everything) }

    @Test("every proper prefix of a valid body is 400 and changes nothing")
    func prefixes() {
        let body =
            #"{"age":41,"role":"a\u0041\n","home":{"street":null,"city":"Bath"},"#
            + #""places":[{"city":"B"},{"city":"é"}],"dogs":[{"name":"Rex","toy":null}],"friends":["Ann"]}"#
        let before = server.send("PUT", "/v1/classes/Person/objects/Ann", "{}")
        let bytes = Array(body.utf8)
        for count in 0..<bytes.count {
            let reply = server.client.send(
                "PUT", "/v1/classes/Person/objects/Ann",
                headers: [("Content-Type", "application/json")], body: Array(bytes[..<count]))
            #expect(reply.status == 400, "\(count) bytes: \(reply.text)")
            #expect(reply.text.contains("\"code\":\"malformed-json\""), "\(count) bytes")
            #expect(reply.text.contains("\"column\":"), "\(count) bytes")
        }
        let after = server.send("GET", "/v1/classes/Person/objects/Ann")
        #expect(after.text == before.text && after.headers["etag"] == before.headers["etag"])
        #expect(server.send("PUT", "/v1/classes/Person/objects/Ann", body).status == 200)
    }

    @Test("the same for a created array")
    func arrayPrefixes() {
        let bytes = Array(#" [ {"name":"A","age":1} , {"name":"B","best":"A"} ] "#.utf8)
        for count in 0..<(bytes.count - 1) {
            let reply = server.client.send(
                "POST", "/v1/classes/Person/objects",
                headers: [("Content-Type", "application/json")], body: Array(bytes[..<count]))
            #expect(reply.status == 400, "\(count) bytes: \(reply.text)")
        }
        APIScenario("GET", "/v1/classes/Person/objects/A", status: 404).check(on: server)
    }

    @Test(
        "malformed and well-formed but wrong bodies",
        arguments: [
            APIScenario(
                "PUT", "/v1/classes/Thing/objects/1", "", status: 400,
                contains: ["malformed-json", "line 1, column 1"]),
            APIScenario(
                "PUT", "/v1/classes/Thing/objects/1", "{\"name\":\n tru}", status: 400,
                contains: ["line 2, column 2"]),
            APIScenario(
                "PUT", "/v1/classes/Thing/objects/1", "{} {}", status: 400,
                contains: ["malformed-json"]),
            APIScenario("PUT", "/v1/classes/Thing/objects/1", "{\"name\":\"\u{1}\"}", status: 400),
            APIScenario(
                "PUT", "/v1/classes/Thing/objects/1", "{\"name\":\"\\ud800\"}", status: 400),
            APIScenario("PUT", "/v1/classes/Thing/objects/1", "{\"count\":01}", status: 400),
            APIScenario(
                "PUT", "/v1/classes/Thing/objects/1", "7", status: 422,
                contains: ["wrong-type", "\"pointer\":\"\""]),
            APIScenario("PUT", "/v1/classes/Thing/objects/1", "null", status: 422),
            APIScenario(
                "PUT", "/v1/classes/Thing/objects/1", "[]", status: 422, contains: ["wrong-type"]),
            APIScenario("PATCH", "/v1/classes/Thing/objects/1", "\"x\"", status: 422),
            APIScenario(
                "POST", "/v1/classes/Thing/objects", "3", status: 422,
                contains: ["\"pointer\":\"\""]),
            APIScenario(
                "POST", "/v1/classes/Thing/objects", "[{\"id\":1},2]", status: 422,
                contains: ["\"pointer\":\"/1\""]),
            APIScenario(
                "PUT", "/v1/classes/Thing/objects/1", "{\"nme\":\"x\"}", status: 422,
                contains: [
                    "\"code\":\"unknown-property\"", "\"pointer\":\"/nme\"", "\"hint\":\"name\"",
                ]),
            APIScenario(
                "PUT", "/v1/classes/Thing/objects/1", "{\"a/b~c\":1}", status: 422,
                contains: ["\"pointer\":\"/a~1b~0c\""], excludes: ["hint"]),
            APIScenario(
                "PUT", "/v1/classes/Thing/objects/1", "{\"name\":\"a\",\"name\":\"b\"}",
                status: 400,
                contains: ["\"code\":\"duplicate-name\"", "\"pointer\":\"/name\""]),
            APIScenario(
                "PUT", "/v1/classes/Person/objects/a", "{\"home\":{\"city\":\"a\",\"city\":\"a\"}}",
                status: 400,
                contains: ["duplicate-name", "\"pointer\":\"/home/city\""]),
            APIScenario(
                "PUT", "/v1/classes/Thing/objects/1", "{\"$version\":\"x\",\"$version\":\"x\"}",
                status: 400,
                contains: ["duplicate-name"]),
            APIScenario(
                "PUT", "/v1/classes/Thing/objects/1", "{\"$version\":7}", status: 422,
                contains: ["invalid-version", "\"pointer\":\"/$version\""]),
            APIScenario(
                "PUT", "/v1/classes/Person/objects/a", "{\"friendOf\":[]}", status: 422,
                contains: ["inverse-link-read-only", "Person.friends", "\"pointer\":\"/friendOf\""]),
            APIScenario(
                "PUT", "/v1/classes/Person/objects/a", "{\"home\":{\"town\":\"a\"}}", status: 422,
                contains: ["unknown-property", "\"pointer\":\"/home/town\""]),
            APIScenario(
                "PUT", "/v1/classes/Person/objects/a", "{\"home\":{\"$id\":1}}", status: 422,
                contains: ["unknown-property", "\"pointer\":\"/home/$id\""]),
            APIScenario(
                "PUT", "/v1/classes/Person/objects/a",
                "{\"places\":[{\"city\":\"x\"},7,{\"city\":null}]}", status: 422,
                contains: [
                    "\"pointer\":\"/places/1\"", "\"pointer\":\"/places/2/city\"", "1 more fault,",
                ]),
            APIScenario(
                "PUT", "/v1/classes/Person/objects/a", "{\"home\":[]}", status: 422,
                contains: ["wrong-type", "\"pointer\":\"/home\""]),
        ])
    func faults(scenario: APIScenario) { scenario.check(on: server) }

    @Test("all faults of a body are told at once")
    func allFaults() {
        let reply = APIScenario(
            "POST", "/v1/classes/Person/objects",
            #"[{"name":1,"age":"x","zzz":0},{"name":"b","home":{"city":2},"dogs":[{"name":3},4]}]"#,
            status: 422,
            contains: [
                "/0/name", "/0/age", "/0/zzz", "/1/home/city", "/1/dogs/0/name", "/1/dogs/1",
            ]
        ).check(on: server)
        #expect(reply.text.components(of: "\"pointer\"") == 6)
    }

    @Test("of very many faults the first hundred are told")
    func manyFaults() {
        let elements = Array(repeating: "null", count: 500).joined(separator: ",")
        let reply = APIScenario(
            "PUT", "/v1/classes/Thing/objects/1", "{\"names\":[\(elements)]}", status: 422,
            contains: ["499 more faults"]
        ).check(on: server)
        #expect(reply.text.components(of: "\"pointer\"") == 100)
    }

    @Test("JSON nests as deep as the limit, and one level more is 400")
    func depth() {
        func nested(_ levels: Int) -> String {
            // The property's array is one level, the object another.
            let open = String(repeating: "[", count: levels - 1)
            let close = String(repeating: "]", count: levels - 1)
            return "{\"names\":\(open)\(close)}"
        }
        APIScenario(
            "PUT", "/v1/classes/Thing/objects/1", nested(128), status: 422, contains: ["wrong-type"]
        )
        .check(on: server)
        APIScenario(
            "PUT", "/v1/classes/Thing/objects/1", nested(129), status: 400,
            contains: ["too-deep", "128"]
        )
        .check(on: server)
    }

    @Test("embedded objects nest as deep as the limit, and one level more is 422")
    func embeddingDepth() {
        func nested(_ levels: Int) -> String {
            var text = "{\"city\":\"x\"}"
            for _ in 1..<levels { text = "{\"city\":\"x\",\"inner\":\(text)}" }
            return "{\"home\":\(text)}"
        }
        let whole = server.send("PUT", "/v1/classes/Person/objects/deep", nested(100))
        #expect(whole.status == 201)
        #expect(server.send("GET", "/v1/classes/Person/objects/deep").text == whole.text)
        APIScenario(
            "PUT", "/v1/classes/Person/objects/deep", nested(101), status: 422,
            contains: ["too-deep"]
        )
        .check(on: server)
    }
}

extension String {
    /// How often a text stands in this one.
    func components(of text: String) -> Int {
        var count = 0
        var rest = self[...]
        while let range = rest.firstRange(of: text) {
            count += 1
            rest = rest[range.upperBound...]
        }
        return count
    }
}
