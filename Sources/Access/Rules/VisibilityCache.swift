import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows
import HoldfastThreads

/// The rules of an access document in one schema, with a cache of principals' visibilities. Thread-safe.
///
/// Principals with equal attributes share a visibility.
///
/// Benchmark rows: `user-lists`, `user-streams`.
final class VisibilityCache: Sendable {
    /// The values that decide on a visibility, besides the rules.
    struct Key: Hashable {
        let isUser: Bool
        let token: Principal.TokenRight?
        let classes: Set<ExactText>
        /// The user's values, in the order in which the rules ask for them.
        let values: [UserValue?]

        /// The weight of a visibility in the cache: many or large user values take as much memory as several visibilities.
        var weight: Int {
            var count = 0
            var byteCount = 0
            for value in values {
                switch value {
                case .many(let list)?:
                    count += list.count
                    for value in list { byteCount += Self.byteCount(of: value) }
                case .one(let value)?: byteCount += Self.byteCount(of: value)
                case nil: break
                }
            }
            return 1 + count / 16 + byteCount / 512
        }

        /// The bytes of a value beyond its fixed size.
        private static func byteCount(of value: Value) -> Int {
            switch value {
            case .string(let text): text.utf8.count
            case .data(let bytes): bytes.count
            default: 0
            }
        }

        /// The other fields differ rarely, and take as long to hash.
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

    /// A view with its name.
    private struct NamedView: Hashable {
        let view: AccessView
        let mark: ViewMark
    }

    /// The visibility and view of a key.
    private struct Decided {
        let visibility: Visibility
        let named: NamedView
        let weight: Int
    }

    private struct State {
        var byKey: [Key: Decided] = [:]
        /// The total weight of `byKey`.
        var weight = 0
        /// The visibilities by view: users share one if all values that rules read of them are equal.
        var byView: [NamedView: Visibility] = [:]
        /// The schema without unknown names, for each set of unknown names.
        var parts: [UnknownNames: RowSchema] = [:]
    }

    /// The maximum of cached schema parts.
    private static let partCountMax = 256
    /// The maximum weight of the cache, and of one entry. A unit is a rule for a class, or as many values or bytes as take about
    /// 1 KiB. The largest document fits.
    private static let weightMax = 1 << 17
    private static let ownWeightMax = 1 << 14

    /// The rules; nil if there is no document, or if it is invalid in the schema.
    let rules: AccessRules?
    let schema: RowSchema
    /// Whether this is the schema of a pinned version, and a newer schema is present.
    let isPast: Bool
    /// Whether the document cannot be applied to that version, because a name denotes something else there.
    let hasEnded: Bool
    private let state = Monitor(State())

    init(_ rules: AccessRules?, in schema: RowSchema, isPast: Bool, hasEnded: Bool) {
        (self.rules, self.schema) = (rules, schema)
        (self.isPast, self.hasEnded) = (isPast, hasEnded)
    }

    /// Returns the cached visibility and view; nil if the key is not cached.
    func decided(for cacheKey: Key) -> (visibility: Visibility, view: AccessView)? {
        state.withLock { $0.byKey[cacheKey] }.map { ($0.visibility, $0.named.view) }
    }

    /// Caches a visibility that ``visibility(of:named:)`` made for a view, unless its weight exceeds the maximum. If the cache is
    /// full, an eighth of its entries is removed.
    func keep(
        _ visibility: Visibility, of cacheKey: Key, _ view: AccessView,
        named mark: ViewMark
    ) {
        let ruleCount = view.roles.reduce(0) { $0 + $1.classes.count { $0 != nil } }
        let roles = Set(view.roles.map(\.name))
        let byteCount = rules?.roles.reduce(0) { roles.contains($1.name) ? $0 + $1.byteCount : $0 }
        let weight =
            8 + cacheKey.weight + schema.classes.count / 8 + ruleCount + (byteCount ?? 0) / 256
        guard weight <= Self.ownWeightMax else { return }
        state.withLock { state in
            if state.weight + weight > Self.weightMax {
                for (cacheKey, decided) in Array(state.byKey.prefix(state.byKey.count / 8 + 1)) {
                    state.byKey[cacheKey] = nil
                    state.byView[decided.named] = nil
                    state.weight -= decided.weight
                }
            }
            let named = NamedView(view: view, mark: mark)
            guard state.weight + weight <= Self.weightMax,
                state.byKey.updateValue(
                    Decided(visibility: visibility, named: named, weight: weight), forKey: cacheKey)
                    == nil
            else { return }
            state.weight += weight
            state.byView[named] = visibility
        }
    }

    /// Returns the visibility of a view, from the cache if possible. Call ``keep(_:of:_:named:)`` afterwards.
    func visibility(of view: AccessView, named mark: ViewMark) -> Visibility {
        let named = NamedView(view: view, mark: mark)
        if let known = state.withLock({ $0.byView[named] }) { return known }
        var classes: [Int: ClassVisibility] = [:]
        for rowClass in schema.classes {
            classes[rowClass.index] = ClassVisibility(roles: view.shown(rowClass.index))
        }
        return Visibility(
            classes, schema: schema, rows: part(without: view.unknownNames(of: schema)),
            fingerprint: mark.number, mark: mark.text)
    }

    /// The schema without some names. All principals with the same unknown names share it.
    private func part(without unknown: UnknownNames) -> RowSchema {
        if unknown.isEmpty { return schema }
        if let known = state.withLock({ $0.parts[unknown] }) { return known }
        let part = RowSchema(schema, without: unknown)
        return state.withLock { state in
            if let known = state.parts[unknown] { return known }
            if state.parts.count >= Self.partCountMax { state.parts = [:] }
            state.parts[unknown] = part
            return part
        }
    }
}
