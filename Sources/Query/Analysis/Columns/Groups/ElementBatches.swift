/// Makes of a batch others in which each object stands once for each element of its collection. One thread at a time uses
/// it.
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
