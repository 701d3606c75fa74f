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
    private let service: TestService
    private let hub: StreamHub
    /// The live list of the tasks that are not done; at first one of two.
    private let list: CheckedStream

    init() throws {
        service = try TestService(.memory, classes: [])
        let schema = """
            {"classes":[{"name":"Task","primaryKey":"id","properties":{"id":"int","done":"bool","rank":"int"}}]}
            """
        _ = try SchemaText.put(Array(schema.utf8), service.store)
        hub = StreamHub(service.served, StreamEvents(LineEvents(), heartbeatSeconds: 60))
        var text = QueryText()
        text.filter = "done == false"
        list = try StreamDefinition(
            of: .objects(className: "Task"), text, EventOptions(), quotesLargeInts: false,
            result: .list(sort: "id", limit: 10), intervalMilliseconds: 0
        ).checked(service.served, for: .program)
        try put(1, done: false)
        try put(2, done: true)
    }

    private func put(_ id: Int, done: Bool, rank: Int = 0) throws {
        try service.put(ObjectAddress("Task", "\(id)"), "{\"done\":\(done),\"rank\":\(rank)}")
    }

    /// A client that has read the list up to the newest version.
    private func open(
        from start: StreamCursor = .start, _ location: SourceLocation = #_sourceLocation
    ) -> (follower: Follower, sink: ToldEvents) {
        let sink = ToldEvents()
        let follower = Follower(.events(sink), list, .program)
        hub.open(follower, from: start) {}
        awaitEvents(of: follower, location)
        return (follower, sink)
    }

    private func awaitEvents(
        of follower: Follower, _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(
            hub.isSettled([follower], at: service.store.publisher.version),
            sourceLocation: location)
    }

    @Test("what changes for a moment, within one step of the feed, is not held for longer")
    func moment() throws {
        hub.start()
        defer { hub.stop() }
        let (follower, sink) = open()
        var held: Set<String> = []
        for round in 1...30 {
            let (first, second) = (Monitor(false), Monitor(false))
            hub.perform { _ in first.wait { $0 ? () : nil } }
            try put(1, done: false, rank: round)
            // The step has the result computed, and the feed waits while a worker reads.
            hub.perform { _ in second.wait { $0 ? () : nil } }
            first.update { $0 = true }
            for _ in 0..<20 {
                try put(2, done: false)
                try put(2, done: true)
            }
            second.update { $0 = true }
            awaitEvents(of: follower)
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
        hub.start()
        defer { hub.stop() }
        let (first, _) = open()
        // The feed makes one step over the version at which the second object is in the list.
        let isHeld = Monitor(true)
        hub.perform { _ in isHeld.wait { $0 ? nil : () } }
        try put(2, done: false)
        let moment = service.store.publisher.version
        try put(2, done: true)
        isHeld.update { $0 = false }
        awaitEvents(of: first)
        for (version, resets) in [(moment, true), (moment + 1, false)] {
            let start = StoreVersion(epoch: service.store.epoch, number: version)
            let (_, sink) = open(from: .after(start))
            #expect(sink.take().contains { $0.name == "reset" } == resets)
        }
    }
}
