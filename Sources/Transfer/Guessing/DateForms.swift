import HoldfastObjectModel

/// The forms of dates that are tried for the cells of a column.
struct DateForms {
    /// A form, and the marks between its digits.
    private struct Candidate {
        let format: DateFormat
        let marks: [UInt8]
        /// Whether decimals may follow its seconds.
        let hasSeconds: Bool

        init?(_ text: String) {
            guard let format = DateFormat(text) else { return nil }
            self.format = format
            var marks: [UInt8] = []
            var isConversion = false
            for byte in text.utf8 {
                if byte == UInt8(ascii: "%") {
                    isConversion = true
                } else if isConversion {
                    isConversion = false
                } else {
                    marks.append(byte)
                }
            }
            self.marks = marks
            hasSeconds = text.hasSuffix("%S")
        }

        /// Whether a text is a date of the form. The C library alone would also read other marks.
        func fits(_ text: [UInt8]) -> Bool {
            var found = text.filter { !(48...57).contains($0) }
            if hasSeconds, found.count == marks.count + 1,
                found.last == UInt8(ascii: ".") || found.last == UInt8(ascii: ",")
            {
                found.removeLast()
            }
            return found == marks && text.withUnsafeBytes { format.date($0) } != nil
        }
    }

    private static let days = [
        "%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d",
    ]
    private static let times = ["", " %H:%M:%S", " %H:%M", "T%H:%M:%S", "T%H:%M"]
    /// Years of two digits are left out, because their century is a guess.
    private static let candidates = days.flatMap { day in
        times.compactMap { Candidate(day + $0) }
    }

    /// The forms in which each of the cells is a date: several if days can't be told from months.
    static func fitting(_ cells: [String]) -> [String] {
        var left = cells.isEmpty ? [] : candidates
        for cell in cells where !left.isEmpty {
            let text = Array(cell.utf8)
            left.removeAll { !$0.fits(text) }
        }
        return left.map(\.format.format)
    }

    /// Whether each of the cells is a date of a stated form.
    static func all(_ cells: [String], are format: DateFormat) -> Bool {
        cells.allSatisfy { Array($0.utf8).withUnsafeBytes { format.date($0) } != nil }
    }

    /// Whether each of the texts is a date of RFC 3339, which needs no form.
    static func areRFC3339(_ texts: [String]) -> Bool {
        texts.allSatisfy { Array($0.utf8).withUnsafeBytes { Timestamp(rfc3339: $0) } != nil }
    }
}
