import Bytes
import Rows

/// Maintenance of search indexes of every kind.
extension CommitGroup {
    /// Enters a row that is new to the index.
    func putEntries(
        _ rowClass: RowClass, _ index: SearchIndex, _ key: UInt64, _ row: RowView, _ rows: RowSchema
    ) {
        switch index.kind {
        case .fullText: putWords(rowClass, index, key, row)
        case .geo:
            guard let entry = pointEntry(rowClass, index, key, row, rows) else { return }
            overlay.put(entry)
        }
    }

    /// Removes what a row has in the index.
    func removeEntries(
        _ rowClass: RowClass, _ index: SearchIndex, _ key: UInt64, _ row: RowView, _ rows: RowSchema
    ) {
        switch index.kind {
        case .fullText: removeWords(rowClass, index, key, row)
        case .geo:
            if let entry = pointEntry(rowClass, index, key, row, rows) { overlay.remove(entry) }
        }
    }

    /// Enters what a changed row has got, and removes what it has lost.
    func changeEntries(
        _ rowClass: RowClass, _ index: SearchIndex, _ key: UInt64, from old: RowView,
        to row: RowView, _ rows: RowSchema
    ) {
        switch index.kind {
        case .fullText: changeWords(rowClass, index, key, from: old, to: row)
        case .geo:
            removeEntries(rowClass, index, key, old, rows)
            putEntries(rowClass, index, key, row, rows)
        }
    }

    private func pointEntry(
        _ rowClass: RowClass, _ index: SearchIndex, _ key: UInt64, _ row: RowView, _ rows: RowSchema
    ) -> UnsafeRawBufferPointer? {
        keyBuffer.removeAll()
        let isThere = IndexEntry.append(
            rowClass, point: index, key, row, rows, overflow, to: keyBuffer)
        return isThere ? keyBuffer.bytes : nil
    }
}
