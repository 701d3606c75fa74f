import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

/// An aggregate that was checked against the schema and is ready to run.
package struct CheckedAggregate: Sendable {
    let rowClass: RowClass
    /// The condition.
    let predicate: Predicate?
    /// The whole query, where the filter has SORT, DISTINCT or LIMIT.
    let stages: StagedQuery?
    package let operations: [AggregateOperation]
    /// The keys of groups; empty without groups.
    package let by: [GroupKey]
    /// The paths of ``by`` as they are written.
    let byNames: [String]
    /// Which groups are shown, and in which order.
    let selection: GroupSelection
    /// Groups of a page.
    package let limit: Int
    /// The request that a cursor is bound to.
    let hash: PageCursor.QueryHash

    /// The most operations of a request.
    package static let operationCountMax = 64

    /// Checks an aggregate.
    ///
    /// - Throws: ``RequestFault`` `.malformed` with the column or the parameter.
    package init(
        _ query: QueryText, _ aggregate: AggregateText, of container: ObjectContainer,
        names: SchemaNames, limits: ServiceLimits
    ) throws(RequestFault) {
        let (rowClass, projection) = try names.find(container)
        self.rowClass = rowClass
        let operationList = aggregate.operations ?? "count"
        try query.requireLengths(limits, beside: aggregate.parts)
        limit = try query.pageLimit(limits)
        let compiled = try query.compiledFilter(
            .objects(classIndex: rowClass.index), names.schema, projection)
        predicate = compiled?.predicate.orNilIfTrue
        stages = compiled.flatMap { $0.suffixes.isEmpty ? nil : $0.staged(of: rowClass) }
        do throws(QueryError) {
            operations = try AggregateOperation.parse(
                list: operationList, rootClass: rowClass.index, schema: names.schema)
        } catch {
            throw query.fault(projection?.explaining(error, in: operationList) ?? error, "op")
        }
        guard operations.count <= Self.operationCountMax else {
            throw query.fault(
                "op", "An aggregate has at most \(Self.operationCountMax) operations.")
        }
        let zone = try Self.zone(aggregate, query)
        if let by = aggregate.by {
            do throws(QueryError) {
                self.by = try GroupKey.parse(
                    list: by, zone: zone, rootClass: rowClass.index, schema: names.schema)
            } catch { throw query.fault(projection?.explaining(error, in: by) ?? error, "by") }
            byNames = SortKey.texts(list: by)
            guard self.by.count <= QueryText.sortKeyCountMax else {
                throw query.fault("by", "Groups have at most \(QueryText.sortKeyCountMax) paths.")
            }
            guard Set(byNames).count == byNames.count else {
                throw query.fault("by", "A path is stated twice; state it once.")
            }
        } else {
            (self.by, byNames) = ([], [])
            for (name, isExplicit) in [
                ("limit", query.limit != nil), ("cursor", query.cursor != nil),
                ("having", aggregate.having != nil), ("order", aggregate.order != nil),
                ("tz", aggregate.timeZone != nil),
            ] where isExplicit {
                throw query.fault(
                    name, "'\(name)' is for groups; without 'by' there are no groups.")
            }
        }
        let readsDates = self.by.contains { if case .date = $0.part { true } else { false } }
        if aggregate.timeZone != nil, !readsDates, aggregate.by != nil {
            throw query.fault("tz", "'tz' needs a part of a date in 'by', such as year(born).")
        }
        selection = try Self.selection(aggregate, operations, query, names.schema)
        hash = PageCursor.QueryHash(
            ["aggregate", rowClass.definition.name, operationList]
                + aggregate.parts.dropFirst().map(\.text), query,
            self.by.map { SortKey(path: $0.path) }, now: compiled?.now)
    }

    private static func zone(
        _ aggregate: AggregateText, _ query: QueryText
    ) throws(RequestFault) -> ClockZone {
        guard let text = aggregate.timeZone else { return .offset(0) }
        guard let zone = ClockZone(text) else {
            throw query.fault(
                "tz",
                "'tz' is an offset such as +02:00 (in a URL %2B02:00), or the IANA name of a zone, such as "
                    + "Europe/Paris.")
        }
        return zone
    }

    private static func selection(
        _ aggregate: AggregateText, _ operations: [AggregateOperation], _ query: QueryText,
        _ schema: RowSchema
    ) throws(RequestFault) -> GroupSelection {
        var selection = GroupSelection()
        var name = "having"
        do throws(QueryError) {
            selection.condition = try aggregate.having.map { (text) throws(QueryError) in
                try GroupCondition.parse(text, operations: operations, schema: schema)
            }
            name = "order"
            selection.order = try aggregate.order.map { (list) throws(QueryError) in
                try GroupOrder.parse(list: list, operations: operations)
            }
        } catch { throw query.fault(error, name) }
        guard selection.order?.count ?? 0 <= QueryText.sortKeyCountMax else {
            throw query.fault(
                "order", "'order' names at most \(QueryText.sortKeyCountMax) operations.")
        }
        return selection
    }
}
