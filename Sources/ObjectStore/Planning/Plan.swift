import Query

/// How a query finds its objects.
package struct Plan: Hashable, Sendable {
    /// Where objects come from.
    ///
    /// Another kind of index is another case of ``PlanSource``: it says which object keys it finds, and
    /// everything else (intersections, unions, orders, pages, counts) follows from that. Another way to
    /// look at all objects is another case here, beside ``scan``.
    package enum Access: Hashable, Sendable {
        /// Nowhere: the conditions exclude each other.
        case nothing
        /// Every object of the class, by object key.
        case scan
        /// The primary keys in some ranges.
        case primaryKey(ranges: [OrderedKeyRange])
        /// The entries of an index in some ranges.
        case index(member: Int, ranges: [OrderedKeyRange])
        /// Object keys that are put together before the first row is read.
        case keys(PlanSource)
    }

    /// How the order comes about.
    package enum Order: Hashable, Sendable {
        /// The access has the order already, forwards or backwards.
        case natural(reversed: Bool)
        /// Object keys are collected and sorted; rows are then read in order.
        case collectKeys
        /// The objects of a page are kept in a bounded heap while all are read.
        case sort
    }

    /// What is done when a plan turns out to cost more than was estimated.
    package enum Fallback: Hashable, Sendable {
        /// Nothing: it is followed to its end.
        case none
        /// When it has cost this much (see ``QueryCost``), the query goes on by another plan, behind the
        /// last object that was handed over.
        indirect case after(cost: Int, Plan)
    }

    /// Where objects come from.
    package var access: Access
    /// How the order comes about.
    package var order: Order
    /// What each object still has to be tested for; nil for nothing.
    package var residual: Predicate?
    /// The access's object keys, rising, where planning has read them already.
    package var keys: [UInt64]?
    /// What is done when it costs too much.
    package var fallback = Fallback.none
    /// Of a scan what each chunk costs by the columns that were in memory when it was planned; nil where
    /// it counts on none.
    package var chunkCost: Int?

    /// Where its object keys come from, if every one of them is a match; nil where rows are looked at.
    var exactSource: PlanSource? {
        guard residual == nil else { return nil }
        switch access {
        case .primaryKey(let ranges): return .primaryKey(ranges: ranges)
        case .index(let member, let ranges): return .index(member: member, ranges: ranges)
        case .keys(let source): return source
        case .nothing: return .any([])
        case .scan: return nil
        }
    }

    /// No object: the conditions exclude each other.
    static let nothing = Plan(
        access: .nothing, order: .natural(reversed: false), residual: nil)

    /// Every object of the class, each tested.
    package static func scan(_ query: ObjectQuery) -> Plan {
        Plan(
            access: .scan, order: query.sort.isEmpty ? .natural(reversed: false) : .sort,
            residual: query.predicate)
    }
}
