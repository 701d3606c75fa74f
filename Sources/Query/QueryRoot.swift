import ObjectModel

/// What a query is asked about.
package enum QueryRoot: Hashable, Sendable {
    /// Objects of the class at this position in the schema.
    case objects(classIndex: Int)
    /// The values of a collection, which the query calls `self`.
    case values(ScalarType)
}
