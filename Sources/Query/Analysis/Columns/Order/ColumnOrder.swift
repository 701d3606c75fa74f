import HoldfastBytes
import HoldfastRows

/// Properties to sort by, as their columns have them: the sort bytes of ``SortEvaluator`` without a look at rows. One thread
/// at a time uses it.
package final class ColumnOrder {
    private let parts: [ColumnOrderPart]
    private let ranks = SortRanks()
    private let batches = ColumnBatches()
    private let buffer = ByteBuffer(capacity: 64)

    /// Makes an order of properties of the class itself, and of values behind to-one links; nil for any other.
    package init?(_ sort: [SortKey], schema: RowSchema) {
        parts = sort.compactMap { ColumnOrderPart($0, schema: schema) }
        if sort.isEmpty || parts.count < sort.count { return nil }
    }

    /// The columns that it needs.
    package var references: [ColumnReference] { parts.map(\.reference) }

    /// Bytes of memory that values behind links take.
    package var byteCount: Int { parts.reduce(0) { $0 + $1.byteCount } }

    /// The classes of which objects are read when columns are taken.
    package var linkedClasses: [Int] { parts.compactMap { $0.far?.linkedClass } }

    /// Takes the columns of a snapshot; false where they have no such order, or there is too little memory or time.
    package func bind(to columns: BoundColumns, within budget: Budget) -> Bool {
        parts.allSatisfy { $0.bind(to: columns, within: budget) }
    }

    /// The ranks of the objects of a batch, see ``SortEntry/rank``; valid until others are asked for.
    func ranks(of batch: ColumnBatch) -> UnsafePointer<UInt128> {
        for (index, part) in parts.enumerated() {
            part.appendRanks(batch, to: ranks, isFirst: index == 0)
        }
        return UnsafePointer(ranks.ranks.start)
    }

    /// The sort bytes of an object; valid until others are asked for.
    package func sortBytes(_ key: UInt64) -> UnsafeRawBufferPointer {
        buffer.removeAll()
        let position = Int(key & UInt64(ColumnChunk.keyCount - 1))
        for part in parts {
            part.append(position, of: Int(key >> UInt64(ColumnChunk.keyCountLog2)), to: buffer)
        }
        return buffer.bytes
    }

    /// Whether equal ranks are equal sort bytes, of which the least object key comes first.
    package var areRanksWhole: Bool { parts.count == 1 && parts[0].isWholeInRank }

    /// Passes on the keys of a chunk's result with ranks between two.
    ///
    /// - `first`: The least rank.
    /// - `last`: The greatest rank; nil as long as all are wanted. Objects that came before had less keys.
    /// - `body`: Takes a key and its rank; returns the greatest rank from there on.
    package func forEach<Failure: Error>(
        _ chunk: Int, _ frame: ColumnFrame, from first: UInt128, upTo last: UInt128?,
        _ body: (UInt64, UInt128) throws(Failure) -> UInt128?
    ) throws(Failure) {
        var last = last
        if let last { parts[0].narrow(chunk, frame, upTo: last) }
        let areRanksWhole = areRanksWhole
        var failure: Failure?
        batches.forEach(of: chunk, frame) { batch in
            if failure != nil { return }
            let ranks = ranks(of: batch)
            for index in batch.positions.indices {
                let rank = ranks[index]
                if rank < first { continue }
                if let last, rank > last || (areRanksWhole && rank == last) { continue }
                do throws(Failure) { last = try body(batch.key(index), rank) } catch {
                    failure = error
                    return
                }
            }
        }
        if let failure { throw failure }
    }
}

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
