import HoldfastTestSupport
import Testing

/// A client of change streams that does what the table in `docs/change-streams.md` says and nothing
/// more: it sets what it is told, removes what leaves or is deleted, and forgets at a reset and at a 410.
///
/// What it holds stays when its connection is cut. One thread at a time uses it.
final class TableClient {
    /// The two ways to catch up.
    enum Mode: CaseIterable {
        case pages
        case events
    }

    private let server: ChangesServer
    /// The query's path without `/changes`.
    private let path: String
    private let parameters: [(String, String)]
    /// Parameters that the query itself does not take, such as `keyPaths`.
    private let eventOptions: [(String, String)]
    private(set) var replica = ChangesReplica()
    /// The parameter of the next request, and the id that beats it.
    private(set) var since: String
    private(set) var lastID: String?
    /// The present connection, once it is up to date.
    private(set) var live: ChangesClient?
    /// The reasons of all resets, and the number of replies with 410.
    private(set) var resets: [String] = []
    private(set) var goneCount = 0

    init(
        _ server: ChangesServer, _ path: String, _ parameters: [(String, String)] = [],
        eventOptions: [(String, String)] = [], since: String = "start"
    ) {
        self.server = server
        self.path = path
        self.parameters = parameters
        self.eventOptions = eventOptions
        self.since = since
    }

    /// Takes one page.
    ///
    /// - Parameters:
    ///   - limit: How many entries the page may hold.
    ///   - isLost: The client takes what the page holds, but forgets where it goes on.
    /// - Returns: Whether the page was the last one.
    func page(limit: Int = 1000, isLost: Bool = false) -> Bool {
        let reply = server.send(
            "GET",
            target(
                path + "/changes",
                parameters + eventOptions + [("since", since), ("limit", "\(limit)")]))
        if reply.status == 410 {
            goneCount += 1
            replica = ChangesReplica()
            since = "start"
            return false
        }
        #expect(reply.status == 200, "\(reply.text)")
        guard reply.status == 200 else { return true }
        for entry in reply.json["objects"]?.elements ?? [] { replica.set(entry) }
        replica.apply(reply.json["changes"]?.elements ?? [])
        if !isLost { since = reply.json["cursor"]?.string ?? reply.next ?? "" }
        return reply.json["upToDate"]?.bool ?? false
    }

    /// Opens an event stream and takes its events up to `upToDate`.
    ///
    /// - Parameter isCut: The connection is cut just before `upToDate` comes.
    /// - Returns: The events that were taken.
    @discardableResult
    func connect(isCut: Bool = false) -> [ChangesClient.Event] {
        let stream = server.events(
            path + "/changes", parameters + eventOptions + [("since", since)],
            headers: lastID.map { [("Last-Event-ID", $0)] } ?? [])
        #expect(stream.status == 200)
        guard stream.status == 200 else { return [] }
        var events = stream.events(to: "upToDate")
        if isCut { events.removeLast() }
        for event in events { take(event) }
        live = isCut ? nil : stream
        return events
    }

    /// Takes the next event of the present connection.
    @discardableResult
    func next() -> ChangesClient.Event {
        let event = live?.nextEvent() ?? ChangesClient.Event()
        take(event)
        return event
    }

    /// Takes events of the present connection, heartbeats included, up to a version, or to the end.
    func follow(to version: Int) {
        while Self.number(lastID) < version, let event = live?.next() { take(event) }
    }

    private static func number(_ id: String?) -> Int {
        id?.split(separator: "-").last.flatMap { Int($0) } ?? -1
    }

    /// Catches up in one of the two ways.
    func catchUp(_ mode: Mode, limit: Int = 1000) {
        switch mode {
        case .pages: while !page(limit: limit) {}
        case .events: connect()
        }
    }

    /// Begins to catch up, takes everything, and loses the place from which to go on.
    func catchUpInVain(_ mode: Mode) {
        switch mode {
        case .pages: _ = page(isLost: true)
        case .events: connect(isCut: true)
        }
    }

    private func take(_ event: ChangesClient.Event) {
        replica.apply(event)
        lastID = event.id ?? lastID
        if event.name == "reset" { resets.append(event.json["reason"]?.string ?? "") }
    }

    /// Expects that the client holds what the query finds now.
    func expectResult(_ note: String = "", _ location: SourceLocation = #_sourceLocation) {
        let reply = server.send("GET", target(path + "/objects", parameters + [("limit", "1000")]))
        var left = Array(replica.objects.values)
        for object in reply.json["objects"]?.elements ?? [] {
            if let index = left.firstIndex(of: object) {
                left.remove(at: index)
            } else {
                Issue.record("\(note): \(object) is missing", sourceLocation: location)
            }
        }
        #expect(
            left.isEmpty, "\(note): the client holds what is no result", sourceLocation: location)
    }
}
