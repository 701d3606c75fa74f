/// Divides what a scan finds in a chunk into batches. One thread at a time uses it.
final class ColumnBatches {
    private let positions = BatchRoom<Int32>()

    /// Hands over the objects of a chunk's result in the order of their keys.
    func forEach(of chunk: Int, _ frame: ColumnFrame, _ body: (ColumnBatch) -> Void) {
        let objectCount = frame.count
        if objectCount == 0 { return }
        let isWhole = objectCount == ColumnChunk.keyCount
        var position = 0
        while position < ColumnChunk.keyCount {
            var count = 0
            if isWhole {
                count = ColumnBatch.countMax
                for index in 0..<count { positions.start[index] = Int32(position + index) }
                position += count
            } else {
                let end = min(position + ColumnBatch.countMax, ColumnChunk.keyCount)
                while position < end {
                    positions.start[count] = Int32(position)
                    count += Int(frame.mask[position])
                    position += 1
                }
            }
            if count == 0 { continue }
            body(
                ColumnBatch(
                    chunk: chunk,
                    positions: UnsafeBufferPointer(start: positions.start, count: count)))
        }
    }
}
