import Glibc
import Storage

/// Asks the allocator at once for the memory that LMDB will ask for page by page.
///
/// LMDB allocates each page that a transaction makes dirty, and keeps it for later ones. The memory of a thread's
/// allocations grows by no more than is asked for: a system call for every page, and another way into the
/// kernel when the page is first touched. What is allocated and freed here lies ready in one piece instead.
///
/// Source: glibc 2.36, malloc/arena.c (`grow_heap`, `heap_trim`); LMDB 0.9, mdb.c (`mdb_page_malloc`,
/// `mdb_page_free`). The environment's writer alone uses it.
struct PageMemory {
    /// What has fewer changes takes its pages as it needs them.
    private static let changeCountMin = 1 << 14
    /// LMDB writes pages early rather than have more of them in memory.
    private static let byteCountMax = 512 << 20
    /// What LMDB keeps of an entry beside its key and value: a header, a place, padding.
    private static let entryByteCount = 11
    /// Below the size from which the allocator asks the kernel for a block of its own.
    private static let pieceByteCount = 64 << 10
    /// So many pieces are touched at once: while they are, no thread can map memory.
    private static let touchedPieceCount = 4

    /// What LMDB has for pages, as far as it was made ready here.
    private var preparedByteCount = 0
    /// What the pages of the present transaction take.
    private(set) var usedByteCount = 0
    /// A piece above the others, as long as they are being used: without it the allocator would give back what
    /// lies free at the end of its memory.
    private var lid: UnsafeMutableRawPointer?

    /// Notes that a write transaction begins.
    mutating func begin() { usedByteCount = 0 }

    /// Makes the memory ready for the pages that so many changes will fill, for allocations of this thread.
    mutating func prepare(for batch: StorageBatch) {
        usedByteCount += batch.changes.count * Self.entryByteCount
        for change in batch.changes {
            usedByteCount += change.key.count + (change.value?.count ?? 0)
        }
        guard batch.changes.count >= Self.changeCountMin else { return }
        let missing = min(usedByteCount, Self.byteCountMax) - preparedByteCount
        guard missing >= Self.pieceByteCount else { return }
        preparedByteCount += missing
        var pieces = (0...missing / Self.pieceByteCount).compactMap { _ in
            malloc(Self.pieceByteCount)
        }
        lid = pieces.popLast()
        var first = 0
        for place in pieces.indices {
            // Neighbours are touched together.
            let isLast =
                place + 1 == pieces.count || place + 1 == first + Self.touchedPieceCount
                || pieces[place + 1] < pieces[place]
                || pieces[place + 1] > pieces[place] + 2 * Self.pieceByteCount
            guard isLast else { continue }
            Self.touch(from: pieces[first], to: pieces[place] + Self.pieceByteCount)
            first = place + 1
        }
        for piece in pieces { free(piece) }
    }

    /// Notes that a batch was applied.
    mutating func end() {
        free(lid)
        lid = nil
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
