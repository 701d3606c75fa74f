import HoldfastObjectModel
import HoldfastRows

/// Forms of other languages that only the schema tells from faults.
extension Checker {
    /// Returns a syntax error with the comparison that a bool without an operator stands for.
    func explaining(_ error: QueryError) -> QueryError {
        guard error.kind == .syntax, error.hint == nil, let range = error.operand,
            range.count <= 120
        else { return error }
        var lexer = Lexer(source)
        lexer.position = source.offset(column: error.column)
        let followers: [Token.Kind] = [.end, .rightParenthesis, .and, .or]
        guard let next = try? lexer.next(), followers.contains(next.kind),
            let path = knownPath(source.text(range)), path.type == .scalar(.bool), !path.isMany
        else { return error }
        var error = error
        let hint = source.text(range) + " == true"
        error.message += "; a bool is compared, too: \(hint)"
        error.hint = hint
        return error
    }

    /// Returns an error of a division with the path that it stands for, as `country/name`, where the path exists.
    func explaining(_ error: QueryError, of syntax: Syntax.Operation) -> QueryError {
        guard syntax.operation == .divide, figures == nil, rule == nil, syntax.range.count <= 120
        else { return error }
        let path = [syntax.left, syntax.right].map { source.text($0.range) }
            .joined(separator: ".")
        guard SourceText(path).isPath, knownPath(path) != nil else { return error }
        var error = error
        error.message += "; dots join the names of a path: write \(path)"
        error.hint = nil
        return error
    }

    /// Returns the literal of a type that one of another type stands for: `true` for 1, and a number in quotes for a text.
    func literal(_ item: Item, as type: ValueType) -> String? {
        guard item.user == nil else { return nil }
        let text = Self.describe(item.value)
        switch (type, item.value) {
        case (.scalar(.bool), .int(0)): return "false"
        case (.scalar(.bool), .int(1)): return "true"
        case (.scalar(.string), .int), (.scalar(.string), .double), (.scalar(.string), .bool):
            // Not for the result of a calculation.
            return text == source.text(item.range) ? "'\(text)'" : nil
        default: return nil
        }
    }

    /// Returns the path that a text is; nil for other texts and unknown names.
    private func knownPath(_ text: String) -> ValuePath? {
        let checker = Checker(
            schema: schema, root: root, source: SourceText(text), arguments: [], work: work)
        guard var parser = try? Parser(checker.source),
            let path = try? parser.path(start: 0), parser.token.kind == .end
        else { return nil }
        return try? checker.path(path)
    }
}
