import HoldfastBytes
import HoldfastGeometry
import HoldfastQuery
import HoldfastRows
import HoldfastStorage

extension KeyCollector {
    /// The keys of the objects whose points lie in the cells that cover a region, rising; nil when they would
    /// cost too much.
    ///
    /// Cells that are close to a region take as long to find as hundreds of entries take to be read. Where that may
    /// not be spent there are a few large ones, which are enough where few points lie anywhere near.
    mutating func points(
        _ index: SearchIndex, _ region: GeoRegion
    ) throws(StoreError) -> [UInt64]? {
        let isClose = costLeft >= QueryCost.cover + QueryCost.always / 2
        // A cover looks at no clock itself, and takes some hundred microseconds.
        try transaction.budget.require(Budget.stepsUnseen)
        let cells = isClose ? region.cover() : region.roughCover()
        guard pays(isClose ? QueryCost.cover : cells.count * QueryCost.risingRow) else {
            return nil
        }
        let ranges = cells.map { cells in
            let upper = Self.key(index, cells.upperBound)
            return KeyRange(
                lower: Self.key(index, cells.lowerBound),
                upper: KeyRange.successor(ofPrefix: upper))
        }
        guard let keys = try entries(ranges, isPrimary: false) else { return nil }
        return try transaction.budget.sorted(keys, by: <)
    }

    private static func key(_ index: SearchIndex, _ cell: UInt64) -> [UInt8] {
        let buffer = ByteBuffer(capacity: 16)
        IndexEntry.append(index, cell: cell, to: buffer)
        return buffer.array
    }
}
