import HoldfastQuery
import HoldfastRows

/// Finds out whether visible objects were visible at each version since one, as far as the change log keeps the values that rules
/// read. One thread at a time uses it, while its view is open.
package final class PastVisibility {
    private let version: UInt64
    private let query: ObservedQuery
    private let transaction: ReadTransaction
    private let changes: FoldedChanges
    /// Whether all changes were read.
    private let isWhole: Bool
    /// Whether nothing has changed except that objects of the class came and went.
    package let isUnchanged: Bool

    /// The maximum number of versions and changes that are read.
    private static let recordCountMax = 100_000
    /// The maximum number of versions that one object is looked at in, and of looks at all objects: some seconds, within which a
    /// query ends. Beyond them an object may have been hidden.
    private static let versionCountMax = 1_000
    private static let lookCountMax = 500_000

    /// Reads the changes.
    ///
    /// - Parameters:
    ///   - version: The version to begin with.
    ///   - query: The objects, with the visibility that they are visible by.
    ///   - transaction: A view of the present state.
    /// - Throws: ``FoldedChanges/Gap`` if the log does not reach back so far.
    package init(
        _ version: UInt64, of query: ObservedQuery, in transaction: ReadTransaction
    ) throws(FoldedChanges.Gap) {
        (self.version, self.query, self.transaction) = (version, query, transaction)
        changes = try FoldedChanges(
            after: version, in: transaction, recordCountMax: Self.recordCountMax,
            classes: query.pastClasses)
        let present = (try? transaction.state().version) ?? .max
        isWhole = changes.through == present
        isUnchanged =
            isWhole && changes.lostLinks.isEmpty && !changes.changesSchema
            && changes.order.allSatisfy { $0.classIndex == query.classIndex }
    }

    /// Whether one of some visible objects, or some of its properties, may have been hidden at one of these versions. Cost: one
    /// test of the rules for each object, and another for each version that changed values which they read.
    ///
    /// - `keys`: The keys of objects of the query's class.
    package func mayHaveBeenHidden(anyOf keys: [UInt64]) -> Bool {
        guard isWhole, let classIndex = query.classIndex, !query.readsChangedShape(in: changes)
        else { return !keys.isEmpty }
        let results = PastResults(
            of: query, changes, since: version, in: transaction,
            versionCountMax: max(
                min(Self.lookCountMax / max(keys.count, 1), Self.versionCountMax), 1))
        return keys.contains {
            results.hasChangedVisibility(of: ObjectIdentity(classIndex: classIndex, key: $0)) != .no
        }
    }
}

extension Visibility {
    /// Whether the decision about an object of a class may change while the object does not: if rules read other objects, or
    /// links, which end with their targets.
    package func mayChange(ofClass classIndex: Int) -> Bool {
        let linking = MemberSet(schema.classes[classIndex].linkingMembers)
        return parts[classIndex].rules.flatMap { $0.dependencies(schema) }.contains {
            !$0.path.isEmpty || linking.contains($0.member)
        }
    }
}
