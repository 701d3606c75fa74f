import HoldfastObjectModel
import HoldfastRows

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

    /// The most steps of a path.
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
