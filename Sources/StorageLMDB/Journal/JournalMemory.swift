/// The records of one journal file in memory, which the changes of a ``ChangeRun`` point into.
///
/// `@unchecked Sendable`: only the writer reserves room, under the environment's write lock, and bytes
/// that were published in a ``RecentChanges`` never change.
final class JournalMemory: @unchecked Sendable {
    private var chunks: [UnsafeMutableRawPointer] = []
    private var next: UnsafeMutableRawPointer?
    private var freeByteCount = 0
    private var chunkByteCount = 64 << 10

    /// How many bytes are reserved by records.
    private(set) var byteCount = 0

    deinit {
        for chunk in chunks { chunk.deallocate() }
    }

    /// Room for a record, aligned to 8 bytes; it stays where it is.
    func reserve(_ count: Int) -> UnsafeMutableRawPointer {
        byteCount += count
        if let start = next, count <= freeByteCount {
            next = start + count
            freeByteCount -= count
            return start
        }
        let chunk = UnsafeMutableRawPointer.allocate(
            byteCount: max(count, chunkByteCount), alignment: 8)
        chunks.append(chunk)
        // A long record has a chunk of its own; the one that was begun is filled on.
        if count >= chunkByteCount { return chunk }
        next = chunk + count
        freeByteCount = chunkByteCount - count
        chunkByteCount = min(2 * chunkByteCount, 1 << 20)
        return chunk
    }
}
