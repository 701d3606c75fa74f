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
    /// The path and the parameters, without where it begins.
    let target: String
    private let worlds: TwoWorlds
    /// The streams that stay open, by world; none where they are refused.
    private var live: [ChangesClient] = []
    /// What they have told, by world.
    private var told = ["", ""]
    /// Behind what the next page tells, by world; nil where there are no pages.
    private var cursors: [String?] = [nil, nil]
    /// Whether the last pages told of something.
    private(set) var hasBeenTold = false

    /// Asks for no stream, where there are no pages either.
    private static let asPage = [("Accept", "application/json")]

    /// Begins to follow.
    ///
    /// - `target`: Behind `/v1`.
    init(_ target: String, _ worlds: TwoWorlds) {
        self.target = target
        self.worlds = worlds
    }

    /// The stream of what has come since, with more parameters.
    private func target(since: String, _ more: String = "") -> String {
        "/v1\(target)\(target.contains("?") ? "&" : "?")since=\(since)\(more)"
    }

    /// Opens the streams that stay open.
    ///
    /// - Returns: What is told differently at once.
    func open() -> Difference? {
        let clients = worlds.servers.indices.map {
            worlds.servers[$0].follow(target(since: "start"), as: worlds.askers[$0])
        }
        if clients[0].status == 200, clients[1].status == 200 {
            live = clients
            worlds.streamCount += 1
        }
        let texts = clients.map { "\($0.status)" }
        return difference("stream", texts)
    }

    /// Begins with pages where everything stands now.
    func mark() {
        cursors = worlds.servers.indices.map(now)
    }

    private func now(_ world: Int) -> String? {
        let page = worlds.servers[world].get(
            target(since: "now"), as: worlds.askers[world], Self.asPage)
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
        return (found + [heard()]).compactMap { $0 }
    }

    private func difference(_ way: String, _ texts: [String]) -> Difference? {
        texts[0] == texts[1] ? nil : Difference(target: target, way: way, texts: texts)
    }

    private func pages(_ world: Int, limit: Int, countMax: Int) -> String {
        var texts: [String] = []
        while let since = cursors[world], texts.count < countMax {
            let page = worlds.servers[world].get(
                target(since: since, "&limit=\(limit)"), as: worlds.askers[world], Self.asPage)
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
            target(since: "now"), as: worlds.askers[world], from: cursor)
        var texts = ["\(client.status)"]
        while client.status == 200, let event = client.next() {
            if event.isHeartbeat { continue }
            texts.append(text(event, world))
            if event.name == "upToDate" || event.name == "error" { break }
        }
        return texts.joined(separator: "\n    ")
    }

    private func text(_ event: ChangesClient.Event, _ world: Int) -> String {
        worlds.plain("\(event.name) \(event.id ?? "") \(event.data)", world)
    }

    private func listen() {
        for (world, client) in live.enumerated() {
            for event in client.eventsAtHand() { told[world] += text(event, world) + "\n    " }
        }
    }

    /// What the open streams have told differently.
    private func heard() -> Difference? {
        listen()
        // The last bytes may be on their way.
        if told[0] != told[1] {
            usleep(200_000)
            listen()
        }
        defer { told = ["", ""] }
        return difference("live", told)
    }
}
