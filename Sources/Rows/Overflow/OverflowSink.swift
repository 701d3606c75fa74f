import HoldfastBytes

/// Stores values that are too large for their rows while rows are built.
///
/// `ObjectStore` implements it on a transaction.
package protocol OverflowSink: OverflowSource {
    /// Stores a value or collection as chunks and appends the ``OverflowReference`` to it.
    ///
    /// - `bytes`: The value in the encoding of a row's heap.
    /// - `stored`: The object's present field. If it is the same value in chunks, its reference is appended and nothing is
    ///   stored.
    func moveOut(
        _ bytes: UnsafeRawBufferPointer, _ storage: FieldStorage, over stored: Field?,
        reference: ByteBuffer)

    /// Removes the links to a deleted object from an out-of-line collection, and appends the reference to the rest.
    ///
    /// Lists and sets lose the elements. Map values become null, and embedded objects lose their links.
    ///
    /// - `goes`: Whether an embedded object is removed.
    /// - `withoutLinks`: Appends the elements of a leaf without the links. Not called for lists and sets of links.
    /// - Returns: Whether an element is left; otherwise nothing is appended.
    func removeLinks(
        to key: UInt64, classIndex: Int, from stored: Field, _ member: RowClass.Member,
        _ schema: RowSchema, reference: ByteBuffer,
        goes: (RowView) -> Bool, withoutLinks: (LeafView, ByteBuffer) -> Void
    ) -> Bool
}

/// Reads the chunks of out-of-line values.
///
/// `ObjectStore` implements it on a snapshot and on a transaction. Calls may read storage. An implementation keeps the first
/// storage error, including a missing chunk, and the caller of the evaluation checks for it afterwards.
public protocol OverflowSource: AnyObject {
    /// Returns the chunk with a key; nil if it is missing. Valid until the snapshot ends or the transaction changes the chunk.
    func overflowChunk(_ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer?
}

/// The size limits beyond which values are stored out of line, and the size of their chunks.
package struct OverflowLimits: Equatable, Sendable {
    /// The maximum size of a string or data value in a row, in bytes.
    package var textByteCountMax = 256 * 1024
    /// The maximum size of a collection in a row, in encoded bytes. It returns to the row below a quarter of this.
    package var collectionByteCountMax = 64 * 1024
    /// The maximum size of a leaf with more than one element, in bytes. It fits, with the page's header, into one LMDB page that
    /// holds only this value.
    package var leafByteCountMax = 4072
    /// The maximum number of children of a node above the leaves, chosen in the same way.
    package var childCountMax = 330

    /// Makes the default limits.
    package init() {}
}
