/// The metrics of an ``LMDBEngine``; every count is of this moment.
package struct LMDBInformation: Sendable, Equatable {
    /// The reserved address space.
    package var mapByteCount: Int
    /// How much of the map has ever been in use at once: the file's size as LMDB counts it.
    /// Freed pages are used again, but never given back.
    package var mapUsedByteCount: Int
    /// The size of a page.
    package var pageByteCount: Int
    /// Inner pages, leaves, and pages of values too long for a leaf, that hold the current state.
    package var branchPageCount: Int
    package var leafPageCount: Int
    package var overflowPageCount: Int
    /// How many pages a look-up reads.
    package var depth: Int
    /// How many entries there are in the tree.
    package var entryCount: Int
    /// How many bytes of commits wait in the journal for a checkpoint.
    package var journalByteCount: Int
    /// The last commit.
    package var commit: UInt64
    /// Open snapshots, write transactions and commits under way.
    package var useCount: Int
    /// Reader slots that have been taken at once, and may be.
    package var readerSlotCount: Int
    package var readerSlotCountMax: Int
}
