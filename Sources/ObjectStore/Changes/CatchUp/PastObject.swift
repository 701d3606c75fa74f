import HoldfastQuery
import HoldfastRows

/// The state of an object with a primary key, and of the objects that it leads to, at each version since a given one, as far as
/// the change log reaches. One thread at a time uses it, while its view is open.
package struct PastObject {
    private let classIndex: Int
    private let primaryKey: OrderedKey
    /// The properties that are read, by class.
    private let reads: [Int: MemberSet]
    private let changes: FoldedChanges
    private let unrestricted: StoreView

    /// The largest number of versions that are examined.
    private static let versionCountMax = 64

    /// - Parameters:
    ///   - classIndex: Its class.
    ///   - primaryKey: Its key; the object need not exist.
    ///   - reads: The properties that are read of the object and along its links, including the links themselves.
    ///   - changes: The changes up to the version of the view, in all classes that have these properties.
    ///   - transaction: A view of the last version.
    package init(
        classIndex: Int, primaryKey: OrderedKey, reading reads: [Dependency],
        _ changes: FoldedChanges, in transaction: ReadTransaction
    ) {
        self.classIndex = classIndex
        self.primaryKey = primaryKey
        self.reads = reads.reduce(into: [:]) {
            $0[$1.classIndex, default: MemberSet()].insert($1.member)
        }
        self.changes = changes
        unrestricted = transaction.unrestricted
    }

    /// Passes on the object as of a version, and as of each later version at which something that `body` read may have changed,
    /// until `body` returns false.
    ///
    /// - `body`: Gets the object, nil if it did not exist, and the reader for other objects.
    /// - Returns: Whether `body` never returned false, and everything that it read is known.
    package func forEachVersion(
        since version: UInt64,
        _ body: (_ object: (key: UInt64, row: RowView)?, _ source: any ObjectSource) -> Bool
    ) -> Bool {
        var version = version
        for _ in 0..<Self.versionCountMax {
            let objects = PastObjects(at: version, changes, isWhole: true, in: unrestricted)
            objects.begin(reading: reads)
            let (goesOn, next) = objects.noting {
                let key = objects.objectKey(classIndex: classIndex, primaryKey: primaryKey)
                let object = key.flatMap { key in
                    objects.row(classIndex: classIndex, key: key).map { (key, $0) }
                }
                return body(object, objects)
            }
            if !goesOn || objects.isUndecided || unrestricted.budget.failure != nil { return false }
            if next > changes.through { return true }
            version = next
        }
        return false
    }
}
