import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("where streams begin, and from where they are resumed")
struct ResumePointTests {
    private static let tasks = "/v1/classes/Task"

    @Test("`hello` names a version before every write that begins after the reply's head came")
    func hello() throws {
        let server = try Tasks.server()
        for id in 0..<4 { server.task(id, "{}") }
        let port = server.port
        let threads = try (0..<4).map { id in
            try StartedThread {
                let writer = HTTPClient(port: port)
                var missed: [String] = []
                for round in 0..<100 {
                    let stream = ChangesClient(
                        port: port, "\(Self.tasks)/objects/\(id)/changes?since=now")
                    let reply = writer.send(
                        "PATCH", "\(Self.tasks)/objects/\(id)",
                        headers: [("Content-Type", "application/json")],
                        body: Array(#"{"title":"\#(round)"}"#.utf8))
                    let written = reply.headers["holdfast-version"] ?? ""
                    let hello = stream.nextEvent()
                    guard number(hello.id) < number(written) else {
                        missed.append("\(written) after \(hello.data)")
                        continue
                    }
                    let change = stream.nextEvent()
                    if change.changes != ["update \(id)"] || number(change.id) < number(written) {
                        missed.append("\(written) told as \(change)")
                    }
                }
                return missed
            }
        }
        for thread in threads { #expect(thread.result() == []) }
    }

    /// A stream that sends a snapshot: how it is asked for, and the reason that it names.
    struct Snapshot: Sendable, CustomTestStringConvertible {
        var since: String
        var lastID: String?
        var reason: String
        var testDescription: String { "\(since) \(lastID ?? "")" }
    }

    @Test(
        "a snapshot begins with a reset, and nothing has an id from there to the end",
        arguments: [
            Snapshot(since: "start", reason: "start"),
            Snapshot(since: "now", lastID: "start", reason: "start"),
            Snapshot(since: "{old}", lastID: "start", reason: "start"),
            Snapshot(since: "{old}", reason: "cursor-expired"),
            Snapshot(since: "now", lastID: "{old}", reason: "cursor-expired"),
            Snapshot(since: "01234567-7", reason: "restored"),
            Snapshot(since: "{version}0", reason: "restored"),
            Snapshot(since: "start", lastID: "{version}0", reason: "restored"),
        ],
        ["rank >= 0", "rank == 99"])
    func reset(snapshot: Snapshot, filter: String) throws {
        var options = RESTOptions()
        options.heartbeatSeconds = 1
        var storeOptions = StoreOptions()
        storeOptions.retentionByteCount = 4000
        let server = ChangesServer(
            try TestServer(
                EngineCase.memory.open(), schema: Tasks.schema, options: options,
                storeOptions: storeOptions))
        let old = server.task(0, "{}")
        let title = String(repeating: "t", count: 300)
        for id in 1...400 { server.task(id, #"{"title":"\#(title)"}"#) }
        func filled(_ text: String) -> String {
            text == "{old}" ? old : text == "{version}0" ? "\(server.store.version)0" : text
        }
        for path in [Self.tasks + "/changes", "/v1/changes", Self.tasks + "/objects/7/changes"] {
            let parameters = path.hasPrefix(Self.tasks + "/c") ? [("filter", filter)] : []
            let stream = server.events(
                path, parameters + [("since", filled(snapshot.since))],
                headers: snapshot.lastID.map { [("Last-Event-ID", filled($0))] } ?? [])
            #expect(stream.status == 200)
            guard stream.status == 200 else { return }
            var events: [ChangesClient.Event] = []
            while let event = stream.next() {
                events.append(event)
                if event.name == "upToDate" { break }
            }
            #expect(events.map(\.name).prefix(2) == ["hello", "reset"])
            #expect(
                events.dropFirst().first
                    == .init(
                        name: "reset", id: "start", data: #"{"reason":"\#(snapshot.reason)"}"#))
            #expect(events.first?.id == nil)
            #expect(events.dropFirst(2).dropLast().allSatisfy { $0.id == nil })
            #expect(
                events.dropFirst(2).dropLast().allSatisfy {
                    $0.name == "snapshot" || $0.name == "change"
                })
            #expect(events.last?.name == "upToDate" && events.last?.id == "\(server.store.version)")
            server.task(7, #"{"rank":99}"#)
            server.task(7, "{}")
        }
    }

    @Test(
        "a stream whose snapshot has to wait for its turn gets comments meanwhile",
        .timeLimit(.minutes(2)))
    func comments() throws {
        var options = RESTOptions()
        options.heartbeatSeconds = 1
        options.limits.scheduling.runningLongCountMax = 1
        let server = try Tasks.server(options)
        server.task(1, "{}")
        let workers = HeldWorkers(of: server.service.served)
        let stream = server.events(Self.tasks + "/changes", [("since", "start")])
        #expect(stream.events(to: "reset").map(\.name) == ["hello", "reset"])
        #expect(stream.takesComment() && stream.takesComment())
        workers.release()
        #expect(stream.events(to: "upToDate").map(\.name) == ["snapshot", "upToDate"])
    }

    @Test("nothing has an id from the beginning of a catch-up to its end")
    func catchUp() throws {
        let server = try Tasks.server()
        let begin = server.task(0, "{}")
        for id in 1...300 { server.task(id, "{}") }
        let events = server.events(Self.tasks + "/changes", [("since", begin)]).events(
            to: "upToDate")
        #expect(events.dropLast().allSatisfy { $0.id == nil })
        #expect(Set(events.map(\.name)) == ["hello", "change", "upToDate"])
        #expect(events.last?.id == "\(server.store.version)")
    }

    @Test("a cursor of a store that was put back is a reset, and 410 in the JSON modes")
    func future() throws {
        let server = try Tasks.server()
        let version = server.task(1, "{}")
        for since in [version + "0", "\(version.split(separator: "-")[0])-18446744073709551615"] {
            let client = TableClient(server, Self.tasks, since: since)
            client.connect()
            #expect(client.resets == ["restored"])
            client.expectResult()
            for headers in [[], [("Prefer", "wait=5")]] {
                APIScenario(
                    "GET", target(Self.tasks + "/changes", [("since", since)]), headers: headers,
                    status: 410, contains: ["since=start"]
                ).check(on: server.server)
            }
            let pages = TableClient(server, Self.tasks, since: since)
            pages.catchUp(.pages)
            #expect(pages.goneCount == 1)
            pages.expectResult()
        }
    }

    /// A change of the schema that does not concern tasks.
    struct Elsewhere: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var change: @Sendable (inout Schema) -> Void
        /// Whether the shape of a class that is not on the way changes; the whole store's stream shows it.
        var changesShape = true
    }

    @Test(
        "a schema that changes elsewhere, and an index anywhere, resets nobody",
        arguments: [
            Elsewhere(
                testDescription: "an index of a class that tasks link to",
                change: { index("age", of: "Person", in: &$0) }, changesShape: false),
            Elsewhere(
                testDescription: "an index of the class itself",
                change: { index("title", of: "Task", in: &$0) }, changesShape: false),
            Elsewhere(
                testDescription: "an index of another class",
                change: { index("text", of: "Note", in: &$0) }, changesShape: false),
            Elsewhere(
                testDescription: "a new class",
                change: {
                    $0.classes.append(
                        ObjectClass(name: "Other", properties: [Schemas.property("text", .string)]))
                }),
            Elsewhere(
                testDescription: "a property of another class",
                change: { schema in
                    append(Schemas.property("more", .int), to: "Note", in: &schema)
                }),
        ])
    func schemaElsewhere(elsewhere: Elsewhere) throws {
        let server = try Tasks.server()
        server.person("ann", #"{"age":50}"#)
        server.task(1, #"{"owner":"ann","place":{"city":"Rome","host":"ann"}}"#)
        let queries: [[(String, String)]] =
            [
                [], [("filter", "done == false")], [("filter", "owner.age > 40")],
                [("filter", "place.city == 'Rome'"), ("expand", "place.host")],
            ]
        // Connected all the time, cut meanwhile, and as pages.
        let live = queries.map { TableClient(server, Self.tasks, $0) }
        let away = queries.map { TableClient(server, Self.tasks, $0) }
        let pages = queries.map { TableClient(server, Self.tasks, $0) }
        let store = TableClient(server, "/v1")
        for client in live + away + [store] { client.connect() }
        for client in pages { client.catchUp(.pages) }
        var schema = Tasks.schema
        elsewhere.change(&schema)
        try TestServer.put(schema, in: server.store)
        server.task(1, #"{"title":"new","owner":"ann","place":{"city":"Rome","host":"ann"}}"#)
        for client in live + (elsewhere.changesShape ? [] : [store]) {
            #expect(client.next().changes == ["update 1"])
        }
        for client in away { client.connect() }
        for client in pages { client.catchUp(.pages) }
        for client in live + away + pages {
            #expect(client.resets.allSatisfy { $0 == "start" })
            #expect(client.goneCount == 0)
            client.expectResult()
        }
    }

    @Test(
        "a property that comes resets what shows it, and not what goes through its class")
    func schemaOnTheWay() throws {
        let server = try Tasks.server()
        server.person("ann", #"{"age":50}"#)
        server.task(1, #"{"owner":"ann","place":{"city":"Rome","host":"ann"}}"#)
        let queries: [([(String, String)], isReset: Bool)] =
            [
                ([], false), ([("filter", "owner.age > 40")], false), ([("expand", "owner")], true),
                ([("fields", "id,owner.name")], false), ([("expand", "place.host")], true),
                ([("filter", "rank == 0")], false),
            ]
        let live = queries.map { TableClient(server, Self.tasks, $0.0) }
        let away = queries.map { TableClient(server, Self.tasks, $0.0) }
        for client in live + away { client.connect() }
        var schema = Tasks.schema
        append(
            Schemas.property("more", .int, default: .constant(.int(5))), to: "Person", in: &schema)
        try TestServer.put(schema, in: server.store)
        let written = server.task(
            1, #"{"title":"new","owner":"ann","place":{"city":"Rome","host":"ann"}}"#)
        for (client, query) in zip(live, queries) {
            let expected = query.isReset ? ["start", "schema-changed"] : ["start"]
            // The snapshot of a reset may have the write already.
            while number(client.lastID) < number(written), !(client.live?.isEnded ?? true) {
                client.next()
            }
            #expect(client.resets == expected, "\(query.0)")
            client.expectResult("\(query.0)")
        }
        for (client, query) in zip(away, queries) {
            client.connect()
            #expect(
                client.resets == (query.isReset ? ["start", "schema-changed"] : ["start"]),
                "\(query.0)")
            client.expectResult("\(query.0)")
        }
    }
}

/// The number of a version.
private func number(_ version: String?) -> Int {
    version?.split(separator: "-").last.flatMap { Int($0) } ?? -1
}

private func append(_ property: Property, to className: String, in schema: inout Schema) {
    for index in schema.classes.indices where schema.classes[index].name == className {
        schema.classes[index].properties.append(property)
    }
}

private func index(_ name: String, of className: String, in schema: inout Schema) {
    for one in schema.classes.indices where schema.classes[one].name == className {
        for property in schema.classes[one].properties.indices
        where schema.classes[one].properties[property].name == name {
            schema.classes[one].properties[property].isIndexed = true
        }
    }
}
