import HoldfastBytes
import HoldfastRows
import HoldfastStorage

/// The objects of a class from which objects that changed are reached within some links, and the properties through which.
///
/// Found from the changed objects backwards, along inverse links: cost, those of all objects on the way. Embedded objects are part
/// of the object that they belong to.
struct LinkedChanges {
    /// The objects by their keys.
    private(set) var members: [UInt64: MemberSet] = [:]
    private let rootClass: RowClass
    private let view: ReadTransaction
    /// The classes that can be reached, each with the fewest links to it.
    private let distances: [Int: Int]

    /// - `depth`: The most links.
    init(_ step: ChangeStep, to classIndex: Int, depth: Int) {
        // Also links that are not shown lead to objects of which something else is shown now.
        view = step.after.bare
        rootClass = view.rows.classes[classIndex]
        distances = Self.distances(from: rootClass, view.rows, depth)
        var seen: Set<ObjectIdentity> = []
        var ends: [ObjectIdentity] = []
        // What is new is reached by links that are new, in objects that have changed.
        for (identity, change) in zip(step.changes.order, step.changes.outcomes)
        where change.kind == .update && !change.members.isEmpty
            && distances[identity.classIndex] != nil
        {
            ends.append(identity)
            seen.insert(identity)
        }
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

    /// Notes an object that links to one that changed, or that leads there.
    private mutating func reach(_ key: UInt64, _ property: UInt32) {
        var reached = members[key] ?? MemberSet()
        if let location = view.rows.memberByNumber[property],
            location.classIndex == rootClass.index
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
        var distances = [rootClass.index: 0]
        var ends = [rootClass]
        for length in 1...max(depth, 1) {
            var next: Set<Int> = []
            for end in ends { addTargets(of: end, schema, to: &next) }
            ends = []
            for index in next where distances[index] == nil {
                distances[index] = length
                ends.append(schema.classes[index])
            }
        }
        return distances
    }

    /// Adds the classes that links of a class, those in its embedded objects included, lead to.
    private static func addTargets(
        of rowClass: RowClass, _ schema: RowSchema, to targets: inout Set<Int>
    ) {
        var classes = [rowClass]
        var seen: Set<Int> = []
        while let next = classes.popLast() {
            for member in next.linkingMembers {
                let compiled = next.members[member]
                switch compiled.storage.element {
                case .mixed: targets.formUnion(schema.classes.indices)
                case .embedded where seen.insert(compiled.classIndex).inserted:
                    classes.append(schema.classes[compiled.classIndex])
                case .link: targets.insert(compiled.classIndex)
                default: continue
                }
            }
        }
    }
}
