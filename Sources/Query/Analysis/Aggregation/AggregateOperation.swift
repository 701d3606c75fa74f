import HoldfastObjectModel
import HoldfastRows
import HoldfastText

/// One thing that is asked of all objects of a query, or of each group of them: `count`, `max(age)`.
package struct AggregateOperation: Hashable, Sendable {
    /// The calculation over the objects.
    package enum Kind: Hashable, Sendable {
        /// How many there are.
        case count
        /// A function of the values that a path leads to, one from each object.
        case values(AggregateFunction, ValuePath)
        /// How many different values a path leads to.
        case distinctCount(ValuePath)
        /// The number that so many percent of the numbers that a path leads to are not above.
        case percentile(Double, ValuePath)

        /// Where the values are; nil for the count of objects.
        package var path: ValuePath? {
            switch self {
            case .count: nil
            case .values(_, let path), .distinctCount(let path), .percentile(_, let path): path
            }
        }

        var resultType: ScalarType {
            switch self {
            case .count, .distinctCount: return .int
            case .values(let function, let path):
                guard case .scalar(let scalar) = path.type else { return .int }
                return function.result(of: scalar) ?? .int
            case .percentile(_, let path):
                let storage = path.type.storage
                return storage == .decimal || storage == .mixed ? .decimal128 : .double
            }
        }
    }

    /// As it is written.
    package var name: String
    /// The calculation over the objects.
    package var kind: Kind

    /// Reads a list such as `count,min(age),avg(home.rooms)`, with paths as in ``SortKey``.
    ///
    /// - Throws: ``QueryError`` with the column in `list`.
    package static func parse(
        list: String, rootClass: Int, schema: RowSchema
    ) throws(QueryError) -> [AggregateOperation] {
        let source = SourceText(list)
        var operations: [AggregateOperation] = []
        for item in source.items {
            let operation = try parse(item, of: source, rootClass, schema)
            guard !operations.contains(where: { $0.name.isSame(as: operation.name) }) else {
                throw source.fault(
                    .syntax, "'\(operation.name)' is asked for twice.",
                    at: item.lowerBound)
            }
            operations.append(operation)
        }
        return operations
    }

    private static func parse(
        _ item: Range<Int>, of source: SourceText, _ rootClass: Int, _ schema: RowSchema
    ) throws(QueryError) -> AggregateOperation {
        let name = source.text(item)
        if name == "count" { return AggregateOperation(name: name, kind: .count) }
        let open = source.bytes[item].firstIndex(of: UInt8(ascii: "(")) ?? item.upperBound
        let word = source.text(item.lowerBound, open)
        guard let example = examples[word] else {
            throw source.fault(
                .syntax,
                "'count', 'count(distinct path)', 'min(path)', 'max(path)', 'sum(path)', 'avg(path)', "
                    + "'median(path)' or 'percentile(path,95)' is expected here.",
                at: item.lowerBound, hint: NearestName.of(word, among: examples.keys.sorted()))
        }
        guard open < item.upperBound, source[item.upperBound - 1] == UInt8(ascii: ")") else {
            throw source.fault(
                .syntax,
                "'\(word)' takes a path in parentheses, as in \(example).",
                at: open)
        }
        let parts = source.split(
            open + 1..<item.upperBound - 1, at: UInt8(ascii: ","), sparesKeys: true)
        guard parts.count == (word == "percentile" ? 2 : 1) else {
            throw source.fault(
                .syntax, "'\(word)' is written \(example).",
                at: parts[parts.count > 1 ? 1 : 0].lowerBound)
        }
        var inner = parts[0]
        if word == "count" {
            let marker = "distinct "
            guard source.text(inner).hasPrefix(marker) else {
                throw source.fault(
                    .syntax,
                    "'count' counts the objects, and count(distinct path) the different values of a path.",
                    at: inner.lowerBound)
            }
            inner = inner.lowerBound + marker.utf8.count..<inner.upperBound
        }
        let path = try SortKey.key(
            inner, of: source, clause: word == "count" ? "distinct" : "op",
            root: .objects(classIndex: rootClass), schema: schema
        ).path
        let kind: Kind
        switch word {
        case "count": return AggregateOperation(name: name, kind: .distinctCount(path))
        case "median": kind = .percentile(50, path)
        case "percentile": kind = .percentile(try percent(parts[1], of: source), path)
        default:
            guard let function = AggregateFunction(rawValue: word) else {
                return AggregateOperation(name: name, kind: .count)
            }
            kind = .values(function, path)
        }
        let takesDates = word == "min" || word == "max"
        guard case .scalar(let scalar) = path.type,
            (takesDates ? AggregateFunction.min : .sum).result(of: scalar) != nil
        else {
            let takes = takesDates ? "numbers, dates and mixed values" : "numbers and mixed values"
            throw source.fault(
                .type, "'\(word)' takes \(takes), and this is of type '\(path.type.name)'.",
                at: inner.lowerBound)
        }
        return AggregateOperation(name: name, kind: kind)
    }

    /// The words that operations begin with, and how each is written.
    private static let examples = [
        "count": "count(distinct age)", "min": "min(age)", "max": "max(age)", "sum": "sum(age)",
        "avg": "avg(age)", "median": "median(age)", "percentile": "percentile(age,95)",
    ]

    private static func percent(
        _ item: Range<Int>, of source: SourceText
    ) throws(QueryError) -> Double {
        guard let percent = Double(source.text(item)), (0...100).contains(percent) else {
            throw source.fault(
                .limit, "'percentile' takes a number from 0 to 100 after the path.",
                at: item.lowerBound)
        }
        return percent
    }
}
