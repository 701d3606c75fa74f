import HoldfastObjectStore
import HoldfastObjectJSON
import HoldfastRESTAPI
import HoldfastServiceSupport
import Testing
import HoldfastTestSupport

@Suite("JSON patch")
struct JSONPatchTests {
    let server: TestServer
    let path = "/v1/classes/Thing/objects/1"
    let type = [("Content-Type", "application/json-patch+json")]

    init() throws {
        server = try TestServer(schema: Schemas.everything)
        server.send(
            "PUT", path,
            #"{"count":1,"name":"one","nameN":"n","counts":[1,2,3],"nameSet":["a","b"],"ratio":0.1,"at":"2026-11-20T06:38:58.5Z","bytes":"AQI="}"#
        )
    }

    @Test(
        "each operation does what RFC 6902 says",
        arguments: [
            (#"[{"op":"replace","path":"/count","value":2}]"#, #""count":2,"#),
            (#"[{"op":"add","path":"/count","value":2}]"#, #""count":2,"#),
            (#"[{"op":"remove","path":"/nameN"}]"#, #""nameN":null"#),
            (#"[{"op":"add","path":"/counts/1","value":9}]"#, #""counts":[1,9,2,3]"#),
            (#"[{"op":"add","path":"/counts/3","value":9}]"#, #""counts":[1,2,3,9]"#),
            (#"[{"op":"add","path":"/counts/-","value":9}]"#, #""counts":[1,2,3,9]"#),
            (#"[{"op":"replace","path":"/counts/0","value":9}]"#, #""counts":[9,2,3]"#),
            (#"[{"op":"remove","path":"/counts/0"}]"#, #""counts":[2,3]"#),
            (#"[{"op":"move","from":"/counts/0","path":"/counts/2"}]"#, #""counts":[2,3,1]"#),
            (#"[{"op":"copy","from":"/counts/2","path":"/counts/0"}]"#, #""counts":[3,1,2,3]"#),
            (#"[{"op":"copy","from":"/count","path":"/counts/-"}]"#, #""counts":[1,2,3,1]"#),
            (#"[{"op":"copy","from":"/name","path":"/nameN"}]"#, #""nameN":"one""#),
            (#"[{"op":"add","path":"/nameSet/-","value":"c"}]"#, #""nameSet":["a","b","c"]"#),
            (#"[{"op":"add","path":"/nameSet/-","value":"a"}]"#, #""nameSet":["a","b"]"#),
            (#"[{"op":"replace","path":"/nameSet","value":["z"]}]"#, #""nameSet":["z"]"#),
            (
                #"[{"op":"test","path":"/count","value":1.0},{"op":"replace","path":"/count","value":5}]"#,
                #""count":5"#
            ),
            (
                #"[{"op":"test","path":"/counts","value":[1,2,3]},{"op":"test","path":"/name","value":"one"},{"op":"replace","path":"/count","value":5}]"#,
                #""count":5"#
            ),
            (
                #"[{"op":"replace","path":"/count","value":2},{"op":"test","path":"/count","value":2}]"#,
                #""count":2,"#
            ),
            ("[]", #""count":1,"#),
        ])
    func operations(patch: String, expected: String) {
        APIScenario(
            "PATCH", path, patch, headers: type, status: 200, contains: [expected],
            fields: ["etag": "", "holdfast-version": ""]
        ).check(on: server)
        APIScenario(
            "GET", path, status: 200,
            contains: [
                expected, #""at":"2026-11-20T06:38:58.5Z""#, #""bytes":"AQI=""#, #""ratio":0.1"#,
            ]
        ).check(on: server)
    }

    @Test(
        "what can't be done is refused with the place in the patch, and nothing is changed",
        arguments: [
            (#"{}"#, 400, "invalid-patch", ""),
            (#"[7]"#, 400, "invalid-patch", "/0"),
            (#"[{"op":"remov","path":"/name"}]"#, 400, "invalid-patch", "/0/op"),
            (#"[{"op":"remove"}]"#, 400, "invalid-patch", "/0/path"),
            (#"[{"op":"remove","path":"name"}]"#, 400, "invalid-patch", "/0/path"),
            (#"[{"op":"remove","path":"/a~2b"}]"#, 400, "invalid-patch", "/0/path"),
            (#"[{"op":"add","path":"/name"}]"#, 400, "invalid-patch", "/0/value"),
            (#"[{"op":"move","path":"/name"}]"#, 400, "invalid-patch", "/0/from"),
            (#"[{"op":"add","op":"add","path":"/name","value":"x"}]"#, 400, "invalid-patch", "/0"),
            (
                #"[{"op":"replace","path":"/count","value":2},{"op":"test","path":"/count","value":1}]"#,
                409, "test-failed", "/1/value"
            ),
            (#"[{"op":"test","path":"/nameN","value":null}]"#, 409, "test-failed", "/0/value"),
            (#"[{"op":"test","path":"/counts","value":[1,2]}]"#, 409, "test-failed", "/0/value"),
            (#"[{"op":"test","path":"/nothing","value":1}]"#, 422, "path-missing", "/0/path"),
            (#"[{"op":"remove","path":"/nothing"}]"#, 422, "path-missing", "/0/path"),
            (#"[{"op":"remove","path":"/counts/3"}]"#, 422, "path-missing", "/0/path"),
            (#"[{"op":"remove","path":"/counts/01"}]"#, 422, "path-missing", "/0/path"),
            (#"[{"op":"remove","path":"/counts/-"}]"#, 422, "path-missing", "/0/path"),
            (#"[{"op":"add","path":"/counts/4","value":1}]"#, 422, "path-missing", "/0/path"),
            (
                #"[{"op":"add","path":"/counts/9999999999999999999999","value":1}]"#, 422,
                "path-missing", "/0/path"
            ),
            (#"[{"op":"add","path":"/name/x","value":1}]"#, 422, "path-missing", "/0/path"),
            (#"[{"op":"remove","path":""}]"#, 422, "invalid-patch", "/0/path"),
            (
                #"[{"op":"move","from":"/counts","path":"/counts/0"}]"#, 422, "invalid-patch",
                "/0/from"
            ),
            (#"[{"op":"remove","path":"/nameSet/0"}]"#, 422, "set-index", "/0/path"),
            (#"[{"op":"replace","path":"/nameSet/0","value":"x"}]"#, 422, "set-index", "/0/path"),
            (#"[{"op":"add","path":"/nameSet/0","value":"x"}]"#, 422, "set-index", "/0/path"),
            (#"[{"op":"move","from":"/nameSet/0","path":"/name"}]"#, 422, "set-index", "/0/from"),
            (#"[{"op":"add","path":"/nothing","value":1}]"#, 422, "unknown-property", "/0/value"),
            (#"[{"op":"replace","path":"/count","value":"x"}]"#, 422, "wrong-type", "/0/value"),
            (
                #"[{"op":"replace","path":"/count","value":null}]"#, 422, "null-not-allowed",
                "/0/value"
            ),
            (
                #"[{"op":"replace","path":"/counts","value":[1,"x"]}]"#, 422, "wrong-type",
                "/0/value/1"
            ),
            (#"[{"op":"add","path":"/counts/-","value":"x"}]"#, 422, "wrong-type", "/0/value"),
            (#"[{"op":"replace","path":"/id","value":2}]"#, 422, "key-mismatch", "/0/value"),
            (
                #"[{"op":"replace","path":"","value":{"id":1,"count":"x"}}]"#, 422, "wrong-type",
                "/0/value/count"
            ),
        ])
    func refusals(patch: String, status: Int, code: String, pointer: String) {
        let before = server.send("GET", path)
        APIScenario(
            "PATCH", path, patch, headers: type, status: status,
            contains: ["\"code\":\"\(code)\"", "\"pointer\":\"\(pointer)\""]
        ).check(on: server)
        let after = server.send("GET", path)
        #expect(after.text == before.text)
        #expect(after.headers["etag"] == before.headers["etag"])
    }

    @Test("embedded objects, links and objects without a primary key are patched too")
    func relations() {
        server.send(
            "PUT", "/v1/classes/Person/objects/Ann",
            #"{"home":{"city":"Ulm","street":"s"},"places":[{"city":"a"},{"city":"b"}],"dogs":[{"name":"Rex"}]}"#
        )
        APIScenario(
            "PATCH", "/v1/classes/Person/objects/Ann",
            #"[{"op":"remove","path":"/home/street"},{"op":"add","path":"/places/0/inner","value":{"city":"in"}},{"op":"add","path":"/dogs/-","value":{"name":"Max"}},{"op":"add","path":"/best","value":"Ann"},{"op":"add","path":"/friends/-","value":"Ann"}]"#,
            headers: type, status: 200,
            contains: [
                #""home":{"street":null,"city":"Ulm""#, #""inner":{"street":null,"city":"in""#,
                #""best":"Ann""#, #""friends":["Ann"]"#,
            ]
        ).check(on: server)
        APIScenario(
            "GET", "/v1/classes/Dog/objects?count=exact", status: 200, contains: ["\"count\":2"]
        )
        .check(on: server)
        APIScenario(
            "PATCH", "/v1/classes/Person/objects/Ann",
            #"[{"op":"test","path":"/name","value":"Ann"},{"op":"add","path":"/best","value":"nobody"}]"#,
            headers: type, status: 422,
            contains: ["dangling-link", "\"pointer\":\"/1/value\""]
        ).check(on: server)
        APIScenario(
            "PATCH", "/v1/classes/Person/objects/Ann",
            #"[{"op":"remove","path":"/friends/0"}]"#, headers: type, status: 422,
            contains: ["set-index"]
        ).check(on: server)
        server.send("POST", "/v1/classes/Toy/objects", #"{"label":"a"}"#)
        APIScenario(
            "PATCH", "/v1/classes/Toy/objects/1",
            #"[{"op":"replace","path":"/label","value":"b"},{"op":"add","path":"/next","value":1}]"#,
            headers: type, status: 200, contains: [#""label":"b","next":1"#]
        ).check(on: server)
        APIScenario(
            "PATCH", "/v1/classes/Toy/objects/1", #"[{"op":"replace","path":"/$id","value":2}]"#,
            headers: type, status: 422, contains: ["key-mismatch"]
        ).check(on: server)
    }

    @Test("preconditions, missing objects and upsert")
    func preconditions() {
        let patch = #"[{"op":"replace","path":"/count","value":2}]"#
        APIScenario(
            "PATCH", path, patch, headers: type + [("If-Match", "\"00000000-1\"")], status: 412,
            contains: ["\"current\":{"]
        ).check(on: server)
        // The precondition comes before the patch.
        APIScenario(
            "PATCH", path, #"[{"op":"test","path":"/count","value":7}]"#,
            headers: type + [("If-Match", "\"00000000-1\"")], status: 412
        ).check(on: server)
        let etag = server.send("GET", path).headers["etag"] ?? ""
        APIScenario("PATCH", path, patch, headers: type + [("If-Match", etag)], status: 200)
            .check(on: server)
        let missing = "/v1/classes/Thing/objects/2"
        APIScenario("PATCH", missing, patch, headers: type, status: 404).check(on: server)
        APIScenario("PATCH", missing, patch, headers: type + [("If-Match", "*")], status: 412)
            .check(on: server)
        APIScenario("PATCH", path + "?upsert=true", patch, headers: type, status: 400)
            .check(on: server)
        APIScenario(
            "PATCH", "/v1/classes/Thing/object?key=1", patch,
            headers: type + [("Prefer", "return=minimal")], status: 204
        ).check(on: server)
        APIScenario("PUT", path, "{}", headers: type, status: 415).check(on: server)
    }

    @Test("a patch has at most as many operations as a transaction")
    func limit() throws {
        var options = StoreOptions()
        options.operationCountMax = 100
        let server = try TestServer(
            try EngineCase.memory.open(), schema: Schemas.everything, storeOptions: options)
        server.send("PUT", path, "{}")
        func patch(_ count: Int) -> String {
            let test = #"{"op":"test","path":"/count","value":0}"#
            return "[" + Array(repeating: test, count: count).joined(separator: ",") + "]"
        }
        APIScenario("PATCH", path, patch(100), headers: type, status: 200).check(on: server)
        APIScenario(
            "PATCH", path, patch(101), headers: type, status: 422,
            contains: ["too-many-operations", "100"]
        ).check(on: server)
    }

    @Test("a patch that copies an object into itself again and again is stopped")
    func doubling() {
        server.send("PUT", "/v1/classes/Person/objects/Ann", #"{"home":{"city":"x"}}"#)
        // Each copy goes to the deepest place, so that the depth doubles.
        var place = "/home/inner"
        var copies: [String] = []
        for level in 0..<12 {
            copies.append("{\"op\":\"copy\",\"from\":\"/home\",\"path\":\"\(place)\"}")
            // Twice as deep and one more: 1, 3, 7 and so on.
            place += String(repeating: "/inner", count: 1 << level)
        }
        APIScenario(
            "PATCH", "/v1/classes/Person/objects/Ann", "[\(copies.joined(separator: ","))]",
            headers: type, status: 422, contains: ["too-deep"]
        ).check(on: server)
        APIScenario(
            "PATCH", path,
            "["
                + Array(
                    repeating: #"{"op":"copy","from":"","path":"/counts/-"}"#, count: 60
                ).joined(separator: ",") + "]", headers: type, status: 422,
            contains: ["invalid-patch", "\"pointer\":\"/59/from\""]
        ).check(on: server)
        let before = (0..<100_000).map { "\($0)" }.joined(separator: ",")
        server.send("PATCH", path, "{\"counts\":[\(before)]}")
        APIScenario(
            "PATCH", path,
            "["
                + Array(
                    repeating: #"{"op":"copy","from":"/counts/9","path":"/counts/0"}"#, count: 5000
                ).joined(separator: ",") + "]", headers: type, status: 200
        ).check(on: server)
    }

    @Test("a patch that copies a large text again and again is stopped before it fills the memory")
    func copiesOfText() {
        let text = String(repeating: "x", count: 8 << 20)
        server.send("PUT", path, "{\"name\":\"\(text)\"}")
        func patch(_ count: Int) -> String {
            "["
                + Array(
                    repeating: #"{"op":"copy","from":"/name","path":"/nameN"}"#, count: count
                ).joined(separator: ",") + "]"
        }
        APIScenario("PATCH", path, patch(5), headers: type, status: 200).check(on: server)
        APIScenario(
            "PATCH", path, patch(60), headers: type, status: 422, contains: ["too-large"]
        ).check(on: server)
    }
}
