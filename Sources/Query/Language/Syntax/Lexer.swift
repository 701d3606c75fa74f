import HoldfastBytes
import HoldfastObjectModel
import HoldfastText

/// Cuts a query's text into tokens: the longest match wins, and a keyword beats an identifier of the same length.
///
/// A value type: a copy of it remembers a position to come back to.
struct Lexer {
    let source: SourceText
    /// The offset of the next unread byte.
    var position = 0
    /// The value of the token that was read last, if it is a literal.
    var value = Value.null
    /// The step that the operation stands for that was read last.
    var operation = Syntax.Step.Kind.count

    init(_ source: SourceText) { self.source = source }

    /// Reads the next token; `.end` at the end of the text, as often as asked.
    mutating func next() throws(QueryError) -> Token {
        while position < source.bytes.count, Self.isBlank(source[position]) { position += 1 }
        let start = position
        guard start < source.bytes.count else { return Token(kind: .end, start: start, end: start) }
        let byte = source[start]
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return try string()
        case UInt8(ascii: "@"): return try pathOperation()
        case _ where Self.isDigit(byte): return try numeric()
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): return try numericOrSign()
        case _ where Self.beginsIdentifier(byte): return try word()
        default: return try sign()
        }
    }

    static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A
    }

    static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    static func beginsIdentifier(_ byte: UInt8) -> Bool {
        (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A) || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "$") || byte >= 0x80
    }

    /// Returns the blank that `\ `, `\n`, `\r` or `\t` at `offset` stands for in a name.
    private func escapedBlank(at offset: Int) -> UInt8? {
        guard source[offset] == UInt8(ascii: "\\") else { return nil }
        switch source[offset + 1] {
        case UInt8(ascii: " "): return 0x20
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "t"): return 0x09
        default: return nil
        }
    }

    private mutating func make(_ kind: Token.Kind, byteCount: Int) -> Token {
        defer { position += byteCount }
        return Token(kind: kind, start: position, end: position + byteCount)
    }

    private mutating func sign() throws(QueryError) -> Token {
        for (sign, kind) in Self.signs where starts(sign) {
            return make(kind, byteCount: sign.utf8CodeUnitCount)
        }
        let first = source[position]
        let shown =
            first < 0x20 || first == 0x7F
            ? "a control character" : "'\(source.text(position, position + 1))'"
        var error = source.syntaxError("syntax error, unexpected \(shown)", at: position)
        if first == UInt8(ascii: "~") {
            error.message +=
                "; MATCHES takes a regular expression, LIKE a pattern with * and ?, CONTAINS a part"
            error.hint = "CONTAINS"
        }
        throw error
    }

    /// Signs that are prefixes of others stand behind them.
    private static let signs: [(StaticString, Token.Kind)] = [
        (",", .comma), ("==", .comparison(.equal)), ("=<", .comparison(.lessEqual)),
        ("=>", .comparison(.greaterEqual)), ("=", .comparison(.equal)),
        ("!=", .comparison(.notEqual)), ("!", .not), ("<>", .comparison(.notEqual)),
        ("<=", .comparison(.lessEqual)), ("<", .comparison(.less)),
        (">=", .comparison(.greaterEqual)), (">", .comparison(.greater)), ("&&", .and), ("||", .or),
        ("(", .leftParenthesis), (")", .rightParenthesis), ("[cd]", .flagCD), ("[c]", .flagC),
        ("[d]", .flagD), ("[", .leftBracket), ("]", .rightBracket), ("{", .leftBrace),
        ("}", .rightBrace), ("*", .star), ("/", .slash),
    ]

    private mutating func pathOperation() throws(QueryError) -> Token {
        var end = position + 1
        while source[end] >= 0x61, source[end] <= 0x7A { end += 1 }
        let word = source.text(position + 1, end)
        if let known = Token.operations[word] {
            operation = known
            return make(word == "links" ? .links : .operation, byteCount: end - position)
        }
        throw source.syntaxError(
            "syntax error, unexpected '@\(word)', expected one of @count, @size, @min, @max, @sum, "
                + "@avg, @links, @type, @keys, @values", at: position,
            hint: NearestName.of(word, among: Token.operations.keys.sorted()).map { "@" + $0 })
    }

    /// Reads a keyword, an identifier, an argument, or a literal that begins like a name.
    private mutating func word() throws(QueryError) -> Token {
        let start = position
        if let literal = try prefixedLiteral() { return literal }
        var end = start
        var isEscaped = false
        while true {
            let byte = source[end]
            if Self.beginsIdentifier(byte) || Self.isDigit(byte)
                || (byte == UInt8(ascii: "-") && end > start)
            {
                end += 1
            } else if escapedBlank(at: end) != nil {
                isEscaped = true
                end += 2
            } else {
                break
            }
        }
        if let timestamp = try countedTimestamp(longerThan: end) { return timestamp }
        position = end
        var token = Token(kind: .identifier, start: start, end: end)
        if source[start] == UInt8(ascii: "$") { return try argument(token) }
        if !isEscaped, let kind = Keyword.find(source.bytes[start..<end]) {
            token.kind = kind
            if kind == .infinity { value = .double(.infinity) }
            if kind == .nan { value = .double(.nan) }
        }
        return token
    }

    /// Returns the name that an identifier stands for, with its escapes translated, or the text of a word that may be one.
    func name(_ token: Token) -> String {
        hasEscapes(token)
            ? unescapedName(token.start, token.end) : source.text(token.start, token.end)
    }

    /// Whether an identifier has other bytes than the name that it stands for.
    func hasEscapes(_ token: Token) -> Bool {
        source.offset(of: UInt8(ascii: "\\"), in: token.start..<token.end) != nil
    }

    /// Whether an identifier is a word, in any case.
    ///
    /// - `word`: In lower case, ASCII.
    func isWord(_ token: Token, _ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard token.end - token.start == count else { return false }
        return (0..<count).allSatisfy { source[token.start + $0] | 0x20 == word.utf8Start[$0] }
    }

    private func unescapedName(_ start: Int, _ end: Int) -> String {
        var bytes: [UInt8] = []
        var offset = start
        while offset < end {
            if let blank = escapedBlank(at: offset) {
                bytes.append(blank)
                offset += 2
            } else {
                bytes.append(source[offset])
                offset += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Makes `$12` and `$K3` arguments; other names that begin with a dollar stay identifiers.
    private func argument(_ identifier: Token) throws(QueryError) -> Token {
        var token = identifier
        let digits =
            source[token.start + 1] == UInt8(ascii: "K") ? token.start + 2 : token.start + 1
        guard digits < token.end, (digits..<token.end).allSatisfy({ Self.isDigit(source[$0]) })
        else { return token }
        guard let index = Int(source.text(digits, token.end)), index <= 1_000_000 else {
            throw source.fault(
                .limit, "The argument's number is too large; at most 1000000 is allowed.",
                at: token.start)
        }
        token.index = index
        token.kind = digits == token.start + 1 ? .argument : .keyPathArgument
        return token
    }
}

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
        return literal(.string, .string(String(decoding: bytes, as: UTF8.self)), end: offset + 1)
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
            throw source.syntaxError("syntax error, \\u needs four hexadecimal digits", at: offset)
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

    /// `oid(…)`, `uuid(…)` or `B64"…"` at the present position; nil for other text.
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
        case UInt8(ascii: "B") where starts("B64\"") || starts("B64'"): return try base64String()
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
