import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows
import HoldfastStoreService

/// Writes an export piece by piece, all from one snapshot: the objects of a class as NDJSON or as CSV with a
/// header line (see ``CSVRecords``), or a whole store as NDJSON: a ``StoreHeader``, then each object with its
/// class and key, class by class in the order of the schema and in each in the order of creation.
///
/// Memory: one piece, or one line when that is longer. One thread at a time; it owns the view and closes it with ``close()``.
package final class ExportCursor {
    private let view: LongRead
    private let names: SchemaNames
    private let isOfStore: Bool
    /// The classes that are left to be written, from the present one on.
    private var selections: ArraySlice<FieldSelection>
    private let buffer = ByteBuffer(capacity: 64 << 10)
    private let isCSV: Bool
    /// Writes CSV; made with the header.
    private var records: CSVRecords?
    /// `{"class":"…","id":` of the present class of a whole store.
    private let lineStart = ByteBuffer(capacity: 128)
    private var lastKey: UInt64 = 0
    private var hasHeader = false
    /// How many objects were written so far.
    package private(set) var objectCount = 0

    /// The memory of the piece that was made last, in bytes.
    package var heldByteCount: Int { buffer.count }

    /// The bytes after which a piece ends.
    private static let pieceByteCount = 32 << 10

    /// Begins before the header.
    ///
    /// - Throws: ``RequestFault`` `.notFound` when there is no such class; when its objects are not read by
    ///   themselves, `fields` are faulty, or a property does not fit into a table.
    package init(
        _ content: ExportContent, _ view: LongRead, _ names: SchemaNames
    ) throws(RequestFault) {
        self.view = view
        self.names = names
        guard case .objects(let container, let fields, let isCSV) = content else {
            isOfStore = true
            self.isCSV = false
            let all = names.everything
            selections = all.filter { StoreHeader.holdsObjects(of: $0.rowClass.definition) }[...]
            return
        }
        isOfStore = false
        let (rowClass, projection) = try names.find(container)
        var selection = try names.selection(fields: fields, of: rowClass, shownBy: projection)
        if isCSV {
            selection = try CSVRecords.flat(
                selection, instead: "Export NDJSON (Accept: application/x-ndjson)")
        }
        selections = [selection]
        self.isCSV = isCSV
    }

    /// The next whole lines, valid until the next call; empty at the end.
    ///
    /// - Throws: ``StoreError`` `.storage` when the store can't be read; nothing more follows.
    package func next() throws(StoreError) -> UnsafeRawBufferPointer {
        // Of a long line the room is given back.
        let isLong = buffer.count > 2 * Self.pieceByteCount
        buffer.removeAll()
        if isLong { buffer.trim() }
        try view.withRead { read throws(StoreError) in
            if !hasHeader {
                hasHeader = true
                writeHeader(read)
            }
            while buffer.count < Self.pieceByteCount, let selection = selections.first {
                if lastKey == 0, isOfStore { beginClass(selection.rowClass) }
                if try !writeObjects(selection, read) {
                    selections.removeFirst()
                    lastKey = 0
                }
            }
        }
        return buffer.bytes
    }

    private func writeHeader(_ transaction: ReadTransaction) {
        if isCSV, let selection = selections.first {
            records = CSVRecords(selection, names: names, read: transaction, into: buffer)
            records?.writeHeader()
        }
        guard isOfStore else { return }
        StoreHeader(transaction.catalog).write(to: JSONWriter(buffer))
        buffer.append(UInt8(ascii: "\n"))
    }

    private func beginClass(_ rowClass: RowClass) {
        lineStart.removeAll()
        let writer = JSONWriter(lineStart)
        writer.raw("{\"class\":")
        writer.string(rowClass.definition.name)
        writer.raw(",\"id\":")
    }

    /// Writes objects of the present class; false when there are no more.
    private func writeObjects(
        _ selection: FieldSelection, _ transaction: ReadTransaction
    ) throws(StoreError) -> Bool {
        var writer = ObjectWriter(buffer, names: names, read: transaction, epoch: transaction.epoch)
        var isFull = false
        try transaction.scan(selection.rowClass, after: lastKey, expecting: 64) { key, row in
            if let records {
                records.write(row, key: key)
            } else if isOfStore {
                buffer.append(lineStart.bytes)
                writer.writeID(row, key: key, selection.rowClass)
                writer.json.raw(",\"object\":")
                writer.write(row, key: key, selection)
                writer.json.raw("}\n")
            } else {
                writer.write(row, key: key, selection)
                buffer.append(UInt8(ascii: "\n"))
            }
            lastKey = key
            objectCount += 1
            isFull = buffer.count >= Self.pieceByteCount
            return !isFull
        }
        return isFull
    }

    /// Ends the snapshot.
    package func close() { view.close() }
}

/// The content of an export.
package enum ExportContent: Sendable {
    /// Everything, and the schema, as NDJSON.
    case store
    /// The objects of a class: of each the properties that `fields` names, or all shown properties.
    case objects(ObjectContainer, fields: String?, isCSV: Bool)
}
