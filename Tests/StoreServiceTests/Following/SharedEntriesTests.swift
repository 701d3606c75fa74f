@testable import HoldfastStreams
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastServiceSupport
import HoldfastTestSupport
import HoldfastThreads
import Testing

@testable import HoldfastStoreService

/// Entries of changes that several filters find.
@Suite("An entry of a change that several filters find")
struct SharedEntriesTests {
    private let service: TestService
    private let hub: StreamHub

    init() throws {
        func property(_ name: String, _ type: ScalarType) -> Property {
            Property(name: name, type: .single(.scalar(type)))
        }
        service = try TestService(
            classes: [
                ObjectClass(
                    name: "Task", primaryKey: "id",
                    properties: [
                        property("id", .int), property("rank", .int), property("title", .string),
                    ])
            ])
        hub = StreamHub(service.served, StreamEvents(LineEvents(), heartbeatSeconds: 60))
        hub.start()
    }

    private func follow(
        _ filter: String, fields: String? = nil, keyPaths: String? = nil, tellsOld: Bool = false,
        name: String? = nil
    ) throws -> (Follower, ToldEvents) {
        var text = QueryText()
        text.filter = filter
        text.fields = fields
        let definition = StreamDefinition(
            of: .objects(className: "Task"), text,
            EventOptions(keyPaths: keyPaths, tellsOld: tellsOld, query: name),
            quotesLargeInts: false)
        let sink = ToldEvents()
        let follower = Follower(
            .events(sink), try definition.checked(service.served, for: .program), .program)
        hub.open(follower, from: .now) {}
        #expect(hub.isSettled([follower], at: service.store.version.number))
        _ = sink.take()
        return (follower, sink)
    }

    private func put(title: String) throws {
        let objects = (0..<50).map { #"{"id":\#($0),"rank":1,"title":"\#(title)"}"# }
        try service.write("Task", array: "[\(objects.joined(separator: ","))]", .merge)
    }

    @Test("is written once in a step for equal selections, and each stream has it whole")
    func once() throws {
        defer { hub.stop() }
        let followers = try (0..<5).map { try follow("rank >= 0 AND rank != -\($0 + 1)") }
        let titles = try (0..<2).map { try follow("rank > -\($0 + 5)", fields: "title") }
        let old = try (0..<2).map { try follow("rank >= -\($0)", tellsOld: true) }
        let alone = try follow("rank >= 0", keyPaths: "title")
        let all = followers + titles + old + [alone]
        for title in ["first", "second"] {
            try put(title: title)
            #expect(hub.isSettled(all.map(\.0), at: service.store.version.number))
        }
        // Entries of three forms in two steps.
        #expect(hub.entries.writtenCount.load(ordering: .relaxed) == 2 * 50 * 3)
        var texts: Set<String> = []
        for (_, sink) in followers {
            let changes = sink.take().flatMap { $0.data["changes"]?.elements ?? [] }
            #expect(changes.count == 100)
            texts.insert(QueryJSON.array(changes).text)
            for (number, change) in changes.enumerated() {
                #expect(change["op"] == .string(number < 50 ? "enter" : "update"))
                #expect(change["object"]?["title"] == .string(number < 50 ? "first" : "second"))
            }
        }
        #expect(texts.count == 1)
        for (_, sink) in old {
            let changes = sink.take().flatMap { $0.data["changes"]?.elements ?? [] }
            #expect(changes.count == 100)
            #expect(changes.suffix(50).allSatisfy { $0["old"]?["title"] == .string("first") })
        }
        for (_, sink) in titles {
            let changes = sink.take().flatMap { $0.data["changes"]?.elements ?? [] }
            #expect(changes.count == 100 && changes.allSatisfy { $0["object"]?["rank"] == nil })
        }
        // Nothing is kept after the step.
        let kept = Monitor<Int?>(nil)
        hub.perform { [hub] _ in
            kept.update { $0 = hub.entries.byteCount }
        }
        #expect(kept.wait { $0 } == 0)
    }
}
