import Bytes
import Rows
import Text

/// Maintenance of search indexes of every kind.
extension CommitGroup {
    /// Enters what a row has got in an index, and removes what it has lost.
    ///
    /// - `old`: The row before; nil where it is new to the index.
    /// - `row`: Nil where it goes away.
    func changeEntries(
        _ rowClass: RowClass, _ index: SearchIndex, _ key: UInt64, from old: RowView?,
        to row: RowView?, _ rows: RowSchema
    ) {
        switch index.kind {
        case .fullText:
            let (before, after) = (memory.oldWords, memory.words)
            IndexEntry.readWords(rowClass, index, old, overflow, into: before)
            IndexEntry.readWords(rowClass, index, row, overflow, into: after)
            before.forEachWord(notIn: after) { word in
                overlay.remove(
                    keyBuffer.making { IndexEntry.append(index, word: word, key, to: $0) })
            }
            after.forEachWord(notIn: before) { word in
                overlay.put(keyBuffer.making { IndexEntry.append(index, word: word, key, to: $0) })
            }
        case .geo:
            if let old, let entry = pointEntry(rowClass, index, key, old, rows) {
                overlay.remove(entry)
            }
            if let row, let entry = pointEntry(rowClass, index, key, row, rows) {
                overlay.put(entry)
            }
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
