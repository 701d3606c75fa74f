import HoldfastObjectModel

/// The path within a `mixed` value, or from a collection of such values, and the operation at its end.
///
/// Nothing of it is checked beforehand: where a value has not the shape that a step needs, there is no
/// value. Links met on the way are followed.
package struct MixedPath: Hashable, Sendable {
    /// A step within a value.
    package enum Step: Hashable, Sendable {
        /// To an element of a list; by a key to a value of a map, or to a property of the object that a link leads to.
        case position(ListPosition)
        /// To each element of a list or set, or each value of a map.
        case all
        /// To each key of a map; always the last.
        case keys
    }

    /// The result that is wanted of the values that the steps lead to.
    package enum Result: Hashable, Sendable {
        /// Themselves.
        case value
        /// The byte count of a string or data, the element count of a collection; null for others.
        case count
        /// Their kind, as a ``KindSet``.
        case kind
        /// An aggregate of the elements of the collections that they are.
        case aggregate(AggregateFunction)
    }

    static let stepCountMax = 200

    /// The steps, in order.
    package var steps: [Step]
    /// The result that is wanted at the end.
    package var result: Result

    /// The number of steps that lead to several values.
    var manyCount: Int { steps.count { $0 == .all || $0 == .keys } }

    /// Whether the last step leads to several values, which are the result.
    var endsInMany: Bool {
        guard result == .value || result == .kind else { return false }
        return steps.last == .all || steps.last == .keys
    }
}

/// The path of a comparison of its values with constants, each by itself.
struct ComparedPath {
    let path: ValuePath
    let quantifier: Quantifier?
    let relation: Relation
    let constants: [Value]
    /// The quantifier of a list of constants; nil where there is one constant, and no list.
    let listQuantifier: Quantifier?
    let constantIsLeft: Bool
    private let other: Operand

    /// Nil for a comparison of two paths, of calculated values, or of two lists in their order.
    init?(_ comparison: Comparison) {
        if case .path(let path, let quantifier) = comparison.left {
            (self.path, self.quantifier, other) = (path, quantifier, comparison.right)
            constantIsLeft = false
        } else if case .path(let path, let quantifier) = comparison.right {
            (self.path, self.quantifier, other) = (path, quantifier, comparison.left)
            constantIsLeft = true
        } else {
            return nil
        }
        switch other {
        case .constant(let value): (constants, listQuantifier) = ([value], nil)
        case .constants(let values, let quantified):
            if path.isMany, constantIsLeft || (quantifier == nil && quantified == nil) {
                return nil
            }
            (constants, listQuantifier) = (values, quantified ?? .any)
        case .path, .expression: return nil
        }
        relation = comparison.relation
    }

    /// Returns the comparison of the rest of the path behind some steps with the same constants.
    func behind(_ stepCount: Int) -> Comparison {
        let rest = path.behind(stepCount)
        let operand = Operand.path(rest, rest.isMany ? quantifier : nil)
        return constantIsLeft
            ? Comparison(other, relation, operand) : Comparison(operand, relation, other)
    }
}
