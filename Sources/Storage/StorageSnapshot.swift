/// One immutable state of an engine's data.
///
/// - Lifetime: a snapshot stays valid until ``close()``, on any thread; its calls must not overlap. Close it soon: LMDB can't
///   reuse pages freed since the oldest open snapshot, so a slow reader makes the file grow.
/// - Pointers: bytes that a get returns, or a scan passes to its body, are valid until the snapshot is closed. For a write
///   transaction, bytes that a get returns are valid until its next ``StorageWriteTransaction/apply(_:)``, and bytes that a scan
///   passes to its body only during that call of the body.
package protocol StorageSnapshot: AnyObject {
    /// The number of the commit that this snapshot sees; it grows with every commit.
    var commit: UInt64 { get }

    /// The number of entries that gets and scans of this snapshot have returned, for `explain` and tests.
    var entriesRead: Int { get }

    /// Returns the value of `key`; nil if there is no entry.
    func value(forKey key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer?

    /// Gets the value of `key`, then the value of the key that consists of `prefix` and that first value. An engine behind a
    /// network takes one round trip for both.
    ///
    /// - Returns: The first value and the second value; nil for a missing one.
    func follow(_ key: UnsafeRawBufferPointer, prefix: UnsafeRawBufferPointer) throws(StorageError)
        -> (link: UnsafeRawBufferPointer?, value: UnsafeRawBufferPointer?)

    /// Visits the entries of `range` in key order, or backwards, until `body` returns false.
    ///
    /// Cost: one call of the engine for the whole range. An engine behind a network fetches pages of growing size, the first of
    /// about `expecting` entries.
    /// - `expecting`: The number of entries that the caller is likely to take.
    /// - `body`: Gets key and value; may call gets and scans of the same snapshot.
    func scan(
        _ range: KeyRange, reversed: Bool, expecting: Int,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool) throws(StorageError)

    /// Ends the snapshot; further calls of it throw `.closed`. Closing twice is harmless.
    func close()
}

extension StorageSnapshot {
    package func follow(
        _ key: UnsafeRawBufferPointer, prefix: UnsafeRawBufferPointer
    ) throws(StorageError)
        -> (link: UnsafeRawBufferPointer?, value: UnsafeRawBufferPointer?)
    {
        guard let link = try value(forKey: key) else { return (nil, nil) }
        return try withUnsafeTemporaryAllocation(
            byteCount: prefix.count + link.count, alignment: 1
        ) { (joined) throws(StorageError) in
            joined.copyMemory(from: prefix)
            UnsafeMutableRawBufferPointer(rebasing: joined[prefix.count...]).copyMemory(from: link)
            return (link, try value(forKey: UnsafeRawBufferPointer(joined)))
        }
    }
}
