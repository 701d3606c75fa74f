import Bytes
import ObjectJSON
import ObjectStore
import Rows

/// Writes the objects of a class as NDJSON, piece by piece, all from one snapshot.
///
/// Memory: one piece, or one line when that is longer. One thread at a time; it owns the transaction
/// and closes it with ``close()``.
package final class ExportCursor: ExportPieces {
    private let transaction: ReadTransaction
    private let names: SchemaNames
    private let selection: FieldSelection
    private let buffer = ByteBuffer(capacity: 64 << 10)
    private var lastKey: UInt64 = 0
    /// How many objects were written so far.
    package private(set) var objectCount = 0

    /// The bytes after which a piece ends.
    private static let pieceByteCount = 32 << 10

    /// Begins before the first object.
    package init(_ transaction: ReadTransaction, names: SchemaNames, selection: FieldSelection) {
        self.transaction = transaction
        self.names = names
        self.selection = selection
    }

    /// The next whole lines, valid until the next call; empty at the end.
    ///
    /// - Throws: ``StoreError`` `.storage` when the store can't be read; nothing more follows.
    package func next() throws(StoreError) -> UnsafeRawBufferPointer {
        buffer.removeAll()
        var writer = ObjectWriter(
            buffer, names: names, read: transaction, epoch: transaction.epoch)
        try transaction.scan(selection.rowClass, after: lastKey, expecting: 64) { key, row in
            writer.write(row, key: key, selection)
            buffer.append(UInt8(ascii: "\n"))
            lastKey = key
            objectCount += 1
            return buffer.count < Self.pieceByteCount
        }
        try transaction.checkFailure()
        return buffer.bytes
    }

    /// Ends the snapshot.
    package func close() { transaction.close() }
}
