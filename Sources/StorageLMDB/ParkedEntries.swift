import HoldfastBytes

/// Entries that are temporarily removed from the tree, in the order of their keys; see
/// ``SortedWriter``.
struct ParkedEntries {
    private struct Span {
        let start: Int
        let keyByteCount: Int
        let valueByteCount: Int

        var byteCount: Int { keyByteCount + valueByteCount }
    }

    private let bytes = ByteBuffer(capacity: 16)
    private var spans: [Span] = []
    /// How many of the first are in the tree again.
    private var returnedCount = 0

    /// How many have not been returned.
    var count: Int { spans.count - returnedCount }

    /// The entry that is returned next; valid until one is added.
    @inline(__always)
    var first: (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
        returnedCount < spans.count ? entry(returnedCount) : nil
    }

    /// One of those that have not been returned; valid until one is added.
    subscript(index: Int) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        entry(returnedCount + index)
    }

    private func entry(
        _ index: Int
    ) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        let span = spans[index]
        let key = bytes.base + span.start
        return (
            UnsafeRawBufferPointer(start: key, count: span.keyByteCount),
            UnsafeRawBufferPointer(start: key + span.keyByteCount, count: span.valueByteCount)
        )
    }

    /// Adds a copy of an entry behind all others.
    mutating func append(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        if count == 0 { removeAll() }
        let span = Span(
            start: bytes.count, keyByteCount: key.count, valueByteCount: value.count)
        bytes.append(key)
        bytes.append(value)
        spans.append(span)
    }

    /// Forgets the last ones, so that `count` are left.
    mutating func truncate(to count: Int) {
        spans.removeSubrange((returnedCount + count)...)
        bytes.truncate(to: spans.last.map { $0.start + $0.byteCount } ?? 0)
    }

    /// Forgets the first one, whose bytes stay valid until one is added.
    mutating func removeFirst() { returnedCount += 1 }

    private mutating func removeAll() {
        bytes.removeAll()
        spans.removeAll(keepingCapacity: true)
        returnedCount = 0
    }
}
