import Rows

/// Properties to sort by, as their columns have them: an order of numbers instead of encoded keys.
package final class ColumnOrder {
    /// An object's position in the order: by the ranks of its values, smaller ones first, then by its text if that is the last
    /// value, then by key.
    package struct RankedKey: Sendable {
        /// The ranks of all values, one behind the other.
        package var rank: UInt128
        /// The object key.
        package var key: UInt64
    }

    /// The position of an object that may be gone.
    package struct Start {
        fileprivate(set) var ranked: RankedKey
        fileprivate var text: [UInt8]?
    }

    private let parts: [ColumnOrderPart]
    /// The last part, where its ranks leave open which text comes first.
    private let texts: TextOrderPart?
    /// The bits of all ranks but the first.
    private var restWidth = 0

    private let positions = UnsafeMutablePointer<Int32>.allocate(capacity: ColumnBatch.countMax)
    private let ranks = UnsafeMutablePointer<UInt128>.allocate(capacity: ColumnBatch.countMax)

    deinit {
        positions.deallocate()
        ranks.deallocate()
    }

    /// Makes an order of numbers, bools and dates of the class itself, and of values behind to-one links, and at last of a text
    /// of the class itself; nil for any other.
    package init?(_ sort: [SortKey], schema: RowSchema) {
        parts = sort.compactMap { key in
            NumberOrderPart(key) ?? TextOrderPart(key) ?? LinkOrderPart(key, schema: schema)
        }
        texts = parts.last as? TextOrderPart
        if sort.isEmpty || parts.count < sort.count
            || parts.dropLast().contains(where: { $0 is TextOrderPart })
        {
            return nil
        }
    }

    /// The columns that it needs.
    package var references: [ColumnReference] { parts.map(\.reference) }

    /// The classes of which every object may be read as soon as columns are taken.
    package var farClasses: [Int] { parts.compactMap(\.farClass) }

    /// Bytes of memory that values behind links take.
    var byteCount: Int { parts.reduce(0) { $0 + $1.byteCount } }

    /// Takes the columns of a snapshot.
    ///
    /// - `byteCountMax`: Memory for values behind links.
    /// - `isInTime`: Asked now and then.
    /// - Returns: False where they have no such order.
    package func bind(
        to columns: BoundColumns, byteCountMax: Int, isInTime: () -> Bool
    ) -> Bool {
        for part in parts {
            let left = byteCountMax - byteCount
            guard part.bind(to: columns, byteCountMax: left, isInTime: isInTime) else {
                return false
            }
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
                if let worst, isBefore(worst, own) { continue }
                worst = try body(own)
            }
        }
    }

    /// Whether an object comes before another one.
    @inline(__always)
    package func isBefore(_ a: RankedKey, _ b: RankedKey) -> Bool {
        if a.rank != b.rank { return a.rank < b.rank }
        let order = texts?.order(a.key, b.key) ?? 0
        return order == 0 ? a.key < b.key : order < 0
    }

    /// Whether an object comes behind a position.
    package func isBehind(_ own: RankedKey, _ start: Start) -> Bool {
        if own.rank != start.ranked.rank { return own.rank > start.ranked.rank }
        var order = 0
        if let texts, let text = start.text { order = texts.order(own.key, to: text) }
        return order == 0 ? own.key > start.ranked.key : order > 0
    }

    /// The position that a query's names; nil when its bytes are no values of the properties, or have a text that was cut.
    package func start(sortBytes: [UInt8], key: UInt64) -> Start? {
        var start = Start(ranked: RankedKey(rank: 0, key: key))
        var left = sortBytes[...]
        var isBetween = false
        for part in parts {
            start.ranked.rank <<= UInt128(part.width)
            // Between two values no other property counts.
            if isBetween { continue }
            guard let found = part.rank(of: left) else { return nil }
            if part === texts { start.text = texts?.text(of: left) }
            start.ranked.rank |= found.rank
            isBetween = found.byteCount == nil
            left = left.dropFirst(found.byteCount ?? 0)
        }
        return isBetween || left.isEmpty ? start : nil
    }

    /// Removes from a chunk's result the objects that certainly come after a ranked key. Any thread, once it has columns.
    package func narrow(_ chunk: Int, _ frame: ColumnFrame, upTo last: RankedKey) {
        guard let chunk = parts[0].chunk(chunk) else { return }
        frame.withSpare { mask in
            guard
                parts[0].narrow(
                    chunk, frame, upTo: last.rank >> UInt128(restWidth), into: mask)
            else { return }
            if let exceptions = chunk.exceptions {
                ColumnMask.or(mask, exceptions, ColumnChunk.keyCount)
            }
            ColumnMask.and(frame.mask, mask, ColumnChunk.keyCount)
        }
    }
}
