import HoldfastStorage

extension StorageSnapshot {
    /// Reads the value of a key that is an array.
    func value(_ key: [UInt8]) throws(StorageError) -> UnsafeRawBufferPointer? {
        let result: Result<UnsafeRawBufferPointer?, StorageError> = key.withUnsafeBytes { bytes in
            Result { () throws(StorageError) in try value(forKey: bytes) }
        }
        return try result.get()
    }

    /// Whether there are no entries.
    func isEmpty() throws(StorageError) -> Bool {
        var isEmpty = true
        try scan(KeyRange(lower: [], upper: nil), reversed: false, expecting: 1) { _, _ in
            isEmpty = false
            return false
        }
        return isEmpty
    }

    /// Walks the entries of a range in order, or backwards, until `body` returns false or throws.
    @inline(__always)
    func walk(
        _ range: KeyRange, reversed: Bool = false, expecting: Int,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StoreError) -> Bool
    ) throws(StoreError) {
        var failure: StoreError?
        do throws(StorageError) {
            try scan(range, reversed: reversed, expecting: expecting) { key, value in
                do throws(StoreError) {
                    return try body(key, value)
                } catch {
                    failure = error
                    return false
                }
            }
        } catch {
            throw .storage(error)
        }
        if let failure { throw failure }
    }
}
