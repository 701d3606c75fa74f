import HoldfastObjectModel

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
