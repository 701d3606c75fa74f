import ObjectJSON
import ObjectStore
import Rows

/// The collections of one object of which a JSON patch changes single elements. The writer's thread uses it,
/// while the transaction's body runs.
final class ElementPatchers {
    let transaction: WriteTransaction
    let rowClass: RowClass
    let key: UInt64
    let names: SchemaNames
    let scratch: RequestScratch
    let depthMax: Int
    private var patchers: [Int: ElementPatcher] = [:]
    /// Those with changes that are not in the object's row yet.
    private var editors: [Int: any ElementEditor] = [:]
    /// What became of the object up to now.
    private(set) var result: WriteResult?

    init(
        _ transaction: WriteTransaction, _ rowClass: RowClass, _ key: UInt64, _ names: SchemaNames,
        _ scratch: RequestScratch, depthMax: Int
    ) {
        self.transaction = transaction
        self.rowClass = rowClass
        self.key = key
        self.names = names
        self.scratch = scratch
        self.depthMax = depthMax
    }

    /// Applies a step.
    func apply(_ operation: JSONPatch.Operation, _ step: ElementSteps.Step) throws(WriteFailure) {
        let patcher = patchers[step.member] ?? ElementPatcher(self, step.member)
        patchers[step.member] = patcher
        try patcher.apply(operation, step)
        // One that lies in the row, since an object nested in the patch has changed it, holds the row as it
        // was: nothing else may be changed beside it.
        if let editor = editors[step.member], !(editor is CollectionEditor) { try finish() }
    }

    /// What changes the elements of a collection, until ``finish()``.
    func editor(_ member: Int) throws(WriteFailure) -> any ElementEditor {
        if let editor = editors[member] { return editor }
        do throws(StoreError) {
            guard let row = try transaction.row(rowClass, key) else { throw .objectNotFound }
            var editor = try transaction.elementEditor(rowClass, key, member, row)
            if !(editor is CollectionEditor), !editors.isEmpty {
                try finishEditors()
                guard let row = try transaction.row(rowClass, key) else { throw .objectNotFound }
                editor = try transaction.elementEditor(rowClass, key, member, row)
            }
            editors[member] = editor
            return editor
        } catch {
            throw .store(error)
        }
    }

    /// Writes what has changed to the object's row.
    func finish() throws(WriteFailure) {
        try WriteFailure.storing { () throws(StoreError) in try finishEditors() }
    }

    private func finishEditors() throws(StoreError) {
        let open = editors.sorted { $0.key < $1.key }
        editors.removeAll()
        for (_, editor) in open {
            var written = try editor.finish()
            written.isChanged = written.isChanged || (result?.isChanged ?? false)
            result = written
        }
    }
}
