/// The form of a CSV text's cells.
package struct CSVForm: Sendable, Equatable {
    /// The byte between cells.
    package var delimiter = UInt8(ascii: ",")
    /// Whether numbers have a comma before their decimals.
    package var hasDecimalComma = false
    /// How dates are written; nil for RFC 3339.
    package var dates: DateFormat?

    /// Makes the form of RFC 4180.
    package init() {}

    /// Reads a delimiter, an ASCII character or the word `tab`; nil for what can't be one.
    package static func delimiter(_ text: String) -> UInt8? {
        if text == "tab" || text == "\\t" { return UInt8(ascii: "\t") }
        let bytes = Array(text.utf8)
        guard bytes.count == 1, bytes[0] < 0x80, bytes[0] == 0x09 || bytes[0] >= 0x20,
            bytes[0] != UInt8(ascii: "\""), bytes[0] != 0x7F, bytes[0] != UInt8(ascii: "-"),
            bytes[0] != UInt8(ascii: "+"), bytes[0] != UInt8(ascii: "."),
            !Character(UnicodeScalar(bytes[0])).isLetter,
            !Character(UnicodeScalar(bytes[0])).isNumber
        else { return nil }
        return bytes[0]
    }

    /// The rule for a delimiter, for messages.
    package static let delimiterText =
        "a character of ASCII that is no letter, digit, quote, '+', '-' or '.', or the word 'tab'"
}
