import HoldfastQuery
import HoldfastRows

/// Tells of objects that are seen now whether they were at each version since one, as far as the change log keeps what rules read. One thread at
/// a time uses it, while its view is open.
package final class SeenSince {
    private let version: UInt64
    private let query: ObservedQuery
    private let transaction: ReadTransaction
    private let changes: FoldedChanges
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
    ///   - transaction: A view of what is seen now.
    /// - Throws: ``FoldedChanges/Gap`` where the log does not reach back so far.
    package init(
        _ version: UInt64, of query: ObservedQuery, in transaction: ReadTransaction
    ) throws(FoldedChanges.Gap) {
        (self.version, self.query, self.transaction) = (version, query, transaction)
        changes = try FoldedChanges(
            after: version, in: transaction, recordCountMax: Self.recordCountMax,
            classes: query.formerClasses)
        let present = (try? transaction.state().version) ?? .max
        isWhole = changes.through == present
        isUnchanged =
            isWhole && changes.lostLinks.isEmpty && !changes.changesSchema
            && changes.order.allSatisfy { $0.classIndex == query.classIndex }
    }

    /// Whether one of some objects that are seen now, or some of its properties, may have been hidden at one of these versions. Cost: the rules
    /// are asked once for each, and again for each version at which something that they read was changed.
    ///
    /// - `keys`: Of objects of the query's class.
    package func mayHaveBeenHidden(anyOf keys: [UInt64]) -> Bool {
        guard isWhole, let classIndex = query.classIndex, !query.readsChangedShape(in: changes)
        else { return !keys.isEmpty }
        let results = FormerResults(
            of: query, changes, since: version, in: transaction,
            versionCountMax: max(
                min(Self.lookCountMax / max(keys.count, 1), Self.versionCountMax), 1))
        return keys.contains {
            results.hasChangedSight(of: ObjectIdentity(classIndex: classIndex, key: $0)) != .no
        }
    }
}

extension Sight {
    /// Whether it may be decided otherwise about an object of a class while that stays as it is: where rules read other objects, or links,
    /// which end with what they lead to.
    package func mayChange(ofClass classIndex: Int) -> Bool {
        let linking = MemberSet(schema.classes[classIndex].linkingMembers)
        return parts[classIndex].rules.flatMap { $0.dependencies(schema) }.contains {
            !$0.path.isEmpty || linking.contains($0.member)
        }
    }
}
