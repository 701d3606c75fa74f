import Glibc

/// Large blocks straight from the kernel, which takes all of a block back when it is freed.
enum KernelMemory {
    /// The size of most blocks.
    static let blockByteCount = SlotList.largeByteCount

    /// A block of at least `byteCount` bytes, aligned to pages. Running out of memory ends the process, as
    /// it does everywhere in Swift.
    static func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
        let protection = PROT_READ | PROT_WRITE
        let flags = MAP_PRIVATE | MAP_ANONYMOUS
        guard let block = mmap(nil, byteCount, protection, flags, -1, 0), block != MAP_FAILED else {
            preconditionFailure("out of memory")
        }
        return block
    }

    /// Frees a block of as many bytes as were asked for.
    static func free(_ block: UnsafeMutableRawPointer, _ byteCount: Int) {
        munmap(block, byteCount)
    }
}
