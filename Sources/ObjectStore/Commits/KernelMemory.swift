import Glibc

/// Large blocks straight from the kernel: it finds out with the first touch of a huge page, and not of
/// each small one, that the memory is needed, and takes all of it back when a block is freed.
enum KernelMemory {
    /// The size of a block: some huge pages, so that most of it is made of them wherever it begins.
    static let blockByteCount = 8 << 20

    /// A block of at least `byteCount` bytes, aligned to pages. Running out of memory ends the process, as
    /// it does everywhere in Swift.
    static func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
        let protection = PROT_READ | PROT_WRITE
        let flags = MAP_PRIVATE | MAP_ANONYMOUS
        guard let block = mmap(nil, byteCount, protection, flags, -1, 0), block != MAP_FAILED else {
            preconditionFailure("out of memory")
        }
        // Where the kernel has no huge pages to give, the block has small ones.
        _ = madvise(block, byteCount, Int32(MADV_HUGEPAGE))
        return block
    }

    /// Frees a block of as many bytes as were asked for.
    static func free(_ block: UnsafeMutableRawPointer, _ byteCount: Int) {
        munmap(block, byteCount)
    }
}
