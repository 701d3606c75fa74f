import Bytes
import Query
import Rows
import Storage

extension KeyCollector {
    /// The keys of the objects whose points lie in some cells, rising; nil when they would cost too much.
    mutating func points(
        _ index: SearchIndex, _ cells: [ClosedRange<UInt64>]
    ) throws(Failure) -> [UInt64]? {
        let ranges = cells.map { cells in
            let upper = Self.key(index, cells.upperBound)
            return KeyRange(
                lower: Self.key(index, cells.lowerBound),
                upper: KeyRange.successor(ofPrefix: upper))
        }
        return try entries(ranges, isPrimary: false)?.sorted()
    }

    private static func key(_ index: SearchIndex, _ cell: UInt64) -> [UInt8] {
        let buffer = ByteBuffer(capacity: 16)
        IndexEntry.append(index, cell: cell, to: buffer)
        return buffer.array
    }
}
