import Query
import Rows

extension ObjectQuery {
    /// Whether a page of the query reads hardly more than the objects that it returns, whatever the
    /// class holds: one range in the wanted order with nothing left to test.
    package func isBounded(in transaction: ReadTransaction) -> Bool {
        let rowClass = transaction.rows.classes[classIndex]
        var sorted: Int?
        if !sort.isEmpty {
            guard sort.count == 1, let key = sort.first, key.path.steps.isEmpty,
                case .value(let member) = key.path.terminal,
                member == rowClass.primaryKeyIndex || rowClass.indexedMembers.contains(member)
            else { return false }
            sorted = member
        }
        guard let predicate else { return true }
        let constraints = predicate.constraints(transaction.rows)
        guard constraints.count == 1, let only = constraints.first, only.isExact else {
            return false
        }
        guard
            only.member == rowClass.primaryKeyIndex || rowClass.indexedMembers.contains(only.member)
        else { return false }
        if let sorted { return sorted == only.member }
        return only.ranges.count <= 1 && only.values != nil
    }
}
