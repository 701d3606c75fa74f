/// Adds batches of which some are no values to totals. One thread at a time uses it.
final class ValueBatch {
    private let positions = BatchRoom<Int32>()
    private let groups = BatchRoom<UInt32>()

    /// Adds the values of a batch that are neither null nor an exception, such as NaN.
    ///
    /// - `groups`: The group of each one; nil where all are of the first.
    func add(
        _ batch: ColumnBatch, of chunk: ColumnChunk, _ groups: UnsafePointer<UInt32>?,
        to totals: some ValueTotals
    ) {
        if chunk.nulls == nil, chunk.exceptions == nil { return totals.add(chunk, batch, groups) }
        var count = 0
        for (index, position) in batch.positions.enumerated() {
            positions.start[count] = position
            self.groups.start[count] = groups?[index] ?? 0
            let isNoValue =
                (chunk.nulls?[Int(position)] ?? 0) | (chunk.exceptions?[Int(position)] ?? 0)
            count += isNoValue == 0 ? 1 : 0
        }
        let values = ColumnBatch(
            chunk: batch.chunk, positions: UnsafeBufferPointer(start: positions.start, count: count)
        )
        totals.add(chunk, values, groups.map { _ in UnsafePointer(self.groups.start) })
    }
}

/// Some neighbouring objects of a chunk, few enough that their results stay in the processor's first cache.
///
/// Benchmark row: `aggregates`.
struct ColumnBatch {
    /// The most objects of a batch.
    static let countMax = 1024

    let chunk: Int
    /// The positions of the objects in it, rising; one may stand there several times.
    let positions: UnsafeBufferPointer<Int32>
    /// In a batch of the elements of collections, the position of each object among all objects.
    var elements = UnsafeBufferPointer<Int32>(start: nil, count: 0)
    /// The keys of rows that were packed, by position; nil in a chunk of a column.
    var keys: UnsafePointer<UInt64>?

    func key(_ index: Int) -> UInt64 {
        keys?[Int(positions[index])]
            ?? UInt64(chunk << ColumnChunk.keyCountLog2) | UInt64(positions[index])
    }
}

/// Makes of a batch others in which each object stands once for each element of its collection. One thread at a time uses it.
final class ElementBatches {
    private let positions = BatchRoom<Int32>()
    private let elements = BatchRoom<Int32>()
    private var count = 0

    /// Hands over a batch's elements in their collections.
    func forEach(
        of batch: ColumnBatch, in collections: CollectionChunk, _ body: (ColumnBatch) -> Void
    ) {
        for position in batch.positions {
            for element in collections.range(Int(position)) {
                if count == ColumnBatch.countMax { hand(batch.chunk, to: body) }
                positions.start[count] = position
                elements.start[count] = Int32(truncatingIfNeeded: element)
                count += 1
            }
        }
        if count > 0 { hand(batch.chunk, to: body) }
    }

    private func hand(_ chunk: Int, to body: (ColumnBatch) -> Void) {
        body(
            ColumnBatch(
                chunk: chunk, positions: UnsafeBufferPointer(start: positions.start, count: count),
                elements: UnsafeBufferPointer(start: elements.start, count: count)))
        count = 0
    }
}
