import HoldfastObjectModel
import HoldfastQuery
import HoldfastRows

/// A query of objects of a class, and their order.
package struct ObjectQuery: Sendable {
    /// The class, by position.
    package var classIndex: Int
    /// The condition; nil for all objects.
    package var predicate: Predicate?
    /// The order; the object key completes it, rising.
    package var sort: [SortKey]
    /// The position behind which the query goes on; nil for the beginning.
    package var after: QueryPosition?
    /// The number of objects likely to be taken: the objects of a page; nil for all. Only a plan depends on it.
    package var expectedCount: Int?
    /// Whether only the number of objects is wanted, so that no row has to be read where an index says
    /// everything. Only a plan depends on it.
    package var isCounted: Bool
}

extension ObjectQuery {
    /// Makes a query.
    ///
    /// Through the memberwise initializer, as in ``counted``: an initializer that sets or changes the properties of
    /// a struct of this size itself ends with a copy of all of it (Swift 6.3).
    package init(
        classIndex: Int, predicate: Predicate? = nil, sort: [SortKey] = [],
        after: QueryPosition? = nil, expectedCount: Int? = nil
    ) {
        self.init(
            classIndex: classIndex, predicate: predicate, sort: sort, after: after,
            expectedCount: expectedCount, isCounted: false)
    }

    /// The query for the number of its objects.
    package var counted: ObjectQuery {
        ObjectQuery(
            classIndex: classIndex, predicate: predicate, sort: [], after: nil, expectedCount: nil,
            isCounted: true)
    }
}

/// A position in the order of a query's result: that of an object, whether it is still there or not.
package struct QueryPosition: Hashable, Sendable {
    /// The object's sort values, encoded as `SortEvaluator` does.
    package var sortBytes: [UInt8]
    /// The same values with whole texts if ``sortBytes`` cuts a long one; empty if it cuts no text, or if the texts are too long
    /// for that too.
    package var wholeBytes: [UInt8]
    package var key: UInt64

    /// The most bytes of ``wholeBytes``: a cursor in a URL has room for no more.
    package static let wholeByteCountMax = 4096

    /// Makes a position.
    package init(sortBytes: [UInt8], wholeBytes: [UInt8] = [], key: UInt64) {
        self.sortBytes = sortBytes
        self.wholeBytes = wholeBytes
        self.key = key
    }
}

extension ObjectQuery {
    /// Finds the property whose index, or the primary key, has the wanted order, and its direction; nil if no index has it.
    func sortMember(_ rowClass: RowClass) -> (member: Int, isAscending: Bool)? {
        guard sort.count == 1, let key = sort.first, let member = key.path.ownMember,
            rowClass.isIndexed(member)
        else { return nil }
        return (member, key.isAscending)
    }

    /// Whether a page of the query reads hardly more than the objects that it returns, whatever the size of the class: one range
    /// in the wanted order, with no condition left to test.
    package func isBounded(in transaction: ReadTransaction) -> Bool {
        let rowClass = transaction.rows.classes[classIndex]
        let sorted = sortMember(rowClass)?.member
        if !sort.isEmpty, sorted == nil { return false }
        let visibility = transaction.visibility(on: self)
        if let visibility, predicate != nil || sorted.map(visibility.reorders) ?? false {
            return false
        }
        guard let predicate = predicate ?? visibility?.rule else { return true }
        let constraints = predicate.constraints
        guard constraints.count == 1, let only = constraints.first, only.isExact,
            rowClass.isIndexed(only.member)
        else { return false }
        if let sorted { return sorted == only.member }
        return only.ranges.count <= 1 && only.ranges.allSatisfy(\.isSingleValue)
    }

    /// Makes the query whose first object has the least, or the greatest, value of a property among the objects of this query.
    /// Null and NaN do not count.
    ///
    /// Run it with a limit of 1: without a condition, or with one on the same property, it reads one row.
    ///
    /// `member` is the property, by position in the class.
    ///
    /// - Returns: Nil where no index has the order: then all objects have to be looked at anyway.
    package func extreme(of member: Int, isGreatest: Bool, _ schema: RowSchema) -> ObjectQuery? {
        let rowClass = schema.classes[classIndex]
        guard rowClass.isIndexed(member),
            case .single(.scalar(let scalar)) = rowClass.definition.properties[member].type,
            // A decimal NaN and the kinds of a mixed value need a look at each.
            scalar != .mixed, scalar != .decimal128
        else { return nil }
        let path = ValuePath(
            root: .objects(classIndex: classIndex), steps: [], terminal: .value(member: member),
            type: .scalar(scalar), firstMember: member)
        let (relation, bound): (ComparisonOperator, Value) =
            switch scalar {
            case .double: (.greater, .double(.nan))
            case .float: (.greater, .float(.nan))
            default: (.notEqual, .null)
            }
        let hasValue = Predicate.comparison(
            Comparison(.path(path, nil), Relation(relation), .constant(bound)))
        var query = self
        query.predicate = Predicate.conjunction((predicate?.conjuncts ?? []) + [hasValue])
        query.sort = [SortKey(path: path, isAscending: !isGreatest)]
        query.after = nil
        query.expectedCount = 1
        return query
    }
}
