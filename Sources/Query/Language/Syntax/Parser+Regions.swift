import HoldfastRows

/// Regions of the Earth.
extension Parser {
    /// Parses the rest of a condition that begins with `left` and goes on with `geoWithin`.
    mutating func within(_ left: Syntax.Operand) throws(QueryError) -> Syntax.Node {
        switch left {
        case .property, .path: break
        default:
            throw source.syntaxError("syntax error, geoWithin follows a property", at: left.start)
        }
        try advance()
        guard token.kind == .argument else { return .within(left, try region()) }
        let region = Syntax.Region(kind: .argument(token.index), start: token.start)
        try advance()
        return .within(left, region)
    }

    /// Reads a text that is one region and nothing else.
    static func parseRegion(
        _ source: SourceText, within budget: Budget
    ) throws(QueryError) -> Syntax.Region {
        var parser = try Parser(source, within: budget)
        let region = try parser.region()
        guard parser.token.kind == .end else { throw parser.unexpected("the end of the region") }
        return region
    }

    /// `geoBox(…)`, `geoCircle(…)` or `geoPolygon(…)`.
    private mutating func region() throws(QueryError) -> Syntax.Region {
        let start = token.start
        let form = token.kind
        guard form == .geoBox || form == .geoCircle || form == .geoPolygon else {
            throw unexpected("geoBox(...), geoCircle(...), geoPolygon(...) or an argument")
        }
        try advance()
        try expect(.leftParenthesis, "'('")
        let kind: Syntax.Region.Kind
        switch form {
        case .geoBox:
            let bottomLeft = try point()
            try expect(.comma, "',' and the opposite corner")
            kind = .box(bottomLeft, try point())
        case .geoCircle:
            let center = try point()
            try expect(.comma, "',' and the radius, such as 5km, 500m, 3mi, or in radians")
            let radius = try coordinate()
            kind = .circle(center, radius: radius, unit: try radiusUnit())
        default: kind = .polygon(try list { parser throws(QueryError) in try parser.ring() })
        }
        try expect(.rightParenthesis, "')'")
        return Syntax.Region(kind: kind, start: start)
    }

    private mutating func ring() throws(QueryError) -> [Syntax.Point] {
        try expect(.leftBrace, "a ring of points, such as {[0, 0], [1, 0], [1, 1], [0, 0]}")
        let points = try list { parser throws(QueryError) in try parser.point() }
        try expect(.rightBrace, "',' or '}'")
        return points
    }

    private mutating func point() throws(QueryError) -> Syntax.Point {
        try expect(.leftBracket, "a point, such as [13.4, 52.5]: longitude first")
        let longitude = try coordinate()
        try expect(.comma, "',' and the latitude")
        let latitude = try coordinate()
        var altitude: Syntax.Constant?
        if token.kind == .comma {
            try advance()
            altitude = try coordinate()
        }
        try expect(.rightBracket, "']'")
        return Syntax.Point(longitude: longitude, latitude: latitude, altitude: altitude)
    }

    /// Parses a number, or an argument that is one.
    private mutating func coordinate() throws(QueryError) -> Syntax.Constant {
        let start = token.start
        let kind: Syntax.Constant.Kind
        switch token.kind {
        case .natural, .number, .float: kind = .value(lexer.value)
        case .argument: kind = .argument(token.index)
        default: throw unexpected("a number")
        }
        try advance()
        return Syntax.Constant(kind: kind, range: start..<previousEnd)
    }
}
