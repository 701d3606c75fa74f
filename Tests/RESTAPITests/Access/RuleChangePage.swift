import HoldfastPlainQuery
import HoldfastQuery
import HoldfastServiceSupport
import HoldfastTestSupport

/// The changes of a random query's result since some moment, as a user is told of them and as the administrator of a store without what they may
/// not read is.
struct RuleChangePage {
    private let target: String
    private let objects: String
    private let cursors: (whole: String, part: String)
    /// What the user begins with, by key.
    private let held: [String: QueryJSON]
    /// The keys of what the user sees of the class then.
    private let seen: Set<String>

    /// Begins now; nil where the query can't be followed.
    init?(_ world: inout RuleWorld, _ random: inout SeededGenerator) {
        let query = world.twins.query()
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
        guard let own = cursor(world.whole, world.asker), let other = cursor(world.part, .admin)
        else { return nil }
        self.target = target
        objects = "/v1/classes/\(query.className)/objects?limit=1000&fields=$id"
        cursors = (own, other)
        let start = world.whole.get(target + "limit=1000&since=start", as: world.asker)
        held = Self.byKey(QueryJSON(start.text)?["objects"])
        seen = Self.keys(world.whole.get(objects, as: world.asker), "$id")
    }

    private static func byKey(_ list: QueryJSON?) -> [String: QueryJSON] {
        Dictionary(
            (list?.elements ?? []).map { ($0["id"]?.text ?? "", $0) }, uniquingKeysWith: { $1 })
    }

    private static func keys(_ reply: HTTPClient.Reply, _ name: String) -> Set<String> {
        let objects = QueryJSON(reply.text)?["objects"]?.elements ?? []
        return Set(objects.compactMap { $0[name]?.text })
    }

    /// What is told otherwise; nil for nothing, and where the user has to begin again, as the log does not decide.
    func fault(in world: RuleWorld) -> String? {
        let own = world.whole.get(
            target + "limit=1000&since=\(cursors.whole)", as: world.asker)
        let other = world.part.get(target + "limit=1000&since=\(cursors.part)", as: .admin)
        if own.status == 410, ["fell-behind", "access-changed"].contains(where: own.text.contains) {
            return nil
        }
        guard own.status == other.status, own.status == 200 else {
            return own.status == other.status && own.text == other.text
                ? nil : "\(target)\n  \(own.text)\n  expected \(other.text)"
        }
        let (told, expected) = (Self.changes(own), Self.changes(other))
        let comparison = JSONComparison(
            aside: ["version", "etag", "changed", "$version"], hidden: world.twins.hidden)
        for key in Set(told.shown.keys).union(expected.shown.keys).sorted() {
            let (change, other) = (told.shown[key], expected.shown[key])
            let fault: String? =
                switch (change, other) {
                case (let change?, let other?): comparison.difference(change, other)
                // What is as it was is told to an administrator alone.
                case (nil, let other?):
                    held[key]?["object"].flatMap { was in
                        other["object"].map { comparison.difference(was, $0) }
                    } ?? "not told of \(other)"
                // A list that is stored by itself has no former values.
                default: change?["changed"] == .array([]) ? nil : "told of \(key)"
                }
            if let fault { return "\(target)\n  \(key): \(fault)" }
        }
        // In case of doubt departures are told, of what is no secret.
        let missing = expected.gone.intersection(held.keys).subtracting(told.gone)
        let present = Self.keys(world.whole.get(objects, as: world.asker), "$id")
        let strange = told.gone.subtracting(expected.gone).subtracting(seen).subtracting(present)
        return missing.isEmpty && strange.isEmpty
            ? nil : "\(target)\n  not gone \(missing), not to be told \(strange)"
    }

    /// The objects that are told of and the keys of those that are gone. Their order, as their versions, tells when something has changed
    /// that may be hidden.
    private static func changes(
        _ reply: HTTPClient.Reply
    ) -> (shown: [String: QueryJSON], gone: Set<String>) {
        let all = byKey(QueryJSON(reply.text)?["changes"])
        let shown = all.filter { $0.value["object"] != nil }
        return (shown, Set(all.keys).subtracting(shown.keys))
    }
}
