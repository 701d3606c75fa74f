import Glibc

/// A memory arena: allocations keep their addresses until all of it is freed.
final class Arena {
    private static let blockByteCount = 256 * 1024
    /// How many blocks of that size there may be before others are larger.
    private static let smallBlockCountMax = 32
    private var blocks: [UnsafeMutableRawPointer] = []
    private var largeBlocks: [(start: UnsafeMutableRawPointer, byteCount: Int)] = []
    private var next: UnsafeMutableRawPointer?
    private var room = 0
    /// The bytes handed out.
    private(set) var byteCount = 0

    deinit {
        for block in blocks { free(block) }
        for block in largeBlocks { KernelMemory.free(block.start, block.byteCount) }
    }

    /// Copies `bytes` and returns the copy, valid until ``reset()``.
    ///
    /// - `room`: How many bytes the copy may grow to.
    func copy(_ bytes: UnsafeRawBufferPointer, room byteCountMax: Int = 0) -> UnsafeRawBufferPointer
    {
        let pointer = take(max(bytes.count, byteCountMax))
        if let source = bytes.baseAddress { memcpy(pointer, source, bytes.count) }
        return UnsafeRawBufferPointer(start: pointer, count: bytes.count)
    }

    private func take(_ count: Int) -> UnsafeMutableRawPointer {
        byteCount += count
        if count <= room, let pointer = next {
            next = pointer + count
            room -= count
            return pointer
        }
        let (block, size) = makeBlock(count)
        if count <= Self.blockByteCount / 2 {
            next = block + count
            room = size - count
        }
        // A large piece has a block of its own and leaves the present one in use.
        return block
    }

    /// A block with room for `count` bytes at least.
    private func makeBlock(_ count: Int) -> (start: UnsafeMutableRawPointer, byteCount: Int) {
        if blocks.count < Self.smallBlockCountMax, count <= Self.blockByteCount {
            guard let block = malloc(Self.blockByteCount) else {
                preconditionFailure("out of memory")
            }
            blocks.append(block)
            return (block, Self.blockByteCount)
        }
        let isShared = count <= Self.blockByteCount / 2
        let size = isShared ? KernelMemory.blockByteCount : (count + 4095) & ~4095
        let block = (start: KernelMemory.allocate(size), byteCount: size)
        largeBlocks.append(block)
        return block
    }

    /// Frees everything but one block.
    func reset() {
        for block in blocks.dropFirst() { free(block) }
        blocks.removeSubrange(min(1, blocks.count)...)
        for block in largeBlocks { KernelMemory.free(block.start, block.byteCount) }
        largeBlocks.removeAll()
        next = blocks.first
        room = blocks.isEmpty ? 0 : Self.blockByteCount
        byteCount = 0
    }
}
