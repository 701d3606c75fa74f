/// The text of a query as bytes, with places in it as columns.
struct SourceText {
    /// UTF-8.
    let bytes: [UInt8]

    init(_ text: String) { bytes = Array(text.utf8) }

    /// The byte at `offset`; 0 behind the end.
    subscript(offset: Int) -> UInt8 { offset < bytes.count ? bytes[offset] : 0 }

    /// The column of a byte: in Unicode scalars, from 1. Cost: linear; for errors only.
    func column(_ offset: Int) -> Int {
        var column = 1
        for byte in bytes.prefix(offset) where byte & 0xC0 != 0x80 { column += 1 }
        return column
    }

    /// The text between two offsets.
    func text(_ start: Int, _ end: Int) -> String {
        String(
            decoding: bytes[min(start, bytes.count)..<min(max(start, end), bytes.count)],
            as: UTF8.self)
    }

    /// The whole text for a message, cut when it is long.
    var excerpt: String {
        let text = self.text(0, bytes.count)
        return text.unicodeScalars.count <= 120
            ? text : String(String.UnicodeScalarView(text.unicodeScalars.prefix(117))) + "..."
    }

    /// A syntax error at an offset, in Realm's wording.
    func syntaxError(_ message: String, at offset: Int) -> QueryError {
        QueryError(
            .syntax, "Invalid predicate: '\(excerpt)': \(message)", column: column(offset))
    }
}
