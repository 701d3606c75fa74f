/// Memory for short runs of bytes, which stay where they are until it is emptied. One thread at a time uses it.
final class ByteArena {
    private var blocks: [UnsafeMutableRawBufferPointer] = []
    private var used = 0
    /// Bytes of memory that it takes.
    private(set) var byteCount = 0

    private static let blockByteCountMin = 1 << 10
    private static let blockByteCountMax = 1 << 16

    deinit { for block in blocks { block.deallocate() } }

    /// Room for so many bytes.
    func allocate(_ count: Int) -> UnsafeMutableRawBufferPointer {
        if let last = blocks.last, count <= last.count - used {
            defer { used += count }
            return UnsafeMutableRawBufferPointer(rebasing: last[used..<used + count])
        }
        let least = min(max(byteCount, Self.blockByteCountMin), Self.blockByteCountMax)
        let block = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(least, count), alignment: 16)
        blocks.append(block)
        byteCount += block.count
        used = count
        return UnsafeMutableRawBufferPointer(rebasing: block[..<count])
    }

    /// Copies bytes.
    func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let copy = allocate(bytes.count)
        copy.copyMemory(from: bytes)
        return UnsafeRawBufferPointer(copy)
    }

    /// Forgets everything, and keeps a block.
    func removeAll() {
        for block in blocks.dropFirst() { block.deallocate() }
        blocks.removeLast(max(0, blocks.count - 1))
        byteCount = blocks.first?.count ?? 0
        used = 0
    }
}
