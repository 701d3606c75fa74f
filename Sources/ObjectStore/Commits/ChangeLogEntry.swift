import Bytes
import Rows

/// What one version changed, as kept in the change log.
///
///     offset  bytes  field (little-endian; v: variable length, seven bits a byte, lowest first)
///     0       8      time of the commit in milliseconds since 1970
///     8       v      number of changes, then for each
///             1        kind
///             v        class number
///             v        object key
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

    func append(to buffer: ByteBuffer) {
        buffer.append(little: milliseconds)
        buffer.append(variable: UInt64(changes.count))
        for change in changes {
            buffer.append(change.kind.rawValue)
            buffer.append(variable: UInt64(change.classNumber))
            buffer.append(variable: change.key)
            switch change.kind {
            case .insert: break
            case .update:
                buffer.append(variable: UInt64(change.properties.count))
                for number in change.properties { buffer.append(variable: UInt64(number)) }
            case .delete:
                buffer.append(variable: UInt64(change.primaryKey.count))
                buffer.append(change.primaryKey)
            }
        }
        buffer.append(variable: UInt64(lostLinks.count))
        for link in lostLinks {
            buffer.append(variable: UInt64(link.classNumber))
            buffer.append(variable: link.key)
            buffer.append(variable: UInt64(link.propertyNumber))
        }
        buffer.append((changesSchema ? 1 : 0) as UInt8)
    }

    init(milliseconds: UInt64, changes: [ChangeRecord], lostLinks: [LostLink], changesSchema: Bool)
    {
        self.milliseconds = milliseconds
        self.changes = changes
        self.lostLinks = lostLinks
        self.changesSchema = changesSchema
    }

    /// Reads a stored entry; nil when it is damaged.
    init?(_ bytes: UnsafeRawBufferPointer) {
        var reader = ByteReader(bytes)
        guard let milliseconds = reader.read(UInt64.self), let count = reader.readVariable() else {
            return nil
        }
        self.milliseconds = milliseconds
        changes = []
        for _ in 0..<count {
            guard let change = Self.readChange(&reader) else { return nil }
            changes.append(change)
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

    private static func readChange(_ reader: inout ByteReader) -> ChangeRecord? {
        guard let kind = reader.read(UInt8.self).flatMap(ChangeRecord.Kind.init(rawValue:)),
            let number = reader.readVariable(), number <= UInt32.max,
            let key = reader.readVariable()
        else { return nil }
        var change = ChangeRecord(
            kind: kind, classNumber: UInt32(truncatingIfNeeded: number), key: key, properties: [],
            primaryKey: [])
        switch kind {
        case .insert: break
        case .update:
            guard let count = reader.readVariable() else { return nil }
            for _ in 0..<count {
                guard let property = reader.readVariable(), property <= UInt32.max else {
                    return nil
                }
                change.properties.append(UInt32(truncatingIfNeeded: property))
            }
        case .delete:
            guard let count = reader.readVariable(), count <= UInt64(Int32.max),
                let bytes = reader.readBytes(Int(count))
            else { return nil }
            change.primaryKey = Array(bytes)
        }
        return change
    }
}
