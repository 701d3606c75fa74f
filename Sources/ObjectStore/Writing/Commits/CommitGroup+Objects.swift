import HoldfastBytes
import HoldfastRows
import HoldfastStorage

// The objects as the transactions of a group see them.
extension CommitGroup {
    /// The row of an object; nil when there is none.
    func row(_ rowClass: RowClass, _ key: UInt64) throws(StoreError) -> RowView? {
        let rowKey = keyBuffer.making { StoreKey.appendRow(rowClass, key, to: $0) }
        guard let bytes = try value(rowKey) else { return nil }
        return try rowClass.row(bytes)
    }

    /// The key of a primary key.
    ///
    /// - `encode`: Appends the ``OrderedKey``.
    func primaryKey(_ rowClass: RowClass, _ encode: (ByteBuffer) -> Void) -> StoredPrimaryKey {
        StoredPrimaryKey(
            bytes: memory.primaryKeyBuffer.making {
                StoreKey.appendPrimaryKeyPrefix(rowClass, to: $0)
                encode($0)
            })
    }

    /// The object key that a primary key leads to, of an object that is there or that is awaited.
    func objectKey(_ primaryKey: StoredPrimaryKey) throws(StoreError) -> UInt64? {
        try value(primaryKey.bytes).flatMap(StoreKey.mappedObjectKey)
    }

    /// The object that a primary key leads to. Cost: one look-up where ``CommitMemory/primaryKeys`` knows it,
    /// else two.
    func object(
        _ rowClass: RowClass, _ primaryKey: StoredPrimaryKey
    ) throws(StoreError) -> FoundObject {
        let value = primaryKey.value
        let cache = memory.primaryKeys
        let hash = PrimaryKeyCache.hash(rowClass.number, value)
        if let key = cache.objectKey(rowClass, hash), let row = try row(rowClass, key),
            rowClass.has(value, in: row, buffer: keyBuffer)
        {
            return FoundObject(key: key, row: row, primaryKey: primaryKey)
        }
        guard let key = try objectKey(primaryKey) else {
            return FoundObject(primaryKey: primaryKey)
        }
        let row = try row(rowClass, key)
        if row != nil { cache.keep(rowClass, key, hash) }
        return FoundObject(key: key, row: row, primaryKey: primaryKey)
    }
}
