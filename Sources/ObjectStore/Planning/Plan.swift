import Query

/// How a query finds its objects.
package struct Plan: Sendable {
    /// Where objects come from.
    package enum Access: Sendable, Equatable {
        /// Nowhere: the conditions exclude each other.
        case nothing
        /// Every object of the class, by object key.
        case scan
        /// The primary keys in some ranges.
        case primaryKey(ranges: [OrderedKeyRange])
        /// The entries of an index in some ranges.
        case index(member: Int, ranges: [OrderedKeyRange])
    }

    /// How the order comes about.
    package enum Order: Sendable, Equatable {
        /// The access has the order already, forwards or backwards.
        case natural(reversed: Bool)
        /// Object keys are collected and sorted; rows are then read in order.
        case collectKeys
        /// The objects of a page are kept in a bounded heap while all are read.
        case sort
    }

    /// Where objects come from.
    package var access: Access
    /// How the order comes about.
    package var order: Order
    /// What each object still has to be tested for; nil for nothing.
    package var residual: Predicate?
}
