import HoldfastRows
import HoldfastStorage

/// The storage of a ``TreeEditor``'s chunks.
protocol TreeChunks: OverflowSource {
    /// Stores a chunk; the bytes are copied.
    func put(_ key: UnsafeRawBufferPointer, _ chunk: UnsafeRawBufferPointer)
    /// Removes a chunk.
    func remove(_ key: UnsafeRawBufferPointer)
    /// Notes that a chunk is damaged.
    func fail(_ error: StorageError)
}
