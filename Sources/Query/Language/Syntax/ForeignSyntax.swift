/// The words and forms of other query languages at a syntax error, and the same in this one.
///
/// It is made after a text is refused, so it costs the other texts nothing.
struct ForeignSyntax {
    /// The end of an error's message, and the text to write in place of the faulty one; nil if more than that has to change.
    typealias Advice = (text: String, hint: String?)

    let source: SourceText
    /// The offset of the fault.
    let start: Int
    /// The value that lacks an operator behind it; nil at other faults.
    let operand: Range<Int>?

    /// Returns an error of a text with the advice for it, if there is some.
    static func explaining(_ error: QueryError, in source: SourceText) -> QueryError {
        guard error.kind == .syntax, error.hint == nil else { return error }
        let foreign = ForeignSyntax(
            source: source, start: source.offset(column: error.column), operand: error.operand)
        guard
            let advice = foreign.object ?? foreign.statement ?? foreign.arrow ?? foreign.call
                ?? foreign.clause ?? foreign.sign ?? foreign.word
        else { return error }
        var error = error
        error.message += "; " + advice.text
        error.hint = advice.hint
        return error
    }

    /// Returns a piece of the text for advice; nil for a long or an empty one.
    func excerpt(_ range: Range<Int>) -> String? {
        (1...120).contains(range.count) ? source.text(range) : nil
    }

    /// Advises a text in place of the faulty one.
    private func replacement(_ hint: String) -> Advice { ("write \(hint)", hint) }

    /// A filter of MongoDB: an object of JSON, such as `{"name": "Paris"}`.
    private var object: Advice? {
        var lexer = Lexer(source)
        guard (try? lexer.next())?.kind == .leftBrace, let name = try? lexer.next(),
            name.kind == .string || name.kind == .identifier,
            source.bytes[name.end...].first(where: { !Lexer.isBlank($0) }) == UInt8(ascii: ":")
        else { return nil }
        return ("a filter is not JSON, but a condition such as name == 'Paris'", nil)
    }

    /// The statement of another language around a condition, as in `SELECT … WHERE …`.
    private var statement: Advice? {
        var lexer = Lexer(source)
        let followers: [Token.Kind] = [
            .identifier, .star, .leftParenthesis, .not, .any, .all, .none, .distinct,
        ]
        guard let first = try? lexer.next(), first.kind == .identifier,
            Self.statements.contains(Self.key(lexer.name(first))), let second = try? lexer.next(),
            followers.contains(second.kind), Self.operators[Self.key(lexer.name(second))] == nil
        else { return nil }
        var hint: String?
        lexer.position = first.start
        while hint == nil, let token = try? lexer.next(), token.kind != .end {
            guard lexer.isWord(token, "where"), let condition = try? lexer.next() else { continue }
            hint = excerpt(condition.start..<source.bytes.count)
        }
        let isCondition = hint.map { (try? Parser.parse(SourceText($0))) != nil } ?? false
        return (
            "a filter is only the condition, as it follows WHERE in SQL", isCondition ? hint : nil
        )
    }

    /// A path with arrows, `country->name`: its first `-` belongs to a name, so the fault is further on.
    private var arrow: Advice? {
        var lexer = Lexer(source)
        while let token = try? lexer.next(), token.end <= start, token.kind != .end {
            guard token.kind == .identifier, source[token.end - 1] == UInt8(ascii: "-"),
                source[token.end] == UInt8(ascii: ">"),
                Lexer.beginsIdentifier(source[token.end + 1])
            else { continue }
            var end = token.end + 1
            while SourceText.isInPath(source[end])
                || (source[end] == UInt8(ascii: ">") && source[end - 1] == UInt8(ascii: "-"))
            {
                end += 1
            }
            return excerpt(source.path(endingAt: token.end).lowerBound..<end).map {
                ("dots join the names of a path: write \($0.replacing("->", with: "."))", nil)
            }
        }
        return nil
    }

    /// A sign that the language does not have, or that stands in a number, a text or a value of another language.
    private var sign: Advice? {
        let before = start > 0 ? source[start - 1] : 0
        let (byte, next) = (source[start], source[start + 1])
        switch byte {
        case UInt8(ascii: ";"): return ("write the filter without ';'", nil)
        case UInt8(ascii: ":")
        where SourceText.isInPath(before) && source.path(endingAt: start).lowerBound == 0:
            return replacement("==")
        case UInt8(ascii: "?") where next == UInt8(ascii: "="):
            return ("write ==, and ANY before the path of a list", "==")
        case UInt8(ascii: "?") where next != UInt8(ascii: ".") && next != byte,
            UInt8(ascii: ":") where Lexer.beginsIdentifier(next),
            UInt8(ascii: "%") where next == UInt8(ascii: "@") || Lexer.beginsIdentifier(next):
            let isPath = byte == UInt8(ascii: "%") && next == UInt8(ascii: "K")
            return ("the first argument is $0, the next one $1", isPath ? "$K0" : "$0")
        case UInt8(ascii: "&") where next == byte, UInt8(ascii: "|") where next == byte:
            let word = byte == UInt8(ascii: "|") ? "OR" : "AND"
            return ("\(source.text(start, start + 2)) is \(word) between two conditions", nil)
        case UInt8(ascii: "&"), UInt8(ascii: "|"):
            return replacement(String(repeating: source.text(start, start + 1), count: 2))
        case UInt8(ascii: "=") where before == byte && start >= 2:
            return replacement(source.text(start - 2, start))
        case UInt8(ascii: "*")
        where source.bytes.allSatisfy({ $0 == byte || Lexer.isBlank($0) }):
            return replacement("TRUEPREDICATE")
        case UInt8(ascii: "/"): return regularExpression
        case UInt8(ascii: ","), UInt8(ascii: "_"): return number
        case _ where SourceText.isQuote(byte) && before == byte:
            return ("a quote within a text is written \\\(source.text(start, start + 1))", nil)
        default: return nil
        }
    }

    /// A regular expression between slashes as the value of a comparison.
    private var regularExpression: Advice? {
        guard source.lastByte(before: start) == UInt8(ascii: "="),
            let end = source.offset(of: UInt8(ascii: "/"), in: start + 1..<source.bytes.count),
            let pattern = excerpt(start + 1..<end), !pattern.contains("'")
        else { return nil }
        let isBetween = { (byte: UInt8) in byte == UInt8(ascii: "=") || Lexer.isBlank(byte) }
        let pathEnd = source.bytes[..<start].lastIndex { !isBetween($0) } ?? -1
        let path = source.text(source.path(endingAt: pathEnd + 1))
        let text = pattern.replacing("\\", with: "\\\\")
        return ("write \(path) MATCHES '\(text)', which the whole text has to match", nil)
    }

    /// A number with a separator before each three digits, of which the first one is the fault.
    private var number: Advice? {
        var first = start
        while first > 0, Lexer.isDigit(source[first - 1]) { first -= 1 }
        var end = start
        while source[end] == source[start], (1...3).allSatisfy({ Lexer.isDigit(source[end + $0]) })
        {
            end += 4
        }
        // In a list a comma is between two numbers.
        let before = source.lastByte(before: first)
        let isCompared = [UInt8(ascii: "="), UInt8(ascii: "<"), UInt8(ascii: ">")].contains(before)
        guard first < start, end > start, !Lexer.isDigit(source[end]),
            isCompared || source[start] == UInt8(ascii: "_"), let text = excerpt(first..<end)
        else { return nil }
        return ("write \(text.filter { $0 != "," && $0 != "_" }) without separators", nil)
    }

    /// `ORDER BY`, a `SORT` without parentheses, and `XOR`.
    private var clause: Advice? {
        let before = source.text(0, start).split(separator: " ").last.map(Self.key)
        let words = source.text(start, source.bytes.count).split { " ,()".contains($0) }
        guard let first = words.first.map(Self.key) else { return nil }
        if first == "xor" { return ("write (A OR B) AND NOT (A AND B)", nil) }
        let path = words.first { !["order", "by"].contains(Self.key($0)) }.map(String.init) ?? ""
        guard first == "order" || before == "sort", SourceText(path).isPath else { return nil }
        let direction = words.last.map(Self.key) == "desc" ? "DESC" : "ASC"
        return ("write SORT(\(path) \(direction)), or state 'sort' beside the filter", nil)
    }

    /// A word that is an operator of another language, or part of a text in typographic quotes.
    private var word: Advice? {
        var end = start
        while Lexer.beginsIdentifier(source[end]) || Lexer.isDigit(source[end]) { end += 1 }
        guard let word = excerpt(start..<end) else { return nil }
        if let last = word.last, SourceText.typographicQuotes.contains(last) {
            return ("a text is in straight quotes, ' or \"", nil)
        }
        guard let operand else { return nil }
        let key = Self.key(word)
        if let known = Self.operators[key] { return replacement(known) }
        guard key == "not" else { return Self.advice[key].map { ($0, nil) } }
        // As in `name NOT IN {…}`.
        var lexer = Lexer(source)
        lexer.position = end
        guard let next = try? lexer.next(), let subject = excerpt(operand) else { return nil }
        switch next.kind {
        case .comparison, .inList, .between:
            let word = source.text(next.start, next.end)
            return ("NOT stands before the comparison: write NOT \(subject) \(word)", nil)
        default: return nil
        }
    }
}

/// The tables.
extension ForeignSyntax {
    /// The form in which the tables have a word: `$gte`, `starts_with` and `ILIKE` are `gte`, `startswith` and `ilike`.
    static func key(_ word: some StringProtocol) -> String {
        word.lowercased().filter { $0 != "_" && $0 != "$" }
    }

    /// Operators by their words in other languages, as ``key(_:)`` has them.
    static let operators: [String: String] = [
        "eq": "==", "equals": "==", "ne": "!=", "neq": "!=", "gt": ">", "gte": ">=", "ge": ">=",
        "lt": "<", "lte": "<=", "le": "<=", "startswith": "BEGINSWITH", "hasprefix": "BEGINSWITH",
        "beginswith": "BEGINSWITH", "endswith": "ENDSWITH", "hassuffix": "ENDSWITH",
        "contains": "CONTAINS", "includes": "CONTAINS", "like": "LIKE", "ilike": "LIKE[c]",
        "matches": "MATCHES",
    ]

    /// Advice for words that no other word replaces, by their ``key(_:)``.
    private static let advice: [String: String] = {
        let near =
            "write geoWithin geoCircle([longitude, latitude], 5km) for the objects near a point"
        let pattern = "MATCHES takes a regular expression for the whole text"
        return [
            "near": near, "nearsphere": near, "regex": pattern, "regexp": pattern,
            "rlike": pattern,
        ]
    }()

    /// The words that begin a statement of SQL.
    private static let statements: Set<String> = ["select", "from", "where", "update", "delete"]
}

extension SourceText {
    static let typographicQuotes: Set<Character> = ["‘", "’", "‚", "“", "”", "„", "«", "»"]

    /// Whether a byte may be part of a path of names.
    static func isInPath(_ byte: UInt8) -> Bool {
        Lexer.beginsIdentifier(byte) || Lexer.isDigit(byte) || byte == UInt8(ascii: ".")
            || byte == UInt8(ascii: "-")
    }

    /// Finds the path that ends at an offset; empty without one.
    func path(endingAt end: Int) -> Range<Int> {
        var start = end
        while start > 0, Self.isInPath(bytes[start - 1]) { start -= 1 }
        return start..<end
    }

    /// Returns the last byte before an offset that is not a blank; 0 without one.
    func lastByte(before offset: Int) -> UInt8 {
        bytes[..<offset].last { !Lexer.isBlank($0) } ?? 0
    }

    /// Whether the whole text is names with dots between them.
    var isPath: Bool {
        bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy {
            guard let first = $0.first, first != UInt8(ascii: "$") else { return false }
            return Lexer.beginsIdentifier(first) && $0.allSatisfy(Self.isInPath)
        }
    }
}
