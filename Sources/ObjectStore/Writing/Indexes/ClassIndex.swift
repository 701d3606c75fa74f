import HoldfastBytes
import HoldfastRows
import HoldfastText

/// An index of a class: a property's index, a unique group, a full-text or a geographic index.
struct ClassIndex {
    private enum Source {
        case property(Int)
        case group(UniqueKey)
        case search(SearchIndex)
    }

    let rowClass: RowClass
    private let source: Source

    static func all(of rowClass: RowClass) -> [ClassIndex] {
        rowClass.indexedMembers.map { ClassIndex(rowClass: rowClass, source: .property($0)) }
            + rowClass.uniqueKeys.filter(\.isGroup).map {
                ClassIndex(rowClass: rowClass, source: .group($0))
            } + rowClass.searchIndexes.map { ClassIndex(rowClass: rowClass, source: .search($0)) }
    }

    /// The number under which its entries stand.
    var number: UInt32 {
        switch source {
        case .property(let member): rowClass.members[member].number
        case .group(let unique): unique.number
        case .search(let index): index.number
        }
    }

    var name: String {
        let members =
            switch source {
            case .property(let member): [member]
            case .group(let unique): unique.members
            case .search(let index): [index.member]
            }
        return members.map { rowClass.definition.properties[$0].name }.joined(separator: ", ")
    }

    var isGroup: Bool { if case .group = source { true } else { false } }

    /// The unique key of its objects; nil when they may share one.
    var unique: UniqueKey? { rowClass.uniqueKeys.first { $0.number == number } }

    /// Hands over the key of each entry that a row has.
    ///
    /// - `rows`: The schema of the class.
    /// - `overflow`: Reads out-of-line values.
    /// - `words`: For the words of a text.
    /// - `buffer`: For the keys.
    func forEachEntry<Failure: Error>(
        _ key: UInt64, _ row: RowView, _ rows: RowSchema, _ overflow: any OverflowSource,
        _ words: WordSet, in buffer: ByteBuffer,
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        buffer.removeAll()
        switch source {
        case .property(let member):
            IndexEntry.append(rowClass, member, key, row, overflow, to: buffer)
        case .group(let unique):
            guard IndexEntry.append(rowClass, group: unique, key, row, overflow, to: buffer)
            else { return }
        case .search(let index) where index.kind == .geo:
            guard IndexEntry.append(rowClass, point: index, key, row, rows, overflow, to: buffer)
            else { return }
        case .search(let index):
            IndexEntry.readWords(rowClass, index, row, overflow, into: words)
            for position in 0..<words.count {
                try body(
                    buffer.making { IndexEntry.append(index, word: words[position], key, to: $0) })
            }
            return
        }
        try body(buffer.bytes)
    }
}

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
