import Bytes
import JSON
import ObjectStore
import Rows

/// Writes the objects of a class as CSV (RFC 4180) with a header line, piece by piece, all from one
/// snapshot.
///
/// Null is an empty cell and the empty string a quoted one, `""`. Other values are written as in JSON,
/// without the quotes of strings. Memory and threads: as of ``ExportCursor``.
package final class CSVExportCursor: ExportPieces {
    private let transaction: ReadTransaction
    private let names: SchemaNames
    private let selection: FieldSelection
    private let buffer = ByteBuffer(capacity: 64 << 10)
    /// An object as JSON, with room behind it for the parser.
    private let object = ByteBuffer(capacity: 4096)
    private let parser = JSONParser()
    private var lastKey: UInt64 = 0
    private var hasHeader = false
    package private(set) var objectCount = 0

    /// The bytes after which a piece ends.
    private static let pieceByteCount = 32 << 10

    /// Begins before the header.
    ///
    /// - Throws: ``Problem`` 406 that names a property that does not fit into a table.
    package init(
        _ transaction: ReadTransaction, names: SchemaNames, selection: FieldSelection
    ) throws(Problem) {
        self.transaction = transaction
        self.names = names
        self.selection = selection
        for step in selection.steps {
            switch step.kind {
            case .id, .version, .link: continue
            case .scalar
            where selection.rowClass.members[Int(step.member)].storage.element != .mixed:
                continue
            default:
                let name = selection.rowClass.definition.properties[Int(step.member)].name
                throw Problem(
                    406, "not-flat",
                    "Class '\(selection.rowClass.definition.name)' does not fit into CSV: property "
                        + "'\(name)' is no single value of one type. Export NDJSON (Accept: "
                        + "application/x-ndjson), or name other fields.")
            }
        }
    }

    package func next() throws(StoreError) -> UnsafeRawBufferPointer {
        buffer.removeAll()
        if !hasHeader {
            hasHeader = true
            writeHeader()
        }
        var writer = ObjectWriter(
            object, names: names, read: transaction, epoch: transaction.epoch)
        try transaction.scan(selection.rowClass, after: lastKey, expecting: 64) { key, row in
            object.removeAll()
            writer.write(row, key: key, selection)
            writeRow()
            lastKey = key
            objectCount += 1
            return buffer.count < Self.pieceByteCount
        }
        try transaction.checkFailure()
        return buffer.bytes
    }

    private func writeHeader() {
        for (position, step) in selection.steps.enumerated() {
            if position > 0 { buffer.append(UInt8(ascii: ",")) }
            let name: String
            switch step.kind {
            case .id: name = "$id"
            case .version: name = "$version"
            default: name = selection.rowClass.definition.properties[Int(step.member)].name
            }
            Array(name.utf8).withUnsafeBytes { writeText($0) }
        }
        endRow()
    }

    private func writeRow() {
        let count = object.count
        object.appendZeros(JSONParser.paddingByteCount)
        let text = UnsafeRawBufferPointer(rebasing: object.bytes[..<count])
        // What we have just written is JSON; an empty row would be the sign of a fault of our own.
        guard let root = try? parser.parse(text, hasPadding: true) else { return endRow() }
        var isFirst = true
        for member in root.members {
            if !isFirst { buffer.append(UInt8(ascii: ",")) }
            isFirst = false
            write(member.value)
        }
        endRow()
    }

    private func write(_ value: JSONValue) {
        switch value.kind {
        case .null: break
        case .bool: buffer.append(value.bool == true ? "true" : "false")
        case .integer, .double:
            if let text = value.numberText { buffer.append(text) }
        case .string:
            if let text = value.stringBytes { writeText(text) }
        case .array, .object:
            // A link to the object whose key is null, which a bare null would not name.
            let link = value.member(named: "$link")
            let scratch = ByteBuffer(capacity: 64)
            JSONWriter(scratch).object { object in
                object.member("$link").object { inner in
                    inner.member("class").string(link?.member(named: "class")?.string ?? "")
                    inner.member("id").null()
                }
            }
            writeText(scratch.bytes)
        }
    }

    /// Writes a cell that is not empty of meaning: quoted when it is empty or has a character of CSV's
    /// own, or a blank at an end that a reader might strip.
    private func writeText(_ text: UnsafeRawBufferPointer) {
        let isPlain =
            text.first.map { $0 != 0x20 } ?? false && text.last.map { $0 != 0x20 } ?? false
            && !text.contains { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D }
        if isPlain { return buffer.append(text) }
        buffer.append(UInt8(ascii: "\""))
        for byte in text {
            if byte == UInt8(ascii: "\"") { buffer.append(byte) }
            buffer.append(byte)
        }
        buffer.append(UInt8(ascii: "\""))
    }

    private func endRow() {
        buffer.append("\r\n")
    }

    package func close() { transaction.close() }
}
