import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows
import HoldfastStorage

/// Finds objects of a class that share what is to become unique.
///
/// Hashes of values are sorted, a part of them after the other, so that memory stays at some 24 MiB
/// however many objects there are. Cost: the class's rows are read once for each million of them.
struct DuplicateSearch {
    let rowClass: RowClass
    let unique: UniqueKey
    /// The snapshot that the rows are read from; they may be of layouts older than the class's newest.
    let snapshot: any StorageSnapshot
    /// Reads out-of-line values.
    let source: any OverflowSource

    /// The conversion of rows that are still those of another class; nil when they are the class's own.
    var conversion: Conversion?

    /// Makes rows of the class of others.
    struct Conversion {
        /// The class whose rows are there.
        var source: RowClass
        /// Makes the row that an object will have; it is valid until the next one is made.
        var convert: (_ key: UInt64, _ row: RowView) -> RowView?
    }

    /// The objects that share values.
    struct Duplicates {
        /// The number of objects that share their value with another.
        var objectCount: Int
        /// Pairs of such objects.
        var examples: [(UInt64, UInt64)]
    }

    private struct Entry {
        var high: UInt64
        var low: UInt64
        var key: UInt64
    }

    private static let exampleCountMax = 3
    /// The most hashes that are held at once.
    var entryCountMax = 1 << 20

    /// Finds shared values, as a fault of the schema that names examples; nil when there are none.
    func fault() throws(StorageError) -> SchemaFault? {
        guard let found = try run() else { return nil }
        let definition = rowClass.definition
        let names = unique.members.map { "'\(definition.properties[$0].name)'" }
        var examples: [String] = []
        for (first, second) in found.examples {
            guard let a = try row(first) else { continue }
            let values = unique.members.map { rowClass.valueText($0, a) }
            let holder = rowClass.objectText(first, a)
            guard let b = try row(second) else { continue }
            examples.append(
                "\(values.joined(separator: ", ")) of \(holder) and "
                    + rowClass.objectText(second, b))
        }
        var fault = SchemaFault(
            className: definition.name,
            detail:
                "\(found.objectCount) objects share \(names.joined(separator: ", ")) with another: "
                + examples.joined(separator: "; ")
                + (found.objectCount > 2 * examples.count ? "; …" : "")
                + ". Give them different values first.")
        if unique.isGroup {
            let groups = rowClass.uniqueKeys.filter(\.isGroup)
            fault.uniqueGroup = groups.firstIndex { $0.number == unique.number }
        } else {
            fault.property = definition.properties[unique.members[0]].name
        }
        return fault
    }

    /// Looks for objects that share a value; nil when there are none.
    func run() throws(StorageError) -> Duplicates? {
        var found = Duplicates(objectCount: 0, examples: [])
        let partCount = try count() / UInt64(entryCountMax) + 1
        for part in 0..<partCount {
            var entries: ContiguousArray<Entry> = []
            try forEachValue { hash, key in
                if hash.high % partCount == part {
                    entries.append(Entry(high: hash.high, low: hash.low, key: key))
                }
            }
            entries.sort { ($0.high, $0.low, $0.key) < ($1.high, $1.low, $1.key) }
            var start = 0
            while start < entries.count {
                var end = start + 1
                while end < entries.count, entries[end].high == entries[start].high,
                    entries[end].low == entries[start].low
                {
                    end += 1
                }
                if end - start > 1 {
                    found.objectCount += end - start
                    if found.examples.count < Self.exampleCountMax {
                        found.examples.append((entries[start].key, entries[start + 1].key))
                    }
                }
                start = end
            }
        }
        return found.objectCount > 0 ? found : nil
    }

    private func count() throws(StorageError) -> UInt64 {
        let buffer = ByteBuffer(capacity: 16)
        StoreKey.appendClassState(rowClass.number, to: buffer)
        return try snapshot.value(forKey: buffer.bytes).flatMap { ClassState($0)?.count } ?? 0
    }

    private func row(_ key: UInt64) throws(StorageError) -> RowView? {
        let buffer = ByteBuffer(capacity: 16)
        StoreKey.appendRow(conversion?.source ?? rowClass, key, to: buffer)
        guard let row = try snapshot.value(forKey: buffer.bytes).flatMap({ RowView($0) }) else {
            return nil
        }
        return conversion.map { $0.convert(key, row) } ?? row
    }

    /// Hands over a hash of the value of each object that has one.
    private func forEachValue(
        _ body: (_ hash: (high: UInt64, low: UInt64), _ key: UInt64) -> Void
    ) throws(StorageError) {
        let buffer = ByteBuffer()
        let stored = conversion?.source ?? rowClass
        StoreKey.appendRowPrefix(stored, to: buffer)
        var isDamaged = false
        try snapshot.scan(
            KeyRange(prefix: buffer.array), reversed: false, expecting: 4096
        ) { rowKey, value in
            let key = StoreKey.trailingObjectKey(rowKey)
            guard let view = RowView(value), stored.canRead(view),
                let row = conversion.map({ $0.convert(key, view) }) ?? view
            else {
                isDamaged = true
                return false
            }
            buffer.removeAll()
            if IndexEntry.appendValue(
                rowClass, unique, row, source, isWhole: true, to: buffer)
            {
                body(SipHash128.hash(buffer.bytes), key)
            }
            return true
        }
        if isDamaged { throw StorageError(.corrupted, operation: "read rows") }
    }
}
