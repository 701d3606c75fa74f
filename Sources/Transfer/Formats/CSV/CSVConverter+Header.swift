import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastText

// The header line.
extension CSVConverter {
    /// Reads the header from the present record.
    ///
    /// - Throws: ``RequestFault`` with all columns that stand for no property of the class.
    func readHeader() throws(RequestFault) -> CSVHeader {
        // Only the first refusal is reported, because wrong quotes make all names unreliable.
        if let fault { throw headerFault(fault.detail, fault.column ?? 1) }
        let names = CSVColumnNames(CSVShape.columns(rowClass, schema, visibility), options.names)
        var found: [CSVHeader.Column] = []
        var seen: Set<ExactText> = []
        var texts: [String] = []
        for index in cells.indices { texts.append(try columnName(index)) }
        let properties = names.properties(texts)
        var unknown: [RequestFault.Entry] = []
        for (index, text) in texts.enumerated() {
            guard let name = properties[index] else {
                found.append(CSVHeader.Column(text: text))
                continue
            }
            guard let (form, isOptional) = names.known[name] else {
                if let fault = try unknownColumn(name, index + 1, isFirst: unknown.count < 20) {
                    unknown.append(fault)
                }
                // The lines' reader leaves them out, and counts them.
                found.append(
                    CSVHeader.Column(text: text, property: name, form: .text(isString: true)))
                continue
            }
            guard seen.insert(name) else {
                throw headerFault("Column \(index + 1) names '\(name)' again.", index + 1)
            }
            let dates = self.form.columnDates[text] ?? self.form.columnDates[name]
            guard dates == nil || form.explicit == .date else {
                throw headerFault(
                    "Column '\(text)' has a form of dates, and its property '\(name)' is not a date. Leave "
                        + "the form out (dateFormat).", index + 1)
            }
            found.append(
                CSVHeader.Column(
                    text: text, property: name, form: form, isOptional: isOptional,
                    dates: dates ?? self.form.dates))
        }
        if !unknown.isEmpty { throw unknownColumns(unknown) }
        guard cellCount <= cells.count else {
            throw headerFault(
                "It has \(cellCount) columns; at most \(keptCellCountMax) are read.",
                cells.count + 1)
        }
        try checkDates(found)
        return CSVHeader(columns: found, rowClass: rowClass, form: self.form)
    }

    /// The name in a cell of the header, without the blanks around it unless it is stated with them.
    private func columnName(_ index: Int) throws(RequestFault) -> String {
        guard let name = String(validating: bytes(index), as: UTF8.self) else {
            throw headerFault(
                "The name of column \(index + 1) is not UTF-8." + TextEncoding.advice, index + 1)
        }
        if cells[index].isQuoted || options.names.names(name) { return name }
        return String(decoding: Self.trimmed(bytes(index)), as: UTF8.self)
    }

    /// Makes the fault of a column with a name that stands for no single value; nil if such columns are ignored.
    ///
    /// - `isFirst`: Whether it is one of the first ones, for which near names are searched.
    /// - Throws: ``RequestFault`` if the names seem to have another delimiter.
    private func unknownColumn(
        _ name: String, _ column: Int, isFirst: Bool
    ) throws(RequestFault) -> RequestFault.Entry? {
        let obstacle = rowClass.names.position(of: name).flatMap { CSVShape.obstacle(rowClass, $0) }
        if let obstacle {
            return RequestFault.Entry(
                code: "unknown-column",
                detail:
                    "It has column \(column), but \(obstacle). Leave it out (skip), or import NDJSON.",
                column: column)
        }
        if options.ignoresUnknown { return nil }
        let others: [(UInt8, String, String)] = [
            (UInt8(ascii: ";"), "semicolons", ";"), (UInt8(ascii: "\t"), "tabs", "tab"),
            (UInt8(ascii: "|"), "bars", "|"), (UInt8(ascii: ","), "commas", ","),
        ]
        for (byte, separators, value) in others
        where byte != delimiter && cells.count == 1 && name.utf8.contains(byte) {
            throw headerFault(
                "Its only column is '\(name)': the names seem to have \(separators) between them. State the "
                    + "delimiter '\(value)' (--delimiter '\(value)'; over HTTP delimiter=\(byte == 0x3B ? "%3B" : value)).",
                column)
        }
        return RequestFault.Entry(
            code: "unknown-column",
            detail:
                "Class '\(rowClass.definition.name)' has no property '\(name)' for column \(column). Rename it "
                + "(map), leave it out (skip), or all unknown ones (unknown=ignore).",
            column: column,
            hint: isFirst ? NearestName.of(name, among: rowClass.knownNames) : nil)
    }

    /// Makes the refusal of a header with unknown columns, which names all of them.
    private func unknownColumns(_ faults: [RequestFault.Entry]) -> RequestFault {
        guard faults.count > 1 else {
            return headerFault(faults[0].detail, faults[0].column, hint: faults[0].hint)
        }
        var parts: [String] = []
        for fault in faults.prefix(Self.namedColumnCountMax) {
            guard let column = fault.column else { continue }
            let near = fault.hint.map { ", did you mean '\($0)'?" } ?? ""
            parts.append("\(column) ('\(CSVHeader.shown(bytes(column - 1)))'\(near))")
        }
        if faults.count > parts.count { parts.append("\(faults.count - parts.count) more") }
        var fault = headerFault(
            "Class '\(rowClass.definition.name)' has no single value for columns "
                + parts.joined(separator: ", ")
                + ". Rename them (map), leave them out (skip), or all that are unknown (unknown=ignore).",
            faults[0].column)
        fault.errors = faults
        return fault
    }

    private static let namedColumnCountMax = 20

    /// Refuses forms of dates of columns that the text does not have.
    private func checkDates(_ columns: [CSVHeader.Column]) throws(RequestFault) {
        if form.columnDates.isEmpty { return }
        var missing = form.columnDates
        for column in columns {
            missing[column.text] = nil
            if let property = column.property { missing[property] = nil }
        }
        guard let name = missing.texts.first else { return }
        let texts = columns.map(\.text)
        throw headerFault(
            "It has no column '\(name)', for which a form of dates is stated (dateFormat).", nil,
            hint: NearestName.of(name, among: texts))
    }

    /// Makes the refusal of a header.
    func headerFault(_ detail: String, _ column: Int?, hint: String? = nil) -> RequestFault {
        .single(
            .invalid, "unknown-column", "The header of the CSV text does not fit: \(detail)",
            partDetail: detail, column: column, hint: hint)
    }
}
