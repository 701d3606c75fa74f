import Glibc

/// Bytes on their way into a socket: pieces that many streams may share, which are not copied, with the framing of a
/// chunk (RFC 9112, section 7.1) around them. On the thread of the loop.
final class StreamFrame {
    private let head: [UInt8]
    private let pieces: [Bytes]
    private let tail: StaticString
    /// How much of all of it the kernel has taken.
    private var sentByteCount = 0
    private let byteCount: Int

    /// Bytes as they are.
    init(head: [UInt8]) {
        self.head = head
        pieces = []
        tail = ""
        byteCount = head.count
    }

    /// Pieces as one chunk, or as they are.
    init(_ pieces: [Bytes], isChunked: Bool) {
        self.pieces = pieces
        let total = pieces.reduce(0) { $0 + $1.count }
        guard isChunked else {
            head = []
            tail = ""
            byteCount = total
            return
        }
        head = Array(String(total, radix: 16).utf8) + [0x0D, 0x0A]
        tail = "\r\n"
        byteCount = head.count + total + 2
    }

    /// Whether the kernel has taken all of it.
    var isSent: Bool { sentByteCount == byteCount }

    /// The most parts of one call; the kernel takes no more than 1,024.
    private static let partCountMax = 64

    /// Hands the kernel what is left, in one call if it has few parts.
    ///
    /// - Returns: How many bytes it took; negative, with `errno`, when none.
    func send(to socket: Int32) -> Int {
        var sent = 0
        let vectors = UnsafeMutableBufferPointer<iovec>.allocate(capacity: Self.partCountMax)
        defer { vectors.deallocate() }
        head.withUnsafeBytes { head in
            var count = 0
            var skipped = sentByteCount
            func add(_ bytes: UnsafeRawBufferPointer) {
                if skipped >= bytes.count {
                    skipped -= bytes.count
                    return
                }
                guard count < vectors.count, let start = bytes.baseAddress else { return }
                vectors[count] = iovec(
                    iov_base: UnsafeMutableRawPointer(mutating: start + skipped),
                    iov_len: bytes.count - skipped)
                skipped = 0
                count += 1
            }
            add(head)
            for piece in pieces { add(piece.buffer) }
            add(
                UnsafeRawBufferPointer(
                    start: tail.utf8Start, count: tail.utf8CodeUnitCount))
            var message = msghdr()
            message.msg_iov = vectors.baseAddress
            message.msg_iovlen = count
            sent = sendmsg(socket, &message, sendFlags)
        }
        if sent > 0 { sentByteCount += sent }
        return sent
    }
}
