import HoldfastObjectModel

/// The rules for two values: what compares with what, null, and the order of values.
package enum PlainComparison {
    /// Whether two values are in a relation.
    ///
    /// - `isMixed`: Whether one of them is a `mixed` value, which is compared by its own kind.
    static func holds(
        _ a: Value, _ relation: PlainOperator, _ b: Value, isMixed: Bool
    ) -> Bool {
        if a == .null || b == .null {
            let areBoth = a == b
            switch relation.name {
            case .equal, .isIn, .lessEqual, .greaterEqual, .like: return areBoth
            case .notEqual: return !areBoth
            case .less, .greater, .matches: return false
            case .text:
                // Null has no words.
                guard case .string(let search) = b else { return false }
                return PlainText("").isFound(by: search)
            case .beginsWith, .endsWith, .contains: return b == .null
            }
        }
        if let (x, y) = texts(a, b), let result = holds(x, relation, y, pattern: b) {
            return result
        }
        guard let order = order(a, b, isMixed: isMixed) else { return relation.name == .notEqual }
        switch relation.name {
        case .equal, .isIn: return order == 0
        case .notEqual: return order != 0
        case .less: return order < 0
        case .lessEqual: return order <= 0
        case .greater: return order > 0
        case .greaterEqual: return order >= 0
        default: return false
        }
    }

    /// Whether two values are in a relation of the language, such as `<=`, that is no text's.
    package static func holds(_ a: Value, _ sign: String, _ b: Value) -> Bool {
        PlainOperator.Name(rawValue: sign).map {
            holds(a, PlainOperator(name: $0), b, isMixed: false)
        } ?? false
    }

    private static func texts(_ a: Value, _ b: Value) -> (PlainText, PlainText)? {
        switch (a, b) {
        case (.string(let x), .string(let y)): (PlainText(x), PlainText(y))
        case (.data(let x), .data(let y)): (PlainText(x), PlainText(y))
        default: nil
        }
    }

    private static func holds(
        _ a: PlainText, _ relation: PlainOperator, _ b: PlainText, pattern: Value
    ) -> Bool? {
        let x = a.folded(case: relation.ignoresCase, accents: relation.ignoresAccents)
        let y = b.folded(case: relation.ignoresCase, accents: relation.ignoresAccents)
        switch (relation.name, pattern) {
        case (.equal, _), (.isIn, _): return x.scalars == y.scalars
        case (.notEqual, _): return x.scalars != y.scalars
        case (.beginsWith, _): return x.begins(with: y)
        case (.endsWith, _): return x.ends(with: y)
        case (.contains, _): return x.contains(y)
        case (.like, _): return x.isLike(y)
        case (.matches, .string(let text)):
            return a.matches(
                text, ignoresCase: relation.ignoresCase, ignoresAccents: relation.ignoresAccents)
        case (.text, .string(let text)): return a.isFound(by: text)
        default: return nil
        }
    }

    /// The order of two values that compare with each other: negative, 0 or positive; else nil.
    static func order(_ a: Value, _ b: Value, isMixed: Bool) -> Int? {
        func order<T: Comparable>(_ x: T, _ y: T) -> Int { x < y ? -1 : x == y ? 0 : 1 }
        switch (a, b) {
        case (.bool(let x), .bool(let y)): return order(x ? 1 : 0, y ? 1 : 0)
        case (.int(let x), .int(let y)): return order(x, y)
        case (.string(let x), .string(let y)): return bytes(Array(x.utf8), Array(y.utf8))
        case (.data(let x), .data(let y)): return bytes(x, y)
        case (.date(let x), .date(let y)):
            return x.seconds == y.seconds
                ? order(x.nanoseconds, y.nanoseconds) : order(x.seconds, y.seconds)
        case (.objectID(let x), .objectID(let y)):
            return bytes(Array(x.description.utf8), Array(y.description.utf8))
        case (.uuid(let x), .uuid(let y)):
            return bytes(Array(x.description.utf8), Array(y.description.utf8))
        case (.link(let x, .int(let key)), .link(let y, .int(let other))):
            return x == y ? order(key, other) : order(x, y)
        // A decimal takes a binary number as the digits that it has.
        case (.decimal, .double(let y)) where !isMixed:
            return self.order(a, .decimal(Decimal128(rounding: y, digitCount: 15)), isMixed: true)
        case (.decimal, .float(let y)) where !isMixed:
            return self.order(
                a, .decimal(Decimal128(rounding: Double(y), digitCount: 7)), isMixed: true)
        case (.double, .decimal), (.float, .decimal):
            if !isMixed { return self.order(b, a, isMixed: false).map { -$0 } }
        default: break
        }
        guard let x = PlainNumber(a), let y = PlainNumber(b) else { return nil }
        return PlainNumber.order(x, y)
    }

    private static func bytes(_ a: [UInt8], _ b: [UInt8]) -> Int {
        a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
    }

    /// The order in which values sort, and which decides what is least and greatest: by kind, then within
    /// it; lists are alike, and maps.
    package static func sortOrder(_ a: Value, _ b: Value) -> Int {
        let (x, y) = (rank(a), rank(b))
        return x == y ? order(a, b, isMixed: true) ?? 0 : x - y
    }

    private static func rank(_ value: Value) -> Int {
        switch value {
        case .null: 0
        case .bool: 1
        case .int, .double, .float, .decimal: 2
        case .string: 3
        case .data: 4
        case .date: 5
        case .objectID: 6
        case .uuid: 7
        case .link: 8
        case .list: 9
        case .map: 10
        }
    }
}
