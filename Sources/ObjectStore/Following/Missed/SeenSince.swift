import HoldfastQuery
import HoldfastRows

/// Tells of objects that are seen now whether they were at each version since one, as far as the change log keeps what rules read. One thread at
/// a time uses it, while its view is open.
package final class SeenSince {
    private let results: FormerResults
    /// Whether all that has changed was read.
    private let isWhole: Bool
    /// Whether nothing has changed but that objects of the class came and went.
    package let isUnchanged: Bool

    /// The most versions and changes that are read.
    private static let recordCountMax = 100_000
    /// The most versions that one object is looked at in, and that all are together: some seconds, within which a query ends. Behind them an
    /// object may have been hidden.
    private static let versionCountMax = 1_000
    private static let lookCountMax = 500_000

    /// Reads what has changed.
    ///
    /// - Parameters:
    ///   - version: The version to begin with.
    ///   - query: The objects, with the sight that they are seen by.
    ///   - objectCount: The number of objects that are asked about.
    ///   - transaction: A view of what is seen now.
    /// - Throws: ``FoldedChanges/Gap`` where the log does not reach back so far.
    package init(
        _ version: UInt64, of query: ObservedQuery, objectCount: Int,
        in transaction: ReadTransaction
    ) throws(FoldedChanges.Gap) {
        let changes = try FoldedChanges(
            after: version, in: transaction, recordCountMax: Self.recordCountMax,
            classes: query.formerClasses)
        let present = (try? transaction.state().version) ?? .max
        isWhole = changes.through == present
        isUnchanged =
            isWhole && changes.lostLinks.isEmpty && !changes.changesSchema
            && changes.order.allSatisfy { $0.classIndex == query.classIndex }
        results = FormerResults(
            of: query, changes, since: version, in: transaction,
            versionCountMax: max(
                min(Self.lookCountMax / max(objectCount, 1), Self.versionCountMax), 1))
    }

    /// Whether an object that is seen now, or some of its properties, may have been hidden at one of these versions. Cost: the rules are asked
    /// once, and again for each version at which something that they read was changed.
    package func mayHaveBeenHidden(_ object: ObjectIdentity) -> Bool {
        !isWhole || results.hasChangedSight(of: object) != .no
    }
}

extension Sight {
    /// Whether it may be decided otherwise about an object of a class while that stays as it is: where rules read other objects, or links,
    /// which end with what they lead to.
    package func mayChange(ofClass classIndex: Int) -> Bool {
        let part = parts[classIndex]
        let rules = [part.rule] + part.roles.map(\.rule)
        let linking = MemberSet(schema.classes[classIndex].linkingMembers)
        return rules.compactMap(\.self).flatMap { $0.dependencies(schema) }.contains {
            !$0.path.isEmpty || linking.contains($0.member)
        }
    }
}
