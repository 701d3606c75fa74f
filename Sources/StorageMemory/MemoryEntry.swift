import Glibc
import HoldfastStorage

/// One key and its value, in memory of its own that never moves.
///
/// `@unchecked Sendable`: the bytes are written before the entry is shared, and never after.
final class MemoryEntry: @unchecked Sendable {
    private let bytes: UnsafeMutableRawPointer
    private let keyByteCount: Int
    private let valueByteCount: Int

    init(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        keyByteCount = key.count
        valueByteCount = value.count
        bytes = .allocate(byteCount: key.count + value.count, alignment: 8)
        if let source = key.baseAddress { memcpy(bytes, source, key.count) }
        if let source = value.baseAddress { memcpy(bytes + key.count, source, value.count) }
    }

    deinit { bytes.deallocate() }

    var key: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: bytes, count: keyByteCount)
    }

    var value: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: bytes + keyByteCount, count: valueByteCount)
    }

    var byteCount: Int { keyByteCount + valueByteCount }
}
