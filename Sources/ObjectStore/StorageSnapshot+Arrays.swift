import Storage

extension StorageSnapshot {
    /// The value of a key that is an array.
    func value(_ key: [UInt8]) throws(StorageError) -> UnsafeRawBufferPointer? {
        let result: Result<UnsafeRawBufferPointer?, StorageError> = key.withUnsafeBytes { bytes in
            Result { () throws(StorageError) in try value(forKey: bytes) }
        }
        return try result.get()
    }
}
