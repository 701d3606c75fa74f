import HoldfastObjectModel

/// Arithmetic and SUBQUERY.
extension Parser {
    /// Parses a value on the right of an operator, perhaps calculated, perhaps in parentheses.
    mutating func expression() throws(QueryError) -> Syntax.Operand {
        try arithmetic(from: try factor())
    }

    /// Parses the arithmetic that begins with `first`, if any.
    mutating func arithmetic(
        from first: consuming Syntax.Operand
    ) throws(QueryError) -> Syntax.Operand {
        guard beginsArithmetic else { return first }
        var sum = try product(from: first)
        while true {
            splitPlus()
            let operation: ArithmeticOperator
            switch token.kind {
            case .plus: operation = .add
            case .minus: operation = .subtract
            default: return sum
            }
            let start = token.start
            try advance()
            sum = try self.operation(sum, operation, try product(from: try factor()), at: start)
        }
    }

    /// Whether a sign stands where an operator is expected, perhaps before a number: `10+11`.
    private var beginsArithmetic: Bool {
        switch token.kind {
        case .plus, .minus, .star, .slash: true
        case .end: false
        default: lexer.source[token.start] == UInt8(ascii: "+")
        }
    }

    private mutating func product(
        from first: consuming Syntax.Operand
    ) throws(QueryError) -> Syntax.Operand {
        var product = first
        while true {
            let operation: ArithmeticOperator
            switch token.kind {
            case .star: operation = .multiply
            case .slash: operation = .divide
            default: return product
            }
            let start = token.start
            try advance()
            product = try self.operation(product, operation, try factor(), at: start)
        }
    }

    /// Takes the sign off a number that stands where an operator is expected: `10+11` is a sum.
    private mutating func splitPlus() {
        guard source[token.start] == UInt8(ascii: "+"), token.kind != .plus, token.kind != .end
        else { return }
        lexer.position = token.start + 1
        token = Token(kind: .plus, start: token.start, end: token.start + 1)
    }

    private mutating func factor() throws(QueryError) -> Syntax.Operand {
        guard token.kind == .leftParenthesis else { return try operand() }
        let start = token.start
        guard case .operand(let inner) = try parenthesised() else {
            throw source.syntaxError(
                "syntax error, unexpected predicate, expected a value", at: start)
        }
        return inner
    }

    private mutating func operation(
        _ left: Syntax.Operand, _ operation: ArithmeticOperator, _ right: Syntax.Operand,
        at start: Int
    ) throws(QueryError) -> Syntax.Operand {
        let depth = max(left.depth, right.depth) + 1
        try limit(depth, at: start)
        return .operation(
            Syntax.Operation(
                left: left, operation: operation, right: right, depth: depth, start: start))
    }

    private mutating func limit(_ depth: Int, at start: Int) throws(QueryError) {
        operandDepth = max(operandDepth, depth)
        guard depth <= Self.operationDepthMax else {
            throw source.fault(
                .limit,
                "A calculation nests more than \(Self.operationDepthMax) operations in each "
                    + "other.", at: start)
        }
    }

    /// `SUBQUERY(path, $variable, predicate).@count`.
    mutating func subquery() throws(QueryError) -> Syntax.Subquery {
        let start = token.start
        try enter()
        defer { depth -= 1 }
        subqueryDepth += 1
        defer { subqueryDepth -= 1 }
        guard subqueryDepth <= Self.subqueryDepthMax else {
            throw source.fault(
                .limit, "The query nests deeper than \(Self.subqueryDepthMax) subqueries.",
                at: start)
        }
        try advance()
        try expect(.leftParenthesis, "'('")
        let path = try path(start: token.start)
        try expect(.comma, "','")
        let variableStart = token.start
        guard token.kind == .identifier else {
            throw unexpected("a variable such as '$x', which begins with '$'")
        }
        let variable = lexer.name(token)
        guard variable.utf8.count > 1, variable.hasPrefix("$") else {
            throw source.syntaxError(
                "The subquery variable '\(variable)' is invalid. The variable must start with '$' "
                    + "and cannot be empty; for example '$x'.", at: variableStart)
        }
        try advance()
        try expect(.comma, "','")
        let outerDepth = operandDepth
        operandDepth = 0
        let predicate = try orChain(allowsOperand: false)
        let own = operandDepth + 1
        operandDepth = outerDepth
        try limit(own, at: start)
        try expect(.rightParenthesis, "')', AND or OR")
        try expect(.dot, "'.@count'")
        guard token.kind == .operation, case .count = lexer.operation else {
            throw unexpected("'@count'")
        }
        try advance()
        return Syntax.Subquery(
            path: path, variable: variable, variableStart: variableStart, predicate: predicate,
            depth: own, range: start..<previousEnd)
    }
}
