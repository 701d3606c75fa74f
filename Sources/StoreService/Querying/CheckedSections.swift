import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

/// Sections that were checked against the schema and are ready to run.
package struct CheckedSections: Sendable {
    let rowClass: RowClass
    /// Which sections are wanted, from the first one on.
    package let sections: SectionQuery
    /// The shape of each object in the reply.
    let selection: FieldSelection
    /// The request that a cursor is bound to.
    let hash: PageCursor.QueryHash

    /// Objects that are shown of a section when the request does not say.
    package static let objectCountDefault = 10

    /// Checks sections.
    ///
    /// - Throws: ``RequestFault`` `.malformed` with the column or the parameter.
    package init(
        _ query: QueryText, by: String?, _ statedCount: Int?, of container: ObjectContainer,
        names: SchemaNames, limits: ServiceLimits
    ) throws(RequestFault) {
        let (rowClass, projection) = try names.find(container)
        self.rowClass = rowClass
        guard let by else {
            throw query.fault(
                "by",
                "'by' says what the objects of a section have in common: a path such as country.name, or "
                    + "the beginning of a text, such as prefix(name,1).")
        }
        try query.requireLengths(limits, beside: [("by", by)])
        let limit = try query.pageLimit(limits)
        let objectCount = statedCount ?? min(Self.objectCountDefault, limits.pageObjectCountMax)
        guard objectCount <= limits.pageObjectCountMax else {
            throw query.fault(
                "objects", "'objects' is a number from 0 to \(limits.pageObjectCountMax).",
                code: "limit-out-of-range")
        }
        let compiled = try query.compiledFilter(
            .objects(classIndex: rowClass.index), names.schema, projection)
        let key: SectionKey
        do throws(QueryError) {
            key = try SectionKey.parse(by, rootClass: rowClass.index, schema: names.schema)
        } catch { throw query.fault(projection?.explaining(error, in: by) ?? error, "by") }
        let stated = try Self.sort(query, compiled, rowClass, names.schema, projection)
        let sort = stated.isEmpty ? [SortKey(path: key.path)] : stated
        sections = SectionQuery(
            classIndex: rowClass.index, predicate: compiled?.predicate.orNilIfTrue,
            stages: Self.stages(compiled, rowClass, stated, key), sort: sort, key: key,
            sectionCountMax: limit, objectCountMax: objectCount, countsAll: query.counts)
        selection = try names.selection(
            fields: query.fields, expand: query.expand, of: rowClass, shownBy: projection)
        hash = PageCursor.QueryHash(
            ["sections", rowClass.definition.name, by, query.sort], query,
            [SortKey(path: key.path)] + sort, now: compiled?.now)
    }

    /// The order stated in `sort` or in the filter; empty without one, or for an order that only the filter's stages have.
    private static func sort(
        _ query: QueryText, _ compiled: CompiledQuery?, _ rowClass: RowClass, _ schema: RowSchema,
        _ projection: CompiledProjection?
    ) throws(RequestFault) -> [SortKey] {
        let inFilter = compiled?.isPlain ?? true ? compiled?.sort ?? [] : []
        guard query.sort != nil else { return inFilter }
        if let compiled, !(compiled.sort.isEmpty && compiled.distinct.isEmpty) {
            throw query.fault(
                "sort",
                "The filter has SORT or DISTINCT of its own; state the order in the filter or in 'sort'."
            )
        }
        return try query.keys(
            query.sort, "sort", .objects(classIndex: rowClass.index), schema, projection)
            ?? inFilter
    }

    /// The result as a whole, where the filter has a DISTINCT or a LIMIT, or more than one SORT.
    private static func stages(
        _ compiled: CompiledQuery?, _ rowClass: RowClass, _ sort: [SortKey], _ key: SectionKey
    ) -> StagedQuery? {
        guard let compiled else { return nil }
        if compiled.isPlain, compiled.distinct.isEmpty, compiled.limit == nil { return nil }
        var suffixes = compiled.suffixes
        let isSorted = suffixes.contains { if case .sort = $0 { true } else { false } }
        if !isSorted {
            // A stated order chooses the objects of a LIMIT; without one they are put in order at last.
            if sort.isEmpty {
                suffixes.append(.sort([SortKey(path: key.path)]))
            } else {
                suffixes.insert(.sort(sort), at: 0)
            }
        }
        return compiled.staged(of: rowClass, suffixes: suffixes)
    }
}
