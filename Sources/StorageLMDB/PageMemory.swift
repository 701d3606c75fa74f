import Glibc
import Storage

/// Asks the allocator at once for the memory that LMDB will ask for page by page.
///
/// LMDB allocates each page that a transaction makes dirty. The memory of a thread's allocations grows by no
/// more than is asked for: a system call for every page, and another way into the kernel when the page is first
/// touched. What is allocated and freed here lies ready in one piece instead.
///
/// Source: glibc 2.36, malloc/arena.c (`grow_heap`); LMDB 0.9, mdb.c (`mdb_page_malloc`).
enum PageMemory {
    /// What has fewer changes takes its pages as it needs them.
    private static let changeCountMin = 1 << 14
    /// What LMDB keeps of an entry beside its key and value: a header, a place, padding.
    private static let entryByteCount = 11
    /// Below the size from which the allocator asks the kernel for a block of its own.
    private static let pieceByteCount = 64 << 10

    /// Makes the memory ready for the pages that so many changes will fill, for allocations of this thread.
    static func prepare(for batch: StorageBatch) {
        guard batch.changes.count >= changeCountMin else { return }
        var byteCount = batch.changes.count * entryByteCount
        for change in batch.changes { byteCount += change.key.count + (change.value?.count ?? 0) }
        let pieces = (0..<byteCount / pieceByteCount).compactMap { _ in malloc(pieceByteCount) }
        defer { for piece in pieces { free(piece) } }
        guard var first = pieces.first else { return }
        for (piece, next) in zip(pieces, pieces.dropFirst()) {
            // Neighbours are touched together.
            if next < piece || next > piece + 2 * pieceByteCount {
                touch(from: first, to: piece + pieceByteCount)
                first = next
            }
        }
        if let last = pieces.last { touch(from: first, to: last + pieceByteCount) }
    }

    private static func touch(from start: UnsafeMutableRawPointer, to end: UnsafeMutableRawPointer)
    {
        let pageMask = -4096
        let first = Int(bitPattern: start) & pageMask
        let populateWrite: Int32 = 23
        // A kernel before Linux 5.14 refuses, and nothing is lost.
        _ = madvise(
            UnsafeMutableRawPointer(bitPattern: first), Int(bitPattern: end) & pageMask - first,
            populateWrite)
    }
}
