import Bytes
import Rows
import Storage

extension WriteTransaction {
    /// The object that a primary key leads to: its key if it is there or awaited, and its row if it is
    /// there. Cost: one look-up where ``CommitMemory/rowPlaces`` knows the way, else two.
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
        let cache = memory.rowPlaces
        let hash = RowPlaceCache.hash(rowClass.number, primaryKey)
        if let known = cache.object(rowClass, hash) {
            var place = known.place
            if let row = try row(rowClass, known.key, at: &place),
                rowClass.has(primaryKey, in: row, buffer: keyBuffer)
            {
                if place != known.place { cache.keep(rowClass, known.key, at: place, hash) }
                return (known.key, row)
            }
        }
        let found: UInt64?
        do { found = try group.objectKey(mapKey, isLink: false) } catch { throw .storage(error) }
        guard let key = found else { return (nil, nil) }
        var place = MemoryPlace()
        let row = try row(rowClass, key, at: &place)
        if row != nil { cache.keep(rowClass, key, at: place, hash) }
        return (key, row)
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
            do { bytes = try group.snapshot.value(forKey: rowKey, at: &place) } catch {
                throw .storage(error)
            }
        }
        return try bytes.map { (bytes) throws(StoreError) in try rowClass.row(bytes) }
    }
}
