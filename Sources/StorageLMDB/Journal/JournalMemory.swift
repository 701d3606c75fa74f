import Glibc

/// The records of one journal file in memory. The changes of a ``ChangeRun`` point into them.
///
/// The memory is mapped rather than allocated: each checkpoint frees some megabytes, which an allocator would keep.
///
/// `@unchecked Sendable`: only the writer reserves room, under the environment's write lock, and bytes that were published in a
/// ``RecentChanges`` never change.
///
/// Benchmark rows: `put-indexed`, `import`.
final class JournalMemory: @unchecked Sendable {
    private static let chunkByteCountMax = 1 << 20

    private var chunks: [UnsafeMutableRawBufferPointer] = []
    private var next: UnsafeMutableRawPointer?
    private var freeByteCount = 0
    private var chunkByteCount = 64 << 10

    deinit {
        for chunk in chunks { munmap(chunk.baseAddress, chunk.count) }
    }

    /// Returns room for a record, aligned to 8 bytes, which keeps its address; nil if there is no memory.
    func reserve(_ count: Int) -> UnsafeMutableRawPointer? {
        if let start = next, count <= freeByteCount {
            next = start + count
            freeByteCount -= count
            return start
        }
        // A long record gets a chunk of its own; later records continue in the present chunk.
        if count >= chunkByteCount { return map(count) }
        guard let chunk = map(chunkByteCount) else { return nil }
        next = chunk + count
        freeByteCount = chunkByteCount - count
        chunkByteCount = min(2 * chunkByteCount, Self.chunkByteCountMax)
        return chunk
    }

    /// Returns the room that was reserved last.
    func giveBack(_ start: UnsafeMutableRawPointer, _ count: Int) {
        if next == start + count {
            next = start
            freeByteCount += count
        } else if let last = chunks.last, last.baseAddress == start {
            munmap(last.baseAddress, last.count)
            chunks.removeLast()
        }
    }

    private func map(_ byteCount: Int) -> UnsafeMutableRawPointer? {
        let mapped = mmap(
            nil, max(byteCount, 1), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let mapped, mapped != MAP_FAILED else { return nil }
        chunks.append(UnsafeMutableRawBufferPointer(start: mapped, count: max(byteCount, 1)))
        return mapped
    }
}
