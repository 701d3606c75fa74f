/// How a query finds its objects.
package struct Plan: Sendable {
    /// Where objects come from.
    package enum Access: Sendable, Equatable {
        /// Nowhere: the conditions exclude each other.
        case nothing
        /// Every object of the class, by object key.
        case scan
        /// The primary keys in some ranges.
        case primaryKey(ranges: [ValueRange])
        /// The entries of an index in some ranges.
        case index(member: Int, ranges: [ValueRange])
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
    /// Whether each object still has to be tested.
    package var filters: Bool
}

/// A range of values as `OrderedKey`s: from `lower` up to but without `upper`.
package struct ValueRange: Hashable, Sendable {
    /// The first encoded value.
    package var lower: [UInt8]
    /// The first beyond it; nil for no bound.
    package var upper: [UInt8]?

    /// Makes a range.
    package init(lower: [UInt8], upper: [UInt8]?) {
        self.lower = lower
        self.upper = upper
    }
}
