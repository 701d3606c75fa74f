import Bytes
import ObjectJSON
import ObjectStore
import Rows

/// Writes the objects of a class as CSV with a header line, piece by piece, all from one snapshot; see
/// ``CSVRecords``. Memory and threads: as of ``ExportCursor``.
package final class CSVExportCursor: ExportPieces {
    private let transaction: ReadTransaction
    private let selection: FieldSelection
    private let buffer = ByteBuffer(capacity: 64 << 10)
    private let records: CSVRecords
    private var lastKey: UInt64 = 0
    private var hasHeader = false
    package private(set) var objectCount = 0

    /// The bytes after which a piece ends.
    private static let pieceByteCount = 32 << 10

    /// Begins before the header.
    ///
    /// - Throws: ``RequestFault`` `.notAcceptable` that names a property that does not fit into a table.
    package init(
        _ transaction: ReadTransaction, names: SchemaNames, selection: FieldSelection
    ) throws(RequestFault) {
        let selection = try CSVRecords.flat(
            selection, instead: "Export NDJSON (Accept: application/x-ndjson)")
        self.transaction = transaction
        self.selection = selection
        records = CSVRecords(selection, names: names, read: transaction, into: buffer)
    }

    package func next() throws(StoreError) -> UnsafeRawBufferPointer {
        buffer.removeAll()
        if !hasHeader {
            hasHeader = true
            records.writeHeader()
        }
        try transaction.scan(selection.rowClass, after: lastKey, expecting: 64) { key, row in
            records.write(row, key: key)
            lastKey = key
            objectCount += 1
            return buffer.count < Self.pieceByteCount
        }
        try transaction.checkFailure()
        return buffer.bytes
    }

    package func close() { transaction.close() }
}
