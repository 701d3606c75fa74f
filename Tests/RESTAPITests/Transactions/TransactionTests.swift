import HoldfastObjectStore
import HoldfastObjectJSON
import HoldfastRESTAPI
import HoldfastServiceSupport
import Testing
import HoldfastTestSupport

@Suite("transactions")
struct TransactionTests {
    let server: TestServer
    let path = "/v1/transactions"
    let things = "/v1/classes/Thing/objects"

    init() throws { server = try TestServer(schema: Schemas.everything) }

    private func body(_ operations: String...) -> String {
        "{\"operations\":[\(operations.joined(separator: ","))]}"
    }

    private func expectNothing() {
        let none = "{\"objects\":[]}"
        for name in ["Thing", "Person", "Dog", "Toy", "Loose"] {
            APIScenario("GET", "/v1/classes/\(name)/objects", status: 200, contains: [none])
                .check(on: server)
        }
    }

    @Test("all operations happen, in their order, and the reply names each object as it is then")
    func operations() {
        server.send("PUT", things + "/7", #"{"count":7}"#)
        let reply = APIScenario(
            "POST", path,
            body(
                #"{"op":"create","class":"Thing","value":{"id":1,"count":1}}"#,
                #"{"op":"put","class":"Thing","id":2,"value":{"count":2}}"#,
                #"{"op":"merge","class":"Thing","value":{"id":3,"name":"three"}}"#,
                #"{"op":"merge","class":"Thing","id":3,"value":{"count":3}}"#,
                #"{"op":"patch","class":"Thing","id":1,"value":{"name":"one"}}"#,
                #"{"op":"delete","class":"Thing","id":7}"#),
            status: 200,
            contains: [
                #""results":[{"class":"Thing","id":1,"etag":""#, #""id":2"#,
                #",{"class":"Thing","id":7}]}"#,
            ], fields: ["holdfast-version": ""]
        ).check(on: server)
        let version = reply.headers["holdfast-version"] ?? ""
        #expect(reply.text.hasPrefix("{\"version\":\"\(version)\","))
        #expect(reply.text.components(of: "\"etag\":\"\(version)\"") == 5)
        // The first result shows what a later operation did to its object.
        #expect(reply.text.components(of: #""count":1,"ratio":0.0,"name":"one""#) == 2)
        #expect(reply.text.components(of: #""count":3,"ratio":0.0,"name":"three""#) == 2)
        APIScenario("GET", things + "/7", status: 404).check(on: server)
        APIScenario(
            "GET", things + "/3", status: 200, contains: ["three", "\"count\":3"],
            fields: ["etag": "\"\(version)\""]
        ).check(on: server)
    }

    @Test("return=minimal leaves the objects out, and int64=string quotes their ints")
    func preferences() {
        let large = #"{"op":"create","class":"Thing","value":{"id":9007199254740993}}"#
        APIScenario(
            "POST", path, body(large), headers: [("Prefer", "return=minimal")], status: 200,
            contains: [#""id":9007199254740993,"etag":""#], excludes: ["\"object\""],
            fields: ["preference-applied": "return=minimal"]
        ).check(on: server)
        APIScenario(
            "POST", path,
            body(#"{"op":"delete","class":"Thing","id":9007199254740993}"#),
            headers: [("Prefer", "int64=string")], status: 200,
            contains: [#""id":"9007199254740993"}"#],
            fields: ["preference-applied": "int64=string"]
        ).check(on: server)
        APIScenario(
            "POST", path, #"{"operations":[]}"#, status: 200, contains: [#""results":[]}"#]
        ).check(on: server)
    }

    @Test("operations refer to objects of the same transaction, before and after, in circles")
    func references() {
        let reply = APIScenario(
            "POST", path,
            body(
                #"{"op":"create","class":"Person","ref":"ann","value":{"name":"ann","best":{"$ref":"bob"},"dogs":[{"$ref":"rex"},{"$ref":"rex"}]}}"#,
                #"{"op":"create","class":"Dog","ref":"rex","value":{"name":"Rex","toy":{"$ref":"ball"}}}"#,
                #"{"op":"create","class":"Toy","ref":"ball","value":{"label":"ball","next":{"$ref":"bone"}}}"#,
                #"{"op":"create","class":"Toy","ref":"bone","value":{"label":"bone","next":{"$ref":"ball"}}}"#,
                #"{"op":"create","class":"Person","ref":"bob","value":{"name":"bob","best":{"$link":{"class":"Person","id":{"$ref":"ann"}}},"home":{"city":"Ulm","landlord":{"$ref":"ann"}}}}"#
            ), status: 200, contains: [#""best":"bob""#, #""landlord":"ann""#]
        ).check(on: server)
        #expect(reply.text.contains(#""label":"ball","next":2"#))
        #expect(reply.text.contains(#""label":"bone","next":1"#))
        let everybody = server.send(
            "GET", "/v1/classes/Person/objects?expand=dogs.toy&sort=name"
        ).text
        #expect(everybody.components(of: #""name":"Rex""#) == 2)
        #expect(everybody.components(of: #""label":"ball""#) == 2)
        APIScenario(
            "GET", "/v1/classes/Dog/objects?fields=owners", status: 200,
            contains: [#"{"owners":["ann","ann"]}"#]
        ).check(on: server)
    }

    @Test("an id may be the ref of an operation before")
    func referencesAsIDs() {
        let reply = APIScenario(
            "POST", path,
            body(
                #"{"op":"create","class":"Toy","ref":"t","value":{"label":"a"}}"#,
                #"{"op":"patch","class":"Toy","id":{"$ref":"t"},"ref":"again","value":{"label":"b"}}"#,
                #"{"op":"create","class":"Dog","ref":"d","value":{"name":"x","toy":{"$ref":"again"}}}"#,
                #"{"op":"put","class":"Dog","id":{"$ref":"d"},"value":{"name":"y","toy":{"$ref":"t"}}}"#
            ), status: 200, contains: [#""label":"b""#, #""name":"y","toy":1"#],
            excludes: [#""label":"a""#, #""name":"x""#]
        ).check(on: server)
        #expect(reply.text.components(of: #""$id":1"#) == 2)
        APIScenario(
            "POST", path, body(#"{"op":"delete","class":"Toy","id":{"$ref":"t"}}"#), status: 422,
            contains: ["unknown-ref", "/operations/0/id"]
        ).check(on: server)
        APIScenario(
            "POST", path,
            body(
                #"{"op":"create","class":"Toy","ref":"t","value":{}}"#,
                #"{"op":"delete","class":"Dog","id":{"$ref":"t"}}"#), status: 422,
            contains: ["wrong-class", "/operations/1/id"]
        ).check(on: server)
        APIScenario(
            "POST", path,
            body(
                #"{"op":"create","class":"Toy","ref":"t","value":{"label":"gone"}}"#,
                #"{"op":"delete","class":"Toy","id":{"$ref":"t"}}"#), status: 200,
            excludes: ["gone"]
        ).check(on: server)
    }

    @Test("links are checked when the transaction ends, and each that dangles is named")
    func danglingLinks() {
        APIScenario(
            "POST", path,
            body(
                #"{"op":"create","class":"Person","value":{"name":"a","best":"z","places":[{"city":"x","landlord":"y"}]}}"#,
                #"{"op":"create","class":"Dog","value":{"name":"Rex","toy":99}}"#,
                #"{"op":"create","class":"Person","value":{"name":"y"}}"#), status: 422,
            contains: [
                "dangling-link", #""pointer":"/operations/0/value/best""#,
                #""pointer":"/operations/1/value/toy""#,
            ], excludes: ["landlord"]
        ).check(on: server)
        expectNothing()
        // What the same transaction deletes is not there at its end; links to it go with it.
        APIScenario(
            "POST", path,
            body(
                #"{"op":"create","class":"Person","ref":"b","value":{"name":"b"}}"#,
                #"{"op":"create","class":"Person","value":{"name":"a","best":"b"}}"#,
                #"{"op":"delete","class":"Person","id":"b"}"#), status: 200,
            contains: [#""name":"a""#, #""best":null"#]
        ).check(on: server)
        APIScenario(
            "POST", path,
            body(
                #"{"op":"create","class":"Toy","ref":"t","value":{}}"#,
                #"{"op":"delete","class":"Toy","id":{"$ref":"t"}}"#,
                #"{"op":"create","class":"Dog","value":{"toy":{"$ref":"t"}}}"#), status: 422,
            contains: ["dangling-link", "/operations/2/value/toy"]
        ).check(on: server)
    }

    @Test(
        "a transaction answers as its first failing operation would alone, with its place, and changes nothing",
        arguments: [
            (
                #"{"op":"create","class":"Thing","value":{"id":7}}"#, 409, "duplicate-key",
                "/operations/1"
            ),
            (
                #"{"op":"patch","class":"Thing","id":8,"value":{}}"#, 404, "object-not-found",
                "/operations/1"
            ),
            (#"{"op":"delete","class":"Thing","id":8}"#, 404, "object-not-found", "/operations/1"),
            (
                #"{"op":"delete","class":"Thing","id":8,"ifMatch":"*"}"#, 412,
                "precondition-failed", "/operations/1"
            ),
            (
                #"{"op":"patch","class":"Thing","id":7,"ifMatch":"00000000-1","value":{}}"#, 412,
                "precondition-failed", "/operations/1"
            ),
            (
                #"{"op":"put","class":"Thing","id":8,"ifMatch":"*","value":{}}"#, 412,
                "precondition-failed", "/operations/1"
            ),
            (
                #"{"op":"create","class":"Toy","ref":"t","ifMatch":"*","value":{}}"#, 412,
                "precondition-failed", "/operations/1"
            ),
            (
                #"{"op":"patch","class":"Thing","id":7,"value":{"$version":"00000000-1"}}"#, 412,
                "precondition-failed", "/operations/1"
            ),
            (
                #"{"op":"put","class":"Toy","id":8,"value":{}}"#, 404, "object-not-found",
                "/operations/1"
            ),
            (
                #"{"op":"merge","class":"Toy","id":8,"value":{}}"#, 404, "object-not-found",
                "/operations/1"
            ),
            (
                #"{"op":"create","class":"Thin","value":{}}"#, 404, "unknown-class",
                "/operations/1/class"
            ),
            (
                #"{"op":"create","class":"Address","value":{}}"#, 405, "embedded-class",
                "/operations/1/class"
            ),
            (
                #"{"op":"put","class":"Thing","id":"x","value":{}}"#, 400, "wrong-key-type",
                "/operations/1/id"
            ),
            (
                #"{"op":"create","class":"Thing","value":{}}"#, 422, "missing-key",
                "/operations/1/value/id"
            ),
            (
                #"{"op":"create","class":"Thing","value":{"id":9,"cuont":1}}"#, 422,
                "unknown-property", "/operations/1/value/cuont"
            ),
            (
                #"{"op":"create","class":"Thing","value":{"id":9,"count":"x"}}"#, 422, "wrong-type",
                "/operations/1/value/count"
            ),
            (
                #"{"op":"create","class":"Thing","value":{"id":9,"counts":[1,true]}}"#, 422,
                "wrong-type", "/operations/1/value/counts/1"
            ),
            (
                #"{"op":"put","class":"Thing","id":9,"value":{"id":8}}"#, 422, "key-mismatch",
                "/operations/1/value/id"
            ),
            (
                #"{"op":"create","class":"Thing","value":{"id":9,"id":9}}"#, 400, "duplicate-name",
                "/operations/1/value/id"
            ),
            (
                #"{"op":"create","class":"Thing","value":5}"#, 422, "wrong-type",
                "/operations/1/value"
            ),
            (
                #"{"op":"create","class":"Toy","value":{"$id":5}}"#, 422, "id-not-allowed",
                "/operations/1/value/$id"
            ),
            (
                #"{"op":"create","class":"Toy","id":5,"value":{}}"#, 422, "id-not-allowed",
                "/operations/1/id"
            ),
            (#"{"op":"put","class":"Toy","value":{}}"#, 422, "missing-key", "/operations/1/id"),
            (
                #"{"op":"create","class":"Dog","value":{"toy":{"$ref":"nobody"}}}"#, 422,
                "unknown-ref", "/operations/1/value/toy"
            ),
            (
                #"{"op":"create","class":"Person","value":{"name":"p","best":{"$ref":"first"}}}"#,
                422, "wrong-class", "/operations/1/value/best"
            ),
            (
                #"{"op":"create","class":"Person","value":{"name":"p","dogs":[{"name":"r"},{"nam":"r"}]}}"#,
                422, "unknown-property", "/operations/1/value/dogs/1/nam"
            ),
            (
                #"{"op":"create","class":"Thing","ref":"first","value":{"id":9}}"#, 422,
                "duplicate-ref", "/operations/1/ref"
            ),
            (
                #"{"op":"delete","class":"Thing","ref":"d","id":7}"#, 422, "invalid-ref",
                "/operations/1/ref"
            ),
            (
                #"{"op":"upsert","class":"Thing","value":{"id":9}}"#, 400, "invalid-operation",
                "/operations/1/op"
            ),
            (#"{"class":"Thing","value":{"id":9}}"#, 400, "missing-member", "/operations/1/op"),
            (#"{"op":"create","value":{"id":9}}"#, 400, "missing-member", "/operations/1/class"),
            (#"{"op":"create","class":"Thing"}"#, 400, "missing-member", "/operations/1/value"),
            (
                #"{"op":"patch","class":"Thing","value":{}}"#, 400, "missing-member",
                "/operations/1/id"
            ),
            (
                #"{"op":"delete","class":"Thing","id":7,"value":{}}"#, 400, "invalid-body",
                "/operations/1/value"
            ),
            (
                #"{"op":"patch","class":"Thing","id":7,"ifMatch":"x","value":{}}"#, 400,
                "invalid-version", "/operations/1/ifMatch"
            ),
            (
                #"{"op":"create","class":"Thing","vlaue":{"id":9},"value":{"id":9}}"#, 400,
                "unknown-member", "/operations/1/vlaue"
            ),
            (
                #"{"op":"create","op":"create","class":"Thing","value":{"id":9}}"#, 400,
                "duplicate-name", "/operations/1/op"
            ),
            (
                #"{"op":"patch","class":"Thing","id":7,"value":[{"op":"test","path":"/count","value":8}]}"#,
                409, "test-failed", "/operations/1/value/0/value"
            ),
            (
                #"{"op":"patch","class":"Thing","id":7,"value":[{"op":"remove","path":"/x"}]}"#,
                422, "path-missing", "/operations/1/value/0/path"
            ),
            (
                #"{"op":"patch","class":"Thing","id":7,"value":[{"op":"replace","path":"/count","value":"x"}]}"#,
                422, "wrong-type", "/operations/1/value/0/value"
            ),
            (
                #"{"op":"patch","class":"Thing","id":7,"value":[{"op":"remov","path":"/x"}]}"#, 400,
                "invalid-patch", "/operations/1/value/0/op"
            ),
            ("7", 400, "invalid-body", "/operations/1"),
        ])
    func failures(operation: String, status: Int, code: String, pointer: String) {
        server.send("PUT", things + "/7", #"{"count":7}"#)
        let before = server.send("GET", things + "/7").text
        let first = #"{"op":"create","class":"Toy","ref":"first","value":{"label":"first"}}"#
        let reply = APIScenario(
            "POST", path,
            body(first, operation, #"{"op":"merge","class":"Thing","id":7,"value":{"count":8}}"#),
            status: status, contains: ["\"code\":\"\(code)\"", "\"pointer\":\"\(pointer)\""]
        ).check(on: server)
        if code == "precondition-failed", operation.contains("\"id\":7") {
            #expect(reply.text.contains("\"current\":{\"etag\""))
        }
        #expect(server.send("GET", things + "/7").text == before)
        APIScenario(
            "GET", "/v1/classes/Toy/objects", status: 200, contains: ["{\"objects\":[]}"]
        ).check(on: server)
    }

    @Test("the faults of all operations are told at once, with the status of the first")
    func manyFaults() {
        APIScenario(
            "POST", path,
            body(
                #"{"op":"create","class":"Thing","value":{"id":1,"count":"x"}}"#,
                #"{"op":"create","class":"Thin","value":{}}"#,
                #"{"op":"create","class":"Thing","value":{"id":2,"flag":1}}"#), status: 422,
            contains: [
                "wrong-type", "/operations/0/value/count", "unknown-class", "/operations/1/class",
                "/operations/2/value/flag", "2 more faults",
            ]
        ).check(on: server)
    }

    @Test("a body that is no transaction is refused")
    func malformed() {
        for (body, code) in [
            ("[]", "invalid-body"), ("{}", "invalid-body"), (#"{"operations":{}}"#, "invalid-body"),
            (#"{"operation":[],"operations":[]}"#, "unknown-member"),
            (#"{"operations":[],"operations":[]}"#, "duplicate-name"),
            (#"{"operations":[],"ifVersion":"x"}"#, "invalid-version"),
            (#"{"operations":["#, "malformed-json"),
        ] {
            APIScenario("POST", path, body, status: 400, contains: [code]).check(on: server)
        }
        APIScenario(
            "POST", path, #"{"operations":[]}"#, headers: [("If-Match", "\"00000000-1\"")],
            status: 400, contains: ["invalid-header"]
        ).check(on: server)
        APIScenario(
            "POST", path, "x", headers: [("Content-Type", "text/plain")], status: 415
        ).check(on: server)
        APIScenario("POST", path + "?x=1", #"{"operations":[]}"#, status: 400).check(on: server)
        APIScenario("GET", path, status: 405, fields: ["allow": ""]).check(on: server)
    }

    @Test("ifMatch holds for the version that the operations before have left")
    func preconditions() {
        let etag = { (reply: HTTPClient.Reply) in
            (reply.headers["etag"] ?? "").filter { $0 != "\"" }
        }
        let first = etag(server.send("PUT", things + "/1", #"{"count":1}"#))
        APIScenario(
            "POST", path,
            body(
                "{\"op\":\"patch\",\"class\":\"Thing\",\"id\":1,\"ifMatch\":\"\(first)\",\"value\":{\"count\":2}}",
                #"{"op":"patch","class":"Thing","id":1,"ifMatch":"*","value":{"count":3}}"#),
            status: 200
        ).check(on: server)
        APIScenario(
            "POST", path,
            body(
                "{\"op\":\"delete\",\"class\":\"Thing\",\"id\":1,\"ifMatch\":\"\(first)\"}"),
            status: 412, contains: ["\"current\":{\"etag\"", "\"count\":3"]
        ).check(on: server)
    }

    @Test(
        "a transaction has as many operations as its limit, nested objects included, and not one more"
    )
    func limit() throws {
        var options = StoreOptions()
        options.operationCountMax = 10
        let server = try TestServer(
            try EngineCase.memory.open(), schema: Schemas.everything, storeOptions: options)
        func body(_ count: Int) -> String {
            let operations = (0..<count).map {
                "{\"op\":\"put\",\"class\":\"Thing\",\"id\":\($0),\"value\":{}}"
            }
            return "{\"operations\":[\(operations.joined(separator: ","))]}"
        }
        APIScenario(
            "POST", path, body(11), status: 422, contains: ["too-many-operations", "10"]
        ).check(on: server)
        func nested(_ count: Int) -> String {
            let dogs = (0..<count).map { "{\"name\":\"\($0)\"}" }.joined(separator: ",")
            return
                "{\"operations\":[{\"op\":\"put\",\"class\":\"Person\",\"id\":\"p\",\"value\":{\"dogs\":[\(dogs)]}}]}"
        }
        APIScenario(
            "POST", path, nested(10), status: 422,
            contains: ["too-many-operations", "/operations/0"]
        ).check(on: server)
        APIScenario("GET", "/v1/classes/Dog/objects", status: 200, contains: ["{\"objects\":[]}"])
            .check(on: server)
        APIScenario("POST", path, nested(9), status: 200).check(on: server)
        APIScenario("POST", path, body(10), status: 200).check(on: server)
    }

    @Test("a large transaction is taken in by a worker and answered whole")
    func large() {
        let operations = (0..<2000).map {
            "{\"op\":\"create\",\"class\":\"Thing\",\"value\":{\"id\":\($0),\"name\":\"thing \($0)\"}}"
        }
        let reply = server.send(
            "POST", path, "{\"operations\":[\(operations.joined(separator: ","))]}")
        #expect(reply.status == 200)
        #expect(reply.text.components(of: "\"etag\":") == 2000)
        var broken = operations
        broken[1500] = #"{"op":"create","class":"Thing","value":{"id":"x"}}"#
        APIScenario(
            "POST", path, "{\"operations\":[\(broken.joined(separator: ","))]}", status: 422,
            contains: ["/operations/1500/value/id"]
        ).check(on: server)
    }

    @Test("a transaction whose commit fails changes nothing, and one that conflicts runs again")
    func commits() throws {
        let engine = FaultyEngine(try EngineCase.memory.open())
        let server = try TestServer(engine, schema: Schemas.everything)
        let body = body(
            #"{"op":"create","class":"Toy","ref":"t","value":{"label":"x"}}"#,
            #"{"op":"create","class":"Dog","value":{"toy":{"$ref":"t"}}}"#)
        engine.failCommit(engine.commitCount + 1, with: .diskFull)
        APIScenario("POST", path, body, status: 507).check(on: server)
        APIScenario("GET", "/v1/classes/Toy/objects", status: 200, contains: ["{\"objects\":[]}"])
            .check(on: server)
        engine.failCommit(engine.commitCount + 1, with: .conflict)
        APIScenario("POST", path, body, status: 200, contains: [#""toy":1"#]).check(on: server)
    }
}
