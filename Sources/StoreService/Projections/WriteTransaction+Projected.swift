import Bytes
import ObjectJSON
import ObjectStore
import Rows

extension WriteTransaction {
    /// Writes an object as the transaction leaves it.
    ///
    /// - Throws: ``StoreError`` when it can't be read, or takes more memory than a reply may.
    func writeProjected(
        _ row: RowView, key: UInt64, _ selection: FieldSelection, _ form: ReplyForm,
        _ served: ServedStore, to buffer: ByteBuffer
    ) throws(StoreError) {
        let view = view()
        var writer = ObjectWriter(
            buffer, RequestScratch.current.names(of: catalog.rows, served), view, served.limits,
            quotesLargeInts: form.quotesLargeInts)
        writer.write(row, key: key, selection)
        try view.checkFailure()
        if writer.isTruncated {
            throw .refused(RequestFault.replyTooLarge(served.limits.queryMemoryByteCountMax))
        }
    }
}
