import Glibc

/// The text of a query as bytes, with positions in it as columns.
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
        withBytes(start, end) { String(decoding: $0, as: UTF8.self) }
    }

    /// Hands the bytes between two offsets to `body`.
    func withBytes<Result>(
        _ start: Int, _ end: Int, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        bytes.withUnsafeBytes {
            let start = min(start, $0.count)
            return body(
                UnsafeRawBufferPointer(rebasing: $0[start..<min(max(start, end), $0.count)]))
        }
    }

    /// Where a byte stands first in a range of the text; nil where it doesn't.
    func offset(of byte: UInt8, in range: Range<Int>) -> Int? {
        bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress,
                let found = memchr(base + range.lowerBound, Int32(byte), range.count)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
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
