import HoldfastBytes

/// Takes values that are too large for their rows, when rows are built.
///
/// `ObjectStore` implements it on a transaction.
package protocol OverflowSink: OverflowSource {
    /// Stores a value or collection as chunks and appends the ``OverflowReference`` to it.
    ///
    /// - `bytes`: As they would lie in the row's heap.
    /// - `stored`: The object's present field: when that is the same value in chunks, its reference is
    ///   appended and nothing is stored.
    func moveOut(
        _ bytes: UnsafeRawBufferPointer, _ storage: FieldStorage, over stored: Field?,
        reference: ByteBuffer)

    /// Takes the links to an object that goes away out of an out-of-line collection, and appends the
    /// reference to what is left.
    ///
    /// Elements vanish from lists and sets; the values of maps become null, and embedded objects lose the
    /// links that they hold.
    ///
    /// - `goes`: Whether an embedded object goes itself.
    /// - `withoutLinks`: Appends the elements of a leaf without those links, but not of a list or set of
    ///   links.
    /// - Returns: Whether an element is left; if not, nothing is appended.
    func removeLinks(
        to key: UInt64, classIndex: Int, from stored: Field, _ member: RowClass.Member,
        _ schema: RowSchema, reference: ByteBuffer,
        goes: (RowView) -> Bool, withoutLinks: (LeafView, ByteBuffer) -> Void
    ) -> Bool
}

/// Reads the chunks of out-of-line values.
///
/// `ObjectStore` implements it on a snapshot and on a transaction. Calls may read storage; an
/// implementation keeps the first storage error, also for a chunk that is missing, and the caller that runs the
/// evaluation asks for it afterwards.
public protocol OverflowSource: AnyObject {
    /// Returns the chunk under a key, valid until the snapshot ends or the transaction changes the chunk;
    /// nil when there is none.
    func overflowChunk(_ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer?
}

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
