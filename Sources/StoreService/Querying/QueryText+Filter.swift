import ObjectJSON
import Query
import Rows

extension QueryText {
    /// Checks the filter and its arguments; nil where there is none.
    ///
    /// - `projection`: What the objects are shown by, for the names in errors.
    /// - `hasTime`: Whether `now()` stands for ``now``; it is refused where a query outlives its request.
    /// - Throws: ``RequestFault`` `.malformed` with the column.
    package func compiledFilter(
        _ root: QueryRoot, _ schema: RowSchema, _ projection: CompiledProjection? = nil,
        hasTime: Bool = true
    ) throws(RequestFault) -> CompiledQuery? {
        guard let filter else {
            if arguments.isEmpty { return nil }
            throw fault(
                isInBody ? "args" : "arg", "Arguments are given, but no filter that uses them.")
        }
        do throws(QueryError) {
            return try CompiledQuery.compile(
                text: filter, arguments: arguments, root: root, schema: schema,
                now: { hasTime ? now : nil })
        } catch {
            throw fault(projection?.explaining(error, in: filter) ?? error, "filter")
        }
    }

    /// The most paths of a sort: their values stand in a cursor, which has to fit into a URL.
    package static let sortKeyCountMax = 16

    /// Checks a list of paths to sort or be distinct by; nil where none is stated.
    ///
    /// - `name`: The part of the query that it is.
    /// - Throws: ``RequestFault`` `.malformed` with the column, or for too many.
    func keys(
        _ list: String?, _ name: String, _ root: QueryRoot, _ schema: RowSchema,
        _ projection: CompiledProjection? = nil
    ) throws(RequestFault) -> [SortKey]? {
        guard let list else { return nil }
        let keys: [SortKey]
        do throws(QueryError) {
            keys = try SortKey.parse(list: list, clause: name, root: root, schema: schema)
        } catch {
            throw fault(projection?.explaining(error, in: list) ?? error, name)
        }
        try requireFew(keys, name)
        return keys
    }

    /// Refuses more paths than a cursor has room for.
    func requireFew(_ keys: [SortKey], _ name: String) throws(RequestFault) {
        guard keys.count > Self.sortKeyCountMax else { return }
        throw fault(
            name, "A query has at most \(Self.sortKeyCountMax) paths to sort or be distinct by.")
    }
}
