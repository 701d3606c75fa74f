/// Copies of short runs of bytes, which stay where they are as long as it lives. One thread at a time uses it.
final class ByteArena {
    private var blocks: [UnsafeMutableRawPointer] = []
    private var used = 0
    private var room = 0
    /// Bytes of memory that it takes.
    private(set) var byteCount = 0

    private static let blockByteCountMin = 1 << 10
    private static let blockByteCountMax = 1 << 16

    deinit { for block in blocks { block.deallocate() } }

    /// Copies bytes.
    func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer {
        if blocks.isEmpty || bytes.count > room - used {
            let block = min(max(byteCount, Self.blockByteCountMin), Self.blockByteCountMax)
            room = max(block, bytes.count)
            used = 0
            byteCount += room
            blocks.append(.allocate(byteCount: room, alignment: 16))
        }
        let start = blocks[blocks.count - 1] + used
        UnsafeMutableRawBufferPointer(start: start, count: bytes.count).copyMemory(from: bytes)
        used += bytes.count
        return UnsafeRawPointer(start)
    }
}
