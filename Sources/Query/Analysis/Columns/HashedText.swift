import Glibc
import HoldfastText

/// A text where it stands in a column with its hash, or null.
struct HashedText: CodedValue {
    /// Where it begins; nil for null.
    let start: UnsafeRawPointer?
    private var byteCount: UInt32
    /// A ``TextChunk/hash(_:)``.
    private(set) var hash: UInt32

    init(start: UnsafeRawPointer?, count: Int, hash: UInt32) {
        self.start = start
        byteCount = UInt32(truncatingIfNeeded: count)
        self.hash = hash
    }

    /// Null, which equals itself alone.
    static var null: HashedText { HashedText(start: nil, count: .max, hash: 0) }

    @inline(__always)
    func tableHash(_ seed: UInt64) -> UInt32 { hash }

    /// Its bytes; empty for null.
    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(byteCount))
    }

    /// Leaves its first Unicode scalars alone.
    mutating func cut(to scalarCount: Int) {
        let beginning = UTF8Scalars.beginning(of: bytes, scalarCount)
        guard beginning.count < bytes.count else { return }
        byteCount = UInt32(truncatingIfNeeded: beginning.count)
        hash = TextChunk.hash(beginning)
    }

    /// The same text where it stays.
    func copied(to arena: ByteArena) -> HashedText {
        start == nil
            ? self
            : HashedText(start: arena.copy(bytes).baseAddress, count: bytes.count, hash: hash)
    }

    /// Most have up to some thirty bytes: they are compared without a call.
    @inline(__always)
    func isEqual(to other: HashedText) -> Bool {
        guard byteCount == other.byteCount else { return false }
        guard let a = start, let b = other.start else { return true }
        let count = Int(byteCount)
        // Words overlap instead of branching by the length.
        func difference<Word: FixedWidthInteger>(_ type: Word.Type, _ offset: Int) -> Word {
            let offset = min(offset, count - MemoryLayout<Word>.size)
            return (a + offset).loadUnaligned(as: type) ^ (b + offset).loadUnaligned(as: type)
        }
        if count >= 8, count <= 32 {
            return difference(UInt64.self, 0) | difference(UInt64.self, 8)
                | difference(UInt64.self, 16) | difference(UInt64.self, 24) == 0
        }
        if count >= 4, count < 8 {
            return difference(UInt32.self, 0) | difference(UInt32.self, 4) == 0
        }
        return memcmp(a, b, count) == 0
    }
}
