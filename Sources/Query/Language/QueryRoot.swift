import HoldfastObjectModel

/// The kind of values that a query is evaluated on.
package enum QueryRoot: Hashable, Sendable {
    /// Objects of the class at this position in the schema.
    case objects(classIndex: Int)
    /// The values of a collection, which the query calls `self`.
    case values(ScalarType)

    /// The class of the objects; −1 for values.
    var classIndex: Int { if case .objects(let classIndex) = self { classIndex } else { -1 } }
}
