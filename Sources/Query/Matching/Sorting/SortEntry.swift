import HoldfastBytes
import HoldfastRows

/// The position of an object in an order: the sort bytes of ``SortEvaluator``, then the object key.
package struct SortEntry {
    /// The first sort bytes as a number, with zeros behind the last: less for an object that comes before. Where
    /// all bytes of one of two objects stand in it, equal ranks are equal bytes.
    package let rank: UInt128
    /// The bytes behind these.
    private let rest: [UInt8]
    package let key: UInt64
    /// The object's row, if it was at hand; valid as long as the view that it is of.
    package let row: RowView?

    package static let rankByteCount = 16

    /// Makes the position of an object. Cost: an allocation for more bytes than a rank has.
    package init(_ sortBytes: UnsafeRawBufferPointer, key: UInt64, row: RowView? = nil) {
        rank = Self.rank(of: sortBytes)
        rest = sortBytes.count > Self.rankByteCount ? Array(sortBytes[Self.rankByteCount...]) : []
        self.key = key
        self.row = row
    }

    /// Makes the position of an object with sort bytes that fit into a rank.
    package init(rank: UInt128, key: UInt64) {
        (self.rank, rest, self.key, row) = (rank, [], key, nil)
    }

    /// The position behind all objects.
    package static var last: SortEntry { SortEntry(rank: .max, key: .max) }

    /// The rank of sort bytes.
    @inline(__always)
    package static func rank(of bytes: UnsafeRawBufferPointer) -> UInt128 {
        if bytes.count >= rankByteCount {
            return UInt128(bigEndian: bytes.loadUnaligned(as: UInt128.self))
        }
        return bytes.reduce(0) { $0 << 8 | UInt128($1) }
            << UInt128(8 * (rankByteCount - bytes.count))
    }

    /// Bytes of memory that it takes.
    package var byteCount: Int {
        MemoryLayout<Self>.stride + (rest.isEmpty ? 0 : rest.count + Self.arrayByteCount)
    }

    private static let arrayByteCount = 32

    /// Whether all sort bytes stand in the rank.
    package var isWhole: Bool { rest.isEmpty }

    /// Whether a value may have been cut, so that rows decide.
    package var mayBeCut: Bool { rest.count + Self.rankByteCount > OrderedKey.textByteCountMax }

    /// Compares the sort bytes with others: negative, 0 or positive.
    @inline(__always)
    package func compare(_ other: SortEntry) -> Int {
        if rank != other.rank { return rank < other.rank ? -1 : 1 }
        if isWhole || other.isWhole { return 0 }
        return rest.withUnsafeBytes { own in other.rest.withUnsafeBytes { compareKeys(own, $0) } }
    }
}
