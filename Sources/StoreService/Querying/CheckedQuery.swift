import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

/// A query that was checked against the schema and is ready to run.
package struct CheckedQuery: Sendable {
    let rowClass: RowClass
    /// The condition.
    let predicate: Predicate?
    /// The order, without the object key.
    package let sort: [SortKey]
    /// Of objects with the same values here only the first is wanted.
    let distinct: [SortKey]
    /// The whole query, where the filter's SORT, DISTINCT and LIMIT stand in another order than this; then
    /// ``sort``, ``distinct`` and ``total`` say nothing.
    let stages: StagedQuery?
    /// The filter's own LIMIT, which bounds the whole result.
    let total: Int?
    /// Objects of a page.
    package let limit: Int
    /// The part of each that the reply holds.
    let selection: FieldSelection
    /// How the reply holds them.
    let form: ListForm
    /// For GeoJSON, the path of the features' points, and the parts shown beside them.
    let points: (path: PointPath, beside: FieldSelection)?
    /// The hash that a cursor is bound to.
    let hash: PageCursor.QueryHash

    /// Checks a query.
    ///
    /// - `container`: Shows the objects; `fields` are its names.
    /// - `forms`: The possible forms of the reply; the first one that the objects fit into is taken.
    /// - Throws: ``RequestFault`` `.malformed` with the column or the parameter; `.notAcceptable` if the objects fit
    ///   into no form of the forms, which is about the first.
    package init(
        _ text: QueryText, of container: ObjectContainer, names: SchemaNames,
        limits: ServiceLimits, forms: [ListForm] = [.json]
    ) throws(RequestFault) {
        let (rowClass, projection) = try names.find(container)
        self.rowClass = rowClass
        let schema = names.schema
        let root = QueryRoot.objects(classIndex: rowClass.index)
        try text.requireLengths(limits)
        limit = try text.pageLimit(limits)
        let compiled = try text.compiledFilter(root, schema, projection)
        let isPlain = compiled?.isPlain ?? true
        try Self.requireOnePlace(text, compiled)
        predicate = compiled?.predicate.orNilIfTrue
        stages = isPlain ? nil : compiled?.staged(of: rowClass)
        total = isPlain ? compiled?.limit : nil
        sort =
            try text.keys(text.sort, "sort", root, schema, projection)
            ?? (isPlain ? compiled?.sort : nil) ?? []
        distinct =
            try text.keys(text.distinct, "distinct", root, schema, projection)
            ?? (isPlain ? compiled?.distinct : nil) ?? []
        try text.requireFew(sort, "sort")
        try text.requireFew(distinct, "distinct")
        for suffix in isPlain ? [] : compiled?.suffixes ?? [] {
            switch suffix {
            case .sort(let keys), .distinct(let keys): try text.requireFew(keys, "filter")
            case .limit: break
            }
        }
        let shown: FieldSelection
        do throws(RequestFault) {
            shown = try names.selection(
                fields: text.fields, expand: text.expand, of: rowClass, shownBy: projection)
        } catch { throw text.placed(error) }
        let path: PointPath?
        (form, path, selection) = try Self.form(forms, text, shown, schema)
        let own = path?.ownMember.map(shown.without)
        points = path.map { ($0, own ?? shown) }
        hash = PageCursor.QueryHash(
            [rowClass.definition.name, text.sort, text.distinct], text, sort + distinct,
            now: compiled?.now)
    }

    /// Chooses the first form that fits, with the selection that it shows.
    private static func form(
        _ forms: [ListForm], _ text: QueryText, _ selection: FieldSelection, _ schema: RowSchema
    ) throws(RequestFault) -> (ListForm, PointPath?, FieldSelection) {
        var refusal: RequestFault?
        for form in forms {
            do throws(RequestFault) {
                return try Self.form(form, text, selection, schema)
            } catch {
                // A wrong parameter does not depend on the form.
                guard error.kind == .notAcceptable else { throw error }
                refusal = refusal ?? error
            }
        }
        if let refusal { throw refusal }
        return (.json, nil, selection)
    }

    /// Fits objects into a form, with the selection that it shows.
    private static func form(
        _ form: ListForm, _ text: QueryText, _ selection: FieldSelection, _ schema: RowSchema
    ) throws(RequestFault) -> (ListForm, PointPath?, FieldSelection) {
        if form != .geoJSON, text.geometry != nil {
            throw text.fault(
                "geometry",
                "'geometry' is for GeoJSON, which 'Accept: application/geo+json' asks for.")
        }
        switch form {
        case .json: return (.json, nil, selection)
        case .geoJSON:
            return (.geoJSON, try PointPath(text, of: selection.rowClass, schema), selection)
        case .csv:
            let others = [
                ("expand", text.expand != nil), ("count", text.counts), ("explain", text.explains),
            ]
            if let (name, _) = others.first(where: \.1) {
                throw text.fault(name, "CSV can't show '\(name)'; ask for application/json.")
            }
            return (.csv, nil, try CSVRecords.flat(selection, instead: "Ask for application/json"))
        }
    }

    /// A filter's own order stands for itself: beside `sort` or `distinct` it would not be clear which comes first.
    private static func requireOnePlace(_ text: QueryText, _ compiled: CompiledQuery?)
        throws(RequestFault)
    {
        guard let compiled, !(compiled.sort.isEmpty && compiled.distinct.isEmpty),
            let name = text.sort != nil ? "sort" : text.distinct != nil ? "distinct" : nil
        else { return }
        throw text.fault(
            name,
            "The filter has SORT or DISTINCT of its own; state the order in the filter or in 'sort' and "
                + "'distinct'.")
    }

    /// The keys by which the objects are sorted or told apart, anywhere in the query.
    var orderKeys: [SortKey] { stages?.orderKeys ?? sort + distinct }

    /// The index that the query lacks, so that it takes long.
    func missingIndex(_ schema: RowSchema) -> MissingIndex? {
        MissingIndex(of: predicate, sort: orderKeys, rowClass: rowClass, schema)
    }

    /// Whether a page is found where the one before it ended: DISTINCT in another order than that of its own paths
    /// needs the objects before, which tell the values that were seen.
    var pagesByDistinct: Bool {
        sort.count >= distinct.count && zip(sort, distinct).allSatisfy { $0.path == $1.path }
    }
}

extension Predicate {
    /// Nil for the predicate that holds always.
    package var orNilIfTrue: Predicate? { self == .constant(true) ? nil : self }
}

extension CompiledQuery {
    /// The query of objects of a class with its suffixes, or others, one after the other.
    func staged(of rowClass: RowClass, suffixes others: [QuerySuffix]? = nil) -> StagedQuery {
        StagedQuery(
            classIndex: rowClass.index, predicate: predicate.orNilIfTrue,
            suffixes: others ?? suffixes)
    }
}
