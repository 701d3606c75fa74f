import HoldfastRESTAPI
import HoldfastTestSupport
import Testing

@Suite("live lists")
struct LiveListTests {
    private static let path = "/v1/classes/Task/changes"
    private static let top = [("sort", "-rank"), ("limit", "3"), ("fields", "id,rank")]

    private static func server(
        _ options: RESTOptions = RESTOptions()
    ) throws -> ChangesServer {
        let server = try Tasks.server(options)
        for id in 1...5 { server.task(id, #"{"title":"t","rank":\#(id)}"#) }
        return server
    }

    @Test("begins with hello, reset, the objects in order, and the first id")
    func snapshot() throws {
        let server = try Self.server()
        for since in ["now", "start"] {
            let stream = server.events(Self.path, Self.top + [("since", since)])
            #expect(stream.status == 200)
            let events = stream.events(to: "upToDate")
            #expect(events.map(\.name) == ["hello", "reset", "snapshot", "upToDate"])
            #expect(events[1] == .init(name: "reset", id: "start", data: #"{"reason":"start"}"#))
            #expect(events[2].json["objects"]?.elements.compactMap { $0["id"]?.int } == [5, 4, 3])
            #expect(events.map(\.id) == [nil, "start", nil, "\(server.store.version)"])
        }
        let empty = server.events(Self.path, [("sort", "rank"), ("filter", "rank > 99")])
        #expect(empty.events(to: "upToDate").map(\.name) == ["hello", "reset", "upToDate"])
    }

    /// A write and the event that it makes.
    private struct Step: Sendable {
        var method = "PATCH"
        var id: Int
        var body: String? = nil
        /// `op id index` of each change.
        var changes: [String]
        var deletions: [Int64] = []
        var insertions: [Int64] = []
        var modifications: [Int64] = []
    }

    private static let steps = [
        // Changes in its place, which the order does not read.
        Step(id: 4, body: #"{"title":"u"}"#, changes: ["update 4 1"], modifications: [1]),
        // Moves up from the end: others keep their order.
        Step(
            id: 3, body: #"{"rank":9}"#, changes: ["update 3 0"], deletions: [2], insertions: [0]),
        // Comes in at the top, and pushes the last one out.
        Step(
            id: 1, body: #"{"rank":20}"#, changes: ["leave 4", "enter 1 0"], deletions: [2],
            insertions: [0]),
        // A new one in between.
        Step(
            method: "PUT", id: 6, body: #"{"rank":15}"#, changes: ["leave 5", "enter 6 1"],
            deletions: [2], insertions: [1]),
        // One goes, and the next one moves up into the list.
        Step(
            method: "DELETE", id: 1, changes: ["delete 1", "enter 5 2"], deletions: [0],
            insertions: [2]),
        // It stays between the same neighbours: it has changed in its place.
        Step(id: 3, body: #"{"rank":8}"#, changes: ["update 3 1"], modifications: [1]),
        // One falls out, and another one comes for it.
        Step(
            id: 6, body: #"{"rank":-1}"#, changes: ["leave 6", "enter 4 2"], deletions: [0],
            insertions: [2]),
    ]

    @Test("tells each change with its index, and what became of the indices")
    func changes() throws {
        let server = try Self.server()
        let stream = server.events(Self.path, Self.top)
        _ = stream.events(to: "upToDate")
        for step in Self.steps {
            server.send(step.method, "/v1/classes/Task/objects/\(step.id)", step.body)
            let event = stream.nextEvent()
            #expect(event.name == "change" && event.id == "\(server.store.version)")
            let json = event.json
            #expect(json["version"]?.string == event.id)
            let changes = zip(event.changes, json["changes"]?.elements ?? []).map { text, change in
                text + (change["index"]?.int.map { " \($0)" } ?? "")
            }
            #expect(changes == step.changes, "\(event.data)")
            func indices(_ name: String) -> [Int64] {
                json[name]?.elements.compactMap(\.int) ?? [-1]
            }
            #expect(indices("deletions") == step.deletions, "\(event.data)")
            #expect(indices("insertions") == step.insertions, "\(event.data)")
            #expect(indices("modifications") == step.modifications, "\(event.data)")
        }
    }

    @Test("tells nothing of what happens outside of it")
    func outside() throws {
        let server = try Self.server()
        let stream = server.events(Self.path, Self.top + [("filter", "done == false")])
        _ = stream.events(to: "upToDate")
        server.send("PATCH", "/v1/classes/Task/objects/1", #"{"rank":2}"#)
        server.send("PATCH", "/v1/classes/Task/objects/2", #"{"done":true,"rank":50}"#)
        server.person("a", "{}")
        server.send("PATCH", "/v1/classes/Task/objects/5", #"{"done":true}"#)
        #expect(stream.nextEvent().changes == ["leave 5", "enter 1"])
    }

    @Test("follows its order through links")
    func links() throws {
        let server = try Self.server()
        server.person("a", #"{"age":1}"#)
        server.person("b", #"{"age":2}"#)
        server.send("PATCH", "/v1/classes/Task/objects/1", #"{"owner":"a"}"#)
        server.send("PATCH", "/v1/classes/Task/objects/2", #"{"owner":"b"}"#)
        let stream = server.events(
            Self.path, [("sort", "-owner.age"), ("limit", "2"), ("fields", "id")])
        var list = FollowedResult(hasSections: false)
        for event in stream.events(to: "upToDate") { list.apply(event) }
        #expect(list.ids == [2, 1])
        server.send("PATCH", "/v1/classes/Person/objects/a", #"{"age":3}"#)
        let event = stream.nextEvent()
        list.apply(event)
        #expect(event.changes == ["update 1"] && list.ids == [1, 2])
        #expect(event.json["changes"]?.elements.first?["changed"] == .array([.string("owner")]))
    }

    @Test("with key paths, tells of these, of the order, and of who comes and goes")
    func keyPaths() throws {
        let server = try Self.server()
        let stream = server.events(
            Self.path, [("sort", "-rank"), ("limit", "2"), ("keyPaths", "title")])
        _ = stream.events(to: "upToDate")
        server.send("PATCH", "/v1/classes/Task/objects/5", #"{"done":true}"#)
        server.send("PATCH", "/v1/classes/Task/objects/5", #"{"title":"u"}"#)
        let update = stream.nextEvent()
        #expect(update.changes == ["update 5"])
        #expect(update.json["changes"]?.elements.first?["changed"] == .array([.string("title")]))
        server.send("PATCH", "/v1/classes/Task/objects/4", #"{"rank":9}"#)
        #expect(stream.nextEvent().changes == ["update 4"])
        server.send("PATCH", "/v1/classes/Task/objects/1", #"{"rank":7}"#)
        #expect(stream.nextEvent().changes == ["leave 5", "enter 1"])
    }

    @Test("resumes at the same version, and begins again at another one")
    func resuming() throws {
        let server = try Self.server()
        let stream = server.events(Self.path, Self.top)
        let last = try #require(stream.events(to: "upToDate").last?.id)
        func names(_ cursor: String) -> [String] {
            server.events(Self.path, Self.top, headers: [("Last-Event-ID", cursor)])
                .events(to: "upToDate").map(\.name)
        }
        #expect(names(last) == ["hello", "upToDate"])
        // What does not concern it does not count while somebody follows it.
        server.person("a", "{}")
        #expect(names(last) == ["hello", "upToDate"])
        server.send("PATCH", "/v1/classes/Task/objects/5", #"{"rank":50}"#)
        _ = stream.nextEvent()
        #expect(names(last) == ["hello", "reset", "snapshot", "upToDate"])
        #expect(names("start") == ["hello", "reset", "snapshot", "upToDate"])
        let future = String(last.prefix { $0 != "-" }) + "-99999"
        let restored = server.events(Self.path, Self.top, headers: [("Last-Event-ID", future)])
        #expect(restored.events(to: "reset").last?.json["reason"]?.string == "restored")
    }

    @Test(
        "says what to do instead",
        arguments: [
            APIScenario(
                "GET", "/v1/classes/Task/changes?sort=rank", status: 400,
                contains: ["text/event-stream", "\"parameter\":\"sort\""]),
            APIScenario(
                "GET", "/v1/classes/Task/changes?sort=rank&old=true", status: 400,
                contains: ["leave 'old' out"]),
            APIScenario(
                "GET", "/v1/classes/Task/changes?sort=rank&interval=5", status: 400,
                contains: ["10 to 10000"]),
            APIScenario(
                "GET", "/v1/classes/Task/changes?sort=nothing", status: 400, contains: ["column"]),
            APIScenario(
                "GET", "/v1/classes/Task/changes?sort=rank&limit=1001", status: 400,
                contains: ["limit-out-of-range"]),
            APIScenario(
                "GET", "/v1/changes?sort=rank", status: 400, contains: ["unknown-parameter"]),
            APIScenario(
                "GET", "/v1/classes/Task/sections/changes", status: 400, contains: ["'by'"]),
            APIScenario(
                "GET", "/v1/classes/Task/sections/changes?by=done&limit=1000&objects=11",
                status: 400,
                contains: ["10000 objects"]),
            APIScenario(
                "GET", "/v1/classes/Task/aggregate/changes?op=mix(rank)", status: 400,
                contains: ["'count'"]),
            APIScenario(
                "GET", "/v1/classes/Task/aggregate/changes?filter=rank > now()", status: 400),
            APIScenario(
                "GET", "/v1/classes/Tusk/aggregate/changes", status: 404, contains: ["Task"]),
        ])
    func faults(scenario: APIScenario) throws {
        scenario.check(on: try Tasks.server().server)
    }

    @Test("sections and aggregates are event streams alone")
    func mediaTypes() throws {
        let server = try Tasks.server()
        for path in ["sections/changes?by=done", "aggregate/changes"] {
            let reply = server.send(
                "GET", "/v1/classes/Task/\(path)", headers: [("Accept", "application/json")])
            #expect(reply.status == 406, "\(reply.text)")
        }
    }

    @Test("an aggregate is told whole, whenever it differs")
    func aggregate() throws {
        let server = try Self.server()
        let path = "/v1/classes/Task/aggregate/changes"
        let parameters = [("op", "count,max(rank)"), ("filter", "done == false")]
        let stream = server.events(path, parameters)
        #expect(stream.nextEvent().name == "hello")
        let first = stream.nextEvent()
        #expect(
            first
                == .init(
                    name: "value", id: "\(server.store.version)",
                    data: #"{"count":5,"max(rank)":5}"#))
        // What it does not read is no news, nor is what gives the same.
        server.send("PATCH", "/v1/classes/Task/objects/1", #"{"title":"x"}"#)
        server.send("PATCH", "/v1/classes/Task/objects/1", #"{"rank":2}"#)
        server.send("PATCH", "/v1/classes/Task/objects/2", #"{"rank":9}"#)
        #expect(stream.nextEvent().data == #"{"count":5,"max(rank)":9}"#)
        server.send("PATCH", "/v1/classes/Task/objects/2", #"{"done":true}"#)
        #expect(stream.nextEvent().data == #"{"count":4,"max(rank)":5}"#)
        let again = server.events(
            path, parameters, headers: [("Last-Event-ID", "\(server.store.version)")])
        #expect(again.events(to: "value").map(\.name) == ["hello", "value"])
    }

    @Test("an aggregate with too many groups ends with an error that says so")
    func groups() throws {
        let server = try Tasks.server()
        let tasks = (1...1000).map { #"{"id":\#($0),"rank":\#($0)}"# }.joined(separator: ",")
        server.send("POST", "/v1/classes/Task/objects", "[\(tasks)]")
        let stream = server.events("/v1/classes/Task/aggregate/changes", [("by", "rank")])
        _ = stream.events(to: "value")
        server.task(2000, #"{"rank":2000}"#)
        let error = stream.nextEvent()
        #expect(error.name == "error" && error.json["code"]?.string == "too-many-groups")
        #expect(stream.next() == nil)
    }

    @Test("what happens within an interval is one event")
    func interval() throws {
        let server = try Self.server()
        let stream = server.events(
            "/v1/classes/Task/aggregate/changes", [("op", "sum(rank)"), ("interval", "3000")])
        _ = stream.events(to: "value")
        server.task(10, #"{"rank":100}"#)
        #expect(stream.nextEvent().data == #"{"sum(rank)":115}"#)
        for id in 11...13 { server.task(id, #"{"rank":100}"#) }
        // Within the interval.
        #expect(stream.nextEvent().data == #"{"sum(rank)":415}"#)
    }

    @Test("schema changes of what it shows begin it again, others do not")
    func schema() throws {
        let server = try Self.server()
        let stream = server.events(Self.path, Self.top)
        let whole = server.events(Self.path, [("sort", "-rank"), ("limit", "3")])
        for one in [stream, whole] { _ = one.events(to: "upToDate") }
        func addProperty(to name: String) {
            let path = "/v1/schema/classes/\(name)"
            let start = #""properties":{"#
            let text = server.send("GET", path).text
            #expect(text.contains(start), "\(text)")
            let reply = server.send(
                "PUT", path,
                text.replacing(start, with: start + #""more":"int?","#, maxReplacements: 1))
            #expect(reply.status == 200, "\(reply.text)")
        }
        addProperty(to: "Person")
        server.send("PATCH", "/v1/classes/Task/objects/5", #"{"rank":50}"#)
        for one in [stream, whole] { #expect(one.nextEvent().changes == ["update 5"]) }
        addProperty(to: "Task")
        let events = whole.events(to: "upToDate")
        #expect(events.map(\.name) == ["reset", "snapshot", "upToDate"])
        #expect(events.first?.json["reason"]?.string == "schema-changed")
        server.send("PATCH", "/v1/classes/Task/objects/5", #"{"rank":51}"#)
        for one in [stream, whole] { #expect(one.nextEvent().changes == ["update 5"]) }
    }

    @Test("a client that reads too slowly gets the list anew")
    func slow() throws {
        var options = RESTOptions()
        options.limits.streamQueueByteCountMax = 64 << 10
        let server = try Self.server(options)
        let stream = ChangesClient(
            port: server.port, target(Self.path, [("sort", "-rank"), ("limit", "2")]),
            receiveByteCountMax: 4096)
        var list = FollowedResult(hasSections: false)
        for event in stream.events(to: "upToDate") { list.apply(event) }
        let title = String(repeating: "x", count: 100_000)
        for round in 1...150 {
            server.send(
                "PATCH", "/v1/classes/Task/objects/\(round % 5 + 1)",
                #"{"rank":\#(100 + round),"title":"\#(title)"}"#)
        }
        var resets: [String?] = []
        while list.objects.first?["rank"]?.int != 250 || !list.isWhole {
            let event = stream.nextEvent()
            if event == .init() { break }
            if event.name == "reset" { resets.append(event.json["reason"]?.string) }
            list.apply(event)
        }
        #expect(Set(resets) == ["fell-behind"])
        #expect(list.ids == [1, 5])
    }
}
