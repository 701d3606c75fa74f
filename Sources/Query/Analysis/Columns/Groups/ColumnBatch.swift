/// Some neighbouring objects of a chunk, few enough that what is computed of them stays in the processor's first cache.
struct ColumnBatch {
    /// The most objects of a batch.
    static let countMax = 1024

    /// The chunk.
    let chunk: Int
    /// The positions of the objects in it, rising; one may stand there several times.
    let positions: UnsafeBufferPointer<Int32>
    /// Whether there are batches of all positions of the chunk.
    var isWhole = false
    /// In a batch of the elements of collections the place of each object's one among those of all objects.
    var elements = UnsafeBufferPointer<Int32>(start: nil, count: 0)
    /// The keys of rows that were packed, by position; nil in a chunk of a column.
    var keys: UnsafePointer<UInt64>?

    /// The key of an object.
    func key(_ index: Int) -> UInt64 {
        keys?[Int(positions[index])]
            ?? UInt64(chunk << ColumnChunk.keyCountLog2) | UInt64(positions[index])
    }
}
