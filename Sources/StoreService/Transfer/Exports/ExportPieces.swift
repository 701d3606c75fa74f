import ObjectStore

/// Makes the text of an export piece by piece, all from one snapshot. One thread at a time.
package protocol ExportPieces: AnyObject {
    /// The next whole lines, valid until the next call; empty at the end.
    ///
    /// - Throws: ``StoreError`` `.storage` when the store can't be read; nothing more follows.
    func next() throws(StoreError) -> UnsafeRawBufferPointer

    /// How many objects were written so far.
    var objectCount: Int { get }

    /// Ends the snapshot.
    func close()
}
