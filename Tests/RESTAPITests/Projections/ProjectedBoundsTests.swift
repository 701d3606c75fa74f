import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("The bounds of what writes through projections take")
struct ProjectedBoundsTests {
    private static let cards = "/v1/projections/PersonCard/objects"

    @Test("an array has as many objects as a transaction has operations, and not one more")
    func objects() throws {
        var options = StoreOptions()
        options.operationCountMax = 10
        let server = try TestServer(
            try EngineCase.memory.open(), schema: Projections.schema, storeOptions: options)
        Projections.define(server)
        func body(_ count: Int) -> String {
            "[" + (0..<count).map { "{\"id\":\($0),\"bossName\":null}" }.joined(separator: ",")
                + "]"
        }
        APIScenario(
            "POST", Self.cards, body(11), status: 422, contains: ["too-many-operations", "10"],
            excludes: ["pointer"]
        ).check(on: server)
        // Refused before any of them is read.
        APIScenario(
            "POST", Self.cards, "[" + Array(repeating: "7", count: 11).joined(separator: ",") + "]",
            status: 422, contains: ["too-many-operations"], excludes: ["wrong-type"]
        ).check(on: server)
        APIScenario("GET", Self.cards + "/0", status: 404).check(on: server)
        // What lies behind a link counts only where it is written.
        APIScenario("POST", Self.cards, body(10), status: 201).check(on: server)
    }

    @Test("an array whose drafts take too much memory is refused as a whole")
    func drafts() throws {
        let names = (0..<400).map { "p\($0)" }
        let server = try TestServer(
            schema: Schema(classes: [
                ObjectClass(
                    name: "Wide", primaryKey: "_id",
                    properties: [Schemas.property("_id", .int)]
                        + names.map { Schemas.property($0, .int) })
            ]))
        APIScenario(
            "PUT", "/v1/projections/Narrow", #"{"class":"Wide","properties":{"id":"_id"}}"#,
            status: 201
        ).check(on: server)
        let body = "[" + (0..<60_000).map { "{\"id\":\($0)}" }.joined(separator: ",") + "]"
        let ofClass = server.send(
            "POST", "/v1/classes/Wide/objects",
            body.split(separator: "\"id\"").joined(separator: "\"_id\""))
        let reply = server.send("POST", "/v1/projections/Narrow/objects", body)
        #expect(ofClass.status >= 400 && reply.status == ofClass.status, "\(reply.text)")
        #expect(reply.json["code"] == ofClass.json["code"])
        #expect(!reply.text.contains("pointer"))
    }

    @Test("objects that take too much memory together are written and not shown")
    func replies() throws {
        var options = RESTOptions()
        options.limits.queryMemoryByteCountMax = 100_000
        let server = try TestServer(schema: Projections.schema, options: options)
        Projections.define(server)
        let name = String(repeating: "n", count: 60_000)
        APIScenario(
            "POST", Self.cards, #"[{"id":1,"first":"\#(name)"},{"id":2}]"#, status: 201,
            contains: [#""id":1"#, #""id":2"#]
        ).check(on: server)
        let reply = server.send(
            "POST", Self.cards, #"[{"id":3,"first":"\#(name)"},{"id":4,"first":"\#(name)"}]"#)
        #expect(reply.status == 201 && reply.text.isEmpty, "\(reply.text.prefix(100))")
        #expect(reply.headers["preference-applied"] == "return=minimal")
        APIScenario("GET", Self.cards + "/4", status: 200, contains: [name]).check(on: server)
        APIScenario(
            "POST", Self.cards, #"{"id":5,"first":"\#(name)"}"#, status: 201, contains: [name]
        ).check(on: server)
    }

    @Test("a map that is only shown may be stated in any order, and is compared without delay")
    func order() throws {
        let server = try TestServer(
            schema: Schema(classes: [
                ObjectClass(
                    name: "Note", primaryKey: "_id",
                    properties: [
                        Schemas.property("_id", .int),
                        Property(name: "words", type: .map(.scalar(.int))),
                        Schemas.list("others", of: "Note"),
                    ])
            ]))
        for (name, properties) in [
            ("Words", #""words":"words""#),
            ("Notes", #""id":"_id","others":{"path":"others","projection":"Words"}"#),
        ] {
            APIScenario(
                "PUT", "/v1/projections/\(name)",
                #"{"class":"Note","properties":{\#(properties)}}"#, status: 201
            ).check(on: server)
        }
        func words(_ keys: some Sequence<Int>, of value: (Int) -> Int = { $0 }) -> String {
            "{" + keys.map { "\"w\($0)\":\(value($0))" }.joined(separator: ",") + "}"
        }
        // As many as a reply shows of a collection; the list has them several times.
        let keys = 10_000..<20_000
        let count = 5
        APIScenario(
            "POST", "/v1/classes/Note/objects",
            #"[{"_id":1,"words":\#(words(keys))},{"_id":2,"others":\#(Array(repeating: 1, count: count))}]"#,
            status: 201
        ).check(on: server)
        func put(_ words: String, status: Int) {
            let others = Array(repeating: "{\"words\":\(words)}", count: count)
            APIScenario(
                "PUT", "/v1/projections/Notes/objects/2",
                #"{"others":[\#(others.joined(separator: ","))]}"#,
                status: status
            ).check(on: server)
        }
        let time = ContinuousClock().measure {
            put(words(keys), status: 200)
            put(words(keys.reversed()), status: 200)
            put(words(keys.reversed()) { $0 == 10_000 ? 7 : $0 }, status: 422)
            put(words((10_001...20_000).reversed()), status: 422)
        }
        #expect(time < .seconds(20))
    }
}
