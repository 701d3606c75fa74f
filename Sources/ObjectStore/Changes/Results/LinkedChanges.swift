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
        // What is new is reached by links that are new, in objects that have changed.
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
