import Glibc

/// A memory arena: allocations keep their addresses until all of it is freed.
final class Arena {
    private static let blockByteCount = 256 * 1024
    private var blocks: [UnsafeMutableRawPointer] = []
    /// Pieces that have blocks of their own.
    private var largePieces: [UnsafeMutableRawPointer] = []
    private var next: UnsafeMutableRawPointer?
    private var room = 0
    /// The bytes handed out.
    private(set) var byteCount = 0

    deinit { for block in blocks + largePieces { block.deallocate() } }

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
        guard count <= Self.blockByteCount / 2 else {
            // It leaves the present block in use.
            largePieces.append(.allocate(byteCount: count, alignment: 8))
            return largePieces[largePieces.count - 1]
        }
        let block = UnsafeMutableRawPointer.allocate(
            byteCount: Self.blockByteCount, alignment: 8)
        blocks.append(block)
        next = block + count
        room = Self.blockByteCount - count
        return block
    }

    /// Frees everything but one block.
    func reset() {
        for block in blocks.dropFirst() + largePieces { block.deallocate() }
        blocks.removeSubrange(min(1, blocks.count)...)
        largePieces.removeAll()
        next = blocks.first
        room = blocks.isEmpty ? 0 : Self.blockByteCount
        byteCount = 0
    }
}
