import ObjectModel
import Rows

/// Arithmetic: constants are calculated at once, the rest becomes an ``Expression``.
extension Checker {
    /// Checks a calculation.
    func arithmetic(_ syntax: Syntax.Operation) throws(QueryError) -> Side {
        var left = try side(syntax.left)
        var right = try side(syntax.right)
        if let type = left.type { right = try readingNumbers(right, type) }
        if let type = right.type { left = try readingNumbers(left, type) }
        if left.isMany, right.isMany {
            throw source.fault(
                .type,
                "Arithmetic between two lists is not possible "
                    + "('\(text(syntax.left))' and '\(text(syntax.right))')", at: syntax.start)
        }
        switch (left, right) {
        case (.item(let a), .item(let b)):
            return .item(try calculated(a, syntax, b))
        case (.items(let items, let quantifier), .item(let b)):
            return .items(
                try items.map { (a) throws(QueryError) in try calculated(a, syntax, b) },
                quantifier)
        case (.item(let a), .items(let items, let quantifier)):
            return .items(
                try items.map { (b) throws(QueryError) in try calculated(a, syntax, b) },
                quantifier)
        default:
            let type = try resultType(left, right, syntax)
            let term = Expression.Term.operation(
                try term(left, beside: right, syntax), syntax.operation,
                try term(right, beside: left, syntax))
            return .expression(
                Expression(term: term, type: type, isMany: left.isMany || right.isMany),
                left.quantifier ?? right.quantifier)
        }
    }

    /// Constants with their texts read as numbers of the type beside them, as far as they are some.
    private func readingNumbers(_ side: Side, _ type: ValueType) throws(QueryError) -> Side {
        func read(_ item: Item) throws(QueryError) -> Item {
            guard type.isNumeric, case .string = item.value,
                let number = try adapted(item, to: type, isStrict: false)
            else { return item }
            var item = item
            item.value = number
            return item
        }
        switch side {
        case .item(let item): return .item(try read(item))
        case .items(let items, let quantifier): return .items(try items.map(read), quantifier)
        case .path, .expression, .kinds: return side
        }
    }

    private func text(_ operand: Syntax.Operand) -> String {
        source.text(operand.start, min(operand.range.upperBound, operand.start + 60))
    }

    private func refused(_ syntax: Syntax.Operation) -> QueryError {
        source.fault(
            .type,
            "Cannot perform '\(syntax.operation.rawValue)' operation on '\(text(syntax.left))' and "
                + "'\(text(syntax.right))'", at: syntax.start)
    }

    /// The result of two constants; null when one of them is.
    private func calculated(
        _ a: Item, _ syntax: Syntax.Operation, _ b: Item
    ) throws(QueryError) -> Item {
        var result = Item(
            value: .null, argument: a.argument ?? b.argument, range: syntax.range)
        for item in [a, b] where item.value != .null && Number(item.value) == nil {
            throw refused(syntax)
        }
        let left = number(a, beside: b.value)
        if let left, let right = number(b, beside: a.value) {
            result.value = Number.calculate(left, syntax.operation, right).value
        }
        return result
    }

    /// A constant number; one beside a decimal with all the digits that it is written with.
    private func number(_ item: Item, beside other: Value) -> Number? {
        if case .decimal = other, case .double = item.value, item.argument == nil,
            let exact = Decimal128(source.text(item.range))
        {
            return .decimal(exact)
        }
        return Number(item.value)
    }

    private func resultType(
        _ left: Side, _ right: Side, _ syntax: Syntax.Operation
    ) throws(QueryError) -> ValueType {
        var widest = -1
        let order: [ScalarType] = [.int, .float, .double, .decimal128, .mixed]
        for side in [left, right] {
            for type in try operandTypes(side, syntax) {
                widest = max(widest, order.firstIndex(of: type) ?? -1)
            }
        }
        return .scalar(order[max(widest, 0)])
    }

    /// The types of numbers that a side may give; none for null.
    private func operandTypes(
        _ side: Side, _ syntax: Syntax.Operation
    ) throws(QueryError) -> [ScalarType] {
        switch side {
        case .path(let path, _): return [try operandType(path.type, syntax)]
        case .expression(let expression, _): return [try operandType(expression.type, syntax)]
        case .item(let item): return try operandType(item, syntax).map { [$0] } ?? []
        case .items(let items, _):
            return try items.map { (item) throws(QueryError) in
                try operandType(item, syntax)
            }.compactMap { $0 }
        case .kinds: throw refused(syntax)
        }
    }

    private func operandType(
        _ type: ValueType, _ syntax: Syntax.Operation
    ) throws(QueryError) -> ScalarType {
        guard case .scalar(let scalar) = type, type.isNumeric || scalar == .mixed else {
            throw refused(syntax)
        }
        return scalar.widened
    }

    private func operandType(
        _ item: Item, _ syntax: Syntax.Operation
    ) throws(QueryError) -> ScalarType? {
        if item.value == .null { return nil }
        guard Number(item.value) != nil else { throw refused(syntax) }
        return item.value.scalarType
    }

    /// A side as a part of an expression; a constant beside a decimal or a float in that type.
    private func term(
        _ side: Side, beside other: Side, _ syntax: Syntax.Operation
    ) throws(QueryError) -> Expression.Term {
        switch side {
        case .path(let path, _): return .path(path)
        case .expression(let expression, _): return expression.term
        case .item(let item): return .constant(try operand(item, beside: other))
        case .items(let items, _):
            return .constants(
                try items.map { (item) throws(QueryError) in try operand(item, beside: other) })
        case .kinds: throw refused(syntax)
        }
    }

    private func operand(_ item: Item, beside other: Side) throws(QueryError) -> Value {
        guard case .double = item.value, let type = other.type else { return item.value }
        switch type {
        case .scalar(.decimal128), .scalar(.float):
            return try adapted(item, to: type, isStrict: false) ?? item.value
        default: return item.value
        }
    }
}
