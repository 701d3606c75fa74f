import HoldfastBytes
import HoldfastRows
import HoldfastStorage

// Edits of an object of which the transaction's writer sees a part.
extension ObjectEditor {
    /// The row of the object that the edits lead to, with what the transaction's writer does not see.
    ///
    /// - `row`: What they lead to of what is seen.
    /// - `members`: The properties that are as they are stored.
    func merged(
        _ row: ByteBuffer, _ members: [Int], _ stored: RowView
    ) throws(StoreError) -> ByteBuffer {
        guard let base else { return row }
        let before = try self.row(base.row, taking: members, from: stored)
        guard let shown = RowView(before.bytes) else {
            throw .storage(StorageError(.corrupted, operation: "edit row"))
        }
        // What is known of the edits is of the lists that are seen.
        var formers: [Int: [Int?]] = [:]
        for member in lists.keys where base.hidden.links.contains(member) {
            let count = rowClass.collection(member, in: shown, transaction.overflow).count
            formers[member] = lists.removeValue(forKey: member)?.formers(of: count)
        }
        return try transaction.merged(
            rowClass, key, stored, WriteJudge.Shown(row: shown, hidden: base.hidden), row,
            WriteOrigin(source: source), formers: formers) ?? row
    }

    /// The row as it is by now, as far as its writer knows it or may read it.
    ///
    /// - `member`: As of ``current(_:)``.
    func readable(_ member: Int?) throws(EditFailure) -> RowView {
        let row = try current(member)
        guard !unshown.isEmpty, let judge = transaction.judge else { return row }
        var parts = HiddenParts()
        parts.properties = unshown
        let copy = ByteBuffer(capacity: row.byteCount)
        transaction.rowBuilder.append(row, rowClass, without: parts, objects: judge, to: copy)
        readCopy = copy
        guard let view = RowView(copy.bytes) else { throw damaged }
        return view
    }

    /// Has a change of an out-of-line collection judged.
    func judge(changeOf member: Int) {
        transaction.judge?.changed(
            ObjectIdentity(classIndex: rowClass.index, key: key), MemberSet([member]),
            source: source)
    }
}
