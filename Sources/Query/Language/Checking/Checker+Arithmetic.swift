import HoldfastObjectModel
import HoldfastRows

/// Arithmetic: constants are calculated at once, the rest becomes an ``Expression``.
extension Checker {
    /// Checks a calculation.
    func arithmetic(_ syntax: Syntax.Operation) throws(QueryError) -> Side {
        do throws(QueryError) {
            return try calculation(syntax)
        } catch { throw explaining(error, of: syntax) }
    }

    private func calculation(_ syntax: Syntax.Operation) throws(QueryError) -> Side {
        var left = try side(syntax.left)
        var right = try side(syntax.right)
        guard !left.hasUser, !right.hasUser else {
            throw source.fault(
                .type, "'$user' can only be compared with a value, not be part of a calculation.",
                at: syntax.start)
        }
        if let type = left.type { right = try readingNumbers(right, type) }
        if let type = right.type { left = try readingNumbers(left, type) }
        if left.isMany, right.isMany {
            throw source.fault(
                .type,
                "Arithmetic between two lists is not possible "
                    + "('\(text(syntax.left))' and '\(text(syntax.right))')", at: syntax.start)
        }
        if case .constants(let a, let quantifier, let isList) = left,
            case .constants(let b, let other, let isOtherList) = right
        {
            // One of them is a list at most.
            var results: [Item] = []
            for a in a { for b in b { results.append(try calculated(a, syntax, b)) } }
            return .constants(results, quantifier ?? other, isList: isList || isOtherList)
        }
        let type = try resultType(left, right, syntax)
        let term = Expression.Term.operation(
            try term(left, beside: right, syntax), syntax.operation,
            try term(right, beside: left, syntax))
        let expression = Expression(term: term, type: type, isMany: left.isMany || right.isMany)
        return .values(.expression(expression, left.quantifier ?? right.quantifier))
    }

    /// Constants with their texts read as numbers of the type beside them, as far as they are some.
    private func readingNumbers(_ side: Side, _ type: ValueType) throws(QueryError) -> Side {
        guard type.isNumeric, case .constants(let items, let quantifier, let isList) = side else {
            return side
        }
        let read = try items.map { (item) throws(QueryError) in
            var item = item
            if case .string = item.value {
                item.value = try adapted(item, to: type, isStrict: false) ?? item.value
            }
            return item
        }
        return .constants(read, quantifier, isList: isList)
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

    /// Calculates the result of two constants; null when one of them is.
    private func calculated(
        _ a: Item, _ syntax: Syntax.Operation, _ b: Item
    ) throws(QueryError) -> Item {
        var result = Item(value: .null, argument: a.argument ?? b.argument, range: syntax.range)
        for item in [a, b] where item.value != .null && Number(item.value) == nil {
            throw refused(syntax)
        }
        let left = number(a, beside: b.value)
        if let left, let right = number(b, beside: a.value) {
            result.value = Number.calculate(left, syntax.operation, right)?.value ?? .null
        }
        return result
    }

    /// Returns a constant number; one beside a decimal with all the digits that it is written with.
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

    /// Returns the types of numbers that a side may give; empty for null.
    private func operandTypes(
        _ side: Side, _ syntax: Syntax.Operation
    ) throws(QueryError) -> [ScalarType] {
        switch side {
        case .values(let operand):
            guard let type = operand.pathType, case .scalar(let scalar) = type,
                type.isNumeric || scalar == .mixed
            else { throw refused(syntax) }
            return [scalar.widened]
        case .constants(let items, _, _):
            var types: [ScalarType] = []
            for item in items where item.value != .null {
                guard Number(item.value) != nil, let type = item.value.scalarType else {
                    throw refused(syntax)
                }
                types.append(type)
            }
            return types
        case .kinds: throw refused(syntax)
        }
    }

    /// Returns a side as a part of an expression; a constant beside a decimal or a float in that type.
    private func term(
        _ side: Side, beside other: Side, _ syntax: Syntax.Operation
    ) throws(QueryError) -> Expression.Term {
        switch side {
        case .values(.path(let path, _)): return .path(path)
        case .values(.expression(let expression, _)): return expression.term
        case .constants(let items, _, let isList):
            let values = try items.map { (item) throws(QueryError) in
                try operand(item, beside: other)
            }
            return isList ? .constants(values) : .constant(values.first ?? .null)
        case .values, .kinds: throw refused(syntax)
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
