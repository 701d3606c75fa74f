@testable import HoldfastStreams
import HoldfastObjectModel
import HoldfastObjectStore
import Synchronization
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI
@testable import HoldfastStoreService

/// Rows, chunks and inverse links that can't be read while streams are told of a change: that is an error or is tried
/// again, and never an event.
@Suite("rows that can't be read")
struct UnreadableRowTests {
    /// A stream, and a change that it tells, of an object that stays in its result.
    struct Row: Sendable, CustomTestStringConvertible {
        var path = "/v1/classes/Task"
        var parameters: [String] = []
        var eventOptions: [String] = []
        let changed: String

        var testDescription: String { "\(path) \(parameters + eventOptions)" }
    }

    static let rows = [
        Row(parameters: ["filter=rank >= 0"], changed: "Task/1 rank"),
        Row(parameters: ["filter=owner.age >= 0"], changed: "Person/ann age"),
        Row(parameters: ["filter=owner.age >= 0", "expand=owner"], changed: "Person/ann age"),
        Row(
            parameters: ["filter=ANY parts.rank >= 0", "fields=id,parts", "expand=parts"],
            changed: "Task/2 rank"),
        Row(
            path: "/v1/classes/Person", parameters: ["filter=tasks.@count > 0", "expand=tasks"],
            changed: "Task/1 rank"),
        Row(
            parameters: ["fields=id,owner.age"], eventOptions: ["keyPaths=owner.age"],
            changed: "Person/ann age"),
        Row(parameters: ["filter=rank >= 0"], eventOptions: ["old=true"], changed: "Task/1 rank"),
        Row(path: "/v1/projections/Board", changed: "Person/ann age"),
    ]

    private static let tags: Set<UInt8> = [
        StoreKey.Tag.row, StoreKey.Tag.overflow, StoreKey.Tag.inverseLink,
    ]

    private static func pairs(_ texts: [String]) -> [(String, String)] {
        texts.map { text in
            let parts = text.split(separator: "=", maxSplits: 1)
            return (String(parts[0]), String(parts[1]))
        }
    }

    private static func makeServer(
        _ schema: Schema
    ) throws -> (engine: FaultyEngine, server: ChangesServer) {
        let engine = FaultyEngine(try EngineCase.memory.open())
        var options = RESTOptions()
        options.heartbeatSeconds = 1
        return (engine, ChangesServer(try TestServer(engine, schema: schema, options: options)))
    }

    /// Has `tell` make the change of a number and take what is told of it, while one of its reads fails, or all from
    /// there on: one later every time, until none has failed. It says whether the stream ended with an error. Then all can
    /// be read again, and `check` compares.
    private func sweep(
        _ engine: FaultyEngine, isLasting: Bool, tell: (Int) throws -> Bool,
        check: (_ hasEnded: Bool) -> Void
    ) throws {
        for number in 0..<200 {
            try engine.failReads(.init(tags: Self.tags, after: number, isLasting: isLasting))
            let hasEnded = try tell(number)
            let failureCount = engine.endReadFault()
            #expect(!hasEnded || failureCount > 0)
            if isLasting, number == 0 { #expect(hasEnded) }
            check(hasEnded)
            if failureCount == 0 { return #expect(number > 0) }
        }
        Issue.record("reads without end")
    }

    @Test(
        "a row that can't be read ends a stream with an error or is tried again, and is no event",
        arguments: rows, [false, true])
    func objects(row: Row, isLasting: Bool) throws {
        let (engine, server) = try Self.makeServer(Tasks.schema)
        server.send(
            "PUT", "/v1/projections/Board",
            #"{"class":"Task","properties":{"id":"id","who":"owner.name","age":"owner.age"}}"#)
        server.person("ann", "{}")
        server.task(2, #"{"owner":"ann"}"#)
        server.task(1, #"{"parts":[2],"owner":"ann"}"#)
        let client = TableClient(
            server, row.path, Self.pairs(row.parameters), eventOptions: Self.pairs(row.eventOptions)
        )
        client.connect()
        let changed = row.changed.split(separator: " ")
        let target = "/v1/classes/" + changed[0].replacing("/", with: "/objects/")
        try sweep(engine, isLasting: isLasting) { number in
            let reply = server.server.send(
                "PATCH", target, #"{"\#(changed[1])":\#(number + 1)}"#,
                headers: [("Prefer", "return=minimal")])
            #expect(reply.status < 300, "\(number): \(reply.text)")
            var event: ChangesClient.Event
            repeat {
                event = client.next()
                #expect(event.changes.allSatisfy { $0.hasPrefix("update ") }, "\(event.data)")
                if event.name == "error" {
                    #expect(event.json["code"]?.string == "storage-failed")
                    #expect(client.live?.next() == nil)
                    return true
                }
            } while event.id != "\(server.store.version)" && client.live?.isEnded == false
            return false
        } check: { hasEnded in
            if hasEnded { client.connect() }
            client.expectResult()
        }
    }

    /// A property, and JSON patches that change it, in turn.
    struct PropertyRow: Sendable, CustomTestStringConvertible {
        let name: String
        let patches: [String]
        var testDescription: String { name }
    }

    @Test(
        "a part of a property that can't be read is no event either",
        arguments: [
            PropertyRow(
                name: "list",
                patches: [
                    #"{"op":"add","path":"/list/700","value":7}"#,
                    #"{"op":"remove","path":"/list/20"}"#,
                ]),
            PropertyRow(
                name: "map",
                patches: [
                    #"{"op":"add","path":"/map/new","value":"a"}"#,
                    #"{"op":"remove","path":"/map/new"}"#,
                ]),
            PropertyRow(
                name: "friends",
                patches: [
                    #"{"op":"add","path":"/friends/1","value":"b"}"#,
                    #"{"op":"remove","path":"/friends/0"}"#,
                ]),
        ], [false, true])
    func properties(row: PropertyRow, isLasting: Bool) throws {
        let (engine, server) = try Self.makeServer(PropertyStreamTests.schema)
        let item = "/v1/classes/Item/objects/1"
        for name in ["a", "b"] { server.send("PUT", "/v1/classes/Dog/objects/\(name)", "{}") }
        let numbers = (0..<20_000).map { "\($0)" }.joined(separator: ",")
        let entries = (0..<4000).map { "\"k\($0)\":\"v\($0)\"" }.joined(separator: ",")
        server.send(
            "PUT", item, #"{"list":[\#(numbers)],"map":{\#(entries)},"friends":["a","b","a"]}"#)
        let client = PropertyClient(server, "\(item)/properties/\(row.name)", mayFail: true)
        client.connect()
        try sweep(engine, isLasting: isLasting) { number in
            let reply = server.server.send(
                "PATCH", item, "[\(row.patches[number % row.patches.count])]",
                headers: [
                    ("Prefer", "return=minimal"), ("Content-Type", "application/json-patch+json"),
                ])
            #expect(reply.status < 300, "\(number): \(reply.text)")
            client.follow(to: "\(server.store.version)")
            return client.live == nil
        } check: { hasEnded in
            if hasEnded { client.connect() }
            client.expectContent()
        }
    }

    /// A result that is computed as a whole, the path of the same query, and a change of an object that both read.
    struct ResultRow: Sendable, CustomTestStringConvertible {
        let follows: String
        let reads: String
        let parameters: [String]
        let changed: String
        var testDescription: String { "\(follows) \(parameters)" }
    }

    @Test(
        "what can't be read while a list, sections or an aggregate are computed is no change of them",
        arguments: [
            ResultRow(
                follows: "changes", reads: "objects", parameters: ["sort=-rank"],
                changed: "Task/1 rank"),
            ResultRow(
                follows: "changes", reads: "objects",
                parameters: ["sort=owner.age,id", "expand=owner"],
                changed: "Person/ann age"),
            ResultRow(
                follows: "sections/changes", reads: "sections",
                parameters: ["by=owner.age", "sort=owner.age"], changed: "Person/ann age"),
            ResultRow(
                follows: "aggregate/changes", reads: "aggregate",
                parameters: ["op=sum(owner.age)", "filter=owner.age >= 0"],
                changed: "Person/ann age"),
        ], [false, true])
    func results(row: ResultRow, isLasting: Bool) throws {
        let (engine, server) = try Self.makeServer(Tasks.schema)
        for name in ["ann", "bob"] { server.person(name, #"{"age":1000}"#) }
        for (id, owner) in [(1, "ann"), (2, "bob"), (3, "ann")] {
            server.task(id, #"{"owner":"\#(owner)","rank":1000}"#)
        }
        let (path, parameters) = ("/v1/classes/Task/", Self.pairs(row.parameters))
        let hasSections = row.reads == "sections"
        var result = FollowedResult(hasSections: hasSections)
        var stream = server.events(path + row.follows, parameters)
        func follow() -> Bool {
            repeat {
                let event = stream.nextEvent()
                if event.name == "error" {
                    #expect(event.json["code"]?.string == "storage-failed")
                    return true
                }
                result.apply(event)
                if result.isWhole, event.id == "\(server.store.version)" { return false }
            } while !stream.isEnded
            return true
        }
        #expect(!follow())
        let changed = row.changed.split(separator: " ")
        let target = "/v1/classes/" + changed[0].replacing("/", with: "/objects/")
        try sweep(engine, isLasting: isLasting) { number in
            let reply = server.server.send(
                "PATCH", target, #"{"\#(changed[1])":\#(number * 7 % 2000)}"#,
                headers: [("Prefer", "return=minimal")])
            #expect(reply.status < 300, "\(number): \(reply.text)")
            return follow()
        } check: { hasEnded in
            if hasEnded {
                stream = server.events(path + row.follows, parameters + [("since", "start")])
                _ = follow()
            }
            let found = server.send("GET", RESTAPITests.target(path + row.reads, parameters)).json
            if row.reads == "aggregate" {
                #expect(result.value == found)
            } else {
                let sections = hasSections ? found["sections"]?.elements ?? [] : [found]
                #expect(result.objects == sections.flatMap { $0["objects"]?.elements ?? [] })
                #expect(result.sections.map(\.key) == sections.map { $0["key"] })
            }
        }
    }

    @Test(
        "what waits for a state that can't be read is refused when the service stops",
        arguments: [false, true])
    func stopping(hasStream: Bool) throws {
        let engine = FaultyEngine(try EngineCase.memory.open())
        let server = try TestServer(engine, schema: Tasks.schema)
        let port = server.server.addresses.first?.port ?? 0
        let stream = hasStream ? ChangesClient(port: port, "/v1/changes") : nil
        #expect(stream?.next()?.name == (hasStream ? "hello" : nil))
        try engine.failReads(.init(tags: [StoreKey.Tag.meta], after: 0, isLasting: true))
        server.send("PUT", "/v1/classes/Task/objects/1", "{}")
        let refusedCount = Atomic(0)
        server.service.streams.perform { _ in
            Issue.record("there is no state")
        } orElse: {
            refusedCount.wrappingAdd(1, ordering: .relaxed)
        }
        server.service.endWaiting()
        #expect(engine.endReadFault() > 0)
        #expect(refusedCount.load(ordering: .relaxed) == 1)
    }
}
