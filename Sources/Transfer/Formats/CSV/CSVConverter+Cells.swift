import HoldfastJSON

// The values of cells.
extension CSVConverter {
    /// Writes the value of a cell.
    ///
    /// - `number`: The number of its column, from 1.
    /// - `form`: The form of the value.
    func write(
        _ bytes: UnsafeRawBufferPointer, _ number: Int, isQuoted: Bool, isOptional: Bool,
        _ form: CSVShape.Column, _ writer: JSONWriter
    ) {
        if bytes.isEmpty, !isQuoted || !form.takesEmptyText {
            if form == .text(isString: true), !isOptional { return writer.string(bytes) }
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
            if let value = self.form.bool(bytes) ?? Self.bool(bytes) { return writer.bool(value) }
        case .date:
            if let dates = dates(number) { return write(bytes, number, dates, writer) }
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
                "'\(CSVHeader.shown(bytes))' is not UTF-8." + TextEncoding.advice, column: number)
        }
        writer.string(bytes)
    }

    private func write(
        withDecimalComma bytes: UnsafeRawBufferPointer, _ column: Int, isDecimal: Bool,
        _ writer: JSONWriter
    ) {
        number.removeAll()
        var isNumber = NumberText.appendPointed(bytes, to: number)
        let pointed = number.bytes
        if isNumber {
            if NumberText.isJSON(pointed) {
                return isDecimal ? writer.string(pointed) : writer.raw(pointed)
            }
            if let json = NumberText.json(pointed) {
                if !isDecimal { return json.withUnsafeBytes { writer.raw($0) } }
            } else {
                // Text without points is refused by its reader.
                isNumber = !bytes.contains(UInt8(ascii: "."))
            }
        }
        guard isNumber else {
            malformed(
                "'\(CSVHeader.shown(bytes))' is not a number with a decimal comma: points stand only between "
                    + "thousands, as in '9.429,59'.", column: column)
            return writer.null()
        }
        writer.string(pointed)
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
    static func digits(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
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
    static func bool(_ text: UnsafeRawBufferPointer) -> Bool? {
        guard text.count <= 5 else { return nil }
        return switch String(decoding: text, as: UTF8.self).lowercased() {
        case "true", "yes", "t", "y", "1": true
        case "false", "no", "f", "n", "0": false
        default: nil
        }
    }
}
