import Bytes
import Rows
import Storage
import Text

/// Full-text and geographic indexes: every word of a row, and every point, has its entry, and there are no
/// others. Which entry is too many is
/// looked for only where their number is wrong, or one is missing.
extension StoreCheck {
    /// The words of the present row, and how many entries there are and should be, by the index's number.
    struct Words {
        let set = WordSet()
        var expectedCounts: [UInt32: Int] = [:]
        var counts: [UInt32: Int] = [:]
        /// The indexes that lack an entry.
        var incomplete: Set<UInt32> = []
    }

    /// Checks that the words of a row have their entries.
    mutating func checkWords(
        _ rowClass: RowClass, _ key: UInt64, _ row: RowView, _ buffer: ByteBuffer
    ) throws(StoreError) {
        for index in rowClass.searchIndexes {
            if index.kind == .geo {
                try checkPoint(rowClass, index, key, row, buffer)
                continue
            }
            IndexEntry.readWords(rowClass, index, row, transaction, into: words.set)
            words.expectedCounts[index.number, default: 0] += words.set.count
            for position in 0..<words.set.count {
                let entry = buffer.making {
                    IndexEntry.append(index, word: words.set[position], key, to: $0)
                }
                if try !has(Array(entry)) {
                    words.incomplete.insert(index.number)
                    report.add("index-entry-missing", name(rowClass, key, index))
                }
            }
        }
    }

    /// Counts an entry.
    mutating func countWord(_ number: UInt32) { words.counts[number, default: 0] += 1 }

    /// Looks for entries that no row has, in the indexes that have too many.
    mutating func checkWordEntries() throws(StoreError) {
        for (number, location) in rows.searchIndexByNumber.sorted(by: { $0.key < $1.key })
        where words.incomplete.contains(number)
            || words.counts[number] ?? 0 != words.expectedCounts[number] ?? 0
        {
            let rowClass = rows.classes[location.classIndex]
            let index = rowClass.searchIndexes[location.position]
            let buffer = ByteBuffer(capacity: 8)
            StoreKey.appendIndexPrefix(number, to: buffer)
            try scan(buffer.array) { (check, entry, _) throws(StoreError) in
                if check.isGarbage(entry) { return }
                let key = StoreKey.trailingObjectKey(entry)
                guard case .row(let row) = try check.find(rowClass, key: key) else {
                    return check.report.add(
                        "index-entry-without-row", check.name(rowClass, key, index))
                }
                if !check.has(entry, rowClass, index, key, row, buffer) {
                    check.report.add("index-entry-wrong", check.name(rowClass, key, index))
                }
            }
        }
    }

    /// Checks that the point of a row has its entry.
    private mutating func checkPoint(
        _ rowClass: RowClass, _ index: SearchIndex, _ key: UInt64, _ row: RowView,
        _ buffer: ByteBuffer
    ) throws(StoreError) {
        buffer.removeAll()
        guard IndexEntry.append(rowClass, point: index, key, row, rows, transaction, to: buffer)
        else { return }
        words.expectedCounts[index.number, default: 0] += 1
        if try !has(buffer.array) {
            words.incomplete.insert(index.number)
            report.add("index-entry-missing", name(rowClass, key, index))
        }
    }

    /// Whether an entry is one that a row has.
    private func has(
        _ entry: UnsafeRawBufferPointer, _ rowClass: RowClass, _ index: SearchIndex, _ key: UInt64,
        _ row: RowView, _ buffer: ByteBuffer
    ) -> Bool {
        switch index.kind {
        case .fullText:
            IndexEntry.readWords(rowClass, index, row, transaction, into: words.set)
            return (0..<words.set.count).contains { position in
                compareKeys(
                    buffer.making {
                        IndexEntry.append(index, word: words.set[position], key, to: $0)
                    }, entry) == 0
            }
        case .geo:
            buffer.removeAll()
            return IndexEntry.append(
                rowClass, point: index, key, row, rows, transaction, to: buffer)
                && compareKeys(buffer.bytes, entry) == 0
        }
    }

    private func name(_ rowClass: RowClass, _ key: UInt64, _ index: SearchIndex) -> String {
        "\(name(rowClass, key)), \(rowClass.definition.properties[index.member].name)"
    }
}
