import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastTestSupport
import Testing

@Suite("out-of-line mixed values")
struct LargeMixedTests {
    private static let box = MixedServer.box

    private func check(_ server: TestServer, _ comment: Comment = "") throws {
        let findings = try StoreCheck.run(server.store).findings
        #expect(findings.isEmpty, "\(comment): \(findings)")
    }

    @Test("a value above 256 KiB is read, found, sorted, indexed and changed like others")
    func large() throws {
        let server = try MixedServer.open()
        let text = String(repeating: "n", count: 262_145)
        let rex = MixedServer.dog("rex")
        server.send(
            "PUT", Self.box,
            #"{"item":["\#(text)",\#(rex),{"k":[\#(rex)]}],"sorted":"\#(text)","list":["\#(text)",\#(rex)],"map":{"k":"\#(text)"},"part":{"item":"\#(text)"}}"#
        )
        server.send("PUT", "/v1/classes/Box/objects/c", #"{"sorted":"nn","item":1}"#)
        try check(server, "written")
        let etag = server.send("GET", Self.box).headers["etag"] ?? ""
        let stored = server.send("GET", Self.box).text
        #expect(server.send("PUT", Self.box, stored).headers["etag"] == etag)
        for (filter, id) in [
            ("sorted%20ENDSWITH%20'nn'%20AND%20sorted%20!=%20'nn'", "b"),
            ("sorted%20==%20'nn'", "c"),
            ("part.item%20BEGINSWITH%20'nnn'", "b"), ("item%20==%201", "c"),
            ("ANY%20list%20BEGINSWITH%20'nnn'", "b"),
        ] {
            APIScenario(
                "GET", "/v1/classes/Box/objects?fields=id&filter=\(filter)", status: 200,
                contains: [#""objects":[{"id":"\#(id)"}]"#]
            ).check(on: server)
        }
        for sort in ["sorted", "-sorted"] {
            let ids = sort == "sorted" ? ["b", "c"] : ["c", "b"]
            APIScenario(
                "GET", "/v1/classes/Box/objects?fields=id&sort=\(sort)", status: 200,
                contains: [#"[{"id":"\#(ids[1])"},{"id":"\#(ids[0])"}]"#]
            ).check(on: server)
        }
        let item = Self.box + "/properties/item/elements"
        APIScenario("GET", item + "/2/k", status: 200, contains: ["[\(rex)]"]).check(on: server)
        APIScenario("PUT", item + "/2/k", "\"\(text)\"", status: 200).check(on: server)
        APIScenario("GET", item + "/2/k", status: 200, contains: [text]).check(on: server)
        try check(server, "changed inside")
        APIScenario(
            "PATCH", Self.box, #"[{"op":"add","path":"/item/2/z","value":\#(rex)}]"#,
            headers: [("Content-Type", "application/json-patch+json")], status: 200
        ).check(on: server)
        server.send("DELETE", "/v1/classes/Dog/objects/rex")
        try check(server, "target deleted")
        APIScenario("GET", item + "/1/z", status: 200, contains: [#"{"value":null}"#]).check(
            on: server)
        APIScenario("DELETE", item + "/0", status: 200).check(on: server)
        APIScenario("PATCH", Self.box, #"{"item":1,"sorted":2}"#, status: 200).check(on: server)
        try check(server, "smaller again")
        server.send("DELETE", Self.box)
        try check(server, "deleted")
    }

    @Test("a string or data of 16 MiB fits into a value, a byte more is refused")
    func limit() throws {
        let server = try MixedServer.open()
        let most = String(repeating: "n", count: 16_777_216)
        let quiet = [("Prefer", "return=minimal")]
        for (text, status) in [(most, 201), (most + "n", 422)] {
            let path = "/v1/classes/Box/objects/\(status)"
            APIScenario("PUT", path, "{\"item\":\"\(text)\"}", headers: quiet, status: status)
                .check(on: server)
        }
        APIScenario(
            "GET", "/v1/classes/Box/objects?fields=id&filter=item%20ENDSWITH%20%27nn%27",
            status: 200,
            contains: ["201"]
        ).check(on: server)
        try check(server)
    }

    @Test("random edits inside out-of-line values do what they do to plain arrays")
    func random() throws {
        let seed = SeededGenerator.testSeed("edits inside mixed values")
        var random = SeededGenerator(seed: seed)
        var options = StoreOptions()
        options.overflowLimits = .tiny
        let server = try TestServer(
            try EngineCase.memory.open(), schema: Schema(), storeOptions: options)
        server.send("PUT", "/v1/schema", MixedServer.schema)
        let dogs = (0..<4).map { "d\($0)" }
        for dog in dogs { server.send("PUT", "/v1/classes/Dog/objects/\(dog)", "{}") }
        // Each is a list of lists; the map's lists have the keys k0, k1 and so on.
        var lists: [String: [[String]]] = ["item": [[], []], "list": [[], []], "map": [[], []]]
        server.send("PUT", Self.box, #"{"item":[[],[]],"list":[[],[]],"map":{"k0":[],"k1":[]}}"#)
        let values =
            ["null", "1", "\"a text of some length\"", "[true]", #"{"k":[]}"#]
            + dogs.map(MixedServer.dog)
        for step in 0..<SeededGenerator.scaled(300) {
            let name = ["item", "list", "map"].randomElement(using: &random) ?? "item"
            var inner = lists[name] ?? []
            let outer = Int.random(in: 0..<2, using: &random)
            let place = Int.random(in: 0...inner[outer].count, using: &random)
            let value = values.randomElement(using: &random) ?? "1"
            let path =
                Self.box + "/properties/\(name)/elements/"
                + (name == "map" ? "k\(outer)" : "\(outer)")
            let isThere = place < inner[outer].count
            let reply: HTTPClient.Reply
            let status: Int
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                inner[outer].insert(value, at: place)
                reply = server.send("POST", path + "?at=\(place)", value)
                status = 201
            case 2:
                if isThere { inner[outer][place] = value }
                reply = server.send("PUT", path + "/\(place)", value)
                status = isThere ? 200 : 404
            case 3:
                if isThere { inner[outer].remove(at: place) }
                reply = server.send("DELETE", path + "/\(place)")
                status = isThere ? 200 : 404
            default:
                reply = server.send("GET", path + "/\(place)")
                status = isThere ? 200 : 404
                if isThere { #expect(reply.text == "{\"value\":\(inner[outer][place])}") }
            }
            #expect(reply.status == status, "step \(step), seed \(seed): \(reply.text)")
            lists[name] = inner
            if step % 50 == 49 {
                // Who is deleted goes from all lists.
                let dog = dogs[(step / 50) % dogs.count]
                server.send("DELETE", "/v1/classes/Dog/objects/\(dog)")
                server.send("PUT", "/v1/classes/Dog/objects/\(dog)", "{}")
                for name in lists.keys {
                    lists[name] = lists[name]?.map { $0.filter { $0 != MixedServer.dog(dog) } }
                }
            }
            func text(_ name: String) -> [String] {
                (lists[name] ?? []).map { "[\($0.joined(separator: ","))]" }
            }
            let map = text("map")
            let found = server.send("GET", Self.box).text
            for expected in [
                "\"item\":[\(text("item").joined(separator: ","))],",
                "\"list\":[\(text("list").joined(separator: ","))],",
                "\"map\":{\"k0\":\(map[0]),\"k1\":\(map[1])},",
            ] {
                #expect(
                    found.contains(expected), "step \(step), seed \(seed): \(expected) \(found)")
            }
            if step % 20 == 0 { try check(server, "step \(step), seed \(seed)") }
        }
        try check(server, "seed \(seed)")
    }
}
