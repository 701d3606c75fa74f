import HoldfastBytes
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows

extension WriteTransaction {
    /// Writes an object as the transaction leaves it, and its reader may see it.
    ///
    /// - Returns: False, with nothing written, where that is nothing.
    /// - Throws: ``StoreError`` when it can't be read, or takes more memory than a reply may.
    func writeProjected(
        _ row: RowView, key: UInt64, _ selection: FieldSelection, _ form: ReplyForm,
        for caller: Caller, _ served: ServedStore, to buffer: ByteBuffer
    ) throws(StoreError) -> Bool {
        try withView { view throws(StoreError) in
            let own: ReadTransaction
            do throws(RequestFault) { own = try caller.view(of: view) } catch {
                throw .refused(error)
            }
            guard let row = own.shown(selection.rowClass, key, row) else { return false }
            var writer = ObjectWriter(
                buffer, RequestScratch.current.names(of: own.rows, served), own,
                served.limits, quotesLargeInts: form.quotesLargeInts)
            writer.write(row, key: key, selection)
            try writer.finish()
            return true
        }
    }
}
