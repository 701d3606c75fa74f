import HoldfastPlainQuery
import HoldfastQuery
import HoldfastServiceSupport
import HoldfastTestSupport

/// The changes of a random query's result since some moment, as a user is told of them and as the administrator of a store without what they may
/// not read is.
struct RuleChangePage {
    /// The class of the objects.
    let className: String
    private let target: String
    private let objects: String
    private let cursors: (whole: String, part: String)
    /// What the user begins with, by key.
    private let held: [String: QueryJSON]
    /// What somebody holds who has asked for this page again and again.
    private var carried: [String: QueryJSON]
    /// The keys of what the user sees of the class then.
    private let seen: Set<String>

    /// Begins now; nil where the query can't be followed.
    init?(_ world: inout RuleWorld, _ random: inout SeededGenerator) {
        let query = world.twins.query()
        var maker = RuleRequestMaker(twins: world.twins, random: random)
        let container = maker.container(of: query.className)
        var request = RuleRequest("\(container.path)/changes")
        maker.shape(&request, container)
        if maker.chance(50) { Self.tellWhatIsShown(&request) }
        if maker.chance(50) {
            guard let arguments = QueryArgument.parameters(query.arguments) else { return nil }
            request.parameters += [("filter", query.text)] + arguments
        }
        (world.twins, random) = (maker.twins, maker.random)
        let target =
            request.target + "?"
            + request.parameters.map { "\($0.name)=\(RuleRequest.escaped($0.value))&" }.joined()
        func cursor(_ server: RuledServer, _ asker: RuledServer.Key) -> String? {
            QueryJSON(server.get(target + "since=now", as: asker).text)?["cursor"]?.string
        }
        guard let own = cursor(world.whole, world.asker), let other = cursor(world.part, .admin)
        else { return nil }
        self.target = target
        className = query.className
        objects = "/v1/classes/\(query.className)/objects?limit=1000&fields=$id"
        cursors = (own, other)
        let start = world.whole.get(target + "limit=1000&since=start", as: world.asker)
        held = Self.objects(QueryJSON(start.text)?["objects"])
        carried = held
        seen = Self.keys(world.whole.get(objects, as: world.asker), in: "objects", "$id")
    }

    /// Has changes told of what the fields show alone, where they can be key paths.
    private static func tellWhatIsShown(_ request: inout RuleRequest) {
        guard let fields = request.parameters.first(where: { $0.name == "fields" })?.value else {
            return
        }
        let paths = fields.split(separator: ",").map { $0.split(separator: ".") }
        // Beside paths through it, fields show all of an object, of which key paths say which one it is.
        let showsWhole = paths.contains { path in
            paths.contains { $0.count > path.count && $0.starts(with: path) }
        }
        guard !fields.contains("$"), !showsWhole else { return }
        request.parameters.removeAll { $0.name == "expand" }
        request.parameters.append(("keyPaths", fields))
    }

    /// What a list of objects or changes shows of each, by key.
    private static func objects(_ list: QueryJSON?) -> [String: QueryJSON] {
        var objects: [String: QueryJSON] = [:]
        for entry in list?.elements ?? [] { objects[entry["id"]?.text ?? ""] = entry["object"] }
        return objects
    }

    private static func keys(
        _ reply: HTTPClient.Reply, in list: String, _ name: String
    ) -> Set<String> {
        Set((QueryJSON(reply.text)?[list]?.elements ?? []).compactMap { $0[name]?.text })
    }

    /// What comes of a page.
    enum Outcome {
        /// All is as it should be; perhaps with updates of objects that are as they were.
        case same(isIdle: Bool)
        /// The user has to begin again, as the log does not decide.
        case undecided
        case fault(String)
    }

    /// Asks for the page: what the user holds then is the result on the copy, and nothing is named that they never saw.
    mutating func outcome(in world: RuleWorld) -> Outcome {
        let own = world.whole.get(
            target + "limit=1000&since=\(cursors.whole)", as: world.asker)
        let other = world.part.get(target + "limit=1000&since=\(cursors.part)", as: .admin)
        if own.status == 410, own.text.contains("access-changed") { return .undecided }
        guard own.status == 200, other.status == 200 else {
            return own.text == other.text
                ? .same(isIdle: false)
                : .fault("\(target)\n  \(own.text)\n  expected \(other.text)")
        }
        let changes = QueryJSON(own.text)?["changes"]?.elements ?? []
        let expected = Self.keys(other, in: "changes", "id")
        let comparison = JSONComparison(aside: ["$version"], hidden: world.twins.hidden)
        var (result, isIdle) = (held, false)
        for change in changes {
            let key = change["id"]?.text ?? ""
            result[key] = change["object"]
            carried[key] = change["object"]
            guard let object = change["object"], !expected.contains(key) else { continue }
            // Where the log does not tell what a user saw, the names that they have are told in case of doubt.
            guard let known = held[key], comparison.difference(object, known) == nil else {
                return .fault("\(target)\n  told of \(change)")
            }
            isIdle = true
        }
        let start = world.part.get(target + "limit=1000&since=start", as: .admin)
        let right = QueryJSON.object(Self.objects(QueryJSON(start.text)?["objects"]))
        for state in [result, carried] {
            if let fault = comparison.difference(.object(state), right) {
                return .fault("\(target)\n  holds \(fault)")
            }
        }
        // In case of doubt departures are told, of what is no secret.
        let gone = Set(changes.filter { $0["object"] == nil }.compactMap { $0["id"]?.text })
        let present = Self.keys(
            world.whole.get(objects, as: world.asker), in: "objects", "$id")
        let strange = gone.subtracting(expected).subtracting(seen).subtracting(present)
        return strange.isEmpty
            ? .same(isIdle: isIdle) : .fault("\(target)\n  named \(strange)")
    }
}
