import Bytes
import JSON
import ObjectJSON
import ObjectStore
import Rows

/// Writes a whole store as NDJSON: a ``StoreHeader``, then each object with its class and key, class by
/// class in the order of the schema and in each in the order of creation.
///
/// Memory: one piece, or one line when that is longer. One thread at a time; it owns the transaction
/// and closes it with ``close()``.
package final class StoreExportCursor: ExportPieces {
    private let transaction: ReadTransaction
    private let names: SchemaNames
    private let buffer = ByteBuffer(capacity: 64 << 10)
    /// `{"class":"…","id":` of the present class.
    private let lineStart = ByteBuffer(capacity: 128)
    /// The present class; one behind the last at the end.
    private var classIndex = 0
    private var lastKey: UInt64 = 0
    private var hasHeader = false
    package private(set) var objectCount = 0

    /// The bytes after which a piece ends.
    private static let pieceByteCount = 32 << 10

    /// Begins before the header.
    package init(_ transaction: ReadTransaction, names: SchemaNames) {
        self.transaction = transaction
        self.names = names
        beginClass()
    }

    package func next() throws(StoreError) -> UnsafeRawBufferPointer {
        buffer.removeAll()
        if !hasHeader {
            hasHeader = true
            StoreHeader(transaction.catalog).write(to: JSONWriter(buffer))
            buffer.append(UInt8(ascii: "\n"))
        }
        while buffer.count < Self.pieceByteCount, classIndex < names.classes.count {
            if !StoreHeader.holdsObjects(of: names.classes[classIndex].rowClass.definition) {
                endClass()
                continue
            }
            if try !writeObjects() { endClass() }
        }
        return buffer.bytes
    }

    /// Writes objects of the present class; false when there are no more.
    private func writeObjects() throws(StoreError) -> Bool {
        let selection = names.classes[classIndex].everything
        var writer = ObjectWriter(
            buffer, names: names, read: transaction, epoch: transaction.epoch)
        var isFull = false
        try transaction.scan(selection.rowClass, after: lastKey, expecting: 64) { key, row in
            buffer.append(lineStart.bytes)
            writer.writeID(row, key: key, selection.rowClass)
            writer.json.raw(",\"object\":")
            writer.write(row, key: key, selection)
            writer.json.raw("}\n")
            lastKey = key
            objectCount += 1
            isFull = buffer.count >= Self.pieceByteCount
            return !isFull
        }
        try transaction.checkFailure()
        return isFull
    }

    private func endClass() {
        classIndex += 1
        lastKey = 0
        beginClass()
    }

    private func beginClass() {
        guard classIndex < names.classes.count else { return }
        lineStart.removeAll()
        let writer = JSONWriter(lineStart)
        writer.raw("{\"class\":")
        writer.string(names.classes[classIndex].rowClass.definition.name)
        writer.raw(",\"id\":")
    }

    package func close() { transaction.close() }
}
