import HoldfastJSON

// The values of cells.
extension CSVConverter {
    /// Writes the value of a cell.
    ///
    /// - `number`: The number of its column, from 1.
    /// - `form`: The form of the value.
    func write(
        _ bytes: UnsafeRawBufferPointer, of column: CSVHeader.Column, _ number: Int,
        _ isQuoted: Bool, _ form: CSVShape.Column, _ writer: JSONWriter
    ) {
        if bytes.isEmpty, !isQuoted || !form.takesEmptyText {
            if form == .text(isString: true), !column.isOptional { return writer.string(bytes) }
            return writer.null()
        }
        switch form {
        case .number, .decimal:
            let isDecimal = form == .decimal
            if self.form.hasDecimalComma {
                return write(withDecimalComma: bytes, number, isDecimal: isDecimal, writer)
            }
            if !isDecimal, NumberText.isJSON(bytes) { return writer.raw(bytes) }
            if !isDecimal, let json = NumberText.json(bytes) {
                return json.withUnsafeBytes { writer.raw($0) }
            }
        case .bool:
            if let value = Self.bool(bytes) { return writer.bool(value) }
        case .date:
            if let dates = self.form.dates { return write(bytes, number, dates, writer) }
        case .objectID:
            if let digits = Self.digits(bytes) { return writer.string(digits) }
        case .text, .link, .ifExplicit: break
        }
        // The long form of a link, as exports write it.
        if form != .text(isString: true), bytes.starts(with: "{\"$link\":".utf8),
            (try? JSONParser().parse(bytes)) != nil
        {
            return writer.raw(bytes)
        }
        if bytes.contains(where: { $0 >= 0x80 }), !Self.isUTF8(bytes) {
            malformed(
                "'\(CSVHeader.shown(bytes))' is not UTF-8. Convert the text first, such as by iconv "
                    + "-f WINDOWS-1252 -t UTF-8.", column: number)
        }
        writer.string(bytes)
    }

    private func write(
        withDecimalComma bytes: UnsafeRawBufferPointer, _ column: Int, isDecimal: Bool,
        _ writer: JSONWriter
    ) {
        if bytes.contains(UInt8(ascii: ".")) {
            malformed(
                "'\(CSVHeader.shown(bytes))' has a point: with a decimal comma a number has no point.",
                column: column)
        }
        let number = bytes.map { $0 == UInt8(ascii: ",") ? UInt8(ascii: ".") : $0 }
        number.withUnsafeBytes { number in
            if !isDecimal, let json = NumberText.json(number) {
                json.withUnsafeBytes { writer.raw($0) }
            } else {
                writer.string(number)
            }
        }
    }

    private func write(
        _ bytes: UnsafeRawBufferPointer, _ column: Int, _ dates: DateFormat, _ writer: JSONWriter
    ) {
        guard let date = dates.date(bytes) else {
            malformed(
                "'\(CSVHeader.shown(bytes))' is not a date of the form '\(dates.format)'.",
                column: column)
            return writer.null()
        }
        writer.string(date.description)
    }

    /// The digits of `ObjectId(…)`, as mongoexport writes it, with or without quotes within; nil for another text.
    private static func digits(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let start: StaticString = "ObjectId("
        guard text.count > start.utf8CodeUnitCount, text.last == UInt8(ascii: ")"),
            text.starts(
                with: UnsafeRawBufferPointer(start: start.utf8Start, count: start.utf8CodeUnitCount)
            )
        else { return nil }
        var digits = text[start.utf8CodeUnitCount..<(text.count - 1)]
        if digits.count > 1, digits.first == UInt8(ascii: "\""), digits.last == UInt8(ascii: "\"") {
            digits = digits.dropFirst().dropLast()
        }
        guard digits.count == 24, digits.allSatisfy({ $0 < 0x80 }) else { return nil }
        return UnsafeRawBufferPointer(rebasing: digits)
    }

    private static func isUTF8(_ text: UnsafeRawBufferPointer) -> Bool {
        var decoder = UTF8()
        var bytes = text.makeIterator()
        while true {
            switch decoder.decode(&bytes) {
            case .scalarValue: continue
            case .emptyInput: return true
            case .error: return false
            }
        }
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
}
