import HoldfastObjectModel

/// The form of a CSV text's cells.
package struct CSVForm: Sendable, Equatable {
    /// The byte between cells, unless the text begins with a line such as `sep=;`.
    package var delimiter = UInt8(ascii: ",")
    /// The encoding of the text.
    package var encoding = TextEncoding.utf8
    /// Whether numbers have a comma before their decimals, and may have points between thousands.
    package var hasDecimalComma = false
    /// How dates are written; nil for RFC 3339.
    package var dates: DateFormat?
    /// How dates of single columns are written, by the column's name in the text or by its property.
    package private(set) var columnDates: [ExactText: DateFormat] = [:]
    /// A further text for true, in any case of ASCII letters; nil without one.
    package private(set) var trueWord: [UInt8]?
    /// A further text for false, in any case of ASCII letters; nil without one.
    package private(set) var falseWord: [UInt8]?

    /// Makes the form of RFC 4180.
    package init() {}

    // MARK: Delimiters

    /// Reads a delimiter, an ASCII character or the word `tab`; nil for other text.
    package static func delimiter(_ text: String) -> UInt8? {
        if text == "tab" || text == "\\t" { return UInt8(ascii: "\t") }
        let bytes = Array(text.utf8)
        return bytes.count == 1 ? delimiter(bytes[0]) : nil
    }

    /// Returns a byte that may be a delimiter; nil for another byte.
    static func delimiter(_ byte: UInt8) -> UInt8? {
        guard byte < 0x7F, byte == 0x09 || byte >= 0x20, byte != UInt8(ascii: "\""),
            byte != UInt8(ascii: "-"), byte != UInt8(ascii: "+"), byte != UInt8(ascii: "."),
            !Character(UnicodeScalar(byte)).isLetter, !Character(UnicodeScalar(byte)).isNumber
        else { return nil }
        return byte
    }

    /// The rule for a delimiter, for messages.
    package static let delimiterText =
        "an ASCII character except a letter, digit, quote, '+', '-' or '.', or the word 'tab'"

    // MARK: Dates

    /// Adds a form of dates: `FORMAT` for all columns, or `COLUMN=FORMAT` for one; false for other text, and for a
    /// second form of the same columns.
    package mutating func addDates(_ text: String) -> Bool {
        guard let percent = text.firstIndex(of: "%") else { return false }
        if let equals = text[..<percent].lastIndex(of: "="), equals > text.startIndex {
            let column = String(text[..<equals])
            guard let format = DateFormat(String(text[text.index(after: equals)...])),
                columnDates[column] == nil
            else { return false }
            columnDates[column] = format
            return true
        }
        guard dates == nil, let format = DateFormat(text) else { return false }
        dates = format
        return true
    }

    /// The rule for a form of dates, for messages.
    package static let datesText =
        "\(DateFormat.text), for each column once; 'Am=%d.%m.%Y' is the form of column 'Am'"

    // MARK: Bools

    /// Sets the text for true or for false; false for an empty or long text, and for that of the opposite.
    package mutating func setWord(_ text: String, for value: Bool) -> Bool {
        let word = Array(text.utf8)
        guard (1...Self.wordByteCountMax).contains(word.count),
            word.withUnsafeBytes({ bool($0) }) != !value
        else { return false }
        if value { trueWord = word } else { falseWord = word }
        return true
    }

    private static let wordByteCountMax = 64

    /// The rule for such a text, for messages.
    package static let wordText =
        "a text of at most \(wordByteCountMax) bytes, other than that of the opposite"

    /// The value of one of the further texts; nil for another text.
    func bool(_ text: UnsafeRawBufferPointer) -> Bool? {
        if let trueWord, Self.equals(text, trueWord) { return true }
        if let falseWord, Self.equals(text, falseWord) { return false }
        return nil
    }

    private static func equals(_ text: UnsafeRawBufferPointer, _ word: [UInt8]) -> Bool {
        text.count == word.count && zip(text, word).allSatisfy { lowercased($0) == lowercased($1) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
