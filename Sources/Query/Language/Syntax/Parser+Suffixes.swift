import HoldfastObjectModel

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
