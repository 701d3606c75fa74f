import HoldfastQuery
import HoldfastRows

/// The properties that count as changes of a class's objects: all of their own and the properties that they lead to within some
/// links, or the properties along certain chains.
package struct ShownProperties: Sendable {
    /// The chains that lead into other objects and back, if not everything is shown.
    private let query: ObservedQuery?
    /// The objects' own properties through which other objects are shown.
    private var firstMembers = MemberSet()
    /// The own properties that are shown whole.
    private var whole = MemberSet()
    /// The shown properties of embedded objects, with the single embedded objects on the path.
    private var inner: [(steps: [PathStep], last: Int)] = []
    private let classIndex: Int
    private var depth = 0

    /// The number of links that are followed if no chains are given.
    package static let defaultDepth = 4

    /// All properties of a class's objects, and of the objects that they lead to within some links.
    package init(everythingOf classIndex: Int, depth: Int = defaultDepth) {
        self.classIndex = classIndex
        self.depth = depth
        query = nil
    }

    /// The properties at the ends of chains, and all on the path.
    ///
    /// - `chains`: Lists of properties by position. The first is the class's, each other one that of the class to which the one
    ///   before leads.
    package init(chains: [[Int]], of classIndex: Int, schema: RowSchema) {
        self.classIndex = classIndex
        var dependencies: [Dependency] = []
        for chain in chains {
            guard let first = chain.first, let last = chain.last else { continue }
            firstMembers.insert(first)
            var rowClass = schema.classes[classIndex]
            var steps: [PathStep] = []
            for member in chain.dropLast() {
                let step = PathStep(along: member, of: rowClass)
                steps.append(step)
                rowClass = schema.classes[step.toClass]
            }
            dependencies += Dependency.along(steps, firstMember: first)
            dependencies.append(
                Dependency(
                    classIndex: rowClass.index, member: last, path: steps, firstMember: first))
            let embedded = steps.prefix { $0.kind == .embedded }
            if embedded.isEmpty {
                whole.insert(first)
            } else {
                inner.append((Array(embedded), chain[embedded.count]))
            }
        }
        query = ObservedQuery(
            target: .objects(classIndex: classIndex), predicate: nil, filterPaths: [],
            shownPaths: dependencies, countsEverything: false, schema: schema)
    }

    /// Finds the objects that are there before and after a step and have a changed shown value, each with its own properties that
    /// changed or lead to the change. Cost: that of the changes, and of the inverse links on the paths back from them.
    ///
    /// - `key`: The key of a single wanted object; nil for all.
    package func changes(in step: ChangeStep, of key: UInt64? = nil) -> [UInt64: MemberSet] {
        guard let query else { return everything(in: step, of: key) }
        var found: [UInt64: MemberSet] = [:]
        for candidate in query.candidates(step.changes, in: step.after)
        where key == nil || candidate.identity.key == key {
            let kind = candidate.change?.kind ?? .update
            if kind == .delete || kind == .insert { continue }
            var members = MemberSet()
            if candidate.reach.isOfShown {
                members = candidate.members.intersection(firstMembers)
            } else if let change = candidate.change {
                members = ownChanges(step.object(candidate.identity), change.members, step)
            }
            if !members.isEmpty { found[candidate.identity.key] = members }
        }
        return found
    }

    private func everything(in step: ChangeStep, of key: UInt64?) -> [UInt64: MemberSet] {
        var found = depth > 0 ? LinkedChanges(step, to: classIndex, depth: depth).members : [:]
        if let key { found = found.filter { $0.key == key } }
        for (identity, change) in zip(step.changes.order, step.changes.outcomes)
        where identity.classIndex == classIndex && (key == nil || identity.key == key) {
            switch change.kind {
            case .insert, .delete: found[identity.key] = nil
            case .update where change.members.isEmpty: continue
            case .update: found[identity.key, default: MemberSet()].formUnion(change.members)
            }
        }
        return found
    }

    /// The shown properties among an object's changed ones.
    private func ownChanges(
        _ object: ChangedObject, _ changed: MemberSet, _ step: ChangeStep
    ) -> MemberSet {
        var members = changed.intersection(whole)
        guard let old = object.before, let new = object.after else { return members }
        for property in inner {
            guard let first = property.steps.first?.member, changed.contains(first),
                let last = property.steps.last, !members.contains(first)
            else { continue }
            let a = step.before.row(behind: property.steps[...], from: old)
            let b = step.after.row(behind: property.steps[...], from: new)
            let differs: Bool
            if let a, let b {
                differs = step.after.rows.classes[last.toClass].differs(
                    property.last, from: (a, step.before), to: (b, step.after))
            } else {
                differs = a != nil || b != nil
            }
            if differs { members.insert(first) }
        }
        return members
    }
}

/// The objects of a class from which changed objects are reached within some links, with the properties that lead there.
///
/// They are found from the changed objects backwards, along inverse links. Cost: the inverse links of all objects on the way.
/// Embedded objects are part of the object that they belong to.
struct LinkedChanges {
    /// The objects by their keys.
    private(set) var members: [UInt64: MemberSet] = [:]
    private let rootClass: RowClass
    private let view: ReadTransaction
    /// The classes that can be reached, each with the smallest number of links to it.
    private let distances: [Int: Int]

    /// - `depth`: The maximum number of links.
    init(_ step: ChangeStep, to classIndex: Int, depth: Int) {
        // Hidden links, too, lead to objects that are shown differently now.
        view = step.after.unrestricted
        rootClass = view.rows.classes[classIndex]
        distances = Self.distances(from: rootClass, view.rows, depth)
        // New objects are reached by new links, in objects that have changed.
        var ends = zip(step.changes.order, step.changes.outcomes).filter { identity, change in
            change.kind == .update && !change.members.isEmpty
                && distances[identity.classIndex] != nil
        }.map(\.0)
        var seen = Set(ends)
        for length in 1...max(depth, 1) where !ends.isEmpty {
            var origins: [ObjectIdentity] = []
            for end in ends {
                view.scanOrigins(end.classIndex, end.key) { origin, property, _ in
                    if let distance = distances[origin.classIndex], distance <= depth - length {
                        if origin.classIndex == classIndex { reach(origin.key, property) }
                        if seen.insert(origin).inserted { origins.append(origin) }
                    }
                    return true
                }
            }
            ends = origins
        }
    }

    /// Notes an object that links to a changed object, or to one that leads there.
    private mutating func reach(_ key: UInt64, _ property: UInt32) {
        var reached = members[key] ?? MemberSet()
        if let location = view.rows.memberByNumber[property], location.classIndex == rootClass.index
        {
            reached.insert(location.member)
        } else {
            // The link is in an embedded object.
            for member in rootClass.linkingMembers where rootClass.members[member].isEmbedded {
                reached.insert(member)
            }
        }
        members[key] = reached
    }

    private static func distances(
        from rootClass: RowClass, _ schema: RowSchema, _ depth: Int
    ) -> [Int: Int] {
        var distances: [Int: Int] = [:]
        func visit(_ classIndex: Int, _ distance: Int) {
            guard distance <= depth, distance < distances[classIndex] ?? .max else { return }
            distances[classIndex] = distance
            let rowClass = schema.classes[classIndex]
            for member in rowClass.linkingMembers {
                let compiled = rowClass.members[member]
                switch compiled.storage.element {
                case .mixed: for target in schema.classes { visit(target.index, distance + 1) }
                case .embedded: visit(compiled.classIndex, distance)
                default: visit(compiled.classIndex, distance + 1)
                }
            }
        }
        visit(rootClass.index, 0)
        return distances
    }
}
