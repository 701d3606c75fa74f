import HoldfastTestSupport
import Testing

/// A client of a stream of several queries that does what the table in `docs/change-streams.md` says, for each query
/// by its name, and nothing more. What it holds stays when its connection is cut. One thread at a time uses it.
final class QueryStreamClient {
    /// One query: as the stream's body states it, and the page of objects that it has to lead to.
    struct Query {
        var body: String
        var page: String
        /// Whether it is a live list.
        var isList = false

        init(_ body: String, page path: String, _ parameters: [(String, String)] = []) {
            self.body = body
            page =
                path.hasSuffix("/objects")
                ? target(path, parameters + [("limit", "1000")]) : path
        }

        /// The first tasks in an order.
        static func list(_ sort: String, limit: Int) -> Query {
            var query = Query(
                #"{"class":"Task","sort":"\#(sort)","limit":\#(limit)}"#, page: "")
            query.page = target(
                "/v1/classes/Task/objects", [("sort", sort), ("limit", "\(limit)")])
            query.isList = true
            return query
        }

        /// The tasks that match a filter.
        static func tasks(_ filter: String) -> Query {
            Query(
                #"{"class":"Task","filter":"\#(filter)"}"#, page: "/v1/classes/Task/objects",
                [("filter", filter)])
        }
    }

    private let server: ChangesServer
    private(set) var id = ""
    private(set) var queries: [String: Query]
    private(set) var replicas: [String: ChangesReplica] = [:]
    /// Of live lists.
    private(set) var lists: [String: FollowedResult] = [:]
    private(set) var lastID: String?
    /// The queries that stand between `reset` and `upToDate`.
    private(set) var pending: Set<String> = []
    /// The queries that were added and have not begun, each with the generation that the reply has.
    private var added: [String: Int64] = [:]
    private(set) var resets: [String] = []
    /// The queries that may end while the others go on, and those of them that have, until they are reset.
    var endable: Set<String> = []
    private(set) var ended: Set<String> = []
    private(set) var live: ChangesClient?

    init(_ server: ChangesServer, _ queries: [String: Query], interval: Int = 0) {
        self.server = server
        self.queries = queries
        var body = Self.body(queries)
        if interval > 0 { body = body.dropLast() + ",\"interval\":\(interval)}" }
        let reply = server.send("POST", "/v1/streams", body)
        #expect(reply.status == 201, "\(reply.text)")
        id = reply.json["id"]?.string ?? ""
        #expect(reply.headers["location"] == "/v1/streams/\(id)")
    }

    private static func body(_ queries: [String: Query?]) -> String {
        let members = queries.map { #""\#($0.key)":\#($0.value?.body ?? "null")"# }
        return #"{"queries":{\#(members.joined(separator: ","))}}"#
    }

    /// Adds queries, or removes those that are nil. What a client knows of a query goes when it is removed.
    func patch(_ changes: [String: Query?]) {
        let reply = server.send("PATCH", "/v1/streams/\(id)", Self.body(changes))
        #expect(reply.status == 200, "\(reply.text)")
        let generation = reply.json["generation"]?.int
        for (name, query) in changes {
            queries[name] = query
            if query == nil {
                replicas[name] = nil
                lists[name] = nil
                pending.remove(name)
                ended.remove(name)
            }
            added[name] = query == nil ? nil : generation
        }
        let names = reply.json["queries"]?.elements.compactMap { $0.string } ?? []
        #expect(Set(names) == Set(queries.keys))
    }

    /// Opens the stream, and takes its `hello`.
    func open(since: String = "start") {
        live = nil
        // The connection before has to be noticed as gone.
        repeat {
            live = server.events(
                "/v1/streams/\(id)", [("since", since)],
                headers: lastID.map { [("Last-Event-ID", $0)] } ?? [])
        } while live?.status == 409
        #expect(live?.status == 200)
        #expect(next().name == "hello")
    }

    /// Cuts the connection.
    func cut() { live = nil }

    /// Takes the next event.
    @discardableResult
    func next() -> ChangesClient.Event {
        let event = live?.nextEvent() ?? ChangesClient.Event()
        take(event)
        return event
    }

    /// Takes events until one says that the client knows everything up to a version, and what was added has begun.
    ///
    /// - Returns: The events.
    @discardableResult
    func follow(to version: String) -> [ChangesClient.Event] {
        var events: [ChangesClient.Event] = []
        while Self.number(lastID) < Self.number(version) || !added.isEmpty || !pending.isEmpty,
            let event = live?.next()
        {
            take(event)
            events.append(event)
        }
        #expect(Self.number(lastID) >= Self.number(version))
        return events
    }

    /// The number of a version; of none, or `start`, one below all.
    private static func number(_ version: String?) -> Int {
        version?.split(separator: "-").last.flatMap { Int($0) } ?? -1
    }

    /// Takes events until a query has ended, or has begun again.
    func follow(_ name: String, hasEnded: Bool) {
        while ended.contains(name) != hasEnded, let event = live?.next() { take(event) }
        #expect(ended.contains(name) == hasEnded, "\(name)")
    }

    /// Does with an event what the table says.
    func take(_ event: ChangesClient.Event) {
        lastID = event.id ?? lastID
        let name = event.json["query"]?.string
        switch event.name {
        case "reset":
            guard let name else {
                Issue.record("a reset without its query")
                return
            }
            resets.append("\(name): \(event.json["reason"]?.string ?? "")")
            #expect(event.id == "start")
            // A query that was removed may still be told of, also where another has its name.
            let generation = event.json["generation"]?.int
            guard queries[name] != nil, added[name, default: generation ?? -1] == generation
            else { return }
            replicas[name] = ChangesReplica()
            lists[name] = FollowedResult(hasSections: false)
            pending.insert(name)
            ended.remove(name)
            added[name] = nil
        case "upToDate":
            if let name { pending.remove(name) } else { Issue.record("upToDate without its query") }
            #expect(event.json["cursor"]?.string == event.id)
        case "error":
            guard let name, endable.contains(name) else {
                Issue.record("\(event)")
                return
            }
            replicas[name] = nil
            lists[name] = nil
            pending.remove(name)
            ended.insert(name)
        default: break
        }
        if event.name != "reset", event.id != nil {
            #expect(pending.isEmpty, "an id while \(pending) are not up to date: \(event)")
        }
        let entries =
            (event.json["objects"]?.elements ?? []) + (event.json["changes"]?.elements ?? [])
        for entry in entries {
            guard let name = entry["query"]?.string else {
                Issue.record("an entry without its query: \(entry)")
                continue
            }
            guard let query = queries[name], added[name] == nil else { continue }
            if query.isList {
                lists[name]?.take(entry)
            } else if entry["op"] == nil {
                replicas[name, default: ChangesReplica()].set(entry)
            } else {
                replicas[name, default: ChangesReplica()].apply([entry])
            }
        }
    }

    /// Expects that the client holds what each query finds now.
    func expectResults(_ note: String = "", _ location: SourceLocation = #_sourceLocation) {
        for (name, query) in queries {
            let reply = server.send("GET", query.page)
            let found = reply.json["objects"]?.elements ?? [reply.json]
            if query.isList {
                #expect(lists[name]?.objects == found, "\(note) \(name)", sourceLocation: location)
                continue
            }
            var left = Array((replicas[name] ?? ChangesReplica()).objects.values)
            for object in reply.status == 404 ? [] : found {
                if let index = left.firstIndex(of: object) {
                    left.remove(at: index)
                } else {
                    Issue.record(
                        "\(note) \(name): \(object) is missing", sourceLocation: location)
                }
            }
            #expect(
                left.isEmpty, "\(note) \(name) holds what is no result", sourceLocation: location)
        }
    }
}
