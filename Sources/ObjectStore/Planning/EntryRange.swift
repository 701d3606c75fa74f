import Bytes
import Query
import Rows
import Storage

/// The key ranges of an access path.
enum EntryRange {
    /// The prefix of the entries of an access path: a class's primary keys or a property's index.
    static func prefix(_ access: Plan.Access, _ rowClass: RowClass) -> [UInt8] {
        let buffer = ByteBuffer(capacity: 16)
        switch access {
        case .nothing, .scan, .keys: StoreKey.appendRowPrefix(rowClass, to: buffer)
        case .primaryKey: StoreKey.appendPrimaryKeyPrefix(rowClass, to: buffer)
        case .index(let member, _):
            StoreKey.appendIndexPrefix(rowClass.members[member].number, to: buffer)
        }
        return buffer.array
    }

    /// The ranges in key order.
    static func ranges(_ access: Plan.Access, _ rowClass: RowClass) -> [KeyRange] {
        switch access {
        case .nothing, .keys: return []
        case .scan: return [KeyRange(prefix: prefix(access, rowClass))]
        case .primaryKey(let ranges):
            return ranges.map { keyRange(StoreKey.Tag.primaryKey, rowClass.keySpace, $0) }
        case .index(let member, let ranges):
            let number = rowClass.members[member].number
            return ranges.map { keyRange(StoreKey.Tag.index, number, $0) }
        }
    }

    /// What is left of the entries of one value behind an object key: they stand in the order of those.
    static func resume(_ range: KeyRange, after key: UInt64) -> KeyRange {
        KeyRange(lower: bound(range.lower, behind: key), upper: range.upper)
    }

    /// The first entry behind an object key of those of a value, which are the value followed by the object key.
    static func bound(_ value: [UInt8], behind key: UInt64) -> [UInt8] {
        var bound = value
        withUnsafeBytes(of: key.bigEndian) { bound.append(contentsOf: $0) }
        bound.append(0)
        return bound
    }

    /// The keys of one range of values, behind the tag and the number of an index or of primary keys.
    static func keyRange(_ tag: UInt8, _ number: UInt32, _ range: OrderedKeyRange) -> KeyRange {
        KeyRange(
            lower: StoreKey.key(tag, number, range.lower),
            upper: StoreKey.key(tag, number, range.upper))
    }
}
