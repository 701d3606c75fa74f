/// The sizes from which values are stored out of line, and the size of their chunks.
package struct OverflowLimits: Equatable, Sendable {
    /// A string or data value of more bytes leaves the row.
    package var textByteCountMax = 256 * 1024
    /// A collection of more encoded bytes leaves the row; it returns when it has less than a quarter.
    package var collectionByteCountMax = 64 * 1024
    /// The most bytes of a leaf with more than one element: they fit into one page of LMDB that is the
    /// value's alone, beside the page's header.
    package var leafByteCountMax = 4072
    /// The most children of a node above the leaves, likewise.
    package var childCountMax = 330

    /// Makes the defaults.
    package init() {}
}
