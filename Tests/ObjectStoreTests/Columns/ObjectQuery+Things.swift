import HoldfastObjectStore
import HoldfastQuery
import Testing

extension ObjectQuery {
    /// A query for objects of the class `Thing`.
    ///
    /// - `page`: How many are wanted; nil for all.
    static func things(
        _ filter: String, sort: String = "", page: Int? = nil, after: QueryPosition? = nil,
        _ read: ReadTransaction
    ) throws -> ObjectQuery {
        let rowClass = try #require(read.rows.rowClass(named: "Thing"))
        return ObjectQuery(
            classIndex: rowClass.index,
            predicate: try CompiledQuery.compile(
                text: filter, rootClass: rowClass.index, schema: read.rows
            ).predicate,
            sort: sort.isEmpty
                ? []
                : try SortKey.parse(
                    list: sort, clause: "sort", root: .objects(classIndex: rowClass.index),
                    schema: read.rows),
            after: after, expectedCount: page)
    }
}
