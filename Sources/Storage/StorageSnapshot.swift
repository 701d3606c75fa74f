/// One immutable state of an engine's data.
///
/// - Lifetime: a snapshot stays valid until ``close()``, on whatever thread; its calls must not overlap.
///   Close it soon: LMDB can't reuse pages freed since the oldest open snapshot, so a slow reader makes
///   the file grow.
/// - Pointers: what a get returns, or a scan hands to its body, is valid until the snapshot is closed. Of a
///   write transaction, what a get returns is valid until its next ``StorageWriteTransaction/apply(_:)``, and
///   what a scan hands to its body during that call of the body.
package protocol StorageSnapshot: AnyObject {
    /// The number of the commit that this snapshot sees; grows with every commit.
    var commit: UInt64 { get }

    /// How many entries gets and scans of this snapshot have returned, for `explain` and tests.
    var entriesRead: Int { get }

    /// The value of `key`, or nil.
    func value(forKey key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer?

    /// Gets `key`, then gets the key that is `prefix` followed by what it found. An engine behind a network takes one
    /// round trip for both.
    ///
    /// - Returns: The first value and the value it leads to; nil where there is none.
    func follow(_ key: UnsafeRawBufferPointer, prefix: UnsafeRawBufferPointer) throws(StorageError)
        -> (link: UnsafeRawBufferPointer?, value: UnsafeRawBufferPointer?)

    /// Walks the entries of `range` in key order, or backwards, until `body` returns false.
    ///
    /// Cost: one call of the port for the whole range; an engine behind a network fetches pages of
    /// growing size, the first of about `expecting` entries.
    /// - `expecting`: How many entries the caller is likely to take.
    /// - `body`: Gets key and value; may call gets and scans of the same snapshot.
    func scan(
        _ range: KeyRange, reversed: Bool, expecting: Int,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError)

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
