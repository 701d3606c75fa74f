import HoldfastQuery
import HoldfastRows
import HoldfastStorage

extension RowClass {
    /// Whether a property has an index, or is the primary key.
    func isIndexed(_ member: Int) -> Bool {
        member == primaryKeyIndex || indexedMembers.contains(member)
    }

    /// Returns the keys of the entries of an index, or of the primary keys, with values in a range.
    func entries(of member: Int, in range: OrderedKeyRange) -> KeyRange {
        KeyRange(
            lower: entryPrefix(of: member, range.lower), upper: entryPrefix(of: member, range.upper)
        )
    }

    /// Makes the prefix of the entries of an index, or of the primary keys, with values that begin with these bytes.
    func entryPrefix(of member: Int, _ value: [UInt8]) -> [UInt8] {
        member == primaryKeyIndex
            ? StoreKey.key(StoreKey.Tag.primaryKey, keySpace, value)
            : StoreKey.key(StoreKey.Tag.index, members[member].number, value)
    }
}

extension KeyRange {
    /// Returns the rest of the entries of one value behind an object key: they stand in the order of object keys.
    func resumed(after key: UInt64) -> KeyRange {
        KeyRange(lower: Self.bound(lower, behind: key), upper: upper)
    }

    /// Returns the first entry after an object key among the entries of a value, which are the value followed by the object key.
    static func bound(_ value: [UInt8], behind key: UInt64) -> [UInt8] {
        var bound = value
        withUnsafeBytes(of: key.bigEndian) { bound.append(contentsOf: $0) }
        bound.append(0)
        return bound
    }
}

extension ReadTransaction {
    /// Walks the entries of storage in a range, or backwards, until `body` returns false or throws.
    ///
    /// - `expecting`: The number of entries likely to be taken.
    @inline(__always)
    func scanEntries(
        _ range: KeyRange, reversed: Bool = false, expecting: Int,
        _ body: (_ entry: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer)
            throws(StoreError) -> Bool
    ) throws(StoreError) {
        try snapshot.walk(range, reversed: reversed, expecting: expecting, body)
    }
}
