import HoldfastObjectModel
import HoldfastRows

/// Reads a query by recursive descent.
///
/// A parenthesis may open a predicate or a value; both are parsed by the same rule, which returns whichever it found, so nothing
/// is read twice. Chains of AND and OR become one node each; only parentheses and NOT nest, to ``depthMax``.
struct Parser {
    /// The greatest depth of parentheses and NOT.
    static let depthMax = 500
    /// The greatest depth of subqueries: each leads along a link at least.
    static let subqueryDepthMax = PathResolver.stepCountMax
    /// The most operations and subqueries, one upon the other, that a value may be calculated with.
    static let operationDepthMax = 200
    /// The most MATCHES and TEXT in a query: each keeps memory of its own while it is evaluated.
    static let patternCountMax = 1000

    var lexer: Lexer
    var token: Token
    /// Whether the text is a path alone, in which words of the language are names.
    var isKeyPath = false
    var depth = 0
    private var patternCount = 0
    /// The offset behind the last consumed token.
    var previousEnd = 0
    /// The greatest depth of the operands read so far, within the present subquery.
    var operandDepth = 0
    var subqueryDepth = 0
    /// Whether `now()` was read.
    var asksForTime = false

    /// Each token is a step.
    private let budget: Budget

    var source: SourceText { lexer.source }

    init(_ source: SourceText, within budget: Budget = Budget()) throws(QueryError) {
        self.budget = budget
        var lexer = Lexer(source)
        token = try lexer.next()
        self.lexer = lexer
    }

    /// Reads a whole query.
    static func parse(
        _ source: SourceText, within budget: Budget = Budget()
    ) throws(QueryError) -> Syntax {
        var parser = try Parser(source, within: budget)
        return try parser.query()
    }

    private mutating func query() throws(QueryError) -> Syntax {
        let predicate = try orChain(allowsOperand: false)
        let suffixes = try suffixes()
        guard token.kind == .end else {
            throw unexpected("AND, OR, SORT, DISTINCT, LIMIT or the end of the query")
        }
        return Syntax(predicate: predicate, suffixes: suffixes, asksForTime: asksForTime)
    }

    mutating func advance() throws(QueryError) {
        guard budget.spend() else { throw source.givenUp() }
        previousEnd = token.end
        token = try lexer.next()
    }

    /// Parses a list of items between commas: one at least.
    mutating func list<Item>(
        _ item: (inout Parser) throws(QueryError) -> Item
    ) throws(QueryError) -> [Item] {
        var items = [try item(&self)]
        while token.kind == .comma {
            try advance()
            items.append(try item(&self))
        }
        return items
    }

    mutating func expect(_ kind: Token.Kind, _ description: String) throws(QueryError) {
        guard token.kind == kind else { throw unexpected(description) }
        try advance()
    }

    func unexpected(_ expectation: String) -> QueryError {
        let found =
            token.kind == .end
            ? "end of query" : "'\(source.text(token.start, min(token.end, token.start + 60)))'"
        guard let time = startOfDay else {
            return source.syntaxError(
                "syntax error, unexpected \(found), expected \(expectation)", at: token.start)
        }
        return source.syntaxError(
            "syntax error, unexpected \(found): a date has a time, such as \(time)",
            at: token.start, hint: time)
    }

    /// The first moment of a day with a year that ends where the present token begins; nil if no such day stands there.
    private var startOfDay: String? {
        let start = token.start - 4
        guard token.kind == .number, start >= 0 else { return nil }
        var time = source.text(start, start + 10) + "T00:00:00Z"
        return time.withUTF8 { Timestamp(rfc3339: UnsafeRawBufferPointer($0)) } == nil ? nil : time
    }

    /// Refuses the `IS NULL` of other languages.
    private mutating func nullTest() throws(QueryError) -> QueryError {
        var error = unexpected(
            "a comparison operator; null is compared with '== null' or '!= null'")
        try advance()
        let isNot = token.kind == .not
        if isNot { try advance() }
        error.hint = (isNot ? "!=" : "==") + (token.kind == .null ? " null" : "")
        return error
    }

    mutating func enter() throws(QueryError) {
        depth += 1
        guard depth <= Self.depthMax else {
            throw source.fault(
                .limit, "The query nests deeper than \(Self.depthMax) parentheses and NOTs.",
                at: token.start)
        }
    }

    mutating func orChain(allowsOperand: Bool) throws(QueryError) -> Syntax.Node {
        let first = try andChain(allowsOperand: allowsOperand)
        guard token.kind == .or else { return first }
        var nodes = [try predicate(first)]
        while token.kind == .or {
            try advance()
            nodes.append(try andChain(allowsOperand: false))
        }
        return .or(nodes)
    }

    private mutating func andChain(allowsOperand: Bool) throws(QueryError) -> Syntax.Node {
        let first = try negation(allowsOperand: allowsOperand)
        guard token.kind == .and else { return first }
        var nodes = [try predicate(first)]
        while token.kind == .and {
            try advance()
            nodes.append(try negation(allowsOperand: false))
        }
        return .and(nodes)
    }

    /// Refuses a lone value where a predicate has to stand.
    private func predicate(_ node: Syntax.Node) throws(QueryError) -> Syntax.Node {
        if case .operand = node { throw unexpected("a comparison operator") }
        return node
    }

    private mutating func negation(allowsOperand: Bool) throws(QueryError) -> Syntax.Node {
        guard token.kind == .not else { return try primary(allowsOperand: allowsOperand) }
        try enter()
        defer { depth -= 1 }
        try advance()
        return .not(try negation(allowsOperand: false))
    }

    private mutating func primary(allowsOperand: Bool) throws(QueryError) -> Syntax.Node {
        switch token.kind {
        case .truePredicate, .falsePredicate:
            let truth = token.kind == .truePredicate
            try advance()
            return .truth(truth)
        case .leftParenthesis:
            let inner = try parenthesised()
            guard case .operand(let operand) = inner else { return inner }
            return try comparison(of: arithmetic(from: operand), allowsOperand: allowsOperand)
        default:
            return try comparison(of: arithmetic(from: operand()), allowsOperand: allowsOperand)
        }
    }

    /// Parses a predicate or a value in parentheses.
    mutating func parenthesised() throws(QueryError) -> Syntax.Node {
        try enter()
        defer { depth -= 1 }
        try advance()
        let inner = try orChain(allowsOperand: true)
        try expect(.rightParenthesis, "')'")
        return inner
    }

    /// Parses the rest of a comparison that begins with `left`; that alone where it may be one and no operator follows.
    private mutating func comparison(
        of left: consuming Syntax.Operand, allowsOperand: Bool
    ) throws(QueryError) -> Syntax.Node {
        let start = token.start
        var isIn = false
        let comparison: ComparisonOperator
        switch token.kind {
        case .comparison(let known): comparison = known
        case .inList:
            comparison = .equal
            isIn = true
        case .between: return try between(left, start: start)
        case .geoWithin: return try within(left)
        case .identifier where lexer.isWord(token, "matches"): comparison = .matches
        case .identifier where lexer.isWord(token, "is"): throw try nullTest()
        default:
            if allowsOperand, token.kind == .rightParenthesis { return .operand(left) }
            var error = unexpected(
                !allowsOperand
                    ? "a comparison operator"
                    : token.kind == .comma
                        ? "')' (a list is written in braces, such as {1, 2})"
                        : "a comparison operator or ')'")
            error.operand = left.range
            throw error
        }
        if comparison == .matches || comparison == .text {
            patternCount += 1
            guard patternCount <= Self.patternCountMax else {
                throw source.fault(
                    .limit, "The query has more than \(Self.patternCountMax) MATCHES and TEXT.",
                    at: start)
            }
        }
        try advance()
        let takesFlags = !comparison.isOrder && comparison != .text
        var relation = Relation(comparison)
        if takesFlags {
            relation.ignoresCase = token.kind == .flagC || token.kind == .flagCD
            relation.ignoresAccents = token.kind == .flagD || token.kind == .flagCD
            if relation.folds { try advance() }
        }
        return .comparison(
            Syntax.Comparison(
                left: left, relation: relation, right: try expression(), isIn: isIn, start: start))
    }

    private mutating func between(
        _ left: consuming Syntax.Operand, start: Int
    ) throws(QueryError) -> Syntax.Node {
        try advance()
        guard token.kind == .leftBrace || token.kind == .argument else {
            throw unexpected("a list of two values, such as {1, 5}")
        }
        return .between(left, try operand(), start: start)
    }
}

/// SORT, DISTINCT and LIMIT.
extension Parser {
    /// Everything that follows the predicate.
    mutating func suffixes() throws(QueryError) -> [Syntax.Suffix] {
        var suffixes: [Syntax.Suffix] = []
        while true {
            switch token.kind {
            case .sort: suffixes.append(try sort())
            case .distinct: suffixes.append(try distinct())
            case .limit: suffixes.append(try limit())
            default: return suffixes
            }
        }
    }

    private mutating func open() throws(QueryError) {
        try advance()
        try expect(.leftParenthesis, "'('")
    }

    private mutating func sort() throws(QueryError) -> Syntax.Suffix {
        try open()
        let keys = try list { parser throws(QueryError) in
            let path = try parser.path(start: parser.token.start)
            let isAscending = parser.token.kind == .ascending
            guard isAscending || parser.token.kind == .descending else {
                throw parser.unexpected("ASC or DESC")
            }
            try parser.advance()
            return (path: path, isAscending: isAscending)
        }
        try expect(.rightParenthesis, "',' or ')'")
        return .sort(keys)
    }

    private mutating func distinct() throws(QueryError) -> Syntax.Suffix {
        try open()
        let paths = try list { parser throws(QueryError) in
            try parser.path(start: parser.token.start)
        }
        try expect(.rightParenthesis, "',' or ')'")
        return .distinct(paths)
    }

    private mutating func limit() throws(QueryError) -> Syntax.Suffix {
        try open()
        guard token.kind == .natural, case .int(let count) = lexer.value else {
            throw unexpected("a number from 0")
        }
        try advance()
        try expect(.rightParenthesis, "')'")
        return .limit(Int(count))
    }
}
