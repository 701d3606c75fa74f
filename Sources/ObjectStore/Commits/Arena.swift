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
    func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        byteCount += bytes.count
        if bytes.count > room || next == nil {
            let size = max(Self.blockByteCount, bytes.count)
            guard let block = malloc(size) else { preconditionFailure("out of memory") }
            blocks.append(block)
            if bytes.count > Self.blockByteCount / 2 {
                // A large piece gets a block of its own and leaves the present one in use.
                memcpy(block, bytes.baseAddress ?? UnsafeRawPointer(block), bytes.count)
                return UnsafeRawBufferPointer(start: block, count: bytes.count)
            }
            next = block
            room = size
        }
        guard let place = next else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        if let source = bytes.baseAddress { memcpy(place, source, bytes.count) }
        next = place + bytes.count
        room -= bytes.count
        return UnsafeRawBufferPointer(start: place, count: bytes.count)
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
