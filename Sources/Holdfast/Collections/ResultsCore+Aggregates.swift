import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

extension ResultsCore {
    /// Calculates the least, greatest, mean or sum of a property's values; nil of none.
    ///
    /// Cost: that of the service's aggregates, from columns where they have the property, else a scan.
    func aggregate(_ function: String, of property: String) throws(InvalidQuery) -> Value? {
        realm.checkThread()
        if realm.isInvalidated { return nil }
        let view = realm.view
        let operations: [AggregateOperation]
        do {
            operations = try AggregateOperation.parse(
                list: "\(function)(\(property))", rootClass: binding.rowClass.index,
                schema: view.rows)
        } catch {
            throw InvalidQuery(error)
        }
        let aggregation = Aggregation(
            operations, by: [], page: GroupPage(after: nil, countMax: 1), byteCountMax: .max,
            schema: view.rows)
        do throws(StoreError) {
            let execution = try QueryExecution(
                ObjectQuery(classIndex: binding.rowClass.index, predicate: parts.predicate),
                in: view)
            if isWhole {
                return Self.value(try execution.groups(of: aggregation))
            }
            for key in keys {
                guard let row = try view.find(binding.rowClass, key: key) else { continue }
                _ = aggregation.add(row: row, key: key, source: view)
            }
            return Self.value(try execution.finished(aggregation))
        } catch {
            realm.storageFailed(error)
            return nil
        }
    }

    private static func value(_ grouped: QueryExecution.Grouped?) -> Value? {
        guard let result = grouped?.groups.first?.results.first else { return nil }
        switch result {
        case .none: return nil
        case .stored(let bytes, let storage):
            return bytes.withUnsafeBytes { Value(stored: $0, storage) }
        case .beyondInt: Misuse.end("The sum is beyond the integers of 64 bits.")
        }
    }
}
