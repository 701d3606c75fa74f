import Bytes
import Rows
import Storage

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
    ///
    /// - `isLink`: Whether it is the target of a link.
    func objectKey(_ primaryKey: StoredPrimaryKey, isLink: Bool) throws(StoreError) -> UInt64? {
        do { return try objectKey(primaryKey.bytes, isLink: isLink) } catch {
            throw .storage(error)
        }
    }

    /// The object that a primary key leads to. Cost: one look-up where ``CommitMemory/rowPlaces`` knows the
    /// way, else two.
    func object(
        _ rowClass: RowClass, _ primaryKey: StoredPrimaryKey
    ) throws(StoreError) -> FoundObject {
        let value = primaryKey.value
        let cache = memory.rowPlaces
        let hash = RowPlaceCache.hash(rowClass.number, value)
        if let known = cache.object(rowClass, hash) {
            var place = known.place
            if let row = try row(rowClass, known.key, at: &place),
                rowClass.has(value, in: row, buffer: keyBuffer)
            {
                if place != known.place { cache.keep(rowClass, known.key, at: place, hash) }
                return FoundObject(key: known.key, row: row, primaryKey: primaryKey)
            }
        }
        guard let key = try objectKey(primaryKey, isLink: false) else {
            return FoundObject(primaryKey: primaryKey)
        }
        var place = MemoryPlace()
        let row = try row(rowClass, key, at: &place)
        if row != nil { cache.keep(rowClass, key, at: place, hash) }
        return FoundObject(key: key, row: row, primaryKey: primaryKey)
    }

    private func row(
        _ rowClass: RowClass, _ key: UInt64, at place: inout MemoryPlace
    ) throws(StoreError) -> RowView? {
        let rowKey = keyBuffer.making { StoreKey.appendRow(rowClass, key, to: $0) }
        let bytes: UnsafeRawBufferPointer?
        switch overlay.entry(rowKey) {
        case .value(let value): bytes = value
        case .removed: bytes = nil
        case .none:
            do { bytes = try snapshot.value(forKey: rowKey, at: &place) } catch {
                throw .storage(error)
            }
        }
        return try bytes.map { (bytes) throws(StoreError) in try rowClass.row(bytes) }
    }
}
