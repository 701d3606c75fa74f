import ObjectModel

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

    /// Whether another item follows, after a comma; the closing parenthesis is consumed if not.
    private mutating func continues() throws(QueryError) -> Bool {
        if token.kind == .comma {
            try advance()
            return true
        }
        try expect(.rightParenthesis, "',' or ')'")
        return false
    }

    private mutating func sort() throws(QueryError) -> Syntax.Suffix {
        try open()
        var keys: [(path: Syntax.Path, isAscending: Bool)] = []
        repeat {
            let path = try path(start: token.start)
            guard token.kind == .ascending || token.kind == .descending else {
                throw unexpected("ASC or DESC")
            }
            keys.append((path, token.kind == .ascending))
            try advance()
        } while try continues()
        return .sort(keys)
    }

    private mutating func distinct() throws(QueryError) -> Syntax.Suffix {
        try open()
        var paths: [Syntax.Path] = []
        repeat { paths.append(try path(start: token.start)) } while try continues()
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
