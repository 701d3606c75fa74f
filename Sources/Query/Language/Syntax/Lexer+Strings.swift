import HoldfastBytes
import HoldfastObjectModel

/// String literals and the literals that begin like a name.
extension Lexer {
    /// Reads a quoted string with its escapes translated.
    mutating func string() throws(QueryError) -> Token {
        let start = position
        let behind = start + 1..<source.bytes.count
        if let close = source.offset(of: source[start], in: behind),
            source.offset(of: UInt8(ascii: "\\"), in: behind.lowerBound..<close) == nil
        {
            return literal(.string, .string(source.text(start + 1, close)), end: close + 1)
        }
        return try escapedString()
    }

    /// Reads a quoted string that has escapes, or no end.
    private mutating func escapedString() throws(QueryError) -> Token {
        let start = position
        var offset = start + 1
        var bytes: [UInt8] = []
        while true {
            guard offset < source.bytes.count else {
                throw source.syntaxError(
                    "syntax error, the string that begins here has no closing quote", at: start)
            }
            let byte = source[offset]
            if byte == source[start] { break }
            if byte == UInt8(ascii: "\\") {
                offset = try escape(at: offset, into: &bytes)
            } else {
                bytes.append(byte)
                offset += 1
            }
        }
        return literal(
            .string, .string(String(decoding: bytes, as: UTF8.self)), end: offset + 1)
    }

    /// Translates the escape at `offset` and returns the offset behind it.
    private func escape(at offset: Int, into bytes: inout [UInt8]) throws(QueryError) -> Int {
        let letter = source[offset + 1]
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"), UInt8(ascii: "/"):
            bytes.append(letter)
        case UInt8(ascii: "b"): bytes.append(0x08)
        case UInt8(ascii: "f"): bytes.append(0x0C)
        case UInt8(ascii: "n"): bytes.append(0x0A)
        case UInt8(ascii: "r"): bytes.append(0x0D)
        case UInt8(ascii: "t"): bytes.append(0x09)
        case UInt8(ascii: "0"): bytes.append(0x00)
        case UInt8(ascii: "u"): return try unicodeEscape(at: offset, into: &bytes)
        default:
            throw source.syntaxError(
                "syntax error, unknown escape in a string; allowed are \\\" \\' \\\\ \\/ \\b \\f "
                    + "\\n \\r \\t \\0 and \\uXXXX (write a backslash as \\\\)", at: offset)
        }
        return offset + 2
    }

    private func codeUnit(at offset: Int) -> UInt32? {
        var value: UInt32 = 0
        for index in offset..<offset + 4 {
            guard let digit = source[index].hexadecimalValue else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    private func unicodeEscape(
        at offset: Int, into bytes: inout [UInt8]
    ) throws(QueryError) -> Int {
        guard let first = codeUnit(at: offset + 2) else {
            throw source.syntaxError(
                "syntax error, \\u needs four hexadecimal digits", at: offset)
        }
        var end = offset + 6
        var code = first
        if first >= 0xD800, first < 0xDC00, source[end] == UInt8(ascii: "\\"),
            source[end + 1] == UInt8(ascii: "u"), let second = codeUnit(at: end + 2),
            second >= 0xDC00, second < 0xE000
        {
            code = 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
            end += 6
        }
        guard let scalar = Unicode.Scalar(code) else {
            throw source.syntaxError(
                "syntax error, \\u names half of a surrogate pair without its other half",
                at: offset)
        }
        bytes.append(contentsOf: Character(scalar).utf8)
        return end
    }

    /// `oid(…)`, `uuid(…)` or `B64"…"` at the present position; nil when there is none.
    mutating func prefixedLiteral() throws(QueryError) -> Token? {
        let start = position
        switch source[start] {
        case UInt8(ascii: "o") where starts("oid("):
            guard closes(at: start + 28), let value = bytes(start + 4, 24, ObjectID.init(text:))
            else {
                throw source.syntaxError(
                    "syntax error, oid(...) takes 24 hexadecimal digits without quotes or blanks",
                    at: start)
            }
            return literal(.objectID, .objectID(value), end: start + 29)
        case UInt8(ascii: "u") where starts("uuid("):
            guard closes(at: start + 41), let value = bytes(start + 5, 36, UUID128.init(text:))
            else {
                throw source.syntaxError(
                    "syntax error, uuid(...) takes hexadecimal digits in the form 8-4-4-4-12 "
                        + "without quotes or blanks", at: start)
            }
            return literal(.uuid, .uuid(value), end: start + 42)
        case UInt8(ascii: "B") where starts("B64\"") || starts("B64'"):
            return try base64String()
        default: return nil
        }
    }

    func starts(_ prefix: StaticString) -> Bool {
        let count = prefix.utf8CodeUnitCount
        return (0..<count).allSatisfy { source[position + $0] == prefix.utf8Start[$0] }
    }

    private func closes(at offset: Int) -> Bool { source[offset] == UInt8(ascii: ")") }

    /// Reads some bytes; nil where the text ends before.
    func bytes<Result>(
        _ start: Int, _ count: Int, _ read: (UnsafeRawBufferPointer) -> Result?
    ) -> Result? {
        guard start + count <= source.bytes.count else { return nil }
        return source.bytes.withUnsafeBytes {
            read(UnsafeRawBufferPointer(rebasing: $0[start..<start + count]))
        }
    }

    /// Makes a literal that begins at the present position.
    mutating func literal(_ kind: Token.Kind, _ value: Value, end: Int) -> Token {
        defer { position = end }
        self.value = value
        return Token(kind: kind, start: position, end: end)
    }

    private mutating func base64String() throws(QueryError) -> Token {
        let start = position
        let behind = start + 4..<source.bytes.count
        guard let end = source.offset(of: source[start + 3], in: behind),
            let data = source.withBytes(start + 4..<end, { Base64.decodeEither($0) })
        else {
            throw source.syntaxError(
                "syntax error, B64\"...\" takes base64 without blanks", at: start)
        }
        return literal(.base64, .data(data), end: end + 1)
    }
}
