import Bytes
import JSON
import ObjectJSON
import ObjectStore
import Rows
import Text

/// Converts CSV (RFC 4180) to the NDJSON of an import as it is received: the header line names
/// properties, each further record is an object. It knows the types of columns, so that `007` stays a
/// text where a text is wanted; what a cell means is for the reader of the JSON to decide.
///
/// Every line of CSV becomes a line, so that faults have the number of the line on which a record begins.
/// Memory: one record.
final class CSVConverter: @unchecked Sendable {
    // Unchecked: it is the feeding thread's own.

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

    private let rowClass: RowClass
    private let schema: RowSchema
    private let feed: ImportFeed
    private let recordByteCountMax: Int
    private var state = State.start
    /// The text of the cells of the present record, one behind the other, and where each begins.
    private let text = ByteBuffer(capacity: 4096)
    private var cells: [Cell] = []
    /// How many cells the present record has; of those that are too many for any header none is kept.
    private var cellCount = 0
    private let keptCellCountMax: Int
    private var isQuoted = false
    private var cellStart = 0
    /// What is wrong with the present record, beyond what its cells say.
    private var fault: RequestFault.Entry?
    /// The ends of lines in the quoted cells of the present record.
    private var innerLineCount = 0
    /// The columns of the header: JSON names and forms. Nil before it.
    private var columns: [(name: [UInt8], form: CSVShape.Column, isOptional: Bool)]?
    /// The lines that the feed has not got yet.
    private let line = ByteBuffer(capacity: 4096)
    /// Whether the feed wants more, as far as it was asked during this call.
    private var hasRoom = true

    /// Makes a converter that feeds an import into a class.
    init(_ rowClass: RowClass, _ schema: RowSchema, _ feed: ImportFeed, recordByteCountMax: Int) {
        self.rowClass = rowClass
        self.schema = schema
        self.feed = feed
        self.recordByteCountMax = recordByteCountMax
        // As many as a header may have, `$id` included, and one that is too many.
        keptCellCountMax = rowClass.members.count + 2
    }

    /// Takes the next bytes; as ``ImportFeed/append(_:)``.
    func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        hasRoom = true
        for byte in feed.skipMark(bytes, keep: take) { take(byte) }
        flush()
        return hasRoom
    }

    /// The text is complete; the last record need not have an end.
    func complete() {
        if state == .quoted {
            malformed("The last cell is quoted and has no closing quote.")
            endRecord()
        } else if state != .start || !cells.isEmpty {
            endRecord()
        }
        flush()
        if columns == nil { refuseHeader("A CSV text begins with a line of property names.", 1) }
    }

    /// How many blank lines are handed on at a time.
    private static let flushedByteCount = 64 << 10

    private func flush() {
        guard line.count > 0 else { return }
        if !feed.append(line.bytes) { hasRoom = false }
        line.removeAll()
    }

    // MARK: Cells

    private func take(_ byte: UInt8) {
        switch (state, byte) {
        case (.quoted, UInt8(ascii: "\"")): state = .afterQuote
        case (.quoted, _):
            if byte == 0x0A { innerLineCount += 1 }
            keep(byte)
        case (.afterQuote, UInt8(ascii: "\"")):
            keep(byte)
            state = .quoted
        case (_, UInt8(ascii: ",")): endCell()
        case (_, 0x0A): endRecord()
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
        guard text.count <= recordByteCountMax else {
            fault =
                fault
                ?? RequestFault.Entry(
                    code: "line-too-long",
                    detail:
                        "The record is longer than the \(recordByteCountMax) bytes that an import "
                        + "takes of a line.")
            return
        }
        text.append(byte)
    }

    private func malformed(_ detail: String) {
        fault =
            fault
            ?? RequestFault.Entry(code: "malformed-csv", detail: detail, column: cellCount + 1)
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

    private func endRecord() {
        // Of `\r\n`.
        if !isQuoted, text.count > cellStart, text.bytes[text.count - 1] == 0x0D {
            text.truncate(to: text.count - 1)
        }
        let isBlank = cells.isEmpty && !isQuoted && text.count == cellStart
        endCell()
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
            readHeader()
            line.append(UInt8(ascii: "\n"))
        }
        for _ in 0..<innerLineCount {
            line.append(UInt8(ascii: "\n"))
            if line.count >= Self.flushedByteCount { flush() }
        }
        cells.removeAll(keepingCapacity: true)
        cellCount = 0
        text.removeAll()
        cellStart = 0
        fault = nil
        innerLineCount = 0
    }

    private func writeRecord(
        _ columns: [(name: [UInt8], form: CSVShape.Column, isOptional: Bool)]
    ) {
        if let fault {
            // The fault is of the line that comes next.
            flush()
            feed.note(fault)
            line.append(UInt8(ascii: "\n"))
            return
        }
        let writer = JSONWriter(line)
        line.append(UInt8(ascii: "{"))
        var isFirst = true
        for (index, cell) in cells.enumerated() {
            let end = index + 1 < cells.count ? cells[index + 1].start : text.count
            let bytes = UnsafeRawBufferPointer(rebasing: text.bytes[cell.start..<end])
            var form = columns[index].form
            if case .key(let inner) = form {
                // Another than a string can't be empty, and one that is not stated may be generated.
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
        if bytes.isEmpty, !isQuoted {
            if form == .text(isString: true), !isOptional { return writer.string(bytes) }
            return writer.null()
        }
        switch form {
        case .number where Self.isNumber(bytes): writer.raw(bytes)
        case .bool where bytes.elementsEqual("true".utf8) || bytes.elementsEqual("false".utf8):
            writer.raw(bytes)
        default:
            // The long form of a link, as exports write it.
            if form != .text(isString: true), bytes.starts(with: "{\"$link\":".utf8),
                (try? JSONParser().parse(bytes)) != nil
            {
                return writer.raw(bytes)
            }
            writer.string(bytes)
        }
    }

    /// Whether a text is a number as JSON writes it (RFC 8259, section 6).
    private static func isNumber(_ text: UnsafeRawBufferPointer) -> Bool {
        var rest = text[...]
        func digits() -> Int {
            let count = rest.prefix { (48...57).contains($0) }.count
            rest = rest.dropFirst(count)
            return count
        }
        if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
        let isZero = rest.first == UInt8(ascii: "0")
        let count = digits()
        guard count > 0, !isZero || count == 1 else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            guard digits() > 0 else { return false }
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") {
                rest = rest.dropFirst()
            }
            guard digits() > 0 else { return false }
        }
        return rest.isEmpty
    }

    // MARK: The header

    private func readHeader() {
        // The first refusal is told: names are not to be trusted when the quotes are not right.
        if let fault { refuseHeader(fault.detail, fault.column ?? 1) }
        let known = CSVShape.columns(rowClass, schema)
        var found: [(name: [UInt8], form: CSVShape.Column, isOptional: Bool)] = []
        var seen: Set<String> = []
        for (index, cell) in cells.enumerated() {
            let end = index + 1 < cells.count ? cells[index + 1].start : text.count
            let name = String(decoding: text.bytes[cell.start..<end], as: UTF8.self)
            guard let (form, isOptional) = known[name] else {
                let obstacle = rowClass.definition.properties.firstIndex { $0.name == name }
                    .flatMap { CSVShape.obstacle(rowClass, $0) }
                let detail =
                    obstacle.map {
                        "It has column \(index + 1), but \($0). Leave it out, or import NDJSON."
                    }
                    ?? "Class '\(rowClass.definition.name)' has no property '\(name)' for column "
                    + "\(index + 1)."
                refuseHeader(detail, index + 1, obstacle == nil ? name : nil)
                break
            }
            guard seen.insert(name).inserted else {
                refuseHeader("Column \(index + 1) names '\(name)' again.", index + 1)
                break
            }
            found.append((JSONWriter.encodedKey(name), form, isOptional))
        }
        columns = found
    }

    private func refuseHeader(_ detail: String, _ column: Int, _ name: String? = nil) {
        let hint = name.flatMap {
            NearestName.of($0, among: rowClass.definition.properties.map(\.name))
        }
        feed.refuse(
            RequestFault(
                .invalid, "unknown-column", "The header of the CSV text does not fit: \(detail)",
                errors: [
                    RequestFault.Entry(
                        code: "unknown-column", detail: detail, column: column, hint: hint)
                ]))
    }
}
