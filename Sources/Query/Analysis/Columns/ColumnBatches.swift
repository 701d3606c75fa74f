/// Divides the result of a scan in a chunk into batches. One thread at a time uses it.
final class ColumnBatches {
    private let positions = BatchRoom<Int32>()

    /// Hands over the objects of a chunk's result in the order of their keys.
    func forEach(of chunk: Int, _ frame: ColumnFrame, _ body: (ColumnBatch) -> Void) {
        let objectCount = frame.count
        if objectCount == 0 { return }
        let (positions, mask) = (positions.start, frame.mask)
        var position = 0
        while position < ColumnChunk.keyCount {
            var count = 0
            if objectCount <= ColumnBatch.countMax {
                // They are one batch, and most positions are not in it.
                position = frame.first(from: 0)
                while position < ColumnChunk.keyCount {
                    positions[count] = Int32(truncatingIfNeeded: position)
                    count += 1
                    position = frame.first(from: position + 1)
                }
            } else {
                let end = min(position + ColumnBatch.countMax, ColumnChunk.keyCount)
                while position < end {
                    positions[count] = Int32(truncatingIfNeeded: position)
                    count &+= Int(mask[position])
                    position &+= 1
                }
            }
            if count == 0 { continue }
            let filled = UnsafeBufferPointer(start: positions, count: count)
            body(ColumnBatch(chunk: chunk, positions: filled))
        }
    }
}

/// Room for a value of each object of a batch.
struct BatchRoom<Element: BitwiseCopyable>: ~Copyable {
    /// Where it begins.
    let start = UnsafeMutablePointer<Element>.allocate(capacity: ColumnBatch.countMax)

    deinit { start.deallocate() }
}
