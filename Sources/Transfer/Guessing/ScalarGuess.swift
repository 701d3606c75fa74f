import HoldfastObjectModel

/// The type of plain JSON values.
struct ScalarGuess {
    /// The type; `mixed` if the values differ.
    let scalar: ScalarType
    /// The reason.
    let clause: String
    /// The values as the texts of keys, if a primary key may have the type; nil for other types.
    private(set) var keyTexts: [String]?

    /// Looks at values, of which none is null. There is at least one value.
    init(_ values: [SampleValue]) {
        let count = values.count
        var texts: [String] = []
        var numbers: [String] = []
        var stated: [ScalarType: [String]] = [:]
        var boolCount = 0
        for value in values {
            switch value {
            case .bool: boolCount += 1
            case .text(let text), .typed(.string, let text): texts.append(text)
            case .number(let text): numbers.append(text)
            case .typed(let scalar, let text): stated[scalar, default: []].append(text)
            case .null, .list, .object: break
            }
        }
        let statedInts = stated[.int] ?? []
        let numeric = numbers + statedInts
        let statedDoubles = stated[.double]?.count ?? 0
        let statedDecimals = stated[.decimal128]?.count ?? 0
        if boolCount == count {
            (scalar, clause) = (.bool, GuessWords.all(count, "true or false", "true or false"))
        } else if texts.count == count {
            (scalar, clause) = Self.ofTexts(texts)
            keyTexts = Self.keys(texts, scalar)
        } else if numeric.count == count {
            (scalar, clause) = Self.ofNumbers(numeric)
            keyTexts = scalar == .int ? numeric : nil
        } else if numeric.count + statedDoubles == count {
            (scalar, clause) = (.double, GuessWords.all(count, "a number", "numbers"))
        } else if numeric.count + statedDoubles + statedDecimals == count {
            let clause = GuessWords.some(
                statedDecimals, of: count, "values", "is stated as a decimal",
                "are stated as decimals")
            (scalar, self.clause) = (.decimal128, clause)
        } else if let (type, found) = stated.first(where: { $0.value.count == count }) {
            scalar = type
            clause = GuessWords.all(
                count, "stated to be of type '\(type.name)'", "stated to be of type '\(type.name)'")
            keyTexts = Self.keys(found, type)
        } else if let dates = stated[.date], dates.count + texts.count == count,
            DateForms.areRFC3339(texts)
        {
            (scalar, clause) = (.date, GuessWords.all(count, "a date", "dates"))
        } else {
            scalar = .mixed
            clause = Self.difference(values)
        }
    }

    private static func ofTexts(_ texts: [String]) -> (ScalarType, String) {
        let count = texts.count
        if DateForms.areRFC3339(texts) {
            return (.date, GuessWords.all(count, "a date of RFC 3339", "dates of RFC 3339"))
        }
        if IdentifierForms.areUUIDs(texts) {
            return (.uuid, GuessWords.all(count, "a UUID", "UUIDs"))
        }
        if IdentifierForms.areObjectIDs(texts) {
            return (.objectID, GuessWords.all(count, "an object id", "object ids"))
        }
        return (.string, GuessWords.all(count, "a text", "texts"))
    }

    private static func ofNumbers(_ numbers: [String]) -> (ScalarType, String) {
        let forms = numbers.map { NumberForm(json: $0) }
        let count = numbers.count
        if forms.allSatisfy({ $0 == .int }) {
            return (.int, GuessWords.all(count, "a whole number", "whole numbers"))
        }
        if let position = forms.firstIndex(where: { $0 == .long }) {
            let areDecimals = numbers.allSatisfy { number in
                Array(number.utf8).withUnsafeBytes { Decimal128(text: $0) != nil }
            }
            // An import takes numbers for numeric types only.
            return (
                areDecimals ? .decimal128 : .double,
                "a double does not keep the digits of \(GuessWords.quoted(numbers[position]))"
            )
        }
        return (.double, GuessWords.all(count, "a number", "numbers, some with decimals"))
    }

    private static func keys(_ texts: [String], _ scalar: ScalarType) -> [String]? {
        switch scalar {
        case .string: texts
        case .uuid, .objectID: texts.map { $0.lowercased() }
        default: nil
        }
    }

    /// The reason for values of different kinds.
    static func difference(_ values: [SampleValue]) -> String {
        var counts: [(kind: String, count: Int)] = []
        for value in values where !value.isNull {
            let kind = value.kindText
            if let index = counts.firstIndex(where: { $0.kind == kind }) {
                counts[index].count += 1
            } else {
                counts.append((kind, 1))
            }
        }
        let parts = counts.map { "\(GuessWords.number($0.count)) \($0.kind)" }
        return "the values differ: \(parts.joined(separator: ", "))"
    }
}
