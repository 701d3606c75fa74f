import HoldfastQuery

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
    /// The number of objects likely to be taken: those of a page; nil for all. Only a plan depends on it.
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
    /// The same values with whole texts, where ``sortBytes`` cuts a long one; empty where it cuts none, or where
    /// they are too long for that too.
    package var wholeBytes: [UInt8]
    /// Its object key.
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
