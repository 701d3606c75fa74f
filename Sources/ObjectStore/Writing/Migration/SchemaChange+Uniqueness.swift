import HoldfastObjectModel
import HoldfastRows
import HoldfastStorage

extension SchemaChange {
    /// Refuses to make a value unique that objects share.
    ///
    /// - `snapshot`: The snapshot that the objects are read from, by the classes of the new catalog.
    /// - `converter`: Makes the rows that `snapshot` has not got yet; nil when it has them.
    /// - `source`: Reads out-of-line values.
    /// - Throws: ``StoreError`` `.sharedValues` with a fault for each property and group.
    func testUniqueness(
        in snapshot: any StorageSnapshot, _ source: any OverflowSource,
        _ converter: RowConverter? = nil
    ) throws(StoreError) {
        var faults: [SchemaFault] = []
        for (rowClass, unique) in uniquenessTests {
            var search = DuplicateSearch(
                rowClass: rowClass, unique: unique, snapshot: snapshot, source: source)
            if let converter,
                let work = works.values.first(where: { $0.target === rowClass && $0.rewrites })
            {
                search.conversion = (work, converter)
            }
            if let fault = try search.fault() { faults.append(fault) }
        }
        if !faults.isEmpty { throw .sharedValues(faults) }
    }
}
