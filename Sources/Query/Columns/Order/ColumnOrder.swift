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
    /// - Returns: False where they have no such order.
    package func bind(to columns: BoundColumns, byteCountMax: Int) -> Bool {
        guard parts.allSatisfy({ $0.bind(to: columns, byteCountMax: byteCountMax) }) else {
            return false
        }
        restWidth = parts.dropFirst().reduce(0) { $0 + $1.width }
        return restWidth + parts[0].width <= 128
    }

    /// The ranked key of an object.
    package func rankedKey(_ chunk: Int, _ position: Int) -> RankedKey {
        var rank: UInt128 = 0
        for part in parts {
            rank = rank << UInt128(part.width) | part.rank(chunk, position)
        }
        return RankedKey(
            rank: rank, key: UInt64(chunk << ColumnChunk.keyCountLog2 + position))
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
        guard let chunk = parts[0].chunk(chunk),
            let kernel = parts[0].kernel(upTo: worst.rank >> UInt128(restWidth), of: chunk)
        else { return }
        frame.withSpare { mask in
            chunk.evaluate(kernel, into: mask)
            if let exceptions = chunk.exceptions {
                ColumnMask.or(mask, exceptions, ColumnChunk.keyCount)
            }
            ColumnMask.and(frame.mask, mask, ColumnChunk.keyCount)
        }
    }
}
