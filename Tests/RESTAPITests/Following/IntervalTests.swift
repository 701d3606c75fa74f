import HoldfastTestSupport
import Testing

/// `interval`: what happens within it is one event.
@Suite("Streams in intervals")
struct IntervalTests {
    private static let path = "/v1/classes/Task/changes"
    /// So long that it is not over before what cuts it short: another stream of the same.
    private static let parameters = [("filter", "done == false"), ("interval", "10000")]

    /// Requests on tasks within an interval, and the event that they make.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let requests: [Request]
        let told: [String]
        var changed: [String]? = nil

        var testDescription: String { name }
    }

    struct Request: Sendable {
        let method: String
        let id: Int
        let body: String?

        init(_ method: String, _ id: Int, _ body: String? = nil) {
            self.method = method
            self.id = id
            self.body = body
        }
    }

    static let rows = [
        Row(
            name: "updates are one, of all that has changed",
            requests: [
                Request("PATCH", 1, #"{"rank":5}"#), Request("PATCH", 1, #"{"title":"x"}"#),
            ],
            told: ["update 1"], changed: ["title", "rank"]),
        Row(
            name: "a new one that changes enters",
            requests: [Request("PUT", 7, "{}"), Request("PATCH", 7, #"{"rank":5}"#)],
            told: ["enter 7"]),
        Row(
            name: "who comes and goes is not told",
            requests: [
                Request("PUT", 7, "{}"), Request("PATCH", 7, #"{"done":true}"#),
                Request("PUT", 8, "{}"), Request("DELETE", 8), Request("PUT", 9, "{}"),
            ], told: ["enter 9"]),
        Row(
            name: "who goes and comes back is updated",
            requests: [
                Request("PATCH", 1, #"{"done":true}"#), Request("PATCH", 1, #"{"rank":5}"#),
                Request("PATCH", 1, #"{"done":false}"#),
            ], told: ["update 1"]),
        Row(
            name: "who is updated and goes leaves",
            requests: [
                Request("PATCH", 1, #"{"rank":5}"#), Request("PATCH", 1, #"{"done":true}"#),
            ],
            told: ["leave 1"]),
        Row(
            name: "who leaves and is deleted then has its key",
            requests: [Request("PATCH", 1, #"{"done":true}"#), Request("DELETE", 1)],
            told: ["leave 1"]),
        Row(
            name: "who is deleted goes before who has its key then",
            requests: [
                Request("PATCH", 1, #"{"rank":5}"#), Request("DELETE", 1), Request("PUT", 1, "{}"),
            ], told: ["delete 1", "enter 1"]),
        Row(
            name: "the order is that of the first changes",
            requests: [
                Request("PATCH", 2, #"{"rank":5}"#), Request("PUT", 7, "{}"),
                Request("PATCH", 1, #"{"rank":5}"#), Request("PATCH", 2, #"{"rank":6}"#),
            ], told: ["update 2", "enter 7", "update 1"]),
    ]

    @Test("tell what is different from what was told last", arguments: rows)
    func folding(row: Row) throws {
        let server = try Tasks.server()
        for id in 1...3 { server.task(id, #"{"title":"t"}"#) }
        let stream = server.events(Self.path, Self.parameters + [("since", "start")])
        _ = stream.events(to: "upToDate")
        // The first event after a while is told at once.
        server.send("PATCH", "/v1/classes/Task/objects/3", #"{"rank":1}"#)
        #expect(stream.nextEvent().changes == ["update 3"])
        for request in row.requests {
            let reply = server.send(
                request.method, "/v1/classes/Task/objects/\(request.id)", request.body)
            #expect(reply.status < 300, "\(reply.text)")
        }
        let version = server.store.version
        // Whoever joins knows everything, so the others have to.
        let second = server.events(Self.path, Self.parameters)
        #expect(second.nextEvent().name == "hello")
        let event = stream.nextEvent()
        #expect(event.changes == row.told)
        #expect(event.id == "\(version)" && event.json["version"]?.string == event.id)
        if let changed = row.changed {
            #expect(
                event.json["changes"]?.elements.first?["changed"]
                    == .array(changed.map { .string($0) }))
        }
    }

    @Test("are for every stream of changes, and one that is cut resumes from what it was told last")
    func resuming() throws {
        let server = try Tasks.server()
        server.task(1, "{}")
        for path in ["/v1/changes", Self.path, "/v1/classes/Task/objects/1/changes"] {
            let parameters = [("interval", "10000")]
            var stream = server.events(path, parameters + [("since", "start")])
            _ = stream.events(to: "upToDate")
            server.send("PATCH", "/v1/classes/Task/objects/1", #"{"title":"\#(path)"}"#)
            let last = try #require(stream.nextEvent().id)
            server.send("PATCH", "/v1/classes/Task/objects/1", #"{"rank":\#(path.utf8.count)}"#)
            stream = server.events(path, parameters, headers: [("Last-Event-ID", last)])
            let missed = stream.events(to: "upToDate")
            #expect(missed.first { $0.name == "change" }?.changes == ["update 1"], "\(path)")
        }
    }

    @Test("of projections and key paths tell what has changed of what counts")
    func compared() throws {
        let server = try Tasks.server()
        server.task(1, #"{"title":"t"}"#)
        let parameters = [("keyPaths", "title,rank"), ("interval", "10000")]
        let stream = server.events(Self.path, parameters)
        _ = stream.nextEvent()
        server.send("PATCH", "/v1/classes/Task/objects/1", #"{"title":"u"}"#)
        #expect(stream.nextEvent().changes == ["update 1"])
        for body in [#"{"done":true}"#, #"{"rank":1}"#, #"{"title":"v"}"#] {
            server.send("PATCH", "/v1/classes/Task/objects/1", body)
        }
        let second = server.events(Self.path, parameters)
        #expect(second.nextEvent().name == "hello")
        #expect(
            stream.nextEvent().json["changes"]?.elements.first?["changed"]
                == .array([.string("title"), .string("rank")]))
    }

    @Test(
        "can't be asked for otherwise",
        arguments: [
            ("?interval=100", "application/json", "leave 'interval' out"),
            ("?interval=9", "text/event-stream", "10 to 10000"),
            ("?interval=10001", "text/event-stream", "10 to 10000"),
            ("?interval=second", "text/event-stream", "interval"),
            ("?interval=100&old=true", "text/event-stream", "leave 'old' out"),
        ])
    func faults(query: String, mode: String, part: String) throws {
        let server = try Tasks.server()
        for path in ["/v1/changes", Self.path] {
            let reply = server.send("GET", path + query, headers: [("Accept", mode)])
            #expect(reply.status == 400 && reply.text.contains(part), "\(reply.text)")
        }
    }
}
