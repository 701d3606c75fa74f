import ObjectModel
import Text

/// Cuts a query's text into tokens: the longest match wins, and a keyword beats an identifier of the
/// same length.
///
/// A value type: a copy of it remembers a position to come back to.
struct Lexer {
    let source: SourceText
    /// The offset of the next unread byte.
    var position = 0
    /// The value of the token that was read last, if it is a literal.
    var value = Value.null

    init(_ source: SourceText) { self.source = source }

    /// Reads the next token; `.end` at the end of the text, as often as asked.
    mutating func next() throws(QueryError) -> Token {
        while position < source.bytes.count, Self.isBlank(source[position]) { position += 1 }
        let start = position
        guard start < source.bytes.count else { return Token(kind: .end, start: start, end: start) }
        let byte = source[start]
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return try string()
        case UInt8(ascii: "@"): return try operation()
        case UInt8(ascii: "["): return bracket()
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

    static func isHexDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x66)
    }

    static func beginsIdentifier(_ byte: UInt8) -> Bool {
        (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A) || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "$") || byte >= 0x80
    }

    /// The blank that `\ `, `\n`, `\r` or `\t` at `offset` stands for in a name.
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
        let (first, second) = (source[position], source[position + 1])
        switch (first, second) {
        case (UInt8(ascii: "="), UInt8(ascii: "=")): return make(.equal, byteCount: 2)
        case (UInt8(ascii: "="), UInt8(ascii: "<")): return make(.lessEqual, byteCount: 2)
        case (UInt8(ascii: "="), UInt8(ascii: ">")): return make(.greaterEqual, byteCount: 2)
        case (UInt8(ascii: "="), _): return make(.equal, byteCount: 1)
        case (UInt8(ascii: "!"), UInt8(ascii: "=")): return make(.notEqual, byteCount: 2)
        case (UInt8(ascii: "!"), _): return make(.not, byteCount: 1)
        case (UInt8(ascii: "<"), UInt8(ascii: ">")): return make(.notEqual, byteCount: 2)
        case (UInt8(ascii: "<"), UInt8(ascii: "=")): return make(.lessEqual, byteCount: 2)
        case (UInt8(ascii: "<"), _): return make(.less, byteCount: 1)
        case (UInt8(ascii: ">"), UInt8(ascii: "=")): return make(.greaterEqual, byteCount: 2)
        case (UInt8(ascii: ">"), _): return make(.greater, byteCount: 1)
        case (UInt8(ascii: "&"), UInt8(ascii: "&")): return make(.and, byteCount: 2)
        case (UInt8(ascii: "|"), UInt8(ascii: "|")): return make(.or, byteCount: 2)
        case (UInt8(ascii: "("), _): return make(.leftParenthesis, byteCount: 1)
        case (UInt8(ascii: ")"), _): return make(.rightParenthesis, byteCount: 1)
        case (UInt8(ascii: "]"), _): return make(.rightBracket, byteCount: 1)
        case (UInt8(ascii: "{"), _): return make(.leftBrace, byteCount: 1)
        case (UInt8(ascii: "}"), _): return make(.rightBrace, byteCount: 1)
        case (UInt8(ascii: ","), _): return make(.comma, byteCount: 1)
        case (UInt8(ascii: "*"), _): return make(.star, byteCount: 1)
        case (UInt8(ascii: "/"), _): return make(.slash, byteCount: 1)
        default:
            let shown =
                first < 0x20 || first == 0x7F
                ? "a control character" : "'\(source.text(position, position + 1))'"
            throw source.syntaxError("syntax error, unexpected \(shown)", at: position)
        }
    }

    /// `[c]`, `[d]`, `[cd]` or the bracket of an index.
    private mutating func bracket() -> Token {
        let (first, second) = (source[position + 1], source[position + 2])
        let close = UInt8(ascii: "]")
        if first == UInt8(ascii: "c"), second == close { return make(.flagC, byteCount: 3) }
        if first == UInt8(ascii: "d"), second == close { return make(.flagD, byteCount: 3) }
        if first == UInt8(ascii: "c"), second == UInt8(ascii: "d"), source[position + 3] == close {
            return make(.flagCD, byteCount: 4)
        }
        return make(.leftBracket, byteCount: 1)
    }

    private mutating func operation() throws(QueryError) -> Token {
        var end = position + 1
        while source[end] >= 0x61, source[end] <= 0x7A { end += 1 }
        let word = source.text(position + 1, end)
        if let kind = Token.operations[word] { return make(kind, byteCount: end - position) }
        let hint = NearestName.of(word, among: Token.operations.keys.sorted()).map { "@" + $0 }
        var error = source.syntaxError(
            "syntax error, unexpected '@\(word)', expected one of @count, @size, @min, @max, @sum, "
                + "@avg, @links, @type, @keys, @values", at: position)
        error.hint = hint
        throw error
    }

    /// A keyword, an identifier, an argument, or a literal that begins like a name.
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

    /// The name that an identifier stands for, with its escapes translated, or the text of a word that may
    /// be one.
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
        return (0..<count).allSatisfy {
            source[token.start + $0] | 0x20 == word.utf8Start[$0]
        }
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
        else {
            return token
        }
        var index = 0
        for offset in digits..<token.end {
            index = index * 10 + Int(source[offset] - 0x30)
            guard index <= 1_000_000 else {
                throw source.fault(
                    .limit, "The argument's number is too large; at most 1000000 is allowed.",
                    at: token.start)
            }
        }
        token.index = index
        token.kind = digits == token.start + 1 ? .argument : .keyPathArgument
        return token
    }
}
