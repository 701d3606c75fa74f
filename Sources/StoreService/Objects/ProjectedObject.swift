import HoldfastBytes
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows

/// The form in which a write through a projection shows the objects of its class to its caller.
struct ProjectedObject {
    let selection: FieldSelection
    let form: ReplyForm
    let caller: Caller
    let served: ServedStore

    /// Writes the visible part of an object as the transaction leaves it. Only for the reply to a transaction that
    /// succeeds: the transaction's changes may let the reader see more, and are not judged yet.
    ///
    /// - Returns: False, with nothing written, if the reader may see nothing of it.
    /// - Throws: ``StoreError`` when it can't be read, or takes more time or memory than a reply may.
    func write(
        _ row: RowView, key: UInt64, _ transaction: WriteTransaction, to buffer: ByteBuffer
    ) throws(StoreError) -> Bool {
        try transaction.withView { view throws(StoreError) in
            view.limitFollowing(until: served.queryDeadline)
            let own: ReadTransaction
            do throws(RequestFault) { own = try caller.view(of: view) } catch {
                throw .refused(error)
            }
            return try write(row, key: key, own, to: buffer)
        }
    }

    /// Writes an object as the writer may see it when the transaction begins; a writer without rules sees it as it is now.
    ///
    /// - Returns: False, with nothing written, if the writer sees nothing of it.
    /// - Throws: ``StoreError`` when it can't be read, or takes more time or memory than a reply may.
    func writeSeen(
        key: UInt64, _ transaction: WriteTransaction, to buffer: ByteBuffer
    ) throws(StoreError) -> Bool {
        try transaction.withWriterView(until: served.queryDeadline) { own throws(StoreError) in
            guard let row = own.unrestricted.row(classIndex: selection.rowClass.index, key: key)
            else { return false }
            return try write(row, key: key, own, to: buffer)
        }
    }

    private func write(
        _ row: RowView, key: UInt64, _ own: ReadTransaction, to buffer: ByteBuffer
    ) throws(StoreError) -> Bool {
        guard let row = own.shown(selection.rowClass, key, row) else { return false }
        var writer = ObjectWriter(
            buffer, RequestScratch.current.names(of: own.rows, served), own, served.limits,
            quotesLargeInts: form.quotesLargeInts)
        writer.write(row, key: key, selection)
        try writer.finish()
        return true
    }

    /// Tests the preconditions of a write to an existing object.
    ///
    /// - `row`: Its row, as the writer sees it.
    /// - Throws: ``StoreError`` if a precondition fails, with the object as the projection shows it.
    func check(
        _ precondition: Precondition, _ rowClass: RowClass, _ key: UInt64, _ row: RowView,
        _ transaction: WriteTransaction
    ) throws(StoreError) {
        do throws(StoreError) {
            try transaction.check(precondition, rowClass, key: key, row)
        } catch {
            guard case .preconditionFailed(_?) = error else { throw error }
            var fault = RequestFault(error)
            let buffer = ByteBuffer(capacity: 512)
            if try writeSeen(key: key, transaction, to: buffer) {
                fault.currentJSON = buffer.array
            } else {
                fault.current = nil
            }
            throw .refused(fault)
        }
    }
}
