import HoldfastObjectModel

/// A checked condition: names are looked up, arguments put in, types agree. Immutable.
package enum Predicate: Hashable, Sendable {
    /// True or false whatever the object.
    case constant(Bool)
    /// Holds when all do; at least two, none of them an `and`.
    case and([Predicate])
    /// Holds when one does; at least two, none of them an `or`.
    case or([Predicate])
    /// Holds when the other does not.
    indirect case not(Predicate)
    /// Holds when two operands compare as asked.
    case comparison(Comparison)
    /// Holds when a point lies in a region.
    indirect case within(RegionCondition)
}

/// Two operands and the relation that has to hold between them.
///
/// A class, because it is large: each look at the comparison of a predicate would copy a struct.
package final class Comparison: Hashable, Sendable {
    /// The left operand. At least one of the two is a path.
    package let left: Operand
    /// The relation that has to hold.
    package let relation: Relation
    /// The right operand.
    package let right: Operand

    /// Makes a comparison.
    package init(_ left: Operand, _ relation: Relation, _ right: Operand) {
        self.left = left
        self.relation = relation
        self.right = right
    }

    /// The operator.
    package var comparison: ComparisonOperator { relation.comparison }

    package static func == (a: Comparison, b: Comparison) -> Bool {
        a === b || (a.relation == b.relation && a.left == b.left && a.right == b.right)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(left)
        hasher.combine(relation)
        hasher.combine(right)
    }
}

/// One side of a comparison.
package enum Operand: Hashable, Sendable {
    /// The values that a path leads to.
    case path(ValuePath, Quantifier?)
    /// One value, already of the other side's type where that was possible.
    case constant(Value)
    /// Several values, each adapted alone.
    case constants([Value], Quantifier?)
    /// The result of a calculation with paths; the quantifier is that of the one list or path to several in it.
    case expression(Expression, Quantifier?)

    /// Whether it stands for several values.
    var isMany: Bool {
        switch self {
        case .path(let path, _): path.isMany
        case .constant: false
        case .constants: true
        case .expression(let expression, _): expression.isMany
        }
    }

    /// The quantifier of its values, if the text states one.
    var quantifier: Quantifier? {
        switch self {
        case .path(_, let quantifier), .constants(_, let quantifier),
            .expression(_, let quantifier):
            quantifier
        case .constant: nil
        }
    }

    /// The type of its values; nil for constants.
    var pathType: ValueType? {
        switch self {
        case .path(let path, _): path.type
        case .expression(let expression, _): expression.type
        case .constant, .constants: nil
        }
    }

    /// The constants that stand by themselves or in a list.
    var constants: [Value] {
        switch self {
        case .constant(let value): [value]
        case .constants(let values, _): values
        case .path, .expression: []
        }
    }

    /// Hands every path to `body`.
    func forEachPath(_ body: (ValuePath) -> Void) {
        switch self {
        case .path(let path, _): body(path)
        case .expression(let expression, _): expression.term.forEachPath(body)
        case .constant, .constants: return
        }
    }
}
