import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastPlainQuery
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

/// A store that a user asks, and one of what they may read, which its administrator asks the same.
struct RuleWorld {
    var twins: RuleModels
    let whole: RuledServer
    let part: RuledServer
    /// Who asks the first.
    let asker: RuledServer.Key

    /// Makes the stores of a seed; nil where the user may ask for nothing.
    ///
    /// - `isWritten`: Whether the user may write what they read.
    init?(_ seed: UInt64, isWritten: Bool = false) throws {
        var options = StoreOptions()
        options.columns.useCountMin = 1
        options.columns.objectCountMin = 0
        options.columns.sharedMicrosecondsMin = 0
        // Lists of some length are stored by themselves then, so that the change log has no former values of them.
        if seed % 5 == 0 { options.overflowLimits = .tiny }
        var twins = RuleModels(seed: seed, isWritten: isWritten)
        let whole = try RuledServer(
            seed % 4 > 1 ? .lmdb : .memory, classes: twins.classes, options: options)
        let part = try RuledServer(classes: twins.classes, options: options)
        try twins.fill(whole.store, part.store)
        for (server, projections) in [(whole, twins.projections), (part, twins.knownProjections)] {
            for projection in projections {
                let reply = server.send(
                    "PUT", "/v1/projections/\(projection.name)", Self.text(projection))
                #expect(reply.status == 201, "seed \(seed): \(reply.text)")
            }
        }
        let put = whole.send("PUT", "/v1/access", twins.document)
        #expect(put.status == 200, "seed \(seed): \(put.text)\n  \(twins.document)")
        guard twins.user != nil || twins.document.contains("anyone") else {
            #expect(whole.get("/v1/classes/A/objects", as: .nobody).status == 401)
            return nil
        }
        asker = twins.user.map { whole.user($0, claims: twins.claims) } ?? .nobody
        (self.twins, self.whole, self.part) = (twins, whole, part)
    }

    /// Makes a snapshot of each store; nil where there is none to be had.
    func makeSnapshots() -> (whole: String, part: String)? {
        let known = twins.knownClasses.first { $0.kind == .object }
        let pages = known.map { "/v1/classes/\($0.name)/objects?snapshot=new" } ?? "/v1/schema"
        let snapshots = (
            whole.get(pages, as: asker).headers["holdfast-snapshot"],
            part.get(pages, as: .admin).headers["holdfast-snapshot"]
        )
        #expect((snapshots.0 == nil) == (known == nil) && (snapshots.1 == nil) == (known == nil))
        return snapshots.0.flatMap { whole in snapshots.1.map { (whole, $0) } }
    }

    /// The class's objects with all that may be asked for, inverse links too.
    private func list(_ definition: ObjectClass) -> String {
        let back = definition.properties.compactMap { property in
            if case .linkingObjects = property.type { property.name } else { nil }
        }
        return "/v1/classes/\(definition.name)/objects?limit=1000&fields="
            + RuleRequest.escaped((["*", "$id"] + back).joined(separator: ","))
    }

    private var lists: [(name: String, target: String)] {
        twins.knownClasses.filter { $0.kind == .object }.map { ($0.name, list($0)) }
    }

    /// What the user reads, by class; nil where a list is refused.
    func seen() -> [String: [[String: QueryJSON]]]? {
        var seen: [String: [[String: QueryJSON]]] = [:]
        for (name, target) in lists {
            guard let objects = QueryJSON(whole.get(target, as: asker).text)?["objects"] else {
                return nil
            }
            seen[name] = objects.elements.map { if case .object(let own) = $0 { own } else { [:] } }
        }
        return seen
    }

    /// What differs in all that is read of both; nil for nothing.
    func difference(_ comparison: ReplyComparison) -> String? {
        for (_, target) in lists {
            let (own, other) = (whole.get(target, as: asker), part.get(target, as: .admin))
            if let found = comparison.difference([own], [other]) { return found }
        }
        return nil
    }

    private static func text(_ projection: Projection) -> String {
        let properties = projection.properties.map { "\(quoted($0.name)):\(quoted($0.pathText))" }
        return
            "{\"class\":\(quoted(projection.className)),\"properties\":{\(properties.joined(separator: ","))}}"
    }
}
