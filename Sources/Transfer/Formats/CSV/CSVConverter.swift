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
        // As many as a header may have, `$id` included, and one that is too many.
        let isBounded = options.names.skipped.isEmpty && !options.ignoresUnknown
        keptCellCountMax = isBounded ? rowClass.members.count + 2 : Self.columnCountMax
    }

    /// How many columns a header may have when some of them are left out.
    private static let columnCountMax = 10_000

    func append(_ bytes: UnsafeRawBufferPointer) throws(RequestFault) {
        rewinding.receive(bytes.count)
        for byte in bytes {
            try take(byte)
            try readAgain()
        }
        cutter.take(line)
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
        case (_, form.delimiter): endCell()
        case (_, 0x0A): try endRecord()
        case (.start, UInt8(ascii: "\"")):
            isQuoted = true
            state = .quoted
        case (.afterQuote, 0x0D): break
        case (.afterQuote, _):
            malformed("A quoted cell ends with its closing quote; more text follows it.")
            keep(UInt8(ascii: "\""))
            keep(byte)
            state = .plain
        case (_, UInt8(ascii: "\"")):
            malformed("A cell with a quote in it has to be quoted, and the quote doubled.")
            keep(byte)
        default:
            keep(byte)
            state = .plain
        }
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
            if isBlank, columns.count != 1 {
                line.append(UInt8(ascii: "\n"))
            } else {
                if fault == nil, cellCount != columns.count {
                    malformed(
                        "The record has \(cellCount) cells; the header has \(columns.count).",
                        column: nil)
                }
                writeRecord(columns)
            }
        } else if isBlank {
            line.append(UInt8(ascii: "\n"))
        } else {
            let header = try readHeader()
            onHeader(header)
            self.header = header
            line.append(UInt8(ascii: "\n"))
        }
        for _ in 0..<innerLineCount {
            line.append(UInt8(ascii: "\n"))
            if line.count >= LineCutter.batchByteCount { cutter.take(line) }
        }
        if line.count >= LineCutter.batchByteCount { cutter.take(line) }
        beginRecord()
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
            let bytes = self.bytes(index)
            guard var form = columns[index].form else { continue }
            if case .ifExplicit(let inner) = form {
                // A key that is not stated may be generated, and a hidden value stays.
                if bytes.isEmpty, !cell.isQuoted, !columns[index].isOptional { continue }
                form = inner
            }
            if !isFirst { line.append(UInt8(ascii: ",")) }
            isFirst = false
            line.append(columns[index].key)
            write(bytes, of: columns[index], index + 1, cell.isQuoted, form, writer)
        }
        line.append("}\n")
    }

    /// The text of a kept cell of the present record.
    func bytes(_ index: Int) -> UnsafeRawBufferPointer {
        let end = index + 1 < cells.count ? cells[index + 1].start : text.count
        return UnsafeRawBufferPointer(rebasing: text.bytes[cells[index].start..<end])
    }
}

// The header line.
extension CSVConverter {
    /// Reads the header from the present record.
    func readHeader() throws(RequestFault) -> CSVHeader {
        // Only the first refusal is reported, because wrong quotes make all names unreliable.
        if let fault { throw headerFault(fault.detail, fault.column ?? 1) }
        let known = CSVShape.columns(rowClass, schema, visibility)
        var found: [CSVHeader.Column] = []
        var seen: Set<ExactText> = []
        for index in cells.indices {
            guard let stated = String(validating: bytes(index), as: UTF8.self) else {
                throw headerFault(
                    "The name of column \(index + 1) is not UTF-8. Convert the text first, such as by iconv "
                        + "-f WINDOWS-1252 -t UTF-8.", index + 1)
            }
            guard cells[index].isQuoted || !stated.utf8.contains(0x0D) else {
                throw headerFault(
                    "Its lines end in CR alone, as old programs for Macs write them. Convert the text first, such as by "
                        + "tr '\\r' '\\n'.", index + 1)
            }
            guard let name = options.names.property(stated) else {
                found.append(CSVHeader.Column(text: stated))
                continue
            }
            guard let (form, isOptional) = known[name] else {
                try checkUnknown(name, index + 1)
                // The lines' reader leaves them out, and counts them.
                found.append(
                    CSVHeader.Column(text: stated, property: name, form: .text(isString: true)))
                continue
            }
            guard seen.insert(name) else {
                throw headerFault("Column \(index + 1) names '\(name)' again.", index + 1)
            }
            found.append(
                CSVHeader.Column(text: stated, property: name, form: form, isOptional: isOptional))
        }
        guard cellCount <= cells.count else {
            throw headerFault(
                "It has \(cellCount) columns; at most \(keptCellCountMax) are read.",
                cells.count + 1)
        }
        return CSVHeader(columns: found, rowClass: rowClass, form: self.form)
    }

    /// Refuses a column with a name that stands for no single value, unless such columns are ignored.
    private func checkUnknown(_ name: String, _ column: Int) throws(RequestFault) {
        let obstacle = rowClass.names.position(of: name).flatMap { CSVShape.obstacle(rowClass, $0) }
        if let obstacle {
            throw headerFault(
                "It has column \(column), but \(obstacle). Leave it out (skip), or import NDJSON.",
                column)
        }
        if options.ignoresUnknown { return }
        let others: [(UInt8, String, String)] = [
            (UInt8(ascii: ";"), "semicolons", ";"), (UInt8(ascii: "\t"), "tabs", "tab"),
            (UInt8(ascii: "|"), "bars", "|"), (UInt8(ascii: ","), "commas", ","),
        ]
        for (byte, separators, value) in others
        where byte != form.delimiter && cells.count == 1 && name.utf8.contains(byte) {
            throw headerFault(
                "Its only column is '\(name)': the names seem to have \(separators) between them. State the "
                    + "delimiter '\(value)' (--delimiter '\(value)'; over HTTP delimiter=\(byte == 0x3B ? "%3B" : value)).",
                column)
        }
        throw headerFault(
            "Class '\(rowClass.definition.name)' has no property '\(name)' for column \(column). Rename it "
                + "(map), leave it out (skip), or all unknown ones (unknown=ignore).", column,
            name)
    }

    func headerFault(_ detail: String, _ column: Int, _ name: String? = nil) -> RequestFault {
        .single(
            .invalid, "unknown-column", "The header of the CSV text does not fit: \(detail)",
            partDetail: detail, column: column,
            hint: name.flatMap { NearestName.of($0, among: rowClass.knownNames) })
    }
}
