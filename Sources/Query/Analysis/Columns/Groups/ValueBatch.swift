/// Adds batches of which some are no values to totals. One thread at a time uses it.
final class ValueBatch {
    private let positions = BatchRoom<Int32>()
    private let groups = BatchRoom<UInt32>()

    /// Adds those of a batch that are neither null nor an exception, as NaN is.
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
