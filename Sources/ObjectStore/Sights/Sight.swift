import HoldfastObjectModel
import HoldfastQuery
import HoldfastRows
import Synchronization

/// The readable part of a store for a principal, made ready for one schema. Immutable; any thread may use it.
///
/// A view with a sight (``ReadTransaction/shown(by:)``) shows the store as if what may not be read did not exist: objects are absent,
/// links to them null, collections lack them, and hidden properties are null. Embedded objects are seen with the objects that hold
/// them.
package final class Sight: Sendable {
    /// The part of a class.
    struct Part: Sendable {
        /// The rules; nil where all of its objects are seen whole.
        var own: ClassSight?
        /// The objects that may be read, as a condition of queries; nil for all.
        var rule: Predicate?
        /// Whether the rule reads nothing but the object itself, so that testing it takes less than remembering.
        var isRuleCheap = true
        /// Whether no object may be read.
        var isNeverSeen: Bool = false
        /// The properties that are hidden on some objects.
        var hidden = MemberSet()
        /// The roles that decide which; none where nothing is hidden.
        var roles: [ClassSight.Role] = []
        /// The properties that may hold links to objects that are hidden, by position.
        var links: [Int] = []
        /// The properties whose values may be shown otherwise than stored.
        var altered = MemberSet()

        /// Whether objects may be shown otherwise than stored.
        var isConcerned: Bool { rule != nil || !altered.isEmpty }
    }

    /// The schema whose positions it has.
    package let schema: RowSchema
    /// The schema as a view shows it: without the names of what is hidden everywhere.
    package let rows: RowSchema
    /// Tells what decides on the sight apart from other such.
    package let fingerprint: UInt64
    /// The name of what decided it, in every process alike; empty where no name was asked for.
    package let mark: String
    /// The part of each class, by position.
    let parts: [Part]
    /// Whether objects of each class may be shown otherwise than stored, and whether some may be hidden.
    let areConcerned: [Bool]
    private let mayHide: [Bool]

    /// A matcher that no view uses.
    private struct Spare: @unchecked Sendable {
        let matcher: Matcher
    }

    /// By class, a matcher of its rule for the next view.
    private let spares: Mutex<[Spare?]>

    /// Makes the sight of some classes; all of the others is seen.
    ///
    /// - Parameters:
    ///   - classes: By position in the schema; embedded classes are left out.
    ///   - schema: The schema of the views that it is for.
    ///   - rows: The same without the names that are unknown; nil where all are known.
    ///   - fingerprint: Tells what decides on it apart from other such.
    ///   - mark: Names what decides on it, in every process alike.
    package init(
        _ classes: [Int: ClassSight], schema: RowSchema, rows: RowSchema? = nil,
        fingerprint: UInt64 = 0, mark: String = ""
    ) {
        self.fingerprint = fingerprint
        self.schema = schema
        self.rows = rows ?? schema
        self.mark = mark
        var parts = [Part](repeating: Part(), count: schema.classes.count)
        for (index, own) in classes where schema.classes[index].definition.kind != .embedded {
            parts[index].own = own
            parts[index].rule = own.rule
            parts[index].isRuleCheap =
                own.rule?.dependencies(schema).allSatisfy(\.path.isEmpty) ?? true
            parts[index].isNeverSeen = own.rule == .constant(false)
            let roles = own.roles.filter { $0.rule != .constant(false) }
            for role in roles { parts[index].hidden.formUnion(role.hidden) }
            if parts[index].hidden.isEmpty { continue }
            // Where all hide the same, it does not matter which of them admit an object.
            let areSame = roles.allSatisfy { $0.hidden == parts[index].hidden }
            parts[index].roles =
                areSame ? [ClassSight.Role(rule: nil, hidden: parts[index].hidden)] : roles
        }
        mayHide = parts.map { $0.rule != nil }
        for (index, links) in Self.links(toAnyOf: mayHide, schema).enumerated() {
            parts[index].links = links
        }
        for index in parts.indices {
            parts[index].altered = parts[index].hidden
            for member in parts[index].links { parts[index].altered.insert(member) }
        }
        self.parts = parts
        areConcerned = parts.map(\.isConcerned)
        spares = Mutex(Array(repeating: nil, count: parts.count))
    }

    /// Makes a matcher of a class's rule for a view that shows everything, or takes a spare one; nil where all objects are seen.
    func takeMatcher(of classIndex: Int, on view: ReadTransaction) -> Matcher? {
        guard let rule = parts[classIndex].rule else { return nil }
        let spare = spares.withLock { spares in
            defer { spares[classIndex] = nil }
            return spares[classIndex]
        }
        guard let spare else { return rule.makeMatcher(schema, source: view) }
        spare.matcher.bind(to: view)
        return spare.matcher
    }

    /// Keeps the matcher of a class's rule for another view, unless it may remember something of the one that it was taken for.
    func giveBack(_ matcher: Matcher, of classIndex: Int) {
        guard parts[classIndex].isRuleCheap, matcher.isOfAnyState else { return }
        let spare = Spare(matcher: matcher)
        spares.withLock { $0[classIndex] = spare }
    }

    /// Whether some objects of a class may be hidden.
    func mayHideObjects(of classIndex: Int) -> Bool { mayHide[classIndex] }

    /// Whether a property is hidden on some objects of a class.
    package func hides(_ member: Int, of classIndex: Int) -> Bool {
        parts[classIndex].hidden.contains(member)
    }

    /// Whether a property of a class may be shown otherwise than stored, or objects that have it not at all.
    func alters(_ member: Int, of classIndex: Int) -> Bool {
        mayHide[classIndex] || parts[classIndex].altered.contains(member)
    }

    /// The properties that may hold links to objects of some classes, also within embedded objects and `mixed` values.
    ///
    /// - Parameters:
    ///   - hidden: Whether links to the objects of each class count, by position.
    ///   - schema: The classes.
    /// - Returns: The positions of the properties of each class.
    package static func links(toAnyOf hidden: [Bool], _ schema: RowSchema) -> [[Int]] {
        guard hidden.contains(true) else { return schema.classes.map { _ in [] } }
        var reach = Reach(schema: schema, hasRule: hidden)
        return schema.classes.map { rowClass in
            rowClass.linkingMembers.filter { reach.mayHoldHidden(rowClass.members[$0]) }
        }
    }

    /// The classes to whose objects links may lead that are hidden.
    private struct Reach {
        let schema: RowSchema
        let hasRule: [Bool]
        private var embedded: [Int: Bool] = [:]

        init(schema: RowSchema, hasRule: [Bool]) {
            self.schema = schema
            self.hasRule = hasRule
        }

        mutating func mayHoldHidden(_ member: RowClass.Member) -> Bool {
            switch member.storage.element {
            case .link: return hasRule[member.classIndex]
            case .embedded:
                if let known = embedded[member.classIndex] { return known }
                // One that holds itself says nothing new.
                embedded[member.classIndex] = false
                let inner = schema.classes[member.classIndex]
                var found = false
                for own in inner.linkingMembers where mayHoldHidden(inner.members[own]) {
                    found = true
                }
                embedded[member.classIndex] = found
                return found
            // A mixed value may link to any class.
            default: return true
            }
        }
    }
}
