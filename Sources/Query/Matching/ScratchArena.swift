/// Memory for bytes that are made while a row is looked at; memory given out stays where it is until
/// the second ``advance()`` after, so that two rows can be compared. One thread at a time uses it.
final class ScratchArena {
    private var blocks: [[UnsafeMutableRawBufferPointer]] = [[], []]
    private var used = 0
    private var present = 0
    private static let blockByteCount = 1024

    deinit { for block in blocks.joined() { block.deallocate() } }

    /// Begins another row, and frees what was made for the last but one.
    func advance() {
        present = 1 - present
        guard !blocks[present].isEmpty else { return }
        // The first block is kept, to be used again.
        for block in blocks[present].dropFirst() { block.deallocate() }
        blocks[present].removeLast(blocks[present].count - 1)
        used = 0
    }

    /// Room for so many bytes.
    func allocate(_ byteCount: Int) -> UnsafeMutableRawBufferPointer {
        if let last = blocks[present].last, used + byteCount <= last.count {
            defer { used += byteCount }
            return UnsafeMutableRawBufferPointer(rebasing: last[used..<used + byteCount])
        }
        let block = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(byteCount, Self.blockByteCount), alignment: 8)
        blocks[present].append(block)
        used = byteCount
        return UnsafeMutableRawBufferPointer(rebasing: block[..<byteCount])
    }
}
