import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastRows

/// The header of a CSV text. The faults of its records use it to name cells.
struct CSVHeader {
    /// A column.
    struct Column {
        /// The name in the text.
        var text: String
        /// The property that the column's cells are values of; nil if they are left out.
        var property: String?
        /// The property's name as JSON, with its colon.
        var key: [UInt8]
        /// The form of the cells' values in JSON; nil if they are left out.
        var form: CSVShape.Column?
        /// Whether the values may be null.
        var isOptional: Bool
        /// Whether blanks around a cell are part of the value.
        var keepsBlanks: Bool
        /// How dates are written; nil for RFC 3339, and for values of other types.
        var dates: DateFormat?

        init(
            text: String, property: String? = nil, form: CSVShape.Column? = nil,
            isOptional: Bool = true, dates: DateFormat? = nil
        ) {
            self.text = text
            self.property = property
            key = property.map { JSONWriter.encodedKey($0) } ?? []
            self.form = form
            self.isOptional = isOptional
            keepsBlanks = form?.keepsBlanks ?? true
            self.dates = form?.explicit == .date ? dates : nil
        }
    }

    /// The columns, from the left.
    let columns: [Column]
    /// The class of the objects in the records.
    let rowClass: RowClass
    let form: CSVForm

    /// Whether a record of empty cells is no object. It is one if its only column or its primary key is null.
    var skipsBlankRecords: Bool {
        guard columns.count > 1, let key = rowClass.definition.primaryKey else {
            return columns.count > 1
        }
        return !columns.contains {
            $0.isOptional && $0.property?.utf8.elementsEqual(key.utf8) == true
        }
    }

    /// The code of faults of cells that are not a value of any type.
    static let malformedCode = "malformed-csv"

    /// Returns the fault of a record, completed with the line, and with the column and the text of the faulty cell.
    ///
    /// - `number`: The line on which the record begins.
    /// - `line`: The JSON of the record; nil if the record could not be converted.
    func located(
        _ fault: RequestFault.Entry, line number: Int, _ line: UnsafeRawBufferPointer?
    ) -> RequestFault.Entry {
        var fault = fault
        var place = "Line \(number)"
        if fault.code == Self.malformedCode {
            if let column = fault.column { place += ", " + words(column - 1) }
        } else if let index = column(of: fault) {
            place += ", " + words(index)
            fault.column = index + 1
            fault.detail = detail(of: fault, columns[index], line)
        }
        fault.detail = "\(place): \(fault.detail)"
        return fault
    }

    private func words(_ index: Int) -> String {
        guard columns.indices.contains(index) else { return "column \(index + 1)" }
        return "column '\(Self.shown(columns[index].text.utf8))'"
    }

    /// The position of the column that a fault of the reader, or of the write, concerns.
    private func column(of fault: RequestFault.Entry) -> Int? {
        var name = fault.pointer.flatMap { JSONPointer($0)?.steps.first }
        if name == nil, fault.code == "duplicate-key" { name = rowClass.definition.primaryKey }
        guard let name else { return nil }
        return columns.firstIndex { $0.property?.utf8.elementsEqual(name.utf8) == true }
    }

    /// The codes of faults for a text that is not a value of the property's type.
    private static let typeCodes = [
        "wrong-type", "invalid-decimal", "invalid-date", "invalid-base64", "invalid-object-id",
        "invalid-uuid",
    ]

    private func detail(
        of fault: RequestFault.Entry, _ column: Column, _ line: UnsafeRawBufferPointer?
    ) -> String {
        guard let line, let cell = cell(column, line) else {
            return "The cell is empty. \(fault.detail)"
        }
        let shown = Self.shown(cell)
        guard Self.typeCodes.contains(fault.code),
            let member = column.property.flatMap({ rowClass.member(named: $0) })
        else { return "'\(shown)' is refused. \(fault.detail)" }
        let property = rowClass.definition.properties[member]
        if case .single(.object(let name)) = property.type {
            return "'\(shown)' is not a key of class '\(name)'."
        }
        return "'\(shown)' is not \(ObjectReader.describe(property)).\(advice(column, cell))"
    }

    /// The option that reads a cell of another form; empty without one.
    private func advice(_ column: Column, _ cell: [UInt8]) -> String {
        switch column.form?.explicit {
        case .bool:
            return
                " Other words are options: --true and --false (over HTTP trueWord and falseWord)."
        case .date where column.dates == nil:
            return " Another form is an option: --date-format '%d.%m.%Y' (over HTTP dateFormat)."
        case .number where !form.hasDecimalComma, .decimal where !form.hasDecimalComma:
            let number = ByteBuffer(capacity: 64)
            guard cell.contains(UInt8(ascii: ",")),
                cell.withUnsafeBytes({ NumberText.appendPointed($0, to: number) }),
                NumberText.json(number.bytes) != nil
            else { return "" }
            return " Decimal commas are an option: --decimal-comma (over HTTP decimalComma=true)."
        default: return ""
        }
    }

    /// The text of a cell, from the JSON line of its record; nil if the cell was empty.
    private func cell(_ column: Column, _ line: UnsafeRawBufferPointer) -> [UInt8]? {
        let parser = JSONParser()
        // Parsed values are valid as long as their parser exists.
        defer { withExtendedLifetime(parser) {} }
        guard let name = column.property, let root = try? parser.parse(line),
            let value = root.member(named: name), !value.isNull
        else { return nil }
        let text: [UInt8]
        if let string = value.stringBytes {
            text = Array(string)
        } else {
            let buffer = ByteBuffer(capacity: 64)
            JSONWriter(buffer).copy(value)
            text = buffer.array
        }
        guard form.hasDecimalComma, column.form?.isNumeric == true else { return text }
        return text.map { $0 == UInt8(ascii: ".") ? UInt8(ascii: ",") : $0 }
    }

    /// The text of a cell in a message, with blanks for ends of lines. A long text is cut.
    static func shown(_ text: some Collection<UInt8>) -> String {
        var bytes = text.prefix(shownByteCountMax).map { $0 < 0x20 ? 0x20 : $0 }
        guard bytes.count < text.count else { return String(decoding: bytes, as: UTF8.self) }
        // Not in the middle of a character.
        while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
        return String(decoding: bytes, as: UTF8.self) + "…"
    }

    private static let shownByteCountMax = 64
}
