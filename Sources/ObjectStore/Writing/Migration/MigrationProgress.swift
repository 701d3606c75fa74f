/// The progress of a background migration.
package struct MigrationProgress: Equatable, Sendable {
    /// The phase of the work.
    package enum Phase: String, Sendable, CaseIterable {
        /// Objects are read to see what would be lost.
        case check
        /// Objects and entries are written; readers don't see them yet.
        case build
        /// The change is made, or given up, and what it left behind is removed.
        case cleanup
    }

    /// The phase of the work.
    package var phase: Phase
    /// The number of objects read and written; in a clean-up the number of entries removed.
    package var doneCount: UInt64
    /// The number of objects when it began, each counted once for reading and once for writing; 0 in a
    /// clean-up, which does not know.
    package var totalCount: UInt64

    /// The part that is done, in percent.
    var percent: Int {
        totalCount == 0 ? 0 : Int(min(doneCount, totalCount) * 100 / totalCount)
    }
}
