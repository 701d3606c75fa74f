@testable import HoldfastStreams
import Glibc
import HoldfastObjectStore
import HoldfastServiceSupport
import HoldfastTestSupport
import HoldfastThreads
import Testing

@testable import HoldfastStoreService

@Suite("Followed results that are read between the feed's steps")
struct PassedOverTests {
    @Test("what changes for a moment, within one step of the feed, is not held for longer")
    func moment() throws {
        let service = try TestService(.memory, classes: [])
        let schema = """
            {"classes":[{"name":"Task","primaryKey":"id","properties":{"id":"int","done":"bool","rank":"int"}}]}
            """
        _ = try SchemaText.put(Array(schema.utf8), service.store)
        func put(_ id: Int, _ done: Bool, _ rank: Int) throws {
            try service.put(
                ObjectAddress("Task", "\(id)"), "{\"done\":\(done),\"rank\":\(rank)}")
        }
        try put(1, false, 0)
        try put(2, true, 0)
        let hub = StreamHub(service.served, StreamEvents(LineEvents(), heartbeatSeconds: 60))
        hub.start()
        defer { hub.stop() }
        var text = QueryText()
        text.filter = "done == false"
        let checked = try StreamDefinition(
            of: .objects(className: "Task"), text, EventOptions(), quotesLargeInts: false,
            result: .list(sort: "id", limit: 10), intervalMilliseconds: 0
        ).checked(service.served, for: .program)
        let sink = ToldEvents()
        let follower = Follower(.events(sink), checked, .program)
        hub.open(follower, from: .start) {}
        #expect(hub.isSettled([follower], at: service.store.publisher.version))
        var held: Set<String> = []
        for round in 1...30 {
            let (first, second) = (Monitor(false), Monitor(false))
            hub.perform { _ in first.wait { $0 ? () : nil } }
            try put(1, false, round)
            // The step has the result computed, and the feed waits while a worker reads.
            hub.perform { _ in second.wait { $0 ? () : nil } }
            first.update { $0 = true }
            for _ in 0..<20 {
                try put(2, false, 0)
                try put(2, true, 0)
            }
            second.update { $0 = true }
            #expect(hub.isSettled([follower], at: service.store.publisher.version))
            for event in sink.take() {
                if event.name == "reset" { held = [] }
                for entry in (event.data["objects"] ?? event.data["changes"])?.elements ?? [] {
                    let key = entry["id"]?.int.map { "\($0)" } ?? ""
                    if entry["object"] == nil { held.remove(key) } else { held.insert(key) }
                }
            }
            #expect(held == ["1"], "round \(round)")
            if held != ["1"] { return }
        }
    }

    @Test("a client that read them between two steps of the feed begins again")
    func between() throws {
        let service = try TestService(.memory, classes: [])
        let schema = """
            {"classes":[{"name":"Task","primaryKey":"id","properties":{"id":"int","done":"bool"}}]}
            """
        _ = try SchemaText.put(Array(schema.utf8), service.store)
        func put(_ id: Int, _ done: Bool) throws {
            try service.put(ObjectAddress("Task", "\(id)"), "{\"done\":\(done)}")
        }
        try put(1, false)
        try put(2, true)
        let hub = StreamHub(service.served, StreamEvents(LineEvents(), heartbeatSeconds: 60))
        hub.start()
        defer { hub.stop() }
        var text = QueryText()
        text.filter = "done == false"
        let checked = try StreamDefinition(
            of: .objects(className: "Task"), text, EventOptions(), quotesLargeInts: false,
            result: .list(sort: "id", limit: 10), intervalMilliseconds: 0
        ).checked(service.served, for: .program)
        let first = Follower(.events(ToldEvents()), checked, .program)
        hub.open(first, from: .start) {}
        #expect(hub.isSettled([first], at: service.store.publisher.version))
        // The feed makes one step over the version at which the second object is in the list.
        let isHeld = Monitor(true)
        hub.perform { _ in isHeld.wait { $0 ? nil : () } }
        try put(2, false)
        let moment = service.store.publisher.version
        try put(2, true)
        isHeld.update { $0 = false }
        #expect(hub.isSettled([first], at: service.store.publisher.version))
        for (version, resets) in [(moment, true), (moment + 1, false)] {
            let sink = ToldEvents()
            let second = Follower(.events(sink), checked, .program)
            hub.open(
                second, from: .after(StoreVersion(epoch: service.store.epoch, number: version))
            ) {}
            #expect(hub.isSettled([second], at: service.store.publisher.version))
            #expect(sink.take().contains { $0.name == "reset" } == resets)
        }
    }
}
