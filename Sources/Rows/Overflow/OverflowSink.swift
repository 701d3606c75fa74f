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
