import HoldfastStreams
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastObjectJSON
import HoldfastStoreService
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

@Suite("outboxes")
struct OutboxTests {
    @Test(
        "an outbox is consumed in order, page by page, and only what was acknowledged goes",
        arguments: EngineCase.all)
    func pages(engine: EngineCase) throws {
        let server = try Outboxes.server(engine)
        #expect(server.outbox().keys == [])
        server.submitWrite(1...5)
        let first = server.outbox("?limit=2")
        #expect(first.keys == [1, 2])
        #expect(server.outbox("?limit=2").keys == [1, 2])
        let second = server.outbox("?limit=2&since=\(first.through)")
        #expect(second.keys == [3, 4])
        #expect(server.acknowledge(first.through) == 2)
        #expect(server.acknowledge(first.through) == 0)
        server.submitWrite(6...6)
        #expect(server.outbox().keys == [3, 4, 5, 6])
        #expect(server.outbox("?since=\(first.through)").keys == [3, 4, 5, 6])
        #expect(server.acknowledge(server.outbox().through) == 4)
        let rest = server.outbox()
        #expect(rest.keys == [])
        // What an empty page acknowledges is nothing, also of what comes afterwards.
        server.submitWrite(7...7)
        #expect(server.acknowledge(rest.through) == 0)
        #expect(server.outbox().keys == [7])
        #expect(try StoreCheck.run(server.store).findings == [])
    }

    @Test(
        "a page that a stream has no room for is not read again before its client has read enough")
    func slowStream() throws {
        var options = RESTOptions()
        // A heartbeat finds no room either.
        options.heartbeatSeconds = 3600
        let server = try Outboxes.server(.memory, options)
        let page = String(repeating: "x", count: 5000)
        let reply = server.send("POST", "/v1/classes/Visit/objects", #"{"page":"\#(page)"}"#)
        #expect(reply.status == 201, "\(reply.text)")
        // `hello` leaves more than half of the queue, and the object needs more than all of it.
        let sink = SlowSink(queueByteCountMax: 1000)
        try server.service.streams.follow(
            OutboxRequest(of: "Visit", since: nil, limit: 10, for: .program), sink)
        sink.awaitPause()
        #expect(sink.refusedCount == 1)
        sink.read()
        sink.awaitPause()
        #expect(sink.text.contains(page))
    }

    @Test("an acknowledgement of more than a transaction takes goes on until all is gone")
    func manyObjects() throws {
        let server = try Outboxes.server()
        let lines = (1...9000).map { "{\"_id\":\($0)}" }.joined(separator: "\n")
        server.send(
            "POST", "/v1/classes/Reading/import", lines,
            headers: [("Content-Type", "application/x-ndjson")])
        var through = ""
        var keys: [Int64] = []
        while keys.count < 8500 {
            let page = server.outbox(
                "?limit=500" + (through.isEmpty ? "" : "&since=\(through)"))
            keys += page.keys
            through = page.through
        }
        #expect(keys == Array(1...8500))
        let before = server.store.version.number
        #expect(server.acknowledge(through) == 8500)
        #expect(server.store.version.number == before + 3)
        #expect(server.outbox("?limit=1000").keys == Array(8501...9000))
        #expect(try StoreCheck.run(server.store).findings == [])
    }

    @Test("an acknowledgement takes as many objects at a time as a transaction may delete")
    func smallTransactions() throws {
        var options = StoreOptions()
        options.operationCountMax = 10
        let server = try TestServer(
            try EngineCase.memory.open(), schema: Outboxes.schema, storeOptions: options)
        for start in stride(from: 1, to: 31, by: 10) { server.submitWrite(start...(start + 9)) }
        let page = server.outbox("?limit=25")
        #expect(server.acknowledge(page.through) == 25)
        #expect(server.outbox().keys == Array(26...30))
    }

    @Test("an outbox survives a restart, and its places do too")
    func restart() throws {
        let engine = LastingEngine(try EngineCase.lmdb.open())
        func open() throws -> TestServer {
            try TestServer(engine, schema: Outboxes.schema)
        }
        var server: TestServer? = try open()
        server?.submitWrite(1...3)
        let through = server?.outbox("?limit=1").through ?? ""
        server = nil
        server = try open()
        #expect(server?.outbox().keys == [1, 2, 3])
        #expect(server?.acknowledge(through) == 1)
        server = nil
        server = try open()
        #expect(server?.outbox().keys == [2, 3])
        server?.submitWrite(1...1)
        #expect(server?.outbox().keys == [2, 3, 1])
    }

    @Test("places that are none of the outbox are refused")
    func places() throws {
        let server = try Outboxes.server()
        server.submitWrite(1...3)
        let through = server.outbox().through
        let visits = server.send("GET", "/v1/classes/Visit/outbox").json["through"]?.string ?? ""
        let parts = through.split(separator: "-")
        let beyond = "\(parts[0])-4"
        let epoch = through.split(separator: ".")[0] + ".zzzzzzzz-1"
        let path = "/v1/classes/Reading/outbox"
        for text in ["x", "", "1", "now", server.store.version.description, visits, beyond] {
            APIScenario(
                "DELETE", target(path, [("through", text)]), status: 400,
                contains: ["\"parameter\":\"through\""]
            ).check(on: server)
            APIScenario(
                "GET", target(path, [("since", text)]), status: 400,
                contains: ["\"parameter\":\"since\""]
            ).check(on: server)
        }
        for (method, parameter) in [("DELETE", "through"), ("GET", "since")] {
            APIScenario(
                method, target(path, [(parameter, "\(epoch)")]), status: 410,
                contains: [#""code":"restored""#]
            ).check(on: server)
        }
        APIScenario(
            "DELETE", path, status: 400, contains: ["\"parameter\":\"through\""]
        ).check(on: server)
        APIScenario(
            "GET", path + "?limit=0", status: 400, contains: ["limit-out-of-range"]
        ).check(on: server)
        APIScenario("GET", path + "?limit=1000", status: 200).check(on: server)
        APIScenario("GET", path + "?limit=1001", status: 400).check(on: server)
        APIScenario("GET", path + "?filter=x", status: 400, contains: ["unknown-parameter"]).check(
            on: server)
        APIScenario(
            "GET", path, headers: [("Accept", "text/csv")], status: 406
        ).check(on: server)
        #expect(server.outbox().keys == [1, 2, 3])
    }

    @Test("a long poll is answered by the first object, or without one when its time is over")
    func longPoll() throws {
        let server = try Outboxes.server()
        let port = server.server.addresses.first?.port ?? 0
        let path = "/v1/classes/Reading/outbox"
        let early = server.send("GET", path, headers: [("Prefer", "wait=1")])
        #expect(early.status == 200 && early.text.hasPrefix("{\"objects\":[],"))
        #expect(early.headers["preference-applied"] == "wait=1")
        let waiting = try StartedThread {
            let client = HTTPClient(port: port)
            defer { client.disconnect() }
            return client.send("GET", path, headers: [("Prefer", "wait=30")]).text
        }
        // Neither concerns the outbox.
        server.send("PUT", "/v1/classes/Sensor/objects/a", "{}")
        server.send("POST", "/v1/classes/Visit/objects", "{}")
        server.submitWrite(1...2)
        #expect(waiting.result().hasPrefix("{\"objects\":[{\"_id\":1,"))
        let page = server.send("GET", path + "?limit=1", headers: [("Prefer", "wait=30")])
        #expect(page.json["objects"]?.elements.count == 1)
    }

    @Test("an event stream tells what waits, then each batch as it is committed, and resumes")
    func stream() throws {
        let server = try Outboxes.server()
        let port = server.server.addresses.first?.port ?? 0
        let path = "/v1/classes/Reading/outbox"
        server.submitWrite(1...450)
        let client = ChangesClient(port: port, path)
        #expect(client.nextEvent().name == "hello")
        var keys: [Int64] = []
        var last = ""
        func read(_ client: ChangesClient, until count: Int) {
            while keys.count < count, !client.isEnded {
                let event = client.nextEvent()
                #expect(event.name == "batch")
                keys += event.json["objects"]?.elements.compactMap { $0["_id"]?.int } ?? []
                #expect(event.id == event.json["through"]?.string)
                last = event.id ?? ""
            }
        }
        read(client, until: 450)
        server.submitWrite(451...452)
        read(client, until: 452)
        let middle = last
        // What is acknowledged, and what others write, says nothing to the stream.
        #expect(server.acknowledge(middle) == 452)
        server.send("PUT", "/v1/classes/Sensor/objects/a", "{}")
        server.submitWrite(453...454)
        read(client, until: 454)
        #expect(keys == Array(1...454))
        // Nothing was acknowledged behind `middle`: a new client gets it again, a resuming one what is new.
        keys = []
        let again = ChangesClient(port: port, path)
        #expect(again.nextEvent().name == "hello")
        read(again, until: 2)
        #expect(keys == [453, 454])
        server.submitWrite(455...455)
        keys = []
        let resumed = ChangesClient(port: port, path, headers: [("Last-Event-ID", last)])
        #expect(resumed.nextEvent().name == "hello")
        read(resumed, until: 1)
        #expect(keys == [455])
        let restored = ChangesClient(
            port: port, path,
            headers: [("Last-Event-ID", last.split(separator: ".")[0] + ".zzzzzzzz-9")])
        #expect(restored.nextEvent().name == "hello")
        #expect(restored.nextEvent().data == "{\"reason\":\"restored\"}")
        keys = []
        read(restored, until: 3)
        #expect(keys == [453, 454, 455])
    }

    @Test("streams of an outbox end with the service, and idle ones are kept alive")
    func heartbeats() throws {
        var options = RESTOptions()
        options.heartbeatSeconds = 1
        let server = try Outboxes.server(.memory, options)
        let client = ChangesClient(
            port: server.server.addresses.first?.port ?? 0, "/v1/classes/Reading/outbox")
        #expect(client.next()?.name == "hello")
        let beat = client.next()
        #expect(beat?.isHeartbeat == true && beat?.id != nil)
        server.service.endWaiting()
        while client.next() != nil {}
        #expect(client.isEnded)
    }

    @Test("a slow client of an outbox misses nothing")
    func slowClient() throws {
        var options = RESTOptions()
        options.limits.streamQueueByteCountMax = 4096
        let server = try Outboxes.server(.memory, options)
        let client = ChangesClient(
            port: server.server.addresses.first?.port ?? 0, "/v1/classes/Reading/outbox",
            receiveByteCountMax: 4096)
        #expect(client.nextEvent().name == "hello")
        for start in stride(from: 1, to: 5001, by: 500) {
            server.submitWrite(start...(start + 499))
        }
        var keys: [Int64] = []
        while keys.count < 5000, !client.isEnded {
            keys +=
                client.nextEvent().json["objects"]?.elements.compactMap { $0["_id"]?.int } ?? []
        }
        #expect(keys == Array(1...5000))
    }

    @Test("a stream of the whole store tells nothing of asymmetric classes")
    func storeStream() throws {
        let server = try Outboxes.server()
        let changes = ChangesServer(server)
        changes.send("PUT", "/v1/classes/Sensor/objects/a", "{}")
        let stream = changes.events("/v1/changes", [("since", "start")])
        _ = stream.events(to: "upToDate")
        server.submitWrite(1...3)
        #expect(server.acknowledge(server.outbox("?limit=1").through) == 1)
        server.send("PUT", "/v1/classes/Sensor/objects/b", "{}")
        #expect(stream.nextEvent().changes == ["enter b"])
        let page = server.send("GET", "/v1/changes?since=start")
        #expect(page.json["objects"]?.elements.count == 2)
        APIScenario(
            "GET",
            target(
                "/v1/classes/Sensor/changes", [("filter", "@links.@count == 0"), ("since", "now")]),
            status: 200
        ).check(on: server)
    }
}
