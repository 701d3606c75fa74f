import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows
import HoldfastText

/// Converts CSV (RFC 4180) to the NDJSON of an import as it is received: the header line names
/// properties, each further record is an object. It knows the types of columns, so that `007` stays a
/// text if the column has texts. The reader of the JSON decides the meaning of a cell.
///
/// Every line of CSV becomes a line, so that faults have the number of the line on which a record begins.
/// Memory: one record. One thread at a time.
final class CSVConverter: LineSource {
    private enum State {
        /// At the beginning of a cell.
        case start
        case plain
        case quoted
        /// Behind a quote inside a quoted cell, which ends it unless another one follows.
        case afterQuote
        /// In the blanks behind the closing quote of a cell.
        case afterCell
    }

    struct Cell {
        var start: Int
        var isQuoted: Bool
    }

    let rowClass: RowClass
    let schema: RowSchema
    let visibility: Visibility?
    private let cutter: LineCutter
    let options: ImportOptions
    let form: CSVForm
    /// The byte between cells: the one of the form, unless a line `sep=;` in front of the header has another.
    private(set) var delimiter: UInt8
    /// Whether lines end in CR, as the header does.
    private var endsInCR = false
    /// Whether the last byte is a CR of the header, which may be the end of the line or the first half of it.
    private var isAfterCR = false
    /// Whether records of empty cells are passed over.
    private var skipsBlankRecords = false
    private var state = State.start
    /// The text of the cells of the present record, one behind the other, and where each begins.
    let text = ByteBuffer(capacity: 4096)
    private(set) var cells: [Cell] = []
    /// The number of cells of the present record. Cells beyond the limit of any header are not kept.
    private(set) var cellCount = 0
    let keptCellCountMax: Int
    private var isQuoted = false
    private var cellStart = 0
    /// The fault of the present record, beside the faults of its cells.
    private(set) var fault: RequestFault.Entry?
    /// The ends of lines in the quoted cells of the present record.
    private var innerLineCount = 0
    private var rewinding = CSVRewinding()
    /// The header; nil before it.
    private var header: CSVHeader?
    private let onHeader: (CSVHeader) -> Void
    /// The number of the present cell, in the form of JSON.
    let number = ByteBuffer(capacity: 64)
    /// The lines that the cutter has not got yet.
    private let line = ByteBuffer(capacity: 4096)

    /// Makes a converter for an import into a class.
    ///
    /// - `visibility`: The visibility of the importing user; nil for everything.
    /// - `onHeader`: Takes the header before the first record becomes a line.
    init(
        _ rowClass: RowClass, _ schema: RowSchema, seenBy visibility: Visibility?,
        _ cutter: LineCutter, _ options: ImportOptions, onHeader: @escaping (CSVHeader) -> Void
    ) {
        self.rowClass = rowClass
        self.schema = schema
        self.visibility = visibility
        self.cutter = cutter
        self.options = options
        self.onHeader = onHeader
        form = options.csv
        delimiter = options.csv.delimiter
        // As many as a header may have, `$id` included, and one that is too many.
        let isBounded = options.names.skipped.isEmpty && !options.ignoresUnknown
        keptCellCountMax = isBounded ? rowClass.members.count + 2 : Self.columnCountMax
    }

    /// How many columns a header may have when some of them are left out.
    private static let columnCountMax = 10_000

    func append(_ bytes: UnsafeRawBufferPointer) throws(RequestFault) {
        rewinding.receive(bytes.count)
        var rest = bytes
        while header == nil, let byte = rest.first {
            try takeOfHeader(byte)
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst())
        }
        if endsInCR {
            for byte in rest {
                try take(byte == 0x0D ? 0x0A : byte)
                try readAgain()
            }
        } else {
            for byte in rest {
                try take(byte)
                try readAgain()
            }
        }
        cutter.take(line)
    }

    /// Takes a byte of the header, or of the lines in front of it. A CR that no LF follows ends a line, and then all lines.
    private func takeOfHeader(_ byte: UInt8) throws(RequestFault) {
        if isAfterCR {
            isAfterCR = false
            if byte != 0x0A {
                endsInCR = true
                try take(0x0A)
            }
        }
        if endsInCR {
            try take(byte == 0x0D ? 0x0A : byte)
        } else if byte == 0x0D, state != .quoted {
            isAfterCR = true
        } else {
            try take(byte)
        }
    }

    /// Reads the lines again that a record with a wrong quote took along.
    private func readAgain() throws(RequestFault) {
        while let byte = rewinding.next() { try take(byte) }
    }

    /// Ends the text; its last record need not have an end.
    func complete() throws(RequestFault) {
        while state != .start || !cells.isEmpty {
            if state == .quoted { malformed("A cell is quoted and has no closing quote.") }
            try endRecord()
            try readAgain()
        }
        cutter.take(line)
        if header == nil {
            throw headerFault("A CSV text begins with a line of property names.", 1)
        }
        cutter.complete()
    }

    // MARK: Cells

    private func take(_ byte: UInt8) throws(RequestFault) {
        if innerLineCount > 0 { rewinding.keep(byte) }
        switch (state, byte) {
        case (.quoted, UInt8(ascii: "\"")): state = .afterQuote
        case (.quoted, _):
            if byte == 0x0A { innerLineCount += 1 }
            keep(byte)
        case (.afterQuote, UInt8(ascii: "\"")):
            keep(byte)
            state = .quoted
        case (_, delimiter): endCell()
        case (_, 0x0A): try endRecord()
        case (.start, UInt8(ascii: "\"")):
            isQuoted = true
            state = .quoted
        case (.afterQuote, 0x0D), (.afterQuote, 0x20), (.afterQuote, 0x09), (.afterCell, 0x0D),
            (.afterCell, 0x20), (.afterCell, 0x09):
            state = .afterCell
        case (.afterQuote, _), (.afterCell, _):
            malformed("A quoted cell ends with its closing quote; more text follows it.")
            keep(UInt8(ascii: "\""))
            keep(byte)
            state = .plain
        case (_, UInt8(ascii: "\"")) where isBlankCell:
            // Blanks in front of a quoted cell.
            text.truncate(to: cellStart)
            isQuoted = true
            state = .quoted
        case (_, UInt8(ascii: "\"")):
            malformed("A cell with a quote in it has to be quoted, and the quote doubled.")
            keep(byte)
        default:
            keep(byte)
            state = .plain
        }
    }

    /// Whether the present cell has only blanks so far, and the record no fault.
    private var isBlankCell: Bool {
        fault == nil && text.bytes[cellStart...].allSatisfy(Self.isBlank)
    }

    private func keep(_ byte: UInt8) {
        guard text.count <= options.limits.importLineByteCountMax, cutter.admits(text.count) else {
            fault = fault ?? .lineTooLong(byteCountMax: options.limits.importLineByteCountMax)
            return
        }
        text.append(byte)
    }

    /// Notes a fault of the present cell. The cell's text is added at the end of the cell.
    private func malformed(_ detail: String) { malformed(detail, column: cellCount + 1) }

    /// Notes a fault of a cell of the present record, unless one was noted before.
    func malformed(_ detail: String, column: Int?) {
        fault =
            fault
            ?? RequestFault.Entry(code: CSVHeader.malformedCode, detail: detail, column: column)
    }

    private func endCell() {
        cellCount += 1
        if fault?.column == cellCount {
            fault?.detail += " Found '\(CSVHeader.shown(text.bytes[cellStart...]))'."
        }
        if cells.count < keptCellCountMax {
            cells.append(Cell(start: cellStart, isQuoted: isQuoted))
        } else {
            text.truncate(to: cellStart)
        }
        cellStart = text.count
        isQuoted = false
        state = .start
    }

    // MARK: Records

    private func endRecord() throws(RequestFault) {
        // Of `\r\n`.
        if !isQuoted, text.count > cellStart, text.bytes[text.count - 1] == 0x0D {
            text.truncate(to: text.count - 1)
        }
        let isBlank = cells.isEmpty && !isQuoted && text.count == cellStart
        endCell()
        if header != nil, innerLineCount > 0, let fault, fault.code == CSVHeader.malformedCode,
            rewinding.rewind()
        {
            // Of the record only its first line is faulty.
            cutter.take(line)
            cutter.note(fault)
            line.append(UInt8(ascii: "\n"))
            innerLineCount = 0
            return beginRecord()
        }
        if let columns = header?.columns {
            // Of one column, an empty line is a null.
            if isBlank ? columns.count != 1 : skipsBlankRecords && isBlankRecord {
                line.append(UInt8(ascii: "\n"))
            } else {
                if fault == nil, cellCount != columns.count {
                    malformed(
                        "The record has \(cellCount) cells; the header has \(columns.count).",
                        column: nil)
                }
                writeRecord(columns)
            }
        } else if isBlank || readSeparator() {
            line.append(UInt8(ascii: "\n"))
        } else {
            let header = try readHeader()
            onHeader(header)
            self.header = header
            skipsBlankRecords = header.skipsBlankRecords
            line.append(UInt8(ascii: "\n"))
        }
        for _ in 0..<innerLineCount {
            line.append(UInt8(ascii: "\n"))
            if line.count >= LineCutter.batchByteCount { cutter.take(line) }
        }
        if line.count >= LineCutter.batchByteCount { cutter.take(line) }
        beginRecord()
    }

    /// Whether all cells of the present record are empty or blank.
    private var isBlankRecord: Bool {
        text.bytes.allSatisfy(Self.isBlank) && fault == nil && !cells.contains { $0.isQuoted }
    }

    /// Takes the delimiter of a line `sep=;`, as spreadsheets write it in front of the header; false for another line.
    private func readSeparator() -> Bool {
        let start: StaticString = "sep="
        let bytes = text.bytes
        guard fault == nil, cellCount < 3, bytes.count >= 4, bytes.count + cellCount == 6,
            bytes.starts(with: UnsafeRawBufferPointer(start: start.utf8Start, count: 4))
        else { return false }
        // The delimiter itself ends the first cell.
        if bytes.count == 4 { return cells.last?.start == 4 }
        guard let byte = CSVForm.delimiter(bytes[4]) else { return false }
        delimiter = byte
        return true
    }

    private func beginRecord() {
        rewinding.forget()
        cells.removeAll(keepingCapacity: true)
        cellCount = 0
        text.removeAll()
        cellStart = 0
        fault = nil
        innerLineCount = 0
    }

    private func writeRecord(_ columns: [CSVHeader.Column]) {
        let start = line.count
        if fault == nil { write(columns) }
        guard let fault else { return }
        // The fault is of the line that comes next.
        line.truncate(to: start)
        cutter.take(line)
        cutter.note(fault)
        line.append(UInt8(ascii: "\n"))
    }

    private func write(_ columns: [CSVHeader.Column]) {
        let writer = JSONWriter(line)
        line.append(UInt8(ascii: "{"))
        var isFirst = true
        for (index, cell) in cells.enumerated() {
            guard var form = columns[index].form else { continue }
            var bytes = self.bytes(index)
            if !columns[index].keepsBlanks { bytes = Self.trimmed(bytes) }
            if case .ifExplicit(let inner) = form {
                // A key that is not stated may be generated, and a hidden value stays.
                if bytes.isEmpty, !cell.isQuoted, !columns[index].isOptional { continue }
                form = inner
            }
            if !isFirst { line.append(UInt8(ascii: ",")) }
            isFirst = false
            line.append(columns[index].key)
            write(
                bytes, index + 1, isQuoted: cell.isQuoted, isOptional: columns[index].isOptional,
                form, writer)
        }
        line.append("}\n")
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// A text without the blanks around it.
    static func trimmed(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var (start, end) = (0, text.count)
        while start < end, isBlank(text[start]) { start += 1 }
        while start < end, isBlank(text[end - 1]) { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: text[start..<end])
    }

    /// The form of the dates of a column; nil for RFC 3339.
    ///
    /// - `number`: The number of the column, from 1.
    func dates(_ number: Int) -> DateFormat? { header?.columns[number - 1].dates }

    /// The text of a kept cell of the present record.
    func bytes(_ index: Int) -> UnsafeRawBufferPointer {
        let end = index + 1 < cells.count ? cells[index + 1].start : text.count
        return UnsafeRawBufferPointer(rebasing: text.bytes[cells[index].start..<end])
    }
}
