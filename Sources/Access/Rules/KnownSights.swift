import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows
import Synchronization

/// The rules of an access document in one schema, with the sights of the principals that asked. Thread-safe.
///
/// All of whom the rules learn the same have the same sight.
final class KnownSights: Sendable {
    /// The values that decide on a sight, beside the rules.
    struct Asker: Hashable {
        let isUser: Bool
        let token: Principal.TokenRight?
        let classes: Set<ExactText>
        /// The user's values, in the order in which the rules ask for them.
        let values: [UserValue?]

        /// What a sight for it counts as: one with many or large values in its rules takes as much memory as several.
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

        /// The bytes of a value beyond those that each has.
        private static func byteCount(of value: Value) -> Int {
            switch value {
            case .string(let text): text.utf8.count
            case .data(let bytes): bytes.count
            default: 0
            }
        }

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

    /// A view and its name.
    private struct NamedView: Hashable {
        let view: AccessView
        let mark: ViewMark
    }

    /// What was decided for an asker.
    private struct Decided {
        let sight: Sight
        let named: NamedView
        let weight: Int
    }

    private struct State {
        var byAsker: [Asker: Decided] = [:]
        /// What these count as together.
        var weight = 0
        /// Equal for users whose values that rules read are equal.
        var byView: [NamedView: Sight] = [:]
        /// The schema without names that are unknown to somebody.
        var parts: [UnknownNames: RowSchema] = [:]
    }

    /// The most parts of the schema that are kept.
    private static let partCountMax = 256
    /// The most that what is kept weighs, and one: a rule for a class, or so many values or bytes of these, takes about a KiB. The largest
    /// document fits.
    private static let weightMax = 1 << 17
    private static let ownWeightMax = 1 << 14

    /// The rules; nil where there is no document that holds in the schema.
    let rules: AccessRules?
    /// The schema.
    let schema: RowSchema
    /// Whether it is the schema of a version that is pinned, and another one was the present one.
    let isFormer: Bool
    /// Whether the document says nothing of that version.
    let hasEnded: Bool
    private let state = Mutex(State())

    /// Begins without sights.
    init(_ rules: AccessRules?, in schema: RowSchema, isFormer: Bool, hasEnded: Bool) {
        (self.rules, self.schema) = (rules, schema)
        (self.isFormer, self.hasEnded) = (isFormer, hasEnded)
    }

    /// Returns what was kept; nil for nothing.
    func decided(for asker: Asker) -> (sight: Sight, view: AccessView)? {
        state.withLock { $0.byAsker[asker] }.map { ($0.sight, $0.named.view) }
    }

    /// Keeps a sight that ``sight(of:named:)`` has made of a view, unless it would take the place of too many. Where there is no room,
    /// an eighth of what is kept makes way.
    func keep(_ sight: Sight, of asker: Asker, _ view: AccessView, named mark: ViewMark) {
        let ruleCount = view.roles.reduce(0) { $0 + $1.classes.count { $0 != nil } }
        let roles = Set(view.roles.map(\.name))
        let byteCount = rules?.roles.reduce(0) { roles.contains($1.name) ? $0 + $1.byteCount : $0 }
        let weight =
            8 + asker.weight + schema.classes.count / 8 + ruleCount + (byteCount ?? 0) / 256
        guard weight <= Self.ownWeightMax else { return }
        state.withLock { state in
            if state.weight + weight > Self.weightMax {
                for (asker, decided) in Array(state.byAsker.prefix(state.byAsker.count / 8 + 1)) {
                    state.byAsker[asker] = nil
                    state.byView[decided.named] = nil
                    state.weight -= decided.weight
                }
            }
            let named = NamedView(view: view, mark: mark)
            guard state.weight + weight <= Self.weightMax,
                state.byAsker.updateValue(
                    Decided(sight: sight, named: named, weight: weight), forKey: asker) == nil
            else { return }
            state.weight += weight
            state.byView[named] = sight
        }
    }

    /// Makes what a view shows, or finds it; ``keep(_:of:_:named:)`` follows.
    func sight(of view: AccessView, named mark: ViewMark) -> Sight {
        let named = NamedView(view: view, mark: mark)
        if let known = state.withLock({ $0.byView[named] }) { return known }
        var classes: [Int: ClassSight] = [:]
        for rowClass in schema.classes {
            classes[rowClass.index] = ClassSight(roles: view.shown(rowClass.index))
        }
        return Sight(
            classes, schema: schema, rows: part(without: view.unknownNames(of: schema)),
            fingerprint: mark.number, mark: mark.text)
    }

    /// The schema without some names, which is one for all who do not know them.
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
