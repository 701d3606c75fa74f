import HoldfastBytes
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
        let classes: Set<String>
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

    private struct State {
        var byAsker: [Asker: Sight] = [:]
        /// What these count as together.
        var weight = 0
        /// Equal for users whose values that rules read are equal.
        var byView: [AccessView: Sight] = [:]
        /// The schema without names that are unknown to somebody.
        var parts: [UnknownNames: RowSchema] = [:]
    }

    /// The most parts of the schema that are kept.
    private static let partCountMax = 256
    /// The most sights that are kept, by their weight, which have a part for each class, and the most such parts.
    private static let sightCountMax = 4096
    private static let classCountMax = 1 << 18
    /// A sight of so much is kept, however many classes there are.
    private static let weightMax = 64

    /// The rules; nil where there is no document that holds in the schema.
    let rules: AccessRules?
    /// The schema.
    let schema: RowSchema
    /// Whether it is the schema of a version that is pinned, and another one was the present one.
    let isFormer: Bool
    /// Whether the document says nothing of that version.
    let hasEnded: Bool
    /// Makes the names of views.
    private let key: [UInt8]
    private let countMax: Int
    private let state = Mutex(State())

    /// Begins without sights.
    ///
    /// - `key`: A secret of the store, by which the sights' marks are made.
    init(
        _ rules: AccessRules?, in schema: RowSchema, isFormer: Bool, hasEnded: Bool, key: [UInt8]
    ) {
        (self.rules, self.schema, self.key) = (rules, schema, key)
        (self.isFormer, self.hasEnded) = (isFormer, hasEnded)
        countMax = min(Self.sightCountMax, Self.classCountMax / max(schema.classes.count, 1))
    }

    /// Returns a sight that was kept; nil for none.
    func sight(of asker: Asker) -> Sight? { state.withLock { $0.byAsker[asker] } }

    /// Keeps a sight that ``sight(of:for:)`` has made of a view, unless its values are so large that it would take the place of too many.
    func keep(_ sight: Sight, of asker: Asker, _ view: AccessView) {
        let weight = asker.weight
        guard weight <= max(Self.weightMax, countMax / 16) else { return }
        state.withLock { state in
            state.weight += weight
            if state.weight > countMax {
                (state.byAsker, state.byView, state.weight) = ([:], [:], weight)
            }
            state.byAsker[asker] = sight
            state.byView[view] = sight
        }
    }

    /// Makes what a view shows, or finds it; ``keep(_:of:_:)`` follows.
    ///
    /// - `user`: The facts that the rules made the view of; nil where they did not.
    func sight(of view: AccessView, for user: (some UserFacts)?) -> Sight {
        if let known = state.withLock({ $0.byView[view] }) { return known }
        var classes: [Int: ClassSight] = [:]
        for rowClass in schema.classes {
            classes[rowClass.index] = ClassSight(
                roles: view.shown(rowClass.index).map { part in
                    ClassSight.Role(
                        rule: part.read == .constant(true) ? nil : part.read,
                        hidden: MemberSet(part.hidden))
                })
        }
        var decisive = ViewMark(key: key)
        decisive.add(view.classes)
        if let rules, let user { decisive.add(view, by: rules, for: user) }
        return Sight(
            classes, schema: schema, rows: part(without: view.unknownNames(of: schema)),
            fingerprint: sealed(view.fingerprint), mark: decisive.text)
    }

    /// A number for a view that tells nothing of the values that it is made of: clients hold it in their cursors.
    private func sealed(_ fingerprint: UInt64) -> UInt64 {
        let message = ByteBuffer(capacity: 32)
        message.append("holdfast page 1" as StaticString)
        message.append(little: fingerprint)
        // Where the library fails, no cursor goes on.
        let code = message.authenticationCode(under: key)
        return code?.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
            ?? .random(in: 0 ... .max)
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
