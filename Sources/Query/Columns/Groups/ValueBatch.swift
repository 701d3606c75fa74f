/// Adds batches of which some are no values to totals. One thread at a time uses it.
final class ValueBatch {
    private let positions = UnsafeMutablePointer<Int32>.allocate(capacity: ColumnBatch.countMax)
    private let groups = UnsafeMutablePointer<UInt32>.allocate(capacity: ColumnBatch.countMax)

    deinit {
        positions.deallocate()
        groups.deallocate()
    }

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
            positions[count] = position
            self.groups[count] = groups?[index] ?? 0
            let isNoValue =
                (chunk.nulls?[Int(position)] ?? 0) | (chunk.exceptions?[Int(position)] ?? 0)
            count += isNoValue == 0 ? 1 : 0
        }
        let values = ColumnBatch(
            chunk: batch.chunk, positions: UnsafeBufferPointer(start: positions, count: count))
        totals.add(chunk, values, groups.map { _ in UnsafePointer(self.groups) })
    }
}
