import HoldfastBytes
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows

extension WriteTransaction {
    /// Writes an object as the transaction leaves it.
    ///
    /// - Throws: ``StoreError`` when it can't be read, or takes more memory than a reply may.
    func writeProjected(
        _ row: RowView, key: UInt64, _ selection: FieldSelection, _ form: ReplyForm,
        _ served: ServedStore, to buffer: ByteBuffer
    ) throws(StoreError) {
        try withView { view throws(StoreError) in
            var writer = ObjectWriter(
                buffer, RequestScratch.current.names(of: catalog.rows, served), view,
                served.limits, quotesLargeInts: form.quotesLargeInts)
            writer.write(row, key: key, selection)
            try writer.finish()
        }
    }
}
