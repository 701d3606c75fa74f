import HoldfastBytes
import HoldfastRows
import HoldfastText

/// Maintenance of search indexes of every kind.
extension CommitGroup {
    /// Adds the index entries that a row has gained, and removes the entries that it has lost.
    func changeEntries(_ index: SearchIndex, _ change: RowChange) {
        let (rowClass, key) = (change.rowClass, change.key)
        switch index.kind {
        case .fullText:
            let (before, after) = (memory.oldWords, memory.words)
            IndexEntry.readWords(rowClass, index, change.old, overflow, into: before)
            IndexEntry.readWords(rowClass, index, change.new, overflow, into: after)
            before.forEachWord(notIn: after) { word in
                overlay.remove(
                    keyBuffer.making { IndexEntry.append(index, word: word, key, to: $0) })
            }
            after.forEachWord(notIn: before) { word in
                overlay.put(keyBuffer.making { IndexEntry.append(index, word: word, key, to: $0) })
            }
        case .geo:
            if let old = change.old, let entry = pointEntry(index, change, old) {
                overlay.remove(entry)
            }
            if let new = change.new, let entry = pointEntry(index, change, new) {
                overlay.put(entry)
            }
        }
    }

    private func pointEntry(
        _ index: SearchIndex, _ change: RowChange, _ row: RowView
    ) -> UnsafeRawBufferPointer? {
        keyBuffer.removeAll()
        let isThere = IndexEntry.append(
            change.rowClass, point: index, change.key, row, rows, overflow, to: keyBuffer)
        return isThere ? keyBuffer.bytes : nil
    }
}
