import Rows

/// Properties to sort by, as their columns have them: an order of numbers instead of encoded keys.
package final class ColumnOrder {
    /// An object's position in the order: by the ranks of its values, smaller ones first, then by key.
    package struct RankedKey: Comparable, Sendable {
        /// The ranks of all values, one behind the other.
        package var rank: UInt128
        /// The object key.
        package var key: UInt64

        package static func < (a: RankedKey, b: RankedKey) -> Bool {
            a.rank == b.rank ? a.key < b.key : a.rank < b.rank
        }
    }

    private let parts: [ColumnOrderPart]
    /// The bits of all ranks but the first.
    private var restWidth = 0

    private let positions = UnsafeMutablePointer<Int32>.allocate(capacity: ColumnBatch.countMax)
    private let ranks = UnsafeMutablePointer<UInt128>.allocate(capacity: ColumnBatch.countMax)

    deinit {
        positions.deallocate()
        ranks.deallocate()
    }

    /// Makes an order of properties of fixed width of the class itself, and of values behind to-one links; nil for any
    /// other.
    package init?(_ sort: [SortKey], schema: RowSchema) {
        parts = sort.compactMap { key in
            NumberOrderPart(key) ?? LinkOrderPart(key, schema: schema)
        }
        if sort.isEmpty || parts.count < sort.count { return nil }
    }

    /// The columns that it needs.
    package var references: [ColumnReference] { parts.map(\.reference) }

    /// Takes the columns of a snapshot.
    ///
    /// - `byteCountMax`: Memory for values behind links.
    /// - `isInTime`: Asked now and then.
    /// - Returns: False where they have no such order.
    package func bind(
        to columns: BoundColumns, byteCountMax: Int, isInTime: () -> Bool
    ) -> Bool {
        for part in parts
        where !part.bind(to: columns, byteCountMax: byteCountMax, isInTime: isInTime) {
            return false
        }
        restWidth = parts.dropFirst().reduce(0) { $0 + $1.width }
        return restWidth + parts[0].width <= 128
    }

    /// The ranks of the objects of a batch, valid until others are asked for.
    func ranks(of batch: ColumnBatch) -> UnsafePointer<UInt128> {
        ranks.update(repeating: 0, count: batch.positions.count)
        for part in parts { part.appendRanks(batch, to: ranks) }
        return UnsafePointer(ranks)
    }

    /// Hands over the ranked keys of a chunk's result, as long as there are some before the one that `body` returns.
    ///
    /// - `body`: Takes a ranked key; returns the one that others have to come before, nil for none.
    package func forEach<Failure: Error>(
        _ chunk: Int, _ frame: ColumnFrame, before worst: RankedKey?,
        _ body: (RankedKey) throws(Failure) -> RankedKey?
    ) throws(Failure) {
        var worst = worst
        var position = frame.first(from: 0)
        while position < ColumnChunk.keyCount {
            var count = 0
            while count < ColumnBatch.countMax, position < ColumnChunk.keyCount {
                positions[count] = Int32(position)
                count += 1
                position = frame.first(from: position + 1)
            }
            let batch = ColumnBatch(
                chunk: chunk, positions: UnsafeBufferPointer(start: positions, count: count))
            let ranks = ranks(of: batch)
            for index in 0..<count {
                if let worst, ranks[index] > worst.rank { continue }
                let own = RankedKey(rank: ranks[index], key: batch.key(index))
                if let worst, worst < own { continue }
                worst = try body(own)
            }
        }
    }

    /// The ranked key that a query's position names; nil when its bytes are no values of the properties.
    package func rankedKey(sortBytes: [UInt8], key: UInt64) -> RankedKey? {
        var rank: UInt128 = 0
        var left = sortBytes[...]
        var isBetween = false
        for part in parts {
            rank <<= UInt128(part.width)
            // Between two values no other property counts.
            if isBetween { continue }
            guard let found = part.rank(of: left) else { return nil }
            rank |= found.rank
            isBetween = found.byteCount == nil
            left = left.dropFirst(found.byteCount ?? 0)
        }
        return isBetween || left.isEmpty ? RankedKey(rank: rank, key: key) : nil
    }

    /// Removes from a chunk's result the objects that certainly come after a ranked key.
    package func narrow(_ chunk: Int, _ frame: ColumnFrame, before worst: RankedKey) {
        guard let chunk = parts[0].chunk(chunk) else { return }
        frame.withSpare { mask in
            guard parts[0].narrow(chunk, upTo: worst.rank >> UInt128(restWidth), into: mask)
            else { return }
            if let exceptions = chunk.exceptions {
                ColumnMask.or(mask, exceptions, ColumnChunk.keyCount)
            }
            ColumnMask.and(frame.mask, mask, ColumnChunk.keyCount)
        }
    }
}
