import Glibc

/// Bytes that a connection received and nobody has consumed: heads of requests, and what came with them.
///
/// The memory does not move while a request is under way, so that pieces of its head can point into it: room is made
/// between requests alone. An idle connection keeps the first 4 KiB.
struct InputBuffer: ~Copyable {
    private static let firstCapacity = 4096
    /// A smaller rest of the memory is not worth a system call.
    private static let roomByteCountMin = 512

    private var memory: UnsafeMutablePointer<UInt8>?
    private var capacity = 0
    private var start = 0
    private var end = 0

    deinit { free(memory) }

    /// Number of bytes that were received and not consumed.
    var count: Int { end - start }

    /// The bytes; valid until room is made.
    var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: memory.map { $0 + start }, count: end - start)
    }

    /// Memory for what comes next, which moves what is there; nil without memory.
    ///
    /// - `limit`: The most bytes that are held; there must be fewer.
    mutating func makeRoom(limit: Int) -> UnsafeMutableRawBufferPointer? {
        if start > 0, let memory {
            memmove(memory, memory + start, end - start)
            end -= start
            start = 0
        }
        if capacity - end < Self.roomByteCountMin, capacity < limit {
            let wanted = min(max(Self.firstCapacity, capacity * 2), limit)
            guard let grown = realloc(memory, wanted) else { return nil }
            memory = grown.assumingMemoryBound(to: UInt8.self)
            capacity = wanted
        }
        return UnsafeMutableRawBufferPointer(start: memory.map { $0 + end }, count: capacity - end)
    }

    /// Counts bytes that were written to the room.
    mutating func received(_ byteCount: Int) { end += byteCount }

    /// Drops the first bytes. They stay where they are until room is made.
    mutating func consume(_ byteCount: Int) { start += byteCount }

    /// Gives memory back that a usual request does not need, when nothing is held.
    mutating func trim() {
        guard start == end else { return }
        start = 0
        end = 0
        guard capacity > Self.firstCapacity else { return }
        free(memory)
        memory = nil
        capacity = 0
    }
}
