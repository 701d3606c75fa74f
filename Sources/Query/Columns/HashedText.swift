import HoldfastBytes
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

    /// Its bytes; none of null.
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

    /// Whether two texts are equal; most have some eight to thirty bytes.
    @inline(__always)
    func isEqual(to other: HashedText) -> Bool {
        guard byteCount == other.byteCount else { return false }
        guard let a = start, let b = other.start else { return true }
        let count = Int(byteCount)
        if count >= 8, count <= 32 {
            // Words overlap instead of branching by the length.
            let last = count - 8
            var difference = Self.word(a, 0) ^ Self.word(b, 0)
            difference |= Self.word(a, min(8, last)) ^ Self.word(b, min(8, last))
            difference |= Self.word(a, min(16, last)) ^ Self.word(b, min(16, last))
            return difference | (Self.word(a, last) ^ Self.word(b, last)) == 0
        }
        if count >= 4, count < 8 {
            let last = count - 4
            return Self.half(a, 0) == Self.half(b, 0)
                && Self.half(a, last) == Self.half(b, last)
        }
        return memcmp(a, b, count) == 0
    }

    /// Compares the bytes of two texts: negative, 0 or positive.
    @inline(__always)
    func order(to other: HashedText) -> Int {
        // The beginnings of most differ.
        if let a = start, let b = other.start, min(byteCount, other.byteCount) >= 8 {
            let (first, second) = (Self.word(a, 0).bigEndian, Self.word(b, 0).bigEndian)
            if first != second { return first < second ? -1 : 1 }
        }
        return compareKeys(bytes, other.bytes)
    }

    @inline(__always)
    private static func half(_ start: UnsafeRawPointer, _ offset: Int) -> UInt32 {
        (start + offset).loadUnaligned(as: UInt32.self)
    }

    @inline(__always)
    private static func word(_ start: UnsafeRawPointer, _ offset: Int) -> UInt64 {
        (start + offset).loadUnaligned(as: UInt64.self)
    }
}
