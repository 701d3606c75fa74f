import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

/// A client of a property's stream that does what the table in `docs/change-streams.md` says and nothing more.
///
/// What it holds stays when its connection is cut. One thread at a time uses it.
final class PropertyClient {
    /// What it holds of the property; nil where there is none.
    struct Content: Equatable {
        /// The elements of a list, and in any order those of a set.
        var elements: [QueryJSON] = []
        /// The entries of a map, by key, and what a set links to.
        var entries: [String: QueryJSON] = [:]
        var value: QueryJSON?
    }

    let path: String
    private let server: ChangesServer
    private let parameters: [(String, String)]
    /// What names an object of a set of links.
    private let key: String?
    private(set) var content: Content?
    private(set) var lastID: String?
    private(set) var resets: [String] = []
    /// Whether its stream may end with an error.
    private let mayFail: Bool
    private(set) var live: ChangesClient?

    init(
        _ server: ChangesServer, _ path: String, _ parameters: [(String, String)] = [],
        key: String? = nil, mayFail: Bool = false
    ) {
        self.server = server
        self.path = path
        self.parameters = parameters
        self.key = key
        self.mayFail = mayFail
    }

    /// Opens the stream and takes some of its events, all to `upToDate` unless told otherwise.
    func connect(eventCountMax: Int = .max) {
        let stream = server.events(
            path + "/changes", parameters + [("since", "start")],
            headers: lastID.map { [("Last-Event-ID", $0)] } ?? [])
        #expect(stream.status == 200)
        live = stream
        for _ in 0..<eventCountMax {
            guard stream.status == 200, next().name != "upToDate", !stream.isEnded else { return }
        }
    }

    /// Leaves.
    func cut() { live = nil }

    /// Takes events up to the one of a version.
    func follow(to version: String) {
        while let live, !live.isEnded, number(lastID) < number(version) { next() }
    }

    /// Takes the next event.
    @discardableResult
    func next(_ location: SourceLocation = #_sourceLocation) -> ChangesClient.Event {
        let event = live?.nextEvent(location) ?? ChangesClient.Event()
        lastID = event.id ?? lastID
        apply(event)
        return event
    }

    private func apply(_ event: ChangesClient.Event) {
        let data = event.json
        switch event.name {
        case "reset":
            content = nil
            resets.append(data["reason"]?.string ?? "")
        case "snapshot": add(data)
        case "change":
            switch data["op"]?.string {
            case "enter":
                content = nil
                add(data)
            case "delete": content = nil
            case "update": update(data)
            default: Issue.record("no such change: \(data)")
            }
        case "error":
            cut()
            if !mayFail { Issue.record("\(path): \(event.data)") }
        default: break
        }
    }

    private func number(_ version: String?) -> Int {
        (version ?? "").split(separator: "-").last.flatMap { Int($0) } ?? 0
    }

    private func text(_ json: QueryJSON?) -> String { json.map { "\($0)" } ?? "" }

    private func add(_ data: QueryJSON) {
        var new = content ?? Content()
        new.elements += data["elements"]?.elements ?? []
        for object in data["objects"]?.elements ?? [] {
            if let key {
                new.entries[text(object[key])] = object
            } else {
                new.elements.append(object)
            }
        }
        for entry in data["entries"]?.elements ?? [] {
            new.entries[text(entry["key"])] = entry["value"]
        }
        new.value = data["value"] ?? new.value
        content = new
    }

    private func update(_ data: QueryJSON) {
        guard var new = content else {
            Issue.record("an update of nothing: \(data)")
            return
        }
        if let value = data["value"] { new = Content(value: value) }
        if let deletions = data["deletions"] {
            let isValue = new.value != nil
            var list = new.value?.elements ?? new.elements
            for index in deletions.elements.reversed() { list.remove(at: Int(index.int ?? -1)) }
            for index in data["insertions"]?.elements ?? [] {
                list.insert(.null, at: Int(index.int ?? -1))
            }
            for entry in data["values"]?.elements ?? [] {
                list[Int(entry["index"]?.int ?? -1)] = entry["value"] ?? .null
            }
            if isValue { new.value = .array(list) } else { new.elements = list }
        } else if let removed = data["removed"] {
            if case .object(var members)? = new.value {
                for name in removed.elements { members[name.string ?? ""] = nil }
                for entry in data["entries"]?.elements ?? [] {
                    members[entry["key"]?.string ?? ""] = entry["value"]
                }
                new.value = .object(members)
            } else if let entries = data["entries"] {
                for name in removed.elements { new.entries[text(name)] = nil }
                for entry in entries.elements { new.entries[text(entry["key"])] = entry["value"] }
            } else {
                new.elements.removeAll { removed.elements.contains($0) }
                new.elements += data["inserted"]?.elements ?? []
            }
        }
        content = new
    }

    /// Expects that it holds what a `GET` of the property shows.
    func expectContent(_ note: String = "", _ location: SourceLocation = #_sourceLocation) {
        guard var shown = read() else {
            #expect(content == nil, "\(note) \(path)", sourceLocation: location)
            return
        }
        var own = content ?? Content(value: .string("the client has nothing"))
        if path.hasSuffix("set") || path.hasSuffix("words") {
            own.elements.sort { text($0) < text($1) }
            shown.elements.sort { text($0) < text($1) }
        }
        #expect(own == shown, "\(note) \(path)", sourceLocation: location)
    }

    private func read() -> Content? {
        var shown = Content()
        var cursor: String?
        let own = content
        let shape = parameters.filter { ["projection", "fields", "expand"].contains($0.0) }
        repeat {
            var request = path
            if let inside = parameters.first(where: { $0.0 == "path" })?.1 {
                request += "/elements" + inside
            } else {
                request = target(
                    path, shape + [("limit", "1000")] + (cursor.map { [("cursor", $0)] } ?? []))
            }
            var reply = server.send("GET", request)
            if reply.status == 400 { reply = server.send("GET", target(path, shape)) }
            guard reply.status == 200 else { return nil }
            content = shown
            add(reply.json)
            shown = content ?? shown
            content = own
            cursor = reply.next
        } while cursor != nil
        return shown
    }
}
