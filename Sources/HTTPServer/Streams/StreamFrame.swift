import Glibc

/// Bytes on their way into a socket: pieces that many streams may share, which are not copied, with the framing of a
/// chunk (RFC 9112, section 7.1) around them. On the thread of the loop.
final class StreamFrame {
    private let parts: [Bytes]
    /// How much of all of it the kernel has taken.
    private var sentByteCount = 0
    private let byteCount: Int

    /// Parts as they are.
    init(_ parts: [Bytes]) {
        self.parts = parts
        byteCount = parts.reduce(0) { $0 + $1.count }
    }

    /// Pieces as one chunk.
    convenience init(chunk pieces: [Bytes]) {
        let byteCount = pieces.reduce(0) { $0 + $1.count }
        let head = Bytes(String(byteCount, radix: 16) + "\r\n")
        self.init([head] + pieces + [Bytes("\r\n" as StaticString)])
    }

    /// Whether the kernel has taken all of it.
    var isSent: Bool { sentByteCount == byteCount }

    /// The most parts of one call; the kernel takes no more than 1,024.
    private static let partCountMax = 64

    /// Hands the kernel what is left, in one call if it has few parts.
    ///
    /// - Returns: How many bytes it took; negative, with `errno`, when none.
    func send(to socket: Int32) -> Int {
        let vectors = UnsafeMutableBufferPointer<iovec>.allocate(capacity: Self.partCountMax)
        defer { vectors.deallocate() }
        var count = 0
        var skipped = sentByteCount
        for part in parts {
            if skipped >= part.count {
                skipped -= part.count
                continue
            }
            guard count < vectors.count, let start = part.buffer.baseAddress else { break }
            vectors[count] = iovec(
                iov_base: UnsafeMutableRawPointer(mutating: start + skipped),
                iov_len: part.count - skipped)
            skipped = 0
            count += 1
        }
        var message = msghdr()
        message.msg_iov = vectors.baseAddress
        message.msg_iovlen = count
        let sent = sendmsg(socket, &message, sendFlags)
        if sent > 0 { sentByteCount += sent }
        return sent
    }
}
