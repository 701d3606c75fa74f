import HoldfastObjectModel

/// `now()`, and units behind numbers.
extension Parser {
    private static let durations: [(unit: StaticString, seconds: Int64)] = [
        ("s", 1), ("m", 60), ("h", 3600), ("d", 86_400), ("w", 604_800),
    ]

    /// Whether `now()` stands here: `now` alone is a name.
    var beginsTime: Bool {
        guard lexer.isWord(token, "now") else { return false }
        var ahead = lexer
        guard let open = try? ahead.next(), open.kind == .leftParenthesis,
            let close = try? ahead.next()
        else { return false }
        return close.kind == .rightParenthesis
    }

    /// `now()`, perhaps with durations: `now() - 7d + 12h`.
    mutating func time() throws(QueryError) -> Syntax.Constant {
        let start = token.start
        for _ in 0..<3 { try advance() }
        asksForTime = true
        var seconds: Int64 = 0
        while let duration = try duration() {
            let (sum, isTooLong) = seconds.addingReportingOverflow(duration)
            guard !isTooLong else { throw tooLong(start) }
            seconds = sum
        }
        return Syntax.Constant(kind: .now(plus: seconds), range: start..<previousEnd)
    }

    /// Parses the seconds of `+ 7d`, `- 7d` or `-7d`; nil where something else follows.
    private mutating func duration() throws(QueryError) -> Int64? {
        let start = token.start
        var sign: Int64 = 1
        switch token.kind {
        case .plus, .minus:
            sign = token.kind == .minus ? -1 : 1
            try advance()
            guard token.kind == .natural else { throw unexpected(Self.durationForm) }
        case .number where source[start] == UInt8(ascii: "-") || source[start] == UInt8(ascii: "+"):
            break
        default: return nil
        }
        guard case .int(let count) = lexer.value else { throw unexpected(Self.durationForm) }
        try advance()
        guard token.kind == .identifier,
            let unit = Self.durations.first(where: { lexer.isWord(token, $0.unit) })
        else { throw unexpected(Self.durationForm) }
        try advance()
        let (seconds, isTooLong) = count.multipliedReportingOverflow(by: sign * unit.seconds)
        guard !isTooLong else { throw tooLong(start) }
        return seconds
    }

    private static let durationForm =
        "a duration such as 7d: a whole number with s, m, h, d or w (seconds, minutes, hours, days, weeks)"

    private func tooLong(_ start: Int) -> QueryError {
        source.fault(.limit, "The time is outside of the years that a date can have.", at: start)
    }

    /// Parses a unit, `km`, `m` or `mi`, and returns its radians on the Earth; nil where no unit stands here.
    mutating func radiusUnit() throws(QueryError) -> Double? {
        guard token.kind == .identifier else { return nil }
        let lengths: [(unit: StaticString, kilometres: Double)] = [
            ("km", 1), ("m", 0.001), ("mi", 1.609344),
        ]
        guard let length = lengths.first(where: { lexer.isWord(token, $0.unit) }) else {
            throw unexpected("')', or one of the units km, m and mi")
        }
        try advance()
        return length.kilometres / Self.earthRadiusKilometres
    }

    /// The radius by which Realm counts distances on the Earth.
    private static let earthRadiusKilometres = 6378.1
}
