import HoldfastPlainQuery
import HoldfastQuery
import HoldfastServiceSupport
import HoldfastTestSupport

/// The changes of a random query's result since some moment, as a user is told of them and as the administrator of a store without what they may
/// not read is.
struct RuleChangePage {
    private let target: String
    private let whole: RuledServer
    private let part: RuledServer
    private let asker: RuledServer.Asker
    private let cursors: (whole: String, part: String)
    /// The keys of what the user begins with.
    private let held: Set<String>

    /// Begins now; nil where the query can't be followed.
    init?(
        _ twins: inout RuleTwins, _ whole: RuledServer, _ part: RuledServer,
        _ asker: RuledServer.Asker, _ random: inout SeededGenerator
    ) {
        let query = twins.query()
        var target = "/v1/classes/\(query.className)/changes?"
        if Bool.random(using: &random) {
            guard let arguments = QueryArgument.parameters(query.arguments) else { return nil }
            for (name, value) in [("filter", query.text)] + arguments {
                target += "\(name)=\(RuleRequest.escaped(value))&"
            }
        }
        func cursor(_ server: RuledServer, _ asker: RuledServer.Asker) -> String? {
            QueryJSON(server.get(target + "since=now", as: asker).text)?["cursor"]?.string
        }
        guard let own = cursor(whole, asker), let other = cursor(part, .admin) else { return nil }
        (self.target, self.whole, self.part, self.asker) = (target, whole, part, asker)
        cursors = (own, other)
        let start = QueryJSON(whole.get(target + "limit=1000&since=start", as: asker).text)
        held = Set((start?["objects"]?.elements ?? []).map { $0["id"]?.text ?? "" })
    }

    /// What is told otherwise; nil for nothing, and where the user has to begin again, as the log does not decide.
    func difference(_ hidden: Set<String>) -> String? {
        let own = whole.get(target + "limit=1000&since=\(cursors.whole)", as: asker)
        let other = part.get(target + "limit=1000&since=\(cursors.part)", as: .admin)
        if own.status == 410, own.text.contains("fell-behind") { return nil }
        guard own.status == other.status, own.status == 200 else {
            return own.status == other.status && own.text == other.text
                ? nil : "\(target)\n  \(own.text)\n  expected \(other.text)"
        }
        let (told, expected) = (Self.changes(own), Self.changes(other))
        let comparison = JSONComparison(
            aside: ["version", "etag", "changed", "$version"], hidden: hidden)
        if let found = comparison.difference(told.shown, expected.shown) {
            return "\(target)\n  \(found)"
        }
        // An administrator is told of departures in case of doubt.
        let missing = expected.gone.intersection(held).subtracting(told.gone)
        let strange = told.gone.subtracting(expected.gone)
        return missing.isEmpty && strange.isEmpty
            ? nil : "\(target)\n  not gone \(missing), not to be told \(strange)"
    }

    /// The objects that are told of and the keys of those that are gone. Their order, as their versions, tells when something has changed
    /// that may be hidden.
    private static func changes(
        _ reply: HTTPClient.Reply
    ) -> (shown: QueryJSON, gone: Set<String>) {
        var shown: [String: QueryJSON] = [:]
        var gone: Set<String> = []
        for change in QueryJSON(reply.text)?["changes"]?.elements ?? [] {
            let key = change["id"]?.text ?? ""
            if change["object"] == nil { gone.insert(key) } else { shown[key] = change }
        }
        return (.object(shown), gone)
    }
}
