import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectJSON
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("sizes of transactions")
struct TransactionSizeTests {
    private let path = "/v1/transactions"

    @Test("a transaction changes as many bytes as its limit allows, and what is more is taken back")
    func byteLimit() throws {
        var options = StoreOptions()
        options.transactionByteCountMax = 1 << 20
        let server = try TestServer(
            try EngineCase.memory.open(), schema: Schemas.everything, storeOptions: options)
        let things = "/v1/classes/Thing/objects"
        let text = String(repeating: "x", count: 100_000)
        func puts(_ ids: Range<Int>) -> String {
            body(
                ids.map {
                    "{\"op\":\"put\",\"class\":\"Thing\",\"id\":\($0),\"value\":{\"name\":\"\(text)\"}}"
                })
        }
        func body(_ operations: [String]) -> String {
            "{\"operations\":[\(operations.joined(separator: ","))]}"
        }
        APIScenario(
            "POST", path, puts(0..<20), status: 422,
            contains: ["transaction-too-large", "1048576", "\"pointer\":\"/operations/"]
        ).check(on: server)
        APIScenario("GET", things, status: 200, contains: [#""objects":[]"#]).check(on: server)
        APIScenario("POST", path, puts(0..<9), status: 200).check(on: server)
        APIScenario("POST", path, puts(9..<18), status: 200).check(on: server)
        let all = things + "?all=true"
        // What is read to be patched holds up the writer as much as what is written.
        let tests = Array(
            repeating:
                #"{"op":"patch","class":"Thing","id":1,"value":[{"op":"test","path":"/count","value":0}]}"#,
            count: 20)
        let table = [
            APIScenario(
                "PATCH", all, "{\"count\":1}", status: 422, contains: ["transaction-too-large"]),
            APIScenario(
                "PATCH", all, #"[{"op":"replace","path":"/count","value":1}]"#,
                headers: [("Content-Type", "application/json-patch+json")], status: 422,
                contains: ["transaction-too-large"]),
            APIScenario(
                "POST", path, body(tests), status: 422, contains: ["transaction-too-large"]),
            APIScenario("GET", things + "?filter=count%20!%3D%200", status: 200, excludes: ["id"]),
            APIScenario("PATCH", things + "?filter=id%20%3C%204", "{\"count\":1}", status: 200),
        ]
        for scenario in table { scenario.check(on: server) }
    }

    @Test(
        "objects of many properties of which nothing is stated take as much memory as they need, and no more than a write may"
    )
    func wideObjects() throws {
        let wide = ObjectClass(
            name: "Wide", kind: .embedded,
            properties: (0..<500).map { Schemas.property("p\($0)", .int) })
        let holder = ObjectClass(
            name: "Holder", primaryKey: "id",
            properties: [
                Schemas.property("id", .int),
                Property(name: "parts", type: .list(.object("Wide"))),
            ])
        let server = try TestServer(schema: Schema(classes: [wide, holder]))
        let holders = "/v1/classes/Holder"
        func parts(_ count: Int) -> String {
            "[\(Array(repeating: "{}", count: count).joined(separator: ","))]"
        }
        for (method, target, body) in [
            ("POST", holders + "/objects", "{\"id\":1,\"parts\":\(parts(30_000))}"),
            ("PUT", holders + "/objects/1", "{\"parts\":\(parts(30_000))}"),
            (
                "POST", path,
                "{\"operations\":[{\"op\":\"create\",\"class\":\"Holder\",\"value\":{\"id\":1,\"parts\":\(parts(30_000))}}]}"
            ),
        ] {
            APIScenario(method, target, body, status: 422, contains: ["transaction-too-large"])
                .check(on: server)
        }
        // So is a line of an import, and others are taken.
        let lines = [30_000, 10].enumerated().map {
            "{\"id\":\($0),\"parts\":\(parts($1))}"
        }
        let report = server.send(
            "POST", holders + "/import", lines.joined(separator: "\n"),
            headers: [("Content-Type", "application/x-ndjson")])
        #expect(report.text.contains(#""imported":1"#), "\(report.text)")
        #expect(report.text.contains("transaction-too-large"), "\(report.text)")
        APIScenario(
            "PUT", holders + "/objects/9", "{\"parts\":\(parts(200))}", status: 201
        ).check(on: server)
    }

    @Test("a deletion that writes too much of those that held the object is refused and taken back")
    func byteLimitOfHolders() throws {
        var options = StoreOptions()
        options.transactionByteCountMax = 1 << 20
        let server = try TestServer(
            try EngineCase.memory.open(), schema: Schemas.everything, storeOptions: options)
        let text = String(repeating: "x", count: 60_000)
        let people = "/v1/classes/Person/objects"
        server.send("PUT", people + "/target", "{}")
        for number in 0..<20 {
            APIScenario(
                "POST", people, "{\"name\":\"\(number)\(text)\",\"best\":\"target\"}", status: 201
            ).check(on: server)
        }
        APIScenario(
            "DELETE", people + "/target", status: 422, contains: ["transaction-too-large"]
        ).check(on: server)
        APIScenario(
            "GET", people + "?count=exact&fields=age&filter=best.name%20%3D%3D%20%27target%27",
            status: 200, contains: ["\"count\":20"]
        ).check(on: server)
        server.send("DELETE", people + "?filter=name%20BEGINSWITH%20%271%27")
        APIScenario("DELETE", people + "/target", status: 204).check(on: server)
    }

    @Test("a reply shows objects as far as there is room; without it all are left out")
    func replyRoom() throws {
        var options = RESTOptions()
        options.limits.queryMemoryByteCountMax = 100_000
        let server = try TestServer(schema: Schemas.everything, options: options)
        let things = "/v1/classes/Thing/objects"
        let text = String(repeating: "x", count: 60_000)
        server.send("PUT", things + "/1", "{\"name\":\"\(text)\"}")
        server.send("PUT", things + "/2", "{\"name\":\"\(text)\"}")
        func patches(_ ids: [Int]) -> String {
            let operations = ids.map {
                "{\"op\":\"patch\",\"class\":\"Thing\",\"id\":\($0),\"value\":{\"count\":5}}"
            }
            return "{\"operations\":[\(operations.joined(separator: ","))]}"
        }
        APIScenario(
            "POST", path, patches([1]), status: 200, contains: ["\"object\":{"]
        ).check(on: server)
        // The same object, of which one copy is kept, and two that are too much together.
        for ids in [[1, 1, 1, 1], [1, 2]] {
            let reply = APIScenario(
                "POST", path, patches(ids), status: 200, contains: ["\"etag\":", "\"id\":1"],
                excludes: ["object\""], fields: ["preference-applied": "return=minimal"]
            ).check(on: server)
            #expect(reply.text.components(of: "\"etag\":") == ids.count)
            let items = ids.map { "{\"id\":\($0)}" }.joined(separator: ",")
            APIScenario(
                "POST", things + "?mode=merge", "[\(items)]", status: 204,
                fields: ["preference-applied": "return=minimal"]
            ).check(on: server)
        }
        APIScenario(
            "POST", things + "?mode=merge", "[{\"id\":1}]", status: 200, contains: [text]
        ).check(on: server)
        let long = String(repeating: "y", count: 200_000)
        APIScenario("PUT", things + "/3", "{\"name\":\"\(long)\"}", status: 201).check(on: server)
    }
}
