import HoldfastObjectModel
import HoldfastRows

/// A condition on the figures of groups: in the language of filters, with operations in the place of properties.
package struct GroupCondition: Hashable, Sendable {
    /// Its paths come from ``path(to:)``.
    private let predicate: Predicate
    private let figures: [GroupFigure]

    /// Reads a condition such as `count > 10 and avg(age) >= 3`.
    ///
    /// - Throws: ``QueryError`` with the column in `text`.
    package static func parse(
        _ text: String, operations: [AggregateOperation], schema: RowSchema
    ) throws(QueryError) -> GroupCondition {
        let figures = GroupFigure.all(of: operations)
        let written = WrittenFigures(text, figures)
        do throws(QueryError) {
            let source = SourceText(written.text)
            let syntax = try Parser.parse(source)
            guard syntax.suffixes.isEmpty else {
                throw source.fault(
                    .syntax,
                    "'having' is only a condition; use the parameters 'order' and 'limit' for the rest.",
                    at: 0)
            }
            try refuseExpressions(syntax.predicate, source)
            var checker = Checker(
                schema: schema, root: .objects(classIndex: -1), source: source, arguments: [],
                work: CheckerWork())
            checker.figures = written.indexes.mapValues { index in
                ValuePath(
                    root: .objects(classIndex: -1), steps: [], terminal: .value(member: index),
                    type: .scalar(figures[index].type))
            }
            return GroupCondition(
                predicate: try checker.predicate(syntax.predicate), figures: figures)
        } catch { throw written.explaining(error) }
    }

    /// Refuses MATCHES, for which memory and time would have to be watched.
    private static func refuseExpressions(
        _ node: Syntax.Node, _ source: SourceText
    ) throws(QueryError) {
        switch node {
        case .and(let nodes), .or(let nodes):
            for node in nodes { try refuseExpressions(node, source) }
        case .not(let inner): try refuseExpressions(inner, source)
        case .comparison(let comparison) where comparison.relation.comparison == .matches:
            throw source.fault(
                .unsupported,
                "'having' has no MATCHES; LIKE, CONTAINS and BEGINSWITH compare texts.",
                at: comparison.start)
        case .truth, .comparison, .between, .within, .operand: return
        }
    }

    func holds(of group: Aggregation.Group) throws(GroupFigure.Overflow) -> Bool {
        try holds(predicate, group)
    }

    private func holds(
        _ predicate: Predicate, _ group: Aggregation.Group
    ) throws(GroupFigure.Overflow) -> Bool {
        switch predicate {
        case .constant(let truth): return truth
        case .not(let inner): return try !holds(inner, group)
        case .and(let parts):
            for part in parts where try !holds(part, group) { return false }
            return true
        case .or(let parts):
            for part in parts where try holds(part, group) { return true }
            return false
        case .comparison(let comparison): return try holds(comparison, group)
        case .within: return false
        }
    }

    private func holds(
        _ comparison: Comparison, _ group: Aggregation.Group
    ) throws(GroupFigure.Overflow) -> Bool {
        let relation = ValueRelation(comparison.relation)
        let quantifier = comparison.left.quantifier ?? comparison.right.quantifier ?? .any
        let left = try values(of: comparison.left, group)
        let right = try values(of: comparison.right, group)
        // One of them is a list at most.
        let outcomes = left.lazy.flatMap { a in
            right.lazy.map { relation.holds(a.compared, $0.compared) }
        }
        return quantifier.holds(of: outcomes) { $0 }
    }

    private func values(
        of operand: Operand, _ group: Aggregation.Group
    ) throws(GroupFigure.Overflow) -> [OwnedValue] {
        switch operand {
        case .path(let path, _):
            guard let index = path.ownMember else { return [] }
            let storage = path.type.storage
            return [
                try figures[index].withValue(of: group) { address, count in
                    OwnedValue(address, count, storage)
                }
            ]
        case .constant(let value): return [OwnedValue(value)]
        case .constants(let values, _): return values.map { OwnedValue($0) }
        case .expression(let expression, _):
            return try numbers(of: expression.term, group).map { number in
                number.map { OwnedValue($0.value) } ?? OwnedValue(.null)
            }
        }
    }

    /// The result; nil for null, and for a value that is no number.
    private func numbers(
        of term: Expression.Term, _ group: Aggregation.Group
    ) throws(GroupFigure.Overflow) -> [Number?] {
        switch term {
        case .path(let path):
            guard let index = path.ownMember else { return [] }
            let storage = path.type.storage
            return [
                try figures[index].withValue(of: group) { address, count in
                    address.flatMap { Number($0, count, storage) }
                }
            ]
        case .constant(let value): return [Number(value)]
        case .constants(let values): return values.map { Number($0) }
        case .operation(let left, let operation, let right):
            let (left, right) = (try numbers(of: left, group), try numbers(of: right, group))
            return left.flatMap { a in
                right.map { b in
                    guard let a, let b else { return nil }
                    return Number.calculate(a, operation, b)
                }
            }
        }
    }
}

/// The text of a condition on groups in the form of a filter: each operation, such as `avg(age)`, is a name of as
/// many characters, so that columns of errors stay correct.
struct WrittenFigures {
    /// The condition with names for operations.
    let text: String
    /// The figures by the offsets where they begin in ``text``.
    private(set) var indexes: [Int: Int] = [:]
    private var names: [(written: String, name: String)] = []

    /// Reads a condition. Text that does not look like an operation stays as it is.
    init(_ condition: String, _ figures: [GroupFigure]) {
        let source = SourceText(condition)
        var bytes: [UInt8] = []
        let ends = source.parenthesesEnds()
        var offset = 0
        while offset < source.bytes.count {
            let start = offset
            if SourceText.isQuote(source[start]) {
                offset = source.endOfKey(start..<source.bytes.count) ?? source.bytes.count
                bytes += source.bytes[start..<offset]
                continue
            }
            guard Lexer.beginsIdentifier(source[start]) else {
                bytes.append(source[start])
                offset += 1
                continue
            }
            while Lexer.beginsIdentifier(source[offset]) || Lexer.isDigit(source[offset]) {
                offset += 1
            }
            let isWord =
                Keyword.find(source.bytes[start..<offset]) != nil
                || source.text(start..<offset).lowercased() == "now"
            if !isWord, let end = ends[offset] { offset = end }
            let written = source.text(start..<offset)
            if let index = figures.firstIndex(where: { $0.name.isSame(as: written) }) {
                indexes[bytes.count] = index
            }
            guard written.utf8.last == UInt8(ascii: ")") else {
                bytes += source.bytes[start..<offset]
                continue
            }
            let digits = "_\(names.count)"
            let name =
                digits
                + String(
                    repeating: "_", count: max(0, written.unicodeScalars.count - digits.utf8.count))
            names.append((written, name))
            bytes += Array(name.utf8)
        }
        text = String(decoding: bytes, as: UTF8.self)
    }

    /// An error in the words of the condition.
    func explaining(_ error: QueryError) -> QueryError {
        var error = error
        for (written, name) in names { error.message.replace(name, with: written) }
        return error
    }
}
