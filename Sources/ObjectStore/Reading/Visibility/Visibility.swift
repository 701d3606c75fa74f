import HoldfastObjectModel
import HoldfastQuery
import HoldfastRows
import Synchronization

/// The readable part of a store for a principal, made ready for one schema. Immutable; any thread may use it.
///
/// A restricted view (``StoreView/restricted(to:)``) shows the store as if hidden parts did not exist: objects are absent, links
/// to them null, collections lack them, and hidden properties are null. Embedded objects are visible with the objects that
/// contain them.
package final class Visibility: Sendable {
    /// The part of a class.
    struct Part: Sendable {
        /// The rules; nil where all of its objects are seen whole.
        var own: ClassVisibility?
        /// The objects that may be read, as a condition of queries; nil for all.
        var rule: Predicate?
        /// Whether the rule reads nothing but the object itself, so that testing it takes less than remembering.
        var isRuleCheap = true
        var isNeverSeen: Bool = false
        /// The properties that are hidden on some objects.
        var hidden = MemberSet()
        /// The roles that decide which; empty if nothing is hidden.
        var roles: [ClassVisibility.Role] = []
        /// The properties that may hold links to objects that are hidden, by position.
        var links: [Int] = []
        /// The members that may contain values of unknown properties, directly or in embedded objects.
        var unknown = MemberSet()
        /// The properties with visible values that may differ from the stored ones.
        var altered = MemberSet()

        /// All rules that decide about its objects.
        var rules: [Predicate] { ([rule] + roles.map(\.rule)).compactMap(\.self) }

        /// Whether objects may be shown otherwise than stored.
        var isConcerned: Bool { rule != nil || !altered.isEmpty }
    }

    /// The schema whose positions it uses.
    package let schema: RowSchema
    /// The schema as a view shows it: without the names that are hidden everywhere.
    package let rows: RowSchema
    /// Distinguishes the inputs of this visibility from the inputs of others.
    package let fingerprint: UInt64
    /// The name of its inputs, the same in every process; empty if no name was requested.
    package let mark: String
    /// The part of each class, by position.
    let parts: [Part]

    /// A matcher that no view uses.
    private struct Spare: @unchecked Sendable { let matcher: Matcher }

    /// By class, a matcher of its rule for the next view.
    private let spares = Mutex<[Int: Spare]>([:])

    /// Makes the visibility of some classes; all of the others is seen.
    ///
    /// - Parameters:
    ///   - classes: By position in the schema; embedded classes are left out.
    ///   - schema: The schema of the views that it is for.
    ///   - rows: The same without the names that are unknown; nil where all are known.
    ///   - fingerprint: Distinguishes its inputs from the inputs of others.
    ///   - mark: Names its inputs, the same in every process.
    package init(
        _ classes: [Int: ClassVisibility], schema: RowSchema, rows: RowSchema? = nil,
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
                areSame ? [ClassVisibility.Role(rule: nil, hidden: parts[index].hidden)] : roles
        }
        let mayHide = parts.map { $0.rule != nil }
        let embedsUnknown = self.rows.classes.contains {
            $0.definition.kind == .embedded && !$0.unknown.isEmpty
        }
        for (index, links) in Self.links(toAnyOf: mayHide, schema).enumerated() {
            parts[index].links = links
            let rowClass = self.rows.classes[index]
            parts[index].unknown = MemberSet(
                links.filter {
                    rowClass.unknown.contains($0)
                        || embedsUnknown && rowClass.members[$0].isEmbedded
                })
        }
        for index in parts.indices {
            parts[index].altered = parts[index].hidden.union(MemberSet(parts[index].links))
        }
        self.parts = parts
    }

    /// Makes a matcher of a class's rule for a view that shows everything, or takes a spare one; nil where all objects are seen.
    func takeMatcher(of classIndex: Int, on view: StoreView) -> Matcher? {
        guard let rule = parts[classIndex].rule else { return nil }
        let spare = spares.withLock { $0.removeValue(forKey: classIndex) }
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

    /// Whether a property is known by its name.
    func knows(_ member: Int, of rowClass: RowClass) -> Bool {
        !rows.classes[rowClass.index].unknown.contains(member)
    }

    /// Whether some objects of a class may be hidden.
    func mayHideObjects(of classIndex: Int) -> Bool { parts[classIndex].rule != nil }

    /// Whether a property is hidden on some objects of a class.
    package func hides(_ member: Int, of classIndex: Int) -> Bool {
        parts[classIndex].hidden.contains(member)
    }

    /// Whether a property of a class may be shown otherwise than stored, or objects that have it not at all.
    func alters(_ member: Int, of classIndex: Int) -> Bool {
        mayHideObjects(of: classIndex) || parts[classIndex].altered.contains(member)
    }

    /// The properties that may hold links to objects of some classes, also within embedded objects and `mixed` values.
    ///
    /// - Parameters:
    ///   - hidden: Whether links to the objects of each class count, by position.
    ///   - schema: The classes.
    /// - Returns: The positions of the properties of each class.
    package static func links(toAnyOf hidden: [Bool], _ schema: RowSchema) -> [[Int]] {
        guard hidden.contains(true) else { return schema.classes.map { _ in [] } }
        var isLeading = zip(schema.classes, hidden).map { $0.definition.kind != .embedded && $1 }
        // A mixed value may link to any class.
        func mayLead(_ member: Int, _ rowClass: RowClass) -> Bool {
            let compiled = rowClass.members[member]
            return compiled.storage.element == .mixed || isLeading[compiled.classIndex]
        }
        // Embedded objects may hold each other.
        var isDone = false
        while !isDone {
            isDone = true
            for rowClass in schema.classes
            where rowClass.definition.kind == .embedded && !isLeading[rowClass.index]
                && rowClass.linkingMembers.contains(where: { mayLead($0, rowClass) })
            {
                isLeading[rowClass.index] = true
                isDone = false
            }
        }
        return schema.classes.map { rowClass in
            rowClass.linkingMembers.filter { mayLead($0, rowClass) }
        }
    }
}

/// The readable part of the objects of a class.
package struct ClassVisibility: Hashable, Sendable {
    /// The part of one role.
    package struct Role: Hashable, Sendable {
        /// The objects that the role lets read; nil for all.
        package var rule: Predicate?
        /// The properties that it hides of them, by position; never the primary key.
        package var hidden: MemberSet

        /// Makes the part of a role.
        package init(rule: Predicate?, hidden: MemberSet = MemberSet()) {
            self.rule = rule
            self.hidden = hidden
        }
    }

    /// The objects that may be read; nil for all.
    package var rule: Predicate?
    /// The roles. A property is hidden on an object if it is hidden by each role with a rule that admits the object.
    package var roles: [Role]

    /// Adds up the readable parts of roles.
    ///
    /// - `roles`: The active roles that let some objects be read; empty if no object may be read.
    package init(roles: [Role]) {
        self.roles = roles
        let admitted = Predicate.any(of: roles.map { $0.rule ?? .constant(true) })
        rule = admitted == .constant(true) ? nil : admitted
    }
}

extension Visibility {
    /// The rules that decide about the objects behind some steps: whether they are seen, and which of their properties.
    struct Admission {
        /// The class of the objects, or of the objects that contain them.
        let classIndex: Int
        let rules: [Predicate]
        let steps: [PathStep]
        /// See ``Dependency/firstMember``; that of the rules themselves where no step leads to the objects.
        let firstMember: Int?

        /// The properties that the rules read, some of them more than once.
        func dependencies(_ schema: RowSchema) -> [Dependency] {
            rules.flatMap { $0.dependencies(schema) }.map {
                steps.isEmpty ? $0 : $0.behind(steps, firstMember: firstMember)
            }
        }
    }

    /// The properties that decide about the visible part of the objects, in addition to the ones that are read.
    ///
    /// The rules of the class, of each class on a path, and of the classes that visible links lead to. A link within embedded
    /// objects counts wherever it is.
    ///
    /// - Parameters:
    ///   - reads: The properties that are read of some objects, or behind them.
    ///   - rootClass: The class of the objects that paths begin at.
    ///   - isWhole: Whether all links of the objects themselves are shown.
    /// - Returns: The rules, some of them more than once.
    func admissions(toRead reads: [Dependency], from rootClass: Int, isWhole: Bool) -> [Admission] {
        var found = admission(to: rootClass, behind: [], firstMember: nil)
        var places: Set<[PathStep]> = []
        for read in reads {
            for count in read.path.indices {
                let steps = Array(read.path[...count])
                guard places.insert(steps).inserted, let last = steps.last else { continue }
                found += admission(to: last.toClass, behind: steps, firstMember: read.firstMember)
                // An embedded object that links here is visible with the object that contains it, which is the origin of the
                // link.
                guard last.kind == .inverse else { continue }
                for owner in schema.ownerClasses(of: last.toClass) {
                    found += admission(to: owner, behind: steps, firstMember: read.firstMember)
                }
            }
            found += targets(
                of: read.member, of: read.classIndex, behind: read.path,
                firstMember: read.firstMember)
        }
        if isWhole {
            for member in parts[rootClass].links {
                found += targets(of: member, of: rootClass, behind: [], firstMember: member)
            }
        }
        return found
    }

    /// Whether some reads may see values that differ from the stored ones, such as null.
    ///
    /// - `rootClass`: The class of the objects that paths begin at.
    func alters(anyOf reads: [Dependency], from rootClass: Int) -> Bool {
        reads.contains { read in
            guard let first = read.path.first else {
                return parts[rootClass].altered.contains(read.member)
            }
            return alters(read) || parts[rootClass].altered.contains(first.member)
                // An embedded object that links here is visible if the object that contains it is, whatever its class.
                || read.path.contains { step in
                    step.kind == .inverse
                        && schema.classes[step.toClass].definition.kind == .embedded
                }
        }
    }

    /// Whether the end of a read may be shown otherwise than it is stored, or an inverse link that leads there is hidden on some
    /// objects.
    func alters(_ read: Dependency) -> Bool {
        alters(read.member, of: read.classIndex)
            || read.path.contains { $0.inverseLink >= 0 && hides($0.inverseLink, of: $0.fromClass) }
    }

    /// A read behind any element of a list replaces a read behind one position, if elements before it may be hidden.
    func withoutPositions(_ read: Dependency) -> Dependency {
        var read = read
        for index in read.path.indices {
            let step = read.path[index]
            guard case .linkAt(let position) = step.kind, mayHideObjects(of: step.toClass) else {
                continue
            }
            if case .key = position { continue }
            read.path[index].kind = .links
        }
        return read
    }

    /// The reads that decide whether the objects of a class are seen, and which of their properties.
    private func admission(
        to classIndex: Int, behind steps: [PathStep], firstMember: Int?
    ) -> [Admission] {
        let part = parts[classIndex]
        guard part.own != nil, part.isConcerned else { return [] }
        return [
            Admission(
                classIndex: classIndex, rules: part.rules, steps: steps, firstMember: firstMember)
        ]
    }

    /// The reads that decide whether the targets of a property are seen.
    private func targets(
        of member: Int, of classIndex: Int, behind steps: [PathStep], firstMember: Int?
    ) -> [Admission] {
        let rowClass = schema.classes[classIndex]
        guard member >= 0, rowClass.linkingMembers.contains(member) else { return [] }
        return links(of: rowClass.members[member], at: member, of: rowClass, within: [])
            .compactMap { way in
                // Which of their properties are seen is no matter of the link.
                guard let target = way.last?.toClass, parts[target].own != nil,
                    let rule = parts[target].rule
                else { return nil }
                return Admission(
                    classIndex: target, rules: [rule], steps: steps + way, firstMember: firstMember)
            }
    }

    /// The steps from an object along the links that a property holds.
    ///
    /// - `outer`: The embedded classes around the property.
    private func links(
        of compiled: RowClass.Member, at member: Int, of rowClass: RowClass, within outer: Set<Int>
    ) -> [[PathStep]] {
        func anywhere(_ target: Int) -> [PathStep] {
            [
                PathStep(
                    kind: .mixedLinks, fromClass: rowClass.index, toClass: target, member: member)
            ]
        }
        switch compiled.storage.element {
        case .link:
            // Within embedded objects it need not stand where one way leads.
            return outer.isEmpty
                ? [[PathStep(along: member, of: rowClass)]] : [anywhere(compiled.classIndex)]
        case .embedded:
            guard !outer.contains(compiled.classIndex) else { return [] }
            let inner = schema.classes[compiled.classIndex]
            let found = inner.linkingMembers.flatMap {
                links(
                    of: inner.members[$0], at: $0, of: inner,
                    within: outer.union([compiled.classIndex]))
            }
            let step = PathStep(along: member, of: rowClass)
            return outer.isEmpty ? found.map { [step] + $0 } : found
        default:
            return schema.classes.filter { parts[$0.index].rule != nil }.map { anywhere($0.index) }
        }
    }
}
