import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows
import HoldfastStorage

/// Finds objects of a class with equal values in properties that are to become unique.
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

    /// The conversion of rows that still belong to another class; nil for rows of the class itself.
    var conversion: (work: ClassWork, converter: RowConverter)?

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
    /// The row that was converted last.
    let converted = ByteBuffer()

    /// Finds shared values, as a fault of the schema with examples; nil if all values are unique.
    func fault() throws(StoreError) -> SchemaFault? {
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

    /// Looks for objects that share a value; nil if there are no such objects.
    func run() throws(StoreError) -> Duplicates? {
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

    private func count() throws(StoreError) -> UInt64 {
        let value = try value { StoreKey.appendClassState(rowClass.number, to: $0) }
        return value.flatMap { ClassState($0)?.count } ?? 0
    }

    private func row(_ key: UInt64) throws(StoreError) -> RowView? {
        let value = try value { StoreKey.appendRow(stored, key, to: $0) }
        return value.flatMap { RowView($0) }.flatMap { newRow(key, $0) }
    }

    private func value(
        _ appendKey: (ByteBuffer) -> Void
    ) throws(StoreError) -> UnsafeRawBufferPointer? {
        let buffer = ByteBuffer(capacity: 16)
        appendKey(buffer)
        do { return try snapshot.value(forKey: buffer.bytes) } catch { throw .storage(error) }
    }

    private var stored: RowClass { conversion?.work.source ?? rowClass }

    /// The row that an object will have; it is valid until the next one is made.
    private func newRow(_ key: UInt64, _ row: RowView) -> RowView? {
        guard let (work, converter) = conversion else { return row }
        return work.newRow(key, row, converter, source, in: converted)
    }

    /// Hands over a hash of the value of each object that has one.
    private func forEachValue(
        _ body: (_ hash: (high: UInt64, low: UInt64), _ key: UInt64) -> Void
    ) throws(StoreError) {
        let buffer = ByteBuffer()
        let stored = stored
        StoreKey.appendRowPrefix(stored, to: buffer)
        try snapshot.walk(KeyRange(prefix: buffer.array), expecting: 4096) {
            rowKey, value throws(StoreError) in
            let key = StoreKey.trailingObjectKey(rowKey)
            guard let view = RowView(value), stored.canRead(view), let row = newRow(key, view)
            else { throw .storage(StorageError(.corrupted, operation: "read rows")) }
            buffer.removeAll()
            if IndexEntry.appendValue(rowClass, unique, row, source, isWhole: true, to: buffer) {
                body(SipHash128.hash(buffer.bytes), key)
            }
            return true
        }
    }
}

/// Objects with a new primary key that another object has.
struct DuplicateKeys {
    private struct Found {
        var count = 0
        var examples: [Value] = []
    }

    private static let exampleCountMax = 5
    private var found: [Int: Found] = [:]

    /// Counts an object of a class, by its position in the present catalog.
    mutating func add(classIndex: Int, _ value: Value) {
        var entry = found[classIndex] ?? Found()
        entry.count += 1
        if entry.examples.count < Self.exampleCountMax, !entry.examples.contains(value) {
            entry.examples.append(value)
        }
        found[classIndex] = entry
    }

    /// Describes the duplicates for a client.
    func faults(_ present: RowSchema, _ change: SchemaChange) -> [SchemaFault] {
        found.keys.sorted().map { index in
            let entry = found[index] ?? Found()
            let target = change.conversions[index]?.target.definition
            let examples = entry.examples.map(\.shown).joined(separator: ", ")
            let objects = entry.count == 1 ? "1 object has" : "\(entry.count) objects have"
            return SchemaFault(
                className: target?.name ?? present.classes[index].definition.name,
                property: target?.primaryKey,
                detail:
                    "\(objects) a primary key that another object has, such as \(examples). Keys "
                    + "are unique: change those objects first.")
        }
    }
}
