import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows
import Synchronization

/// What principals may read by the rules of now, for those that asked. Thread-safe.
///
/// A principal's sight is the same as long as the rules are, and what these read from the user's object.
final class KnownSights: Sendable {
    /// Who asks, with what rules read from the user's object.
    struct Asker: Hashable {
        let principal: Principal
        let values: [UserValue?]
    }

    private struct State {
        var revision: UInt64 = 0
        var schema: RowSchema?
        var sights: [Asker: Sight] = [:]
    }

    private static let countMax = 4096
    private let state = Mutex(State())

    /// Returns the sight that is known for some rules; nil for none.
    func sight(of asker: Asker, by rules: AccessRules) -> Sight? {
        state.withLock { state in
            state.revision == rules.revision && state.schema === rules.schema
                ? state.sights[asker] : nil
        }
    }

    /// Keeps a sight, which the rules have made.
    func keep(_ sight: Sight, of asker: Asker, by rules: AccessRules) {
        state.withLock { state in
            if state.revision != rules.revision || state.schema !== rules.schema
                || state.sights.count >= Self.countMax
            {
                state = State(revision: rules.revision, schema: rules.schema)
            }
            state.sights[asker] = sight
        }
    }
}

extension AccessControl {
    /// Makes what a principal may read on a view of the bare store, or finds it. Cost where it is known: two locks, and a look at the
    /// user's object where rules read it.
    func knownSight(
        for principal: Principal, on read: ReadTransaction
    ) throws(RequestFault) -> Sight {
        guard let rules = try rules(for: read.rows) else {
            return try sight(for: principal, on: read)
        }
        let asker = KnownSights.Asker(
            principal: principal, values: try objectValues(of: principal, rules, on: read))
        if let known = known.sight(of: asker, by: rules) { return known }
        let sight = try sight(for: principal, on: read)
        known.keep(sight, of: asker, by: rules)
        return sight
    }
}
