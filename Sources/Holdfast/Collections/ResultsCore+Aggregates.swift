import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

extension ResultsCore {
    /// Calculates the least, greatest, mean or sum of a property of the objects; nil of none.
    ///
    /// Cost: that of the service's aggregates, from columns where they have the property, else a scan.
    func aggregate(
        _ function: AggregateFunction, of property: String
    ) throws(InvalidQuery) -> Value? {
        if isInvalidated { return nil }
        let view = realm.view
        let classIndex = binding.rowClass.index
        let operations: [AggregateOperation]
        do {
            operations = try AggregateOperation.parse(
                list: "\(function.rawValue)(\(property))", rootClass: classIndex, schema: view.rows)
        } catch {
            throw InvalidQuery(error)
        }
        let aggregation = Aggregation(
            operations, by: [], page: GroupPage(after: nil, countMax: 1), byteCountMax: .max,
            schema: view.rows)
        do throws(StoreError) {
            let grouped: QueryExecution.Grouped?
            if case .all = base, isWhole {
                grouped = try QueryExecution(
                    ObjectQuery(classIndex: classIndex, predicate: parts.predicate), in: view
                ).groups(of: aggregation)
            } else {
                grouped = try QueryExecution(ObjectQuery(classIndex: classIndex), in: view)
                    .groups(of: aggregation, keys.filter { !isNull($0) })
            }
            return grouped?.groups.first?.results.first.flatMap { ValueAggregate.value(of: $0) }
        } catch {
            realm.storageFailed(error)
            return nil
        }
    }
}
