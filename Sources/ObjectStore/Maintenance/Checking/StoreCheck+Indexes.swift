import HoldfastBytes
import HoldfastRows
import HoldfastText

/// Indexes of every kind: a row has its entries, and there are no others. An entry too many is looked for only where
/// their number is wrong, or one is missing.
extension StoreCheck {
    /// The store's indexes, and how many entries each has and should have, by number.
    struct Indexes {
        /// The indexes of each class, by its position.
        let ofClass: [[ClassIndex]]
        let byNumber: [UInt32: ClassIndex]
        /// For the words of the present row.
        let words = WordSet()
        /// The number of entries that each index has, and the number that it should have.
        var counts: [UInt32: Int] = [:]
        var expectedCounts: [UInt32: Int] = [:]
        /// The indexes that lack an entry.
        var incomplete: Set<UInt32> = []

        init(_ rows: RowSchema) {
            ofClass = rows.classes.map { ClassIndex.all(of: $0) }
            byNumber = Dictionary(
                ofClass.joined().map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
        }
    }

    /// Checks that a row has its entries.
    func checkEntries(
        of rowClass: RowClass, _ key: UInt64, _ row: RowView, _ buffer: ByteBuffer
    ) throws(StoreError) {
        for index in indexes.ofClass[rowClass.index] {
            try index.forEachEntry(key, row, rows, transaction, indexes.words, in: buffer) {
                entry throws(StoreError) in
                indexes.expectedCounts[index.number, default: 0] += 1
                if try has(Array(entry)) { return }
                indexes.incomplete.insert(index.number)
                report.add("index-entry-missing", "\(name(rowClass, key)), \(index.name)")
            }
        }
    }

    /// Checks that each entry belongs to an index, and that no two objects share a unique value.
    func checkIndexes() throws(StoreError) {
        let buffer = ByteBuffer()
        let last = ByteBuffer()
        // The hashes of unique lists and maps under the property's number.
        var known: Set<[UInt64]> = []
        var knownNumber: UInt32 = 0
        try scan([StoreKey.Tag.index]) { (entry, _) throws(StoreError) in
            if isGarbage(entry) { return }
            report.indexEntryCount += 1
            guard entry.count >= 14 else {
                return report.add("index-entry-damaged", "\(entry.count) bytes")
            }
            let number = UInt32(bigEndian: entry.loadUnaligned(fromByteOffset: 1, as: UInt32.self))
            guard let index = indexes.byNumber[number] else {
                return report.add("index-unknown", "property number \(number)")
            }
            indexes.counts[number, default: 0] += 1
            guard let unique = index.unique else { return }
            let key = StoreKey.trailingObjectKey(entry)
            let value = UnsafeRawBufferPointer(rebasing: entry[..<(entry.count - 8)])
            // A null in a property's index is no value; groups have no entry for one.
            var isShared =
                (unique.isGroup || entry.count > 14) && compareKeys(value, last.bytes) == 0
            last.removeAll()
            last.append(value)
            if case .row(let row) = try find(index.rowClass, key: key),
                IndexEntry.holdsElements(index.rowClass, unique, row, transaction)
            {
                if knownNumber != number { known = [] }
                knownNumber = number
                buffer.removeAll()
                _ = IndexEntry.appendValue(
                    index.rowClass, unique, row, transaction, isWhole: true, to: buffer)
                let hash = SipHash128.hash(buffer.bytes)
                isShared = !known.insert([hash.high, hash.low]).inserted
            }
            if isShared {
                report.add("unique-value-shared", "\(name(index.rowClass, key)), \(index.name)")
            }
        }
    }

    /// Looks for entries that no row has, in the indexes that have too many.
    func checkSurplusEntries() throws(StoreError) {
        let buffer = ByteBuffer()
        for index in indexes.ofClass.joined()
        where indexes.incomplete.contains(index.number)
            || indexes.counts[index.number] != indexes.expectedCounts[index.number]
        {
            let prefix = Array(buffer.making { StoreKey.appendIndexPrefix(index.number, to: $0) })
            try scan(prefix) { (entry, _) throws(StoreError) in
                if entry.count < 14 || isGarbage(entry) { return }
                let key = StoreKey.trailingObjectKey(entry)
                let name = "\(self.name(index.rowClass, key)), \(index.name)"
                switch try find(index.rowClass, key: key) {
                case .damaged: return
                case .nothing: report.add("index-entry-without-row", name)
                case .row(let row):
                    var isThere = false
                    index.forEachEntry(
                        key, row, rows, transaction, indexes.words, in: buffer
                    ) { if compareKeys($0, entry) == 0 { isThere = true } }
                    if !isThere { report.add("index-entry-wrong", name) }
                }
            }
        }
    }
}
