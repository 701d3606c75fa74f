import Bytes
import Rows
import Text

/// Maintenance of full-text indexes.
extension CommitGroup {
    private func put(_ index: SearchIndex, _ word: UnsafeRawBufferPointer, _ key: UInt64) {
        overlay.put(keyBuffer.making { IndexEntry.append(index, word: word, key, to: $0) })
    }

    private func remove(_ index: SearchIndex, _ word: UnsafeRawBufferPointer, _ key: UInt64) {
        overlay.remove(keyBuffer.making { IndexEntry.append(index, word: word, key, to: $0) })
    }

    /// Enters the words of a row that is new to the index.
    func putWords(_ rowClass: RowClass, _ index: SearchIndex, _ key: UInt64, _ row: RowView) {
        let words = memory.words
        IndexEntry.readWords(rowClass, index, row, overflow, into: words)
        for position in 0..<words.count { put(index, words[position], key) }
    }

    /// Removes the words of a row.
    func removeWords(_ rowClass: RowClass, _ index: SearchIndex, _ key: UInt64, _ row: RowView) {
        let words = memory.words
        IndexEntry.readWords(rowClass, index, row, overflow, into: words)
        for position in 0..<words.count { remove(index, words[position], key) }
    }

    /// Enters the words that a changed row has got, and removes those that it has lost.
    func changeWords(
        _ rowClass: RowClass, _ index: SearchIndex, _ key: UInt64, from old: RowView,
        to row: RowView
    ) {
        let (before, after) = (memory.oldWords, memory.words)
        IndexEntry.readWords(rowClass, index, old, overflow, into: before)
        IndexEntry.readWords(rowClass, index, row, overflow, into: after)
        before.forEachWord(notIn: after) { remove(index, $0, key) }
        after.forEachWord(notIn: before) { put(index, $0, key) }
    }
}
