import HoldfastBytes
import HoldfastRows
import HoldfastStorage

extension WriteTransaction {
    /// Takes the oldest objects of an asymmetric class from its outbox: they were consumed, and their
    /// primary keys are free again.
    ///
    /// An outbox is the rows of its class in the order of their object keys, which is the order in which they were created.
    ///
    /// - `last`: The object key of the last object that was consumed.
    /// - `countMax`: How many objects the transaction takes at most.
    /// - Returns: The number of objects taken. If it equals the maximum, there may be more.
    /// - Throws: ``StoreError`` of storage, or `.schemaRevision` for a class of another schema.
    package func acknowledge(
        _ rowClass: RowClass, through last: UInt64, countMax: Int
    ) throws(StoreError) -> Int {
        try requirePresent(rowClass)
        let buffer = ByteBuffer(capacity: 16)
        StoreKey.appendRow(rowClass, last, to: buffer)
        let end = buffer.array
        let prefix = Array(buffer.making { StoreKey.appendRowPrefix(rowClass, to: $0) })
        // A bound is exclusive, and a key is a prefix of no other.
        let range = KeyRange(lower: prefix, upper: end + [0])
        var keys: [UInt64] = []
        try group.scan(range, expecting: min(countMax, 4096)) { key, _ in
            keys.append(StoreKey.trailingObjectKey(key))
            return keys.count < countMax
        }
        for key in keys { try delete(rowClass, key: key) }
        return keys.count
    }

    /// Takes some objects from an outbox, except deleted ones and objects that the transaction's writer does not see any more.
    ///
    /// - Returns: How many it has taken.
    /// - Throws: As ``acknowledge(_:through:countMax:)``.
    package func acknowledge(
        _ rowClass: RowClass, _ keys: some Sequence<UInt64>
    ) throws(StoreError) -> Int {
        try requirePresent(rowClass)
        var count = 0
        for key in keys where try row(rowClass, key) != nil {
            try delete(rowClass, key: key)
            releaseShown()
            count += 1
        }
        return count
    }
}
