import HoldfastBytes
import HoldfastJSON
import HoldfastObjectStore
import HoldfastRows

/// Writes objects as the records of a CSV text (RFC 4180). One thread at a time uses it.
///
/// Null is an empty cell and the empty string a quoted one, `""`. Other values are written as in JSON,
/// without the quotes of strings.
package final class CSVRecords {
    private let selection: FieldSelection
    private let buffer: ByteBuffer
    private var writer: ObjectWriter
    /// An object as JSON, with room behind it for the parser.
    private let object = ByteBuffer(capacity: 4096)
    private let parser = JSONParser()

    /// Makes a writer of records at the end of `buffer`.
    ///
    /// - `selection`: The result of ``flat(_:instead:)``.
    package init(
        _ selection: FieldSelection, names: SchemaNames, read: ReadTransaction,
        into buffer: ByteBuffer
    ) {
        self.selection = selection
        self.buffer = buffer
        writer = ObjectWriter(object, names: names, read: read, epoch: read.epoch)
        writer.keepsHidden = true
    }

    /// The selection as the columns of a table: values behind paths such as `country.name`, of other objects and of
    /// embedded ones, are columns of their own, named by the paths.
    ///
    /// - `instead`: A form that takes every value, for the refusal.
    /// - Throws: ``RequestFault`` `.notAcceptable` that names the first property that does not fit.
    package static func flat(_ selection: FieldSelection, instead: String) throws(RequestFault)
        -> FieldSelection
    {
        let flat = selection.withPathsAsColumns
        guard
            let name = zip(flat.steps, flat.labels).first(where: { step, _ in !isFlat(step, flat) }
            )?.1
        else { return flat }
        throw RequestFault(
            .notAcceptable, "not-flat",
            "Class '\(selection.rowClass.definition.name)' does not fit into CSV: property '\(name)' "
                + "is not a single value of one type. \(instead), or select other fields.")
    }

    private static func isFlat(_ step: FieldSelection.Step, _ selection: FieldSelection) -> Bool {
        switch step.kind {
        case .id, .version, .link: return true
        case .scalar: return step.element != .mixed
        case .calculated: return selection.paths[Int(step.nested)].type != .scalar(.mixed)
        case .through:
            let inner = selection.nested[Int(step.nested)]
            return inner.steps.allSatisfy { isFlat($0, inner) }
        default: return false
        }
    }

    /// Writes the header line.
    package func writeHeader() {
        for (position, label) in selection.labels.enumerated() {
            if position > 0 { buffer.append(UInt8(ascii: ",")) }
            Array(label.utf8).withUnsafeBytes { writeText($0) }
        }
        endRecord()
    }

    package func write(_ row: RowView, key: UInt64) {
        object.removeAll()
        writer.write(row, key: key, selection)
        let count = object.count
        object.appendZeros(JSONParser.paddingByteCount)
        let text = UnsafeRawBufferPointer(rebasing: object.bytes[..<count])
        // The text was just written as JSON. An empty row would show a fault of this program.
        guard let root = try? parser.parse(text, hasPadding: true) else { return endRecord() }
        var isFirst = true
        for member in root.members {
            if !isFirst { buffer.append(UInt8(ascii: ",")) }
            isFirst = false
            write(member.value)
        }
        endRecord()
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
            // A link to the object with the key null: a plain null would mean no link.
            let link = ByteBuffer(capacity: 64)
            JSONWriter(link).copy(value)
            writeText(link.bytes)
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

    private func endRecord() { buffer.append("\r\n") }
}
