import Glibc
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("streams that begin anew")
struct ChangesResetTests {
    private static let path = "/v1/classes/Task/changes"

    @Test("what the change log does not keep is a reset with a snapshot, or 410 in the JSON modes")
    func expiry() throws {
        var storeOptions = StoreOptions()
        storeOptions.retentionByteCount = 400
        let server = ChangesServer(
            try TestServer(
                EngineCase.memory.open(), schema: Tasks.schema, storeOptions: storeOptions))
        let old = server.task(1, "{}")
        for id in 2...40 { server.task(id, "{}") }
        let stream = server.events(Self.path, [("since", old), ("fields", "id")])
        let events = stream.events(to: "upToDate")
        #expect(events.map(\.name) == ["hello", "reset", "snapshot", "upToDate"])
        #expect(
            events[1] == .init(name: "reset", id: "start", data: #"{"reason":"cursor-expired"}"#))
        #expect(events[2].json["objects"]?.elements.count == 40)
        let recent = server.task(1, #"{"title":"x"}"#)
        #expect(stream.nextEvent().changes == ["update 1"])
        for headers in [[], [("Prefer", "wait=5")]] {
            APIScenario(
                "GET", target(Self.path, [("since", old)]), headers: headers, status: 410,
                contains: ["cursor-expired", "since=start"]
            ).check(on: server.server)
        }
        #expect(server.send("GET", target(Self.path, [("since", recent)])).status == 200)
    }

    @Test("a new schema resets streams and refuses older cursors in the JSON modes")
    func schemaChange() throws {
        let server = try Tasks.server()
        let old = server.task(1, "{}")
        let stream = server.events(Self.path, [("filter", "rank == 0")])
        let store = server.events("/v1/changes", [("since", "start")])
        #expect(stream.nextEvent().name == "hello")
        #expect(store.events(to: "upToDate").last?.name == "upToDate")
        let port = server.port
        let address = target(Self.path, [("since", old)])
        let poll = try StartedThread {
            HTTPClient(port: port).send("GET", address, headers: [("Prefer", "wait=30")])
        }
        usleep(300_000)
        var schema = Tasks.schema
        schema.classes[0].properties.append(
            Schemas.property("extra", .int, default: .constant(.int(5))))
        try TestServer.put(schema, in: server.store)
        for one in [stream, store] {
            let events = one.events(to: "upToDate")
            #expect(events.map(\.name) == ["reset", "snapshot", "upToDate"])
            #expect(events[0].data == #"{"reason":"schema-changed"}"# && events[0].id == "start")
            #expect(events[1].json["objects"]?.elements.first?["object"]?["extra"] == .int(5))
        }
        let refused = poll.result()
        #expect(refused.status == 410 && refused.text.contains("schema-changed"), "\(refused.text)")
        server.task(1, #"{"extra":6}"#)
        let update = stream.nextEvent()
        #expect(
            update.changes == ["update 1"]
                && update.json["changes"]?.elements.first?["object"]?["extra"] == .int(6))
        // A stream that resumes across the change, though nothing of it was open then.
        let resumed = server.events(Self.path, [("since", old)]).events(to: "upToDate")
        #expect(resumed.map(\.name) == ["hello", "reset", "snapshot", "upToDate"])
        APIScenario(
            "GET", target(Self.path, [("since", old)]), status: 410, contains: ["schema-changed"]
        ).check(on: server.server)
        #expect(
            server.send("GET", target(Self.path, [("since", resumed[3].id ?? "")])).text.contains(
                #""changes":[]"#))
    }

    @Test(
        "a client that does not read gets what it missed, folded, and misses nothing",
        arguments: [false, true])
    func slowConsumer(logExpires: Bool) throws {
        var options = RESTOptions()
        options.limits.streamQueueByteCountMax = 64 << 10
        options.heartbeatSeconds = 1
        var storeOptions = StoreOptions()
        if logExpires { storeOptions.retentionByteCount = 2_000 }
        let server = ChangesServer(
            try TestServer(
                EngineCase.memory.open(), schema: Tasks.schema, options: options,
                storeOptions: storeOptions))
        let stream = ChangesClient(port: server.port, Self.path, receiveByteCountMax: 4096)
        #expect(stream.nextEvent().name == "hello")
        let text = String(repeating: "t", count: 20_000)
        var last = ""
        // Much more than the queue and the system's buffers take.
        for round in 0..<40 {
            for id in 0..<10 { last = server.task(id, "{\"title\":\"\(round) \(text)\"}") }
        }
        last = server.delete("/v1/classes/Task/objects/9")
        var replica = ChangesReplica()
        var live = 0
        var resets: [String] = []
        while let event = stream.next() {
            replica.apply(event)
            if event.name == "change", event.id != nil { live += 1 }
            if event.name == "reset" { resets.append(event.data) }
            if event.id == last { break }
        }
        #expect(live < 400, "the queue has a bound")
        #expect(resets.allSatisfy { $0 == #"{"reason":"cursor-expired"}"# })
        if !logExpires { #expect(resets.isEmpty) }
        #expect(replica.objects.count == 9)
        #expect(
            replica.objects.values.allSatisfy { $0["title"]?.string?.hasPrefix("39 ") ?? false })
        server.task(1, #"{"title":"again"}"#)
        var next = stream.nextEvent()
        while next.name != "change" { next = stream.nextEvent() }
        #expect(next.changes == ["update 1"])
    }
}
