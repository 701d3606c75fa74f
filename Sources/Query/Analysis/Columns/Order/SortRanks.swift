/// The first sort bytes of the objects of a batch, see ``SortEntry/rank``. One thread at a time uses it.
final class SortRanks {
    let ranks = BatchRoom<UInt128>()
    /// How many bytes of each rank are used; all that has no room any more counts as its bytes.
    private let used = BatchRoom<UInt16>()

    /// Appends the first bytes of a value's key to the rank of an object.
    ///
    /// - `rank`: The bytes, with zeros behind them.
    /// - `byteCount`: How many there are, as far as they stand in the rank.
    /// - `isFirst`: Whether nothing stands in the rank.
    @inline(__always)
    func append(_ rank: UInt128, _ byteCount: Int, at index: Int, isFirst: Bool) {
        let own = UInt16(truncatingIfNeeded: min(byteCount, SortEntry.rankByteCount))
        if isFirst {
            ranks.start[index] = rank
            used.start[index] = own
            return
        }
        let before = used.start[index]
        if before < SortEntry.rankByteCount { ranks.start[index] |= rank &>> UInt128(8 &* before) }
        used.start[index] = before &+ own
    }

    /// The first bytes of a key of a value in falling order.
    @inline(__always)
    static func inverted(_ rank: UInt128, _ byteCount: Int) -> UInt128 {
        rank ^ UInt128.max &<< UInt128(128 &- 8 &* min(byteCount, SortEntry.rankByteCount))
    }
}
