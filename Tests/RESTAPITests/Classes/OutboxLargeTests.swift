import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastObjectJSON
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("large values in outboxes")
struct OutboxLargeTests {
    private static let schema = Schema(classes: [
        ObjectClass(
            name: "Report", kind: .asymmetric, primaryKey: "_id",
            properties: [
                Schemas.property("_id", .int), Schemas.property("note", .string),
                Schemas.property("bytes", .data), Schemas.list("values", .int),
                Schemas.set("tags", .string),
                Property(name: "counts", type: .map(.scalar(.int))),
                Schemas.list("parts", of: "Part"),
            ]),
        ObjectClass(
            name: "Part", kind: .embedded,
            properties: [Schemas.property("text", .string), Schemas.list("marks", .int)]),
    ])

    /// A report whose every property is beyond the limits, as the outbox writes it.
    private static func report(_ id: Int) -> String {
        let values = (0..<200).map { String($0 - id) }.joined(separator: ",")
        let tags = (100..<150).map { "\"t\($0)\"" }.joined(separator: ",")
        let counts = (100..<150).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
        let parts = (0..<40).map {
            "{\"text\":\"part \($0) of a report\",\"marks\":[\($0),1,2,3,4,5,6,7,8,9]}"
        }
        .joined(separator: ",")
        let note = String(repeating: "n", count: 300)
        return
            "{\"_id\":\(id),\"note\":\"\(note)\",\"bytes\":\"\(String(repeating: "AAAA", count: 99))\","
            + "\"values\":[\(values)],\"tags\":[\(tags)],\"counts\":{\(counts)},\"parts\":[\(parts)]}"
    }

    private func server(_ engine: EngineCase) throws -> TestServer {
        var options = RESTOptions()
        options.limits.collectionElementCountMax = 5
        options.limits.collectionByteCountMax = 64
        options.limits.queryMemoryByteCountMax = 1024
        options.limits.streamQueueByteCountMax = 1024
        var storeOptions = StoreOptions()
        storeOptions.overflowLimits = .tiny
        return try TestServer(
            try engine.open(valueByteCountMax: 64 << 20), schema: Self.schema, options: options,
            storeOptions: storeOptions)
    }

    @Test(
        "pages, polls and streams show every text and collection whole, whatever the limits of replies",
        arguments: EngineCase.all)
    func whole(engine: EngineCase) throws {
        let server = try server(engine)
        let path = "/v1/classes/Report/outbox"
        let port = server.server.addresses.first?.port ?? 0
        let client = ChangesClient(port: port, path)
        #expect(client.nextEvent().name == "hello")
        let made = server.send("POST", "/v1/classes/Report/objects", Self.report(1))
        #expect(made.status == 201, "\(made.text.prefix(300))")
        server.send(
            "POST", "/v1/classes/Report/import", Self.report(2) + "\n" + Self.report(3),
            headers: [("Content-Type", "application/x-ndjson")])

        // A page ends with the object that passes its bytes, which is whole all the same.
        var since: [(String, String)] = []
        for id in 1...3 {
            let page = server.send("GET", target(path, since))
            #expect(page.text.hasPrefix("{\"objects\":[\(Self.report(id))],\"through\":"))
            since = [("since", page.json["through"]?.string ?? "")]
        }
        let poll = server.send("GET", path + "?limit=1", headers: [("Prefer", "wait=5")])
        #expect(poll.text.hasPrefix("{\"objects\":[\(Self.report(1))],\"through\":"))
        var streamed: [String] = []
        while streamed.count < 3, !client.isEnded {
            let event = client.nextEvent()
            for id in 1...3 where event.data.contains(Self.report(id)) {
                streamed.append(Self.report(id))
            }
        }
        #expect(streamed == (1...3).map(Self.report))
        #expect(try StoreCheck.run(server.store).findings.isEmpty)
    }

    @Test(
        "what was acknowledged leaves no chunk behind, and what was not stays whole",
        arguments: EngineCase.all)
    func acknowledged(engine: EngineCase) throws {
        let server = try server(engine)
        let path = "/v1/classes/Report/outbox"
        server.send(
            "POST", "/v1/classes/Report/objects",
            "[\((1...3).map(Self.report).joined(separator: ","))]")
        let first = server.send("GET", path).json["through"]?.string ?? ""
        let second = server.send("GET", target(path, [("since", first)]))
        let through = second.json["through"]?.string ?? ""
        let gone = server.send("DELETE", target(path, [("through", through)]))
        #expect(gone.json["affected"]?.int == 2)
        #expect(try StoreCheck.run(server.store).findings.isEmpty)
        #expect(
            server.send("GET", path).text.hasPrefix("{\"objects\":[\(Self.report(3))],\"through\":")
        )
    }
}
