import HoldfastObjectModel

/// Values and paths.
extension Parser {
    /// Parses a constant, a list or a path, perhaps quantified.
    mutating func operand() throws(QueryError) -> Syntax.Operand {
        let start = token.start
        var quantifier: Quantifier?
        switch token.kind {
        case .any: quantifier = .any
        case .all: quantifier = .all
        case .none: quantifier = Quantifier.none
        default: break
        }
        if let quantifier {
            try advance()
            if token.kind == .argument { return .quantifiedArgument(try constant(), quantifier) }
            guard
                token.kind == .leftBrace || token.canBeName || token.kind == .links
                    || token.kind == .keyPathArgument
            else { throw unexpected("a property, a list in braces or an argument") }
        }
        switch token.kind {
        case .leftBrace: return try list(quantifier, start: start)
        case .binary where isFollowedByParenthesis, .identifier where beginsTime:
            return .constant(try constant())
        case .sort where isFollowedByParenthesis, .distinct where isFollowedByParenthesis,
            .limit where isFollowedByParenthesis:
            throw unexpected("a predicate before it, such as TRUEPREDICATE")
        case .links, .keyPathArgument: return .path(try path(quantifier, start: start))
        case .subquery: return .subquery(try subquery())
        case .geoBox, .geoPolygon, .geoCircle:
            throw unexpected("a property or a value (a region follows geoWithin)")
        case _ where token.canBeName:
            let name = token
            try advance()
            if quantifier == nil, token.kind != .dot, token.kind != .leftBracket,
                !lexer.hasEscapes(name)
            {
                return .property(start..<name.end)
            }
            let first = Syntax.Step(kind: .name(lexer.name(name)), start: name.start)
            return .path(try path(quantifier, from: first, start: start))
        default: return .constant(try constant())
        }
    }

    private var isFollowedByParenthesis: Bool {
        var ahead = lexer
        guard let next = try? ahead.next() else { return false }
        return next.kind == .leftParenthesis
    }

    private mutating func list(
        _ quantifier: Quantifier?, start: Int
    ) throws(QueryError) -> Syntax.Operand {
        try advance()
        var constants: [Syntax.Constant] = []
        if token.kind != .rightBrace {
            constants = try list { parser throws(QueryError) in try parser.listed() }
        }
        try expect(.rightBrace, "',' or '}'")
        return .list(constants, quantifier, start..<previousEnd)
    }

    private mutating func listed() throws(QueryError) -> Syntax.Constant {
        try constant(
            token.canBeName && !beginsTime ? "a value (a list holds no properties)" : "a value")
    }

    /// Parses a literal, an argument, `obj(…)` or `binary(…)`.
    ///
    /// - `expected`: The things that might stand there, for an error.
    private mutating func constant(
        _ expected: String = "a property or a value"
    ) throws(QueryError) -> Syntax.Constant {
        let start = token.start
        let kind: Syntax.Constant.Kind
        switch token.kind {
        case .null: kind = .value(.null)
        case .trueValue: kind = .value(.bool(true))
        case .falseValue: kind = .value(.bool(false))
        case .infinity, .nan, .natural, .number, .float, .string, .objectID, .uuid, .timestamp:
            kind = .value(lexer.value)
        case .base64: kind = .value(try base64Text())
        case .argument: kind = .argument(token.index)
        case .binary: return try binary()
        case .object: return try object()
        case .identifier where beginsTime: return try time()
        case .leftBracket: throw listInBrackets()
        default: throw unexpected(expected)
        }
        try advance()
        return Syntax.Constant(kind: kind, range: start..<previousEnd)
    }

    /// Refuses the list in brackets of other languages.
    private func listInBrackets() -> QueryError {
        var error = unexpected("a list in braces, such as {1, 2}")
        let inner = token.end..<source.bytes.count
        if let end = source.offset(of: UInt8(ascii: "]"), in: inner), end - token.end <= 60 {
            error.hint = "{\(source.text(token.end, end))}"
        }
        return error
    }

    /// Returns the text that a `B64"…"` outside `binary(…)` stands for.
    private func base64Text() throws(QueryError) -> Value {
        guard case .data(let bytes) = lexer.value,
            let text = String(validating: bytes, as: UTF8.self)
        else {
            throw source.fault(
                .type,
                "The base64 string isn't UTF-8 text; for data write binary(B64\"...\").",
                at: token.start)
        }
        return .string(text)
    }

    private mutating func binary() throws(QueryError) -> Syntax.Constant {
        let start = token.start
        try advance()
        try expect(.leftParenthesis, "'('")
        let kind: Syntax.Constant.Kind
        switch (token.kind, lexer.value) {
        case (.string, .string(let text)): kind = .value(.data(Array(text.utf8)))
        case (.base64, let data): kind = .value(data)
        case (.argument, _): kind = .binaryArgument(token.index)
        default: throw unexpected("a string, B64\"...\" or an argument")
        }
        try advance()
        try expect(.rightParenthesis, "')'")
        return Syntax.Constant(kind: kind, range: start..<previousEnd)
    }

    private mutating func object() throws(QueryError) -> Syntax.Constant {
        let start = token.start
        try advance()
        try expect(.leftParenthesis, "'('")
        guard token.kind == .string, case .string(let className) = lexer.value else {
            throw unexpected("a class name in quotes")
        }
        let classAt = token.start
        try advance()
        try expect(.comma, "','")
        switch token.kind {
        case .natural, .number, .string, .uuid, .objectID, .argument, .null: break
        default: throw unexpected("a primary key: an integer, a string, uuid(...), oid(...) or $n")
        }
        let key = try constant()
        try expect(.rightParenthesis, "')'")
        return Syntax.Constant(
            kind: .object(className: className, at: classAt, key: key), range: start..<previousEnd)
    }

    /// Parses a path from its first step on.
    mutating func path(
        _ quantifier: Quantifier? = nil, start: Int
    ) throws(QueryError) -> Syntax.Path {
        try path(quantifier, from: try step(isFirst: true), start: start)
    }

    private mutating func path(
        _ quantifier: Quantifier?, from first: Syntax.Step, start: Int
    ) throws(QueryError) -> Syntax.Path {
        var steps = [first]
        while token.kind == .dot || token.kind == .leftBracket {
            switch steps.last?.kind {
            case .count?: throw unexpected("the end of the path: nothing follows a count")
            case .keys?: throw unexpected("the end of the path: nothing follows '@keys'")
            case .type?: throw unexpected("the end of the path: nothing follows '@type'")
            case .aggregate? where token.kind == .dot: break
            case .aggregate?: throw unexpected("'.' and a property, or the end of the path")
            default:
                if case .aggregate? = steps.dropLast().last?.kind {
                    throw unexpected("the end of the path: nothing follows an aggregate's property")
                }
            }
            if token.kind == .leftBracket {
                steps.append(try index())
            } else {
                try advance()
                steps.append(try step(isFirst: false))
            }
        }
        return Syntax.Path(quantifier: quantifier, steps: steps, range: start..<previousEnd)
    }

    private mutating func step(isFirst: Bool) throws(QueryError) -> Syntax.Step {
        let start = token.start
        let kind: Syntax.Step.Kind
        switch token.kind {
        case .links: kind = .links
        case .keyPathArgument where isFirst: kind = .keyPathArgument(token.index)
        case .operation where !isFirst: kind = lexer.operation
        case _ where token.canBeName || (isKeyPath && isReserved): kind = .name(lexer.name(token))
        default: throw unexpected("a property name")
        }
        try advance()
        return Syntax.Step(kind: kind, start: start)
    }

    /// Whether the token is a word of the language, and no name elsewhere.
    private var isReserved: Bool { Keyword.find(source.bytes[token.start..<token.end]) != nil }

    /// `[n]`, `[FIRST]`, `[LAST]`, `[SIZE]`, `[*]`, `[$n]` or a dictionary's key.
    private mutating func index() throws(QueryError) -> Syntax.Step {
        let start = token.start
        try advance()
        let kind: Syntax.Step.Kind
        switch token.kind {
        case .natural:
            guard case .int(let position) = lexer.value else { throw unexpected("a position") }
            kind = .position(.index(Int(position)))
        case .first: kind = .position(.first)
        case .last: kind = .position(.last)
        case .size: kind = .count
        case .star: kind = .allElements
        case .argument: kind = .argumentIndex(token.index)
        case .string:
            guard case .string(let key) = lexer.value else { throw unexpected("a key") }
            kind = .position(.key(Array(key.utf8)))
        case .base64:
            guard case .data(let bytes) = lexer.value else { throw unexpected("a key") }
            kind = .position(.key(bytes))
        default: throw unexpected("a position from 0, FIRST, LAST, SIZE, '*' or a key in quotes")
        }
        try advance()
        try expect(.rightBracket, "']'")
        return Syntax.Step(kind: kind, start: start)
    }
}
