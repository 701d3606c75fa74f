import HoldfastObjectModel
import HoldfastRows

/// A checked condition: names are looked up, arguments put in, types agree. Immutable.
package enum Predicate: Hashable, Sendable {
    /// True or false for every object.
    case constant(Bool)
    /// True if all are; at least two, without an `and` among them.
    case and([Predicate])
    /// True if one is; at least two, without an `or` among them.
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
    package let right: Operand

    /// Makes a comparison.
    package init(_ left: Operand, _ relation: Relation, _ right: Operand) {
        self.left = left
        self.relation = relation
        self.right = right
    }

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

extension Predicate {
    /// The comparisons that read a property behind some steps, as conditions on the objects that the steps lead to;
    /// nil where one of them asks for more than each such object by itself.
    ///
    /// As long as no outcome changes for an object, a change of its property changes nothing that the predicate finds through it.
    ///
    /// - Parameters:
    ///   - member: The property, by position in the class that the steps lead to.
    ///   - steps: Steps along links; empty for the objects of the predicate themselves.
    ///   - schema: The schema of the predicate.
    /// - Returns: Each comparison that reads the property, from where the steps lead to on.
    package func conditions(
        reading member: Int, behind steps: [PathStep], _ schema: RowSchema
    ) -> [Predicate]? {
        switch self {
        case .constant: return []
        case .not(let part): return part.conditions(reading: member, behind: steps, schema)
        case .and(let parts), .or(let parts):
            let found = parts.compactMap { $0.conditions(reading: member, behind: steps, schema) }
            return found.count == parts.count ? found.flatMap { $0 } : nil
        case .comparison, .within:
            let reads = dependencies(schema).contains { $0.member == member && $0.path == steps }
            if !reads { return [] }
            if steps.isEmpty { return [self] }
            guard case .comparison(let comparison) = self else { return nil }
            return comparison.behind(steps).map { [.comparison($0)] }
        }
    }
}

extension Comparison {
    /// The comparison of the rest of its path behind some steps, where it compares that with constants, object by object.
    fileprivate func behind(_ steps: [PathStep]) -> Comparison? {
        guard let compared = ComparedPath(self), case .objects = compared.path.root,
            compared.path.steps.starts(with: steps)
        else { return nil }
        // A common value of several objects belongs to no single one.
        if steps.contains(where: \.isMany),
            !compared.path.isOfEach(behind: steps.count)
                || compared.listQuantifier != nil && compared.constants.count > 1
        {
            return nil
        }
        return compared.behind(steps.count)
    }
}

extension ValuePath {
    /// Whether each object behind some steps has a value at the end of the path, if only null, or the values of a
    /// collection. Behind a link of its own, or at a place in a collection, it may lack a value among the others',
    /// and be null by itself; a figure covers all.
    fileprivate func isOfEach(behind stepCount: Int) -> Bool {
        guard steps.count == stepCount else { return false }
        switch terminal {
        case .value, .elements: return true
        default: return false
        }
    }
}
