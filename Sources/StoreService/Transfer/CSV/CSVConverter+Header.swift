import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastRows
import HoldfastText

// The header line.
extension CSVConverter {
    /// Reads the header from the present record.
    func readHeader() throws(RequestFault) -> CSVHeader {
        // Only the first refusal is reported, because wrong quotes make all names unreliable.
        if let fault { throw headerFault(fault.detail, fault.column ?? 1) }
        let known = CSVShape.columns(rowClass, schema, sight)
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
                CSVHeader.Column(
                    text: stated, property: name, form: form, isOptional: isOptional))
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
        let obstacle = rowClass.names.position(of: name)
            .flatMap { CSVShape.obstacle(rowClass, $0) }
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
                + "(map), leave it out (skip), or all that are not known (unknown=ignore).", column,
            name)
    }

    /// Makes the fault of a header.
    func headerFault(_ detail: String, _ column: Int, _ name: String? = nil) -> RequestFault {
        .single(
            .invalid, "unknown-column", "The header of the CSV text does not fit: \(detail)",
            partDetail: detail, column: column,
            hint: name.flatMap { NearestName.of($0, among: rowClass.knownNames) })
    }
}
