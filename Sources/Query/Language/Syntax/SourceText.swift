import Glibc

/// The text of a query as bytes, with positions in it as columns.
struct SourceText {
    /// UTF-8.
    let bytes: [UInt8]

    init(_ text: String) { bytes = Array(text.utf8) }

    /// The byte at `offset`; 0 behind the end.
    subscript(offset: Int) -> UInt8 { offset < bytes.count ? bytes[offset] : 0 }

    /// Returns the column of a byte: in Unicode scalars, from 1. Cost: linear; for errors only.
    func column(_ offset: Int) -> Int {
        var column = 1
        for byte in bytes.prefix(offset) where byte & 0xC0 != 0x80 { column += 1 }
        return column
    }

    /// Returns the offset of a column. Cost: linear; for errors only.
    func offset(column: Int) -> Int {
        var rest = column
        let found = bytes.firstIndex { byte in
            if byte & 0xC0 != 0x80 { rest -= 1 }
            return rest == 0
        }
        return found ?? bytes.count
    }

    /// Returns the text between two offsets.
    func text(_ start: Int, _ end: Int) -> String { text(start..<max(start, end)) }

    func text(_ range: Range<Int>) -> String {
        withBytes(range) { String(decoding: $0, as: UTF8.self) }
    }

    /// Hands the bytes in a range, as far as there are some, to `body`.
    func withBytes<Result>(
        _ range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        bytes.withUnsafeBytes {
            body(UnsafeRawBufferPointer(rebasing: $0[range.clamped(to: 0..<$0.count)]))
        }
    }

    /// Makes a fault at an offset.
    func fault(
        _ kind: QueryError.Kind, _ message: String, at offset: Int, argument: Int? = nil,
        hint: String? = nil
    ) -> QueryError {
        QueryError(
            kind: kind, message: message, column: column(offset), argumentIndex: argument,
            hint: hint)
    }

    /// Finds the first offset of a byte in a range of the text; nil without one.
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

    /// Makes the error of a query after its budget has failed. The budget gives the reason; this error is never reported.
    func givenUp() -> QueryError {
        QueryError(kind: .limit, message: "The query was stopped before it was checked.", column: 1)
    }

    /// Makes a syntax error at an offset, in Realm's wording.
    func syntaxError(_ message: String, at offset: Int, hint: String? = nil) -> QueryError {
        fault(.syntax, "Invalid predicate: '\(excerpt)': \(message)", at: offset, hint: hint)
    }
}

extension SourceText {
    /// The pieces between the commas of a list, except commas within keys of maps and within parentheses.
    var items: [Range<Int>] { split(0..<bytes.count, at: UInt8(ascii: ","), sparesKeys: true) }

    /// Returns the pieces between separators, without blanks before them; one empty piece for nothing.
    ///
    /// - `sparesKeys`: Whether separators within keys of maps and within parentheses do not count, such as the commas of
    ///   `costs['a,b']` and `percentile(age,95)`.
    func split(_ range: Range<Int>, at separator: UInt8, sparesKeys: Bool = false) -> [Range<Int>] {
        var pieces: [Range<Int>] = []
        var start = range.lowerBound
        var offset = start
        var depth = 0
        while offset <= range.upperBound {
            if offset == range.upperBound || (bytes[offset] == separator && depth == 0) {
                while start < offset, bytes[start] == 0x20 { start += 1 }
                pieces.append(start..<offset)
                start = offset + 1
            } else if sparesKeys, bytes[offset] == UInt8(ascii: "["), Self.isQuote(self[offset + 1])
            {
                offset = endOfKey(offset + 1..<range.upperBound) ?? range.upperBound
                continue
            } else if sparesKeys, bytes[offset] == UInt8(ascii: "(") {
                depth += 1
            } else if sparesKeys, bytes[offset] == UInt8(ascii: ")"), depth > 0 {
                depth -= 1
            }
            offset += 1
        }
        return pieces
    }

    /// Whether a key or a text begins or ends here.
    static func isQuote(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"")
    }

    /// Finds the end of the key in quotes that a range begins with, behind its last quote; nil where it goes on beyond the range.
    func endOfKey(_ range: Range<Int>) -> Int? {
        var offset = range.lowerBound + 1
        while offset < range.upperBound {
            if bytes[offset] == bytes[range.lowerBound] { return offset + 1 }
            offset += bytes[offset] == UInt8(ascii: "\\") ? 2 : 1
        }
        return nil
    }

    /// Finds the end of each pair of parentheses, behind the last one, by its beginning, except within quotes. Cost: linear.
    func parenthesesEnds() -> [Int: Int] {
        var ends: [Int: Int] = [:]
        var open: [Int] = []
        var offset = 0
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "("): open.append(offset)
            case UInt8(ascii: ")"): if let start = open.popLast() { ends[start] = offset + 1 }
            case let byte where Self.isQuote(byte):
                offset = endOfKey(offset..<bytes.count) ?? bytes.count
                continue
            default: break
            }
            offset += 1
        }
        return ends
    }

    /// Returns the name in a piece of a path.
    func name(_ piece: Range<Int>) throws(QueryError) -> String {
        guard !piece.isEmpty else {
            throw fault(.syntax, "A property name is expected here.", at: piece.lowerBound)
        }
        return text(piece)
    }
}
