import Glibc

/// Memory whose pieces stay where they are until all of it is freed.
final class Arena {
    private static let blockByteCount = 256 * 1024
    private var blocks: [UnsafeMutableRawPointer] = []
    private var next: UnsafeMutableRawPointer?
    private var room = 0
    /// The bytes handed out.
    private(set) var byteCount = 0

    deinit { for block in blocks { free(block) } }

    /// Copies `bytes` and returns the copy, valid until ``reset()``.
    ///
    /// - `room`: How many bytes the copy may grow to.
    func copy(_ bytes: UnsafeRawBufferPointer, room byteCountMax: Int = 0) -> UnsafeRawBufferPointer
    {
        let place = take(max(bytes.count, byteCountMax))
        if let source = bytes.baseAddress { memcpy(place, source, bytes.count) }
        return UnsafeRawBufferPointer(start: place, count: bytes.count)
    }

    private func take(_ count: Int) -> UnsafeMutableRawPointer {
        byteCount += count
        if count <= room, let place = next {
            next = place + count
            room -= count
            return place
        }
        let size = max(Self.blockByteCount, count)
        guard let block = malloc(size) else { preconditionFailure("out of memory") }
        blocks.append(block)
        if count <= Self.blockByteCount / 2 {
            next = block + count
            room = size - count
        }
        // A large piece has a block of its own and leaves the present one in use.
        return block
    }

    /// Frees everything but one block; every block has at least the usual size.
    func reset() {
        for block in blocks.dropFirst() { free(block) }
        blocks.removeSubrange(min(1, blocks.count)...)
        next = blocks.first
        room = blocks.isEmpty ? 0 : Self.blockByteCount
        byteCount = 0
    }
}
