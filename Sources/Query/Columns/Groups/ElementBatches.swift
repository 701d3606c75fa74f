/// Makes of a batch others in which each object stands once for each element of its collection. One thread at a time uses
/// it.
final class ElementBatches {
    private let positions = UnsafeMutablePointer<Int32>.allocate(capacity: ColumnBatch.countMax)
    private let elements = UnsafeMutablePointer<Int32>.allocate(capacity: ColumnBatch.countMax)
    private var count = 0

    deinit {
        positions.deallocate()
        elements.deallocate()
    }

    /// Hands over a batch's elements in their collections.
    func forEach(
        of batch: ColumnBatch, in collections: CollectionChunk, _ body: (ColumnBatch) -> Void
    ) {
        for position in batch.positions {
            for element in collections.range(Int(position)) {
                if count == ColumnBatch.countMax { hand(batch.chunk, to: body) }
                positions[count] = position
                elements[count] = Int32(truncatingIfNeeded: element)
                count += 1
            }
        }
        if count > 0 { hand(batch.chunk, to: body) }
    }

    private func hand(_ chunk: Int, to body: (ColumnBatch) -> Void) {
        body(
            ColumnBatch(
                chunk: chunk, positions: UnsafeBufferPointer(start: positions, count: count),
                elements: UnsafeBufferPointer(start: elements, count: count)))
        count = 0
    }
}
