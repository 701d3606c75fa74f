/// How well an ``LMDBEngine`` uses its file, for tests and measurements; every count is of this moment.
package struct LMDBInformation: Sendable, Equatable {
    /// How much of the map has ever been in use at once: the file's size as LMDB counts it.
    /// Freed pages are used again, but never given back.
    package var mapUsedByteCount: Int
    /// The size of a page.
    package var pageByteCount: Int
    /// Inner pages and leaves that hold the current state.
    package var branchPageCount: Int
    package var leafPageCount: Int
    /// How many entries there are in the tree.
    package var entryCount: Int
}
