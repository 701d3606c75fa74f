import Glibc
import JSON

// Bytes on their way out, on the loop's thread.
extension Connection {
    /// Sends bytes of a reply that begins; what the kernel does not take is copied and kept.
    ///
    /// - `body`: What follows them; it is not copied.
    func begin(_ bytes: UnsafeRawBufferPointer, _ body: Bytes?) {
        stage = .sending
        guard body == nil else {
            unsent = StreamFrame(head: Array(bytes), body: body)
            return
        }
        sendOrKeep(bytes)
    }

    /// Sends what is left of the reply; of one that is made piece by piece the next piece, then it is the others' turn.
    /// Returns whether there is something else to do now.
    func write() -> Bool {
        if unsent != nil, !flush() { return false }
        guard let pull else {
            finishReply()
            return true
        }
        if sendPiece(of: pull) { loop.continueLater(self) }
        return false
    }

    /// Returns false when bytes are left, or the connection is closed.
    private func flush() -> Bool {
        while let frame = unsent, !frame.isSent {
            guard isWritable else { return false }
            let count = frame.send(to: socket)
            if count > 0 {
                activeAt = loop.now
            } else if count < 0, errno == EAGAIN {
                isWritable = false
            } else if count == 0 || errno != EINTR {
                close()
                return false
            }
        }
        unsent = nil
        return true
    }

    /// Bytes around the piece of a chunk: eight digits and CR LF before it, CR LF behind it.
    private static let chunkHeadByteCount = 10

    /// Sends the next piece of a body that is pulled, or its end. Returns false when the connection is closed.
    private func sendPiece(of body: PullBody) -> Bool {
        let scratch = loop.scratch
        let room = UnsafeMutableRawBufferPointer(
            rebasing: scratch[Self.chunkHeadByteCount..<scratch.count - 2])
        switch body.read(into: room) {
        case .bytes(let count) where count > 0 && count <= room.count:
            request?.sentByteCount += count
            sendPiece(count)
        case .end:
            pull = nil
            body.close()
            if sendsChunks { sendOrKeep(UnsafeRawBufferPointer(Self.lastChunk.bytes)) }
        case .bytes, .failed:
            // Without the last chunk: the client sees that the body is not whole.
            close()
            return false
        }
        return true
    }

    private static let lastChunk: StaticString = "0\r\n\r\n"

    /// Sends the piece that stands in the scratch memory of the loop, with its framing.
    private func sendPiece(_ count: Int) {
        let scratch = loop.scratch
        let start = Self.chunkHeadByteCount
        guard sendsChunks else {
            return sendOrKeep(
                UnsafeRawBufferPointer(rebasing: scratch[start..<start + count]))
        }
        // Leading zeros are digits like others.
        for digit in 0..<8 {
            scratch[digit] = Hexadecimal.digit(UInt8(count >> ((7 - digit) * 4) & 15))
        }
        let lineEnd: (UInt8, UInt8) = (0x0D, 0x0A)
        (scratch[8], scratch[9]) = lineEnd
        (scratch[start + count], scratch[start + count + 1]) = lineEnd
        sendOrKeep(UnsafeRawBufferPointer(rebasing: scratch[0..<start + count + 2]))
    }

    /// Sends what the kernel takes, and keeps the rest. An error that lasts is met again.
    private func sendOrKeep(_ bytes: UnsafeRawBufferPointer) {
        let sent = isWritable ? Glibc.send(socket, bytes.baseAddress, bytes.count, sendFlags) : 0
        if sent > 0 { activeAt = loop.now }
        if sent == bytes.count { return }
        unsent = StreamFrame(head: Array(bytes[max(0, sent)...]))
    }

    /// The reply is sent: the next request may begin, or the connection ends.
    private func finishReply() {
        guard closesAfterReply else {
            endRequest()
            head.reset()
            stage = .head
            activeAt = loop.now
            return
        }
        // Where bytes are left unread, closing would reset the connection, and the client may lose the reply.
        let isUnread = isReadable || input.count > 0 || request?.closesEarly == true
        let lingers = isUnread && !isBroken
        close(keepingSocket: lingers)
        if lingers { server.linger(socket) }
    }
}
