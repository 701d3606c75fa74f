import Glibc

/// Large blocks straight from the kernel: it finds out with the first touch of a huge page, and not of
/// each small one, that the memory is needed, and takes all of it back when a block is freed.
enum KernelMemory {
    private static let pageByteCount = 4096
    /// The size of most blocks: two huge pages and a half, and neighbours share one.
    static let blockByteCount = SlotList.largeByteCount

    /// A block of at least `byteCount` bytes, aligned to pages. Running out of memory ends the process, as
    /// it does everywhere in Swift.
    static func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
        guard let block = allocateIfPossible(byteCount) else {
            preconditionFailure("out of memory")
        }
        return block
    }

    /// The same for memory that the caller can do without.
    static func allocateIfPossible(_ byteCount: Int) -> UnsafeMutableRawPointer? {
        let protection = PROT_READ | PROT_WRITE
        let flags = MAP_PRIVATE | MAP_ANONYMOUS
        guard let block = mmap(nil, byteCount, protection, flags, -1, 0), block != MAP_FAILED else {
            return nil
        }
        // Where the kernel has no huge pages to give, the block has small ones.
        _ = madvise(block, byteCount, Int32(MADV_HUGEPAGE))
        return block
    }

    /// Tells the kernel that fresh memory of any origin will be used soon and as a whole.
    static func expectUse(of memory: UnsafeMutableRawBufferPointer) {
        guard memory.count >= blockByteCount, let start = memory.baseAddress else { return }
        // Only whole pages can be spoken of.
        let first = (Int(bitPattern: start) + pageByteCount - 1) & -pageByteCount
        let end = (Int(bitPattern: start) + memory.count) & -pageByteCount
        _ = madvise(UnsafeMutableRawPointer(bitPattern: first), end - first, Int32(MADV_HUGEPAGE))
    }

    /// Has the kernel find and clear a fresh block now, in the calling thread's time and not in that of whoever
    /// fills it.
    static func touch(_ block: UnsafeMutableRawPointer, _ byteCount: Int) {
        // One page at a time: to populate all of it at once would keep other threads from mapping any memory.
        for offset in stride(from: 0, to: byteCount, by: pageByteCount) {
            block.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self)
        }
    }

    /// Frees a block of as many bytes as were asked for.
    static func free(_ block: UnsafeMutableRawPointer, _ byteCount: Int) {
        munmap(block, byteCount)
    }
}
