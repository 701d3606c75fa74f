import ObjectModel
import Rows
import Storage

extension SchemaChange {
    /// Refuses to make unique what objects share.
    ///
    /// - `snapshot`: What the objects are read from, by the classes of the new catalog.
    /// - `source`: Where values lie that have left their rows.
    /// - Throws: ``StoreError`` `.sharedValues` with a fault for each property and group.
    func testUniqueness(in snapshot: any StorageSnapshot, _ source: any OutsideSource)
        throws(StoreError)
    {
        var faults: [SchemaFault] = []
        for test in uniquenessTests {
            let rowClass = catalog.rows.classes[test.classIndex]
            guard let unique = rowClass.uniqueKeys.first(where: { $0.number == test.number })
            else { continue }
            let search = DuplicateSearch(
                rowClass: rowClass, unique: unique, snapshot: snapshot, source: source)
            do throws(StorageError) {
                if let fault = try search.fault() { faults.append(fault) }
            } catch {
                throw .storage(error)
            }
        }
        if !faults.isEmpty { throw .sharedValues(faults) }
    }
}
