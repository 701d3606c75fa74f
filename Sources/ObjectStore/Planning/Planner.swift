import Query
import Rows
import Storage

/// Chooses how a query finds its objects.
///
/// Best first: a primary key, one value of an index, several values, an index in the wanted order, a
/// range of an index that holds few entries, all objects. There are no statistics: where a range's size
/// decides, its entries are counted, up to a bound.
struct Planner {
    let transaction: ReadTransaction
    let rowClass: RowClass
    let query: ObjectQuery
    /// Entries that were read to plan.
    private(set) var entriesRead = 0

    init(transaction: ReadTransaction, rowClass: RowClass, query: ObjectQuery) {
        self.transaction = transaction
        self.rowClass = rowClass
        self.query = query
    }

    /// Entries of a range that are always worth collecting.
    private static let cheapEntryCount = 2048

    mutating func plan() throws(StoreError) -> Plan {
        let constraints = query.predicate?.constraints(transaction.rows) ?? []
        if query.predicate == .constant(false) || constraints.contains(where: { $0.ranges.isEmpty })
        {
            return Plan(access: .nothing, order: .natural(reversed: false), residual: nil)
        }
        let usable = constraints.filter { constraint in
            constraint.member == rowClass.primaryKeyIndex
                || rowClass.indexedMembers.contains(constraint.member)
        }
        if let points = usable.filter({ $0.values != nil }).min(by: { rank($0) < rank($1) }) {
            return plan(points, isSingle: points.ranges.count == 1)
        }
        if let sorted = try sortedPlan(usable) { return sorted }
        var best: (constraint: IndexConstraint, count: Int)?
        let total = usable.isEmpty ? 0 : try transaction.count(rowClass)
        for constraint in usable {
            let bound = min(best?.count ?? Int.max, max(Self.cheapEntryCount, total / 16))
            let count = try countEntries(constraint, atMost: bound)
            if count < bound { best = (constraint, count) }
        }
        if let best { return plan(best.constraint, isSingle: false) }
        let order: Plan.Order = query.sort.isEmpty ? .natural(reversed: false) : .sort
        return Plan(access: .scan, order: order, residual: query.predicate)
    }

    /// Primary keys before indexes, few values before many.
    private func rank(_ constraint: IndexConstraint) -> (Int, Int) {
        (constraint.member == rowClass.primaryKeyIndex ? 0 : 1, constraint.ranges.count)
    }

    private func access(_ constraint: IndexConstraint) -> Plan.Access {
        constraint.member == rowClass.primaryKeyIndex
            ? .primaryKey(ranges: constraint.ranges)
            : .index(member: constraint.member, ranges: constraint.ranges)
    }

    private func plan(_ constraint: IndexConstraint, isSingle: Bool) -> Plan {
        let order: Plan.Order
        if let natural = naturalOrder(constraint.member) {
            order = natural
        } else if query.sort.isEmpty {
            // Within one value entries stand in the order of object keys.
            order = isSingle ? .natural(reversed: false) : .collectKeys
        } else {
            order = .sort
        }
        return Plan(access: access(constraint), order: order, residual: constraint.residual)
    }

    /// The order that the index of a property has, if it is the wanted one.
    private func naturalOrder(_ member: Int) -> Plan.Order? {
        guard query.sort.count == 1, let key = query.sort.first, key.path.steps.isEmpty,
            case .value(member: member) = key.path.terminal
        else { return nil }
        return .natural(reversed: !key.isAscending)
    }

    /// A plan that reads an index in the wanted order, if there is one and no range is much smaller.
    private mutating func sortedPlan(_ usable: [IndexConstraint]) throws(StoreError) -> Plan? {
        guard query.sort.count == 1, let key = query.sort.first, key.path.steps.isEmpty,
            case .value(let member) = key.path.terminal,
            member == rowClass.primaryKeyIndex || rowClass.indexedMembers.contains(member)
        else { return nil }
        if let own = usable.first(where: { $0.member == member }) {
            return Plan(
                access: access(own), order: .natural(reversed: !key.isAscending),
                residual: own.residual)
        }
        for constraint in usable {
            if try countEntries(constraint, atMost: Self.cheapEntryCount) < Self.cheapEntryCount {
                return plan(constraint, isSingle: false)
            }
        }
        // Null is encoded as 0, a value begins with 1.
        let all = [OrderedKeyRange(lower: [0], upper: [2])]
        return Plan(
            access: member == rowClass.primaryKeyIndex
                ? .primaryKey(ranges: all) : .index(member: member, ranges: all),
            order: .natural(reversed: !key.isAscending), residual: query.predicate)
    }

    private mutating func countEntries(_ constraint: IndexConstraint, atMost bound: Int)
        throws(StoreError) -> Int
    {
        var count = 0
        for range in EntryRange.ranges(access(constraint), rowClass) {
            do {
                try transaction.snapshot.scan(range, reversed: false, expecting: bound) { _, _ in
                    count += 1
                    return count < bound
                }
            } catch {
                throw .storage(error)
            }
            if count >= bound { break }
        }
        entriesRead += count
        return count
    }
}
