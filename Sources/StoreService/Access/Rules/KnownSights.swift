import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows
import Synchronization

/// The sights of the principals that asked, by the rules of now. Thread-safe.
///
/// All of whom rules learn the same have the same sight.
final class KnownSights: Sendable {
    /// The values that decide on a sight, beside the rules.
    struct Asker: Hashable {
        let isUser: Bool
        let token: Principal.TokenRight?
        let classes: Set<String>
        /// The user's values that the rules ask for.
        let values: [UserValue?]

        /// The rest tells few apart, and takes as long to hash.
        func hash(into hasher: inout Hasher) {
            hasher.combine(token?.number ?? 0)
            for value in values {
                if case .one(.string(let text)) = value {
                    hasher.combine(text)
                } else {
                    hasher.combine(value)
                }
            }
        }
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
    /// Makes what a principal may read on a view of the bare store, or finds it. Cost where it is known: two locks, and a look at what
    /// rules read of the user's claims and object.
    func knownSight(
        for principal: Principal, on read: ReadTransaction
    ) throws(RequestFault) -> Sight {
        guard let rules = try rules(for: read.rows) else {
            return try sight(for: principal, on: read)
        }
        let asker = KnownSights.Asker(
            isUser: principal.user != nil, token: principal.token, classes: principal.classes,
            values: principal.token == nil ? try values(of: principal, rules, on: read) : [])
        if let known = known.sight(of: asker, by: rules) { return known }
        let sight = try sight(for: principal, on: read)
        known.keep(sight, of: asker, by: rules)
        return sight
    }
}
