import ObjectStore
import Rows

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
        let names = scratch.names(of: transaction.catalog.rows, self)
        scratch.reader.reset()
        scratch.reader.references = references
        defer { scratch.reader.reset() }
        var patchers: [Int: ElementPatcher] = [:]
        for step in elements.steps {
            var patcher = patchers[step.member]
            if patcher == nil {
                do throws(StoreError) {
                    let editor = try transaction.editor(rowClass, key: key, member: step.member)
                    guard let editor else { throw .objectNotFound }
                    patcher = ElementPatcher(
                        editor, rowClass, step.member, names, scratch, transaction.view(),
                        depthMax: depthMax)
                } catch {
                    throw .store(error)
                }
                patchers[step.member] = patcher
            }
            try patcher?.apply(patch.operations[step.index], step)
        }
        var result: WriteResult?
        do throws(StoreError) {
            for member in patchers.keys.sorted() {
                guard var written = try patchers[member]?.editor.finish() else { continue }
                written.isChanged = written.isChanged || (result?.isChanged ?? false)
                result = written
            }
        } catch {
            throw .store(error)
        }
        return result
    }
}
