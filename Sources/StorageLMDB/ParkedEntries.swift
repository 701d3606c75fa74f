import Bytes

/// Entries that were taken out of the tree for a while, in the order of their keys; see
/// ``SortedWriter``.
struct ParkedEntries {
    private struct Place {
        let start: Int
        let keyByteCount: Int
        let valueByteCount: Int

        var byteCount: Int { keyByteCount + valueByteCount }
    }

    private let bytes = ByteBuffer(capacity: 16)
    private var places: [Place] = []
    /// How many of the first are in the tree again.
    private var returnedCount = 0

    /// How many have not been returned.
    var count: Int { places.count - returnedCount }

    /// The entry that is returned next; valid until one is added.
    @inline(__always)
    var first: (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
        returnedCount < places.count ? entry(returnedCount) : nil
    }

    /// One of those that have not been returned; valid until one is added.
    subscript(index: Int) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        entry(returnedCount + index)
    }

    private func entry(
        _ index: Int
    ) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        let place = places[index]
        let key = bytes.base + place.start
        return (
            UnsafeRawBufferPointer(start: key, count: place.keyByteCount),
            UnsafeRawBufferPointer(start: key + place.keyByteCount, count: place.valueByteCount)
        )
    }

    /// Adds a copy of an entry behind all others.
    mutating func append(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        if count == 0 { removeAll() }
        let place = Place(
            start: bytes.count, keyByteCount: key.count, valueByteCount: value.count)
        bytes.append(key)
        bytes.append(value)
        places.append(place)
    }

    /// Forgets the last ones, so that `count` are left.
    mutating func truncate(to count: Int) {
        places.removeSubrange((returnedCount + count)...)
        bytes.truncate(to: places.last.map { $0.start + $0.byteCount } ?? 0)
    }

    /// Forgets the first one, whose bytes stay valid until one is added.
    mutating func removeFirst() { returnedCount += 1 }

    private mutating func removeAll() {
        bytes.removeAll()
        places.removeAll(keepingCapacity: true)
        returnedCount = 0
    }
}
