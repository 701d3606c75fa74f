import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows
import HoldfastText

/// Converts CSV (RFC 4180) to the NDJSON of an import as it is received: the header line names
/// properties, each further record is an object. It knows the types of columns, so that `007` stays a
/// text where a text is wanted; what a cell means is for the reader of the JSON to decide.
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

    private struct Cell {
        var start: Int
        var isQuoted: Bool
    }

    /// A column of the header.
    private struct Column {
        /// The property's name as JSON, with its colon.
        var name: [UInt8]
        /// How its cells become JSON; nil when they are left out.
        var form: CSVShape.Column?
        var isOptional: Bool
    }

    private let rowClass: RowClass
    private let schema: RowSchema
    private let sight: Sight?
    private let cutter: LineCutter
    private let options: ImportOptions
    private let form: CSVForm
    private var state = State.start
    /// The text of the cells of the present record, one behind the other, and where each begins.
    private let text = ByteBuffer(capacity: 4096)
    private var cells: [Cell] = []
    /// How many cells the present record has; of those that are too many for any header none is kept.
    private var cellCount = 0
    private let keptCellCountMax: Int
    private var isQuoted = false
    private var cellStart = 0
    /// The fault of the present record, beyond those of its cells.
    private var fault: RequestFault.Entry?
    /// The ends of lines in the quoted cells of the present record.
    private var innerLineCount = 0
    private var rewinding = CSVRewinding()
    /// The columns of the header; nil before it.
    private var columns: [Column]?
    /// The lines that the cutter has not got yet.
    private let line = ByteBuffer(capacity: 4096)

    /// Makes a converter for an import into a class.
    ///
    /// - `sight`: What who imports sees; nil for everything.
    init(
        _ rowClass: RowClass, _ schema: RowSchema, seenBy sight: Sight?, _ cutter: LineCutter,
        _ options: ImportOptions
    ) {
        self.rowClass = rowClass
        self.schema = schema
        self.sight = sight
        self.cutter = cutter
        self.options = options
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
        if columns == nil {
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
            state = .plain
        case (_, UInt8(ascii: "\"")):
            malformed("A cell with a quote in it has to be quoted, and the quote doubled.")
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

    private static let malformedCode = "malformed-csv"

    private func malformed(_ detail: String) {
        fault =
            fault
            ?? RequestFault.Entry(code: Self.malformedCode, detail: detail, column: cellCount + 1)
    }

    private func endCell() {
        cellCount += 1
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
        if columns != nil, innerLineCount > 0, let fault, fault.code == Self.malformedCode,
            rewinding.rewind()
        {
            // Of the record only its first line is faulty.
            cutter.take(line)
            cutter.note(fault)
            line.append(UInt8(ascii: "\n"))
            innerLineCount = 0
            return beginRecord()
        }
        if let columns {
            // Of one column, an empty line is a null.
            if isBlank, columns.count != 1 {
                line.append(UInt8(ascii: "\n"))
            } else {
                if fault == nil, cellCount != columns.count {
                    fault = RequestFault.Entry(
                        code: "malformed-csv",
                        detail:
                            "The record has \(cellCount) cells; the header has \(columns.count).")
                }
                writeRecord(columns)
            }
        } else if isBlank {
            line.append(UInt8(ascii: "\n"))
        } else {
            try readHeader()
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

    private func writeRecord(_ columns: [Column]) {
        let start = line.count
        if fault == nil { write(columns) }
        guard let fault else { return }
        // The fault is of the line that comes next.
        line.truncate(to: start)
        cutter.take(line)
        cutter.note(fault)
        line.append(UInt8(ascii: "\n"))
    }

    private func write(_ columns: [Column]) {
        let writer = JSONWriter(line)
        line.append(UInt8(ascii: "{"))
        var isFirst = true
        for (index, cell) in cells.enumerated() {
            let end = index + 1 < cells.count ? cells[index + 1].start : text.count
            let bytes = UnsafeRawBufferPointer(rebasing: text.bytes[cell.start..<end])
            guard var form = columns[index].form else { continue }
            if case .ifStated(let inner) = form {
                // A key that is not stated may be generated, and a hidden value stays.
                if bytes.isEmpty, !cell.isQuoted, !columns[index].isOptional { continue }
                form = inner
            }
            if !isFirst { line.append(UInt8(ascii: ",")) }
            isFirst = false
            line.append(columns[index].name)
            write(bytes, cell.isQuoted, form, columns[index].isOptional, writer)
        }
        line.append("}\n")
    }

    private func write(
        _ bytes: UnsafeRawBufferPointer, _ isQuoted: Bool, _ form: CSVShape.Column,
        _ isOptional: Bool, _ writer: JSONWriter
    ) {
        if bytes.isEmpty, !isQuoted || !form.takesEmptyText {
            if form == .text(isString: true), !isOptional { return writer.string(bytes) }
            return writer.null()
        }
        switch form {
        case .number, .decimal:
            let isDecimal = form == .decimal
            if self.form.hasDecimalComma {
                return write(withDecimalComma: bytes, isDecimal: isDecimal, writer)
            }
            if !isDecimal, NumberText.isJSON(bytes) { return writer.raw(bytes) }
        case .bool:
            if let value = Self.bool(bytes) { return writer.bool(value) }
        case .date:
            if let dates = self.form.dates { return write(bytes, dates, writer) }
        case .text, .link, .ifStated: break
        }
        // The long form of a link, as exports write it.
        if form != .text(isString: true), bytes.starts(with: "{\"$link\":".utf8),
            (try? JSONParser().parse(bytes)) != nil
        {
            return writer.raw(bytes)
        }
        writer.string(bytes)
    }

    private func write(
        withDecimalComma bytes: UnsafeRawBufferPointer, isDecimal: Bool, _ writer: JSONWriter
    ) {
        if bytes.contains(UInt8(ascii: ".")) {
            malformed(
                "With a decimal comma a number has no point; found '\(String(decoding: bytes, as: UTF8.self))'."
            )
        }
        let number = bytes.map { $0 == UInt8(ascii: ",") ? UInt8(ascii: ".") : $0 }
        number.withUnsafeBytes { number in
            if !isDecimal, NumberText.isJSON(number) {
                writer.raw(number)
            } else {
                writer.string(number)
            }
        }
    }

    private func write(
        _ bytes: UnsafeRawBufferPointer, _ dates: DateFormat, _ writer: JSONWriter
    ) {
        guard let date = dates.date(bytes) else {
            malformed(
                "'\(String(decoding: bytes, as: UTF8.self))' is no date of the form that was stated."
            )
            return writer.null()
        }
        writer.string(date.description)
    }

    /// A truth value as spreadsheets and databases write it, in any case.
    private static func bool(_ text: UnsafeRawBufferPointer) -> Bool? {
        guard text.count <= 5 else { return nil }
        return switch String(decoding: text, as: UTF8.self).lowercased() {
        case "true", "yes", "t", "y", "1": true
        case "false", "no", "f", "n", "0": false
        default: nil
        }
    }

    // MARK: The header

    private func readHeader() throws(RequestFault) {
        // The first refusal is told: names are not to be trusted when the quotes are not right.
        if let fault { throw headerFault(fault.detail, fault.column ?? 1) }
        let known = CSVShape.columns(rowClass, schema, sight)
        var found: [Column] = []
        var seen: Set<String> = []
        for (index, cell) in cells.enumerated() {
            let end = index + 1 < cells.count ? cells[index + 1].start : text.count
            let bytes = text.bytes[cell.start..<end]
            guard let stated = String(validating: bytes, as: UTF8.self) else {
                throw headerFault(
                    "The name of column \(index + 1) is not UTF-8. Convert the text first, such as by iconv "
                        + "-f WINDOWS-1252 -t UTF-8.", index + 1)
            }
            guard let name = options.names.property(stated) else {
                found.append(Column(name: [], form: nil, isOptional: true))
                continue
            }
            guard let (form, isOptional) = known[name] else {
                found.append(try unknown(name, index + 1))
                continue
            }
            guard seen.insert(name).inserted else {
                throw headerFault("Column \(index + 1) names '\(name)' again.", index + 1)
            }
            found.append(
                Column(name: JSONWriter.encodedKey(name), form: form, isOptional: isOptional))
        }
        guard cellCount <= cells.count else {
            throw headerFault(
                "It has \(cellCount) columns; at most \(keptCellCountMax) are read.",
                cells.count + 1)
        }
        columns = found
    }

    /// The column of a name that stands for no single value, which the lines' reader leaves out and counts.
    ///
    /// - Throws: ``RequestFault`` unless such columns are ignored.
    private func unknown(_ name: String, _ column: Int) throws(RequestFault) -> Column {
        let obstacle = rowClass.names.position(of: name)
            .flatMap { CSVShape.obstacle(rowClass, $0) }
        if let obstacle {
            throw headerFault(
                "It has column \(column), but \(obstacle). Leave it out (skip), or import NDJSON.",
                column)
        }
        if options.ignoresUnknown {
            return Column(
                name: JSONWriter.encodedKey(name), form: .text(isString: true), isOptional: true)
        }
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
                + "(map), leave it out (skip), or all that are not known (unknown=ignore).", column,
            name)
    }

    private func headerFault(_ detail: String, _ column: Int, _ name: String? = nil) -> RequestFault
    {
        .single(
            .invalid, "unknown-column", "The header of the CSV text does not fit: \(detail)",
            partDetail: detail, column: column,
            hint: name.flatMap { NearestName.of($0, among: rowClass.knownNames) })
    }
}
