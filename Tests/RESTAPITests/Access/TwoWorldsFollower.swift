import Glibc
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// What a user is told differently in two worlds.
struct Difference: CustomStringConvertible {
    var target: String
    /// In which it is told.
    var way: String
    /// By world.
    var texts: [String]

    var description: String { "\(target), \(way):\n    \(texts[0])\n  beside\n    \(texts[1])" }
}

/// A user who follows the same in two worlds, by each way in which changes are told.
final class TwoWorldsFollower {
    /// The path and the parameters, without where it begins; or the body that makes a stream of several queries.
    let target: String
    private let worlds: TwoWorlds
    /// The streams that stay open, by world; none where they are refused.
    private var live: [ChangesClient] = []
    /// What they have told, by world.
    private var told: [[ChangesClient.Event]] = [[], []]
    /// Behind what the next page tells, by world; nil where there are no pages.
    private var cursors: [String?] = [nil, nil]
    /// The long polls that wait, by world; none where none do.
    private var polls: [HTTPClient] = []
    /// Whether the last pages told of something.
    private(set) var hasBeenTold = false

    /// Asks for no stream, where there are no pages either.
    private static let asPage = [("Accept", "application/json")]

    /// Begins to follow.
    ///
    /// - `target`: Behind `/v1`; or the body of `POST /v1/streams`.
    init(_ target: String, _ worlds: TwoWorlds) {
        self.target = target
        self.worlds = worlds
    }

    private var isOfSeveral: Bool { target.hasPrefix("{") }
    private var isOutbox: Bool { target.hasSuffix("/outbox") }

    /// The address of what has come since, with more parameters; each stream of several queries is made for it.
    private func target(_ world: Int, since: String, _ more: String = "") -> String {
        // It begins with what waits.
        if isOutbox { return "/v1" + target }
        var address = "/v1" + target
        if isOfSeveral {
            let made = worlds.servers[world].send(
                "POST", "/v1/streams", target, as: worlds.askers[world])
            address = made.headers["location"] ?? "\(made.status) \(made.text)"
        }
        return "\(address)\(address.contains("?") ? "&" : "?")since=\(since)\(more)"
    }

    /// Opens the streams that stay open.
    ///
    /// - Returns: What is told differently at once.
    func open() -> Difference? {
        let clients = worlds.servers.indices.map {
            worlds.servers[$0].follow(target($0, since: "start"), as: worlds.askers[$0])
        }
        if clients[0].status == 200, clients[1].status == 200 {
            live = clients
            worlds.streamCount += isOfSeveral ? target.ranges(of: "\"class\"").count : 1
        }
        let texts = clients.map { "\($0.status)" }
        return difference("stream", texts)
    }

    /// Begins with pages where everything stands now.
    func mark() {
        cursors = worlds.servers.indices.map(now)
    }

    /// Has long polls wait for what comes next, where none do.
    func wait() {
        if isOfSeveral || !polls.isEmpty { return }
        let all = worlds.servers.indices
        let cursors = all.map(now)
        guard isOutbox || !cursors.contains(nil) else { return }
        polls = all.map { world in
            let server = worlds.servers[world]
            let count = server.streams?.waitingPollCount ?? 0
            let poll = server.poll(
                target(world, since: cursors[world] ?? ""), as: worlds.askers[world])
            // One that comes to wait behind the next change is told of it by a page.
            for _ in 0..<15_000
            where !poll.hasReply && server.streams?.waitingPollCount ?? 0 <= count {
                usleep(2_000)
            }
            return poll
        }
    }

    /// What the long polls are answered differently, once one is.
    private func answered() -> Difference? {
        var isAnswered = polls.map(\.hasReply)
        // The other's reply may be on its way.
        for _ in 0..<6_000 where Set(isAnswered).count > 1 {
            usleep(5_000)
            isAnswered = polls.map(\.hasReply)
        }
        guard isAnswered.contains(true) else { return nil }
        let texts = polls.enumerated().map { world, client in
            isAnswered[world] ? worlds.plain(client.finish(), world) : "no answer"
        }
        polls = []
        return difference("poll", texts)
    }

    private func now(_ world: Int) -> String? {
        if isOfSeveral {
            let client = worlds.servers[world]
                .follow(target(world, since: "now"), as: worlds.askers[world])
            // Where the document hides a name everywhere, who uses it is refused.
            return client.status == 200 ? client.events(to: "hello").last?.id : nil
        }
        let page = worlds.servers[world].get(
            target(world, since: "now"), as: worlds.askers[world], Self.asPage)
        return QueryJSON(page.text)?["cursor"]?.string
    }

    /// Asks in both worlds for what has changed since the mark, or since the last page that was asked for, page by page and as streams, and
    /// listens to what was told.
    ///
    /// - Parameters:
    ///   - limit: Of the changes of a page.
    ///   - pageCountMax: How many pages it asks for; the next time it goes on behind them.
    /// - Returns: What is not the same.
    func differences(limit: Int, pageCountMax: Int = 40) -> [Difference] {
        hasBeenTold = false
        let all = worlds.servers.indices
        var found: [Difference?] = []
        if pageCountMax > 0 {
            found.append(difference("resumed stream", all.map(resumed)))
            let texts = all.map { pages($0, limit: limit, countMax: pageCountMax) }
            found.append(difference("pages", texts))
            hasBeenTold = texts[0].contains("\"op\"")
        }
        return (found + [answered(), heard()]).compactMap { $0 }
    }

    private func difference(_ way: String, _ texts: [String]) -> Difference? {
        texts[0] == texts[1] ? nil : Difference(target: target, way: way, texts: texts)
    }

    private func pages(_ world: Int, limit: Int, countMax: Int) -> String {
        if isOfSeveral { return "" }
        var texts: [String] = []
        while let since = cursors[world], texts.count < countMax {
            let page = worlds.servers[world].get(
                target(world, since: since, "&limit=\(limit)"), as: worlds.askers[world],
                Self.asPage)
            texts.append(worlds.plain(page, world))
            let json = QueryJSON(page.text)
            // Behind what is void it begins with the next change.
            cursors[world] = json?["cursor"]?.string ?? now(world)
            if json?["upToDate"]?.bool ?? true { break }
        }
        return texts.joined(separator: "\n    ")
    }

    private func resumed(_ world: Int) -> String {
        guard let cursor = cursors[world] else { return "" }
        let client = worlds.servers[world].follow(
            target(world, since: isOfSeveral ? cursor : "now"), as: worlds.askers[world],
            from: isOfSeveral ? nil : cursor)
        var events: [ChangesClient.Event] = []
        while client.status == 200, let event = client.next() {
            if event.isHeartbeat { continue }
            events.append(event)
            if event.name == "error" { break }
            guard event.name == "upToDate" else { continue }
            if !isOfSeveral { break }
            // There are no pages that it goes on behind.
            if let id = event.id {
                cursors[world] = id
                break
            }
        }
        return "\(client.status)\n    \(text(events, world))"
    }

    /// Events as a text; those of several queries, which come up to date in any order, query by query.
    private func text(_ events: [ChangesClient.Event], _ world: Int) -> String {
        let lines: [String]
        if isOfSeveral {
            let told = events.flatMap { event -> [(query: String, line: String)] in
                let json = event.json
                let entries = (json["changes"] ?? json["objects"])?.elements ?? [json]
                return entries.map { ($0["query"]?.string ?? "", "\(event.name) \($0.text)") }
            }
            lines = told.sorted { $0.query < $1.query }
                .map { $0.line.replacing(/"cursor":"[^"]*",?/, with: "") }
        } else {
            lines = events.map { "\($0.name) \($0.id ?? "") \($0.data)" }
        }
        return lines.map { worlds.plain($0, world) }.joined(separator: "\n    ")
    }

    private func listen() {
        for (world, client) in live.enumerated() { told[world] += client.eventsAtHand() }
    }

    /// What the open streams have told differently.
    private func heard() -> Difference? {
        listen()
        // The last bytes may be on their way.
        if text(told[0], 0) != text(told[1], 1) {
            usleep(200_000)
            listen()
        }
        defer { told = [[], []] }
        return difference("live", told.enumerated().map { text($1, $0) })
    }
}
