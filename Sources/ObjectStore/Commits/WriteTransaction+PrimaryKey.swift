import Bytes
import Rows
import Storage

extension WriteTransaction {
    /// The object that a primary key leads to: its key if it is there or awaited, and its row if it is
    /// there. Cost: one look-up where ``CommitMemory/primaryKeys`` knows the way, else two.
    ///
    /// - `encode`: Appends the ``OrderedKey``; it stays in ``CommitMemory/mapKeyBuffer`` behind the class.
    func object(
        _ rowClass: RowClass, _ encode: (ByteBuffer) -> Void
    ) throws(StoreError) -> (key: UInt64?, row: RowView?) {
        var prefixByteCount = 0
        let mapKey = mapKeyBuffer.making {
            StoreKey.appendPrimaryKeyPrefix(rowClass, to: $0)
            prefixByteCount = $0.count
            encode($0)
        }
        let primaryKey = UnsafeRawBufferPointer(rebasing: mapKey[prefixByteCount...])
        let cache = memory.primaryKeys
        let hash = PrimaryKeyCache.hash(rowClass.number, primaryKey)
        if let key = cache.objectKey(rowClass, hash), let row = try row(rowClass, key),
            rowClass.has(primaryKey, in: row, buffer: keyBuffer)
        {
            return (key, row)
        }
        let found: UInt64?
        do { found = try group.objectKey(mapKey, isLink: false) } catch { throw .storage(error) }
        guard let key = found else { return (nil, nil) }
        let row = try row(rowClass, key)
        if row != nil { cache.keep(rowClass, key, hash) }
        return (key, row)
    }
}
