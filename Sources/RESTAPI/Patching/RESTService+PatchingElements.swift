import ObjectJSON
import ObjectStore
import Rows
import StoreService

extension RESTService {
    /// Changes single elements of collections outside an object's row.
    ///
    /// Cost: logarithmic in the number of elements for each step.
    ///
    /// - Returns: Nil when there is no step.
    /// - Throws: ``WriteFailure``.
    func apply(
        _ elements: ElementSteps, of patch: JSONPatch, to rowClass: RowClass, key: UInt64,
        references: [String: NamedReference]?, depthMax: Int, _ transaction: WriteTransaction
    ) throws(WriteFailure) -> WriteResult? {
        let scratch = RequestScratch.current
        let names = scratch.names(of: transaction.catalog.rows, served)
        scratch.reader.reset()
        scratch.reader.references = references
        defer { scratch.reader.reset() }
        let patchers = ElementPatchers(
            transaction, rowClass, key, names, scratch, depthMax: depthMax)
        for step in elements.steps { try patchers.apply(patch.operations[step.index], step) }
        try patchers.finish()
        return patchers.result
    }
}
