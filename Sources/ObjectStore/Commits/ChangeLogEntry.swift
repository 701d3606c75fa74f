import Bytes
import Rows

/// What one version changed, as kept in the change log.
///
///     offset  bytes  field (little-endian; v: variable length, seven bits a byte, lowest first)
///     0       8      time of the commit in milliseconds since 1970
///     8       v      number of changed objects, then for each of them, or each run
///             1        kind; the bit 10 is set for a run: insertions, or updates of the same properties, of two
///                      objects to 65,536 whose keys follow each other
///             v        class number
///             v        object key; of a run the first one's
///             v        run: number of objects
///             v, v…    update: number of properties, their numbers
///             v, …     delete: byte count and bytes of the primary key, see ``ChangeRecord/primaryKey``
///     …       v      number of lost links, then for each class number, object key, property number (v)
///     …       1      1 when the schema changed with this version, else 0
package struct ChangeLogEntry: Sendable {
    /// When it was committed, in milliseconds since 1970.
    package var milliseconds: UInt64
    /// Every object once.
    package var changes: [ChangeRecord]
    /// Targets that lost links.
    package var lostLinks: [LostLink]
    /// Whether the version changed the schema.
    package var changesSchema: Bool

    fileprivate static let runFlag: UInt8 = 0x10
    /// The longest run: a damaged entry of some bytes must not become gigabytes of records.
    fileprivate static let runCountMax = 65_536

    func append(to buffer: ByteBuffer) {
        buffer.append(little: milliseconds)
        buffer.append(variable: UInt64(changes.count))
        var position = 0
        while position < changes.count {
            let change = changes[position]
            let count = runCount(from: position)
            buffer.append(change.kind.rawValue | (count > 1 ? Self.runFlag : 0))
            buffer.append(variable: UInt64(change.classNumber))
            buffer.append(variable: change.key)
            if count > 1 { buffer.append(variable: UInt64(count)) }
            switch change.kind {
            case .insert: break
            case .update:
                buffer.append(variable: UInt64(change.properties.count))
                for number in change.properties { buffer.append(variable: UInt64(number)) }
            case .delete:
                buffer.append(variable: UInt64(change.primaryKey.count))
                buffer.append(change.primaryKey)
            }
            position += count
        }
        buffer.append(variable: UInt64(lostLinks.count))
        for link in lostLinks {
            buffer.append(variable: UInt64(link.classNumber))
            buffer.append(variable: link.key)
            buffer.append(variable: UInt64(link.propertyNumber))
        }
        buffer.append((changesSchema ? 1 : 0) as UInt8)
    }

    /// How many changes from a position on are one run; 1 for one that is none.
    private func runCount(from first: Int) -> Int {
        let kind = changes[first].kind
        guard kind != .delete else { return 1 }
        let end = min(changes.count, first + Self.runCountMax)
        var next = first + 1
        while next < end, changes[next].kind == kind,
            changes[next].key == changes[first].key &+ UInt64(next - first),
            changes[next].classNumber == changes[first].classNumber,
            changes[next].properties == changes[first].properties
        {
            next += 1
        }
        return next - first
    }
}

extension ChangeLogEntry {
    /// Reads a stored entry; nil when it is damaged.
    init?(_ bytes: UnsafeRawBufferPointer) {
        var reader = ByteReader(bytes)
        guard let milliseconds = reader.read(UInt64.self), let count = reader.readVariable() else {
            return nil
        }
        self.milliseconds = milliseconds
        changes = []
        while UInt64(changes.count) < count {
            let countMax = count - UInt64(changes.count)
            guard Self.readChanges(&reader, to: &changes, countMax: countMax) else { return nil }
        }
        guard let lostCount = reader.readVariable() else { return nil }
        lostLinks = []
        for _ in 0..<lostCount {
            guard let number = reader.readVariable(), let key = reader.readVariable(),
                let property = reader.readVariable(), number <= UInt32.max, property <= UInt32.max
            else { return nil }
            lostLinks.append(
                LostLink(
                    classNumber: UInt32(truncatingIfNeeded: number), key: key,
                    propertyNumber: UInt32(truncatingIfNeeded: property)))
        }
        guard let flag = reader.read(UInt8.self), reader.isAtEnd else { return nil }
        changesSchema = flag != 0
    }

    /// Reads the next change or run; false when it is damaged.
    ///
    /// - `countMax`: How many changes it may be at most.
    private static func readChanges(
        _ reader: inout ByteReader, to changes: inout [ChangeRecord], countMax: UInt64
    ) -> Bool {
        guard let byte = reader.read(UInt8.self),
            let kind = ChangeRecord.Kind(rawValue: byte & ~runFlag),
            let number = reader.readVariable(), number <= UInt32.max,
            let key = reader.readVariable()
        else { return false }
        var count: UInt64 = 1
        if byte & runFlag != 0 {
            guard kind != .delete, let read = reader.readVariable(),
                (2...UInt64(runCountMax)).contains(read), read <= countMax,
                key <= .max - read
            else { return false }
            count = read
        }
        var change = ChangeRecord(
            kind: kind, classNumber: UInt32(truncatingIfNeeded: number), key: key, properties: [],
            primaryKey: [])
        switch kind {
        case .insert: break
        case .update:
            guard let count = reader.readVariable() else { return false }
            for _ in 0..<count {
                guard let property = reader.readVariable(), property <= UInt32.max else {
                    return false
                }
                change.properties.append(UInt32(truncatingIfNeeded: property))
            }
        case .delete:
            guard let count = reader.readVariable(), count <= UInt64(Int32.max),
                let bytes = reader.readBytes(Int(count))
            else { return false }
            change.primaryKey = Array(bytes)
        }
        for _ in 0..<count {
            changes.append(change)
            change.key &+= 1
        }
        return true
    }
}
