import ObjectModel
import Rows
import Text

/// One thing that is asked of all objects of a query, or of each group of them: `count`, `max(age)`.
package struct AggregateOperation: Hashable, Sendable {
    /// What is made of the objects.
    package enum Kind: Hashable, Sendable {
        /// How many there are.
        case count
        /// What becomes of the values that a path leads to, one from each object.
        case values(AggregateFunction, ValuePath)
    }

    /// As it is written.
    package var name: String
    /// What is made of the objects.
    package var kind: Kind

    /// Reads a list such as `count,min(age),avg(home.rooms)`; paths are those of ``SortKey``.
    ///
    /// - Throws: ``QueryError`` with the column in `list`.
    package static func parse(
        list: String, rootClass: Int, schema: RowSchema
    ) throws(QueryError) -> [AggregateOperation] {
        let source = SourceText(list)
        var operations: [AggregateOperation] = []
        for item in source.items {
            let operation = try parse(item, of: source, rootClass, schema)
            guard !operations.contains(where: { $0.name == operation.name }) else {
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
        guard let function = AggregateFunction(rawValue: word) else {
            throw source.fault(
                .syntax,
                "'count', 'min(path)', 'max(path)', 'sum(path)' or 'avg(path)' is expected here.",
                at: item.lowerBound,
                hint: NearestName.of(
                    word, among: AggregateFunction.allCases.map(\.rawValue) + ["count"]))
        }
        guard open < item.upperBound, source[item.upperBound - 1] == UInt8(ascii: ")") else {
            throw source.fault(
                .syntax,
                "'\(word)' takes a path in parentheses, as in \(word)(age).",
                at: open)
        }
        let path = try SortKey.key(
            open + 1..<item.upperBound - 1, of: source, clause: "op",
            root: .objects(classIndex: rootClass), schema: schema
        ).path
        guard case .scalar(let scalar) = path.type, function.result(of: scalar) != nil else {
            let takes =
                function == .min || function == .max
                ? "numbers, dates and mixed values" : "numbers and mixed values"
            throw source.fault(
                .type, "'\(word)' takes \(takes), and this is of type '\(path.type.name)'.",
                at: open + 1)
        }
        return AggregateOperation(name: name, kind: .values(function, path))
    }
}
