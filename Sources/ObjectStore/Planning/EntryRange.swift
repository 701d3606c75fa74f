import Bytes
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
        let prefix = prefix(access, rowClass)
        let end = KeyRange.successor(ofPrefix: prefix)
        switch access {
        case .nothing, .keys: return []
        case .scan: return [KeyRange(lower: prefix, upper: end)]
        case .primaryKey(let ranges), .index(_, let ranges):
            return ranges.map { range in
                KeyRange(lower: prefix + range.lower, upper: prefix + range.upper)
            }
        }
    }
}
