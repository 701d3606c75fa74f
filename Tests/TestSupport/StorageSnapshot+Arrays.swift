import HoldfastStorage

/// Calls `body` with a copy of `bytes`. `Array.withUnsafeBytes` can't throw a typed error.
package func withBytes<Result, Failure: Error>(
    _ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
) throws(Failure) -> Result {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
    defer { copy.deallocate() }
    copy.copyBytes(from: bytes)
    return try body(UnsafeRawBufferPointer(copy))
}

/// The port's reads with arrays in place of pointers.
extension StorageSnapshot {
    /// Reads the value of `key`, copied.
    package func bytes(forKey key: [UInt8]) throws(StorageError) -> [UInt8]? {
        try withBytes(key) { (key) throws(StorageError) in
            try value(forKey: key).map { Array($0) }
        }
    }

    /// Reads the values of `keys`, copied.
    package func bytes(forKeys keys: [[UInt8]]) throws(StorageError) -> [[UInt8]?] {
        var found: [[UInt8]?] = []
        for key in keys { found.append(try bytes(forKey: key)) }
        return found
    }

    /// Gets `key`, and what it leads to, copied.
    package func bytes(
        following key: [UInt8], prefix: [UInt8]
    ) throws(StorageError) -> (link: [UInt8]?, value: [UInt8]?) {
        try withBytes(key) { (key) throws(StorageError) in
            try withBytes(prefix) { (prefix) throws(StorageError) in
                let (link, value) = try follow(key, prefix: prefix)
                return (link.map { Array($0) }, value.map { Array($0) })
            }
        }
    }

    /// Up to `countMax` entries of `range`, copied.
    package func entries(
        _ range: KeyRange = KeyRange(lower: [], upper: nil), reversed: Bool = false,
        countMax: Int = .max
    ) throws(StorageError) -> [(key: [UInt8], value: [UInt8])] {
        var found: [(key: [UInt8], value: [UInt8])] = []
        try scan(range, reversed: reversed, expecting: min(countMax, 1000)) { key, value in
            found.append((Array(key), Array(value)))
            return found.count < countMax
        }
        return found
    }

    /// Everything, copied.
    package func contents() throws(StorageError) -> [[UInt8]: [UInt8]] {
        Dictionary(uniqueKeysWithValues: try entries().map { ($0.key, $0.value) })
    }
}
