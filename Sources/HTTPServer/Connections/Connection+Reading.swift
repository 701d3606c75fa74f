import CEpoll
import Glibc

// Bytes on their way in, on the loop's thread.
extension Connection {
    /// The loop was told of a change.
    func ready(_ events: UInt32) {
        if events & (shim_peer_closed | shim_broken) != 0 {
            isPeerGone.store(true, ordering: .relaxed)
            isReadable = true
        }
        if events & shim_broken != 0 { isBroken = true }
        if events & shim_readable != 0 { isReadable = true }
        if events & (shim_writable | shim_broken) != 0 { isWritable = true }
        // One that goes on in the loop's next turn has had its share of this one.
        if !continues { advance() }
    }

    /// An answer came, or an upload may go on.
    func resume() {
        if stage == .waiting, let request, let answer = takeAnswer() {
            server.send(answer, for: request)
        }
        advance()
    }

    /// Goes on as far as possible; what takes long is left for the loop's next turn.
    func advance() {
        for _ in 0..<16 {
            let goesOn =
                switch stage {
                case .head: readHead()
                case .body: readBody()
                case .sending: write()
                case .waiting, .closed: false
                }
            if !goesOn { return }
        }
        loop.continueLater(self)
    }

    // MARK: The head

    /// Heads are read to twice their limit, so that most of those above it are told by how much.
    private var inputByteCountMax: Int { 2 * server.options.headerByteCountMax }

    /// Returns whether there is something else to do.
    private func readHead() -> Bool {
        while true {
            if input.count > 0 {
                switch head.read(input.bytes) {
                case .complete(let byteCount):
                    begin(headByteCount: byteCount)
                    return true
                case .broken(let fault):
                    refuse(server.options.makeProblem(fault.fault))
                    return true
                case .incomplete:
                    if input.count >= inputByteCountMax {
                        refuse(server.headTooLarge(head, byteCount: input.count))
                        return true
                    }
                }
            }
            guard isReadable else {
                if input.count == 0 { input.trim() } else { expectHead() }
                return false
            }
            guard let room = input.makeRoom(limit: inputByteCountMax) else {
                close()
                return false
            }
            guard let byteCount = receive(into: room) else { return false }
            input.received(byteCount)
        }
    }

    /// A head that has begun has its time from here on.
    private func expectHead() {
        if deadline == 0 { deadline = activeAt + seconds(server.options.headerTimeoutSeconds) }
    }

    private func begin(headByteCount: Int) {
        guard let request = beginRequest() else { return }
        input.consume(headByteCount)
        server.begin(request, headByteCount: headByteCount)
    }

    /// Refuses a request whose head is broken, and closes the connection.
    private func refuse(_ refusal: Response) {
        if let request = beginRequest() { server.refuseHead(request, refusal) }
    }

    /// The request whose head was read; nil, and the connection is closed, without memory.
    private func beginRequest() -> Request? {
        let request = nextRequest()
        guard request.begin(head.target) else {
            request.end()
            close()
            return nil
        }
        request.method = Method(head.method)
        request.isHTTP11 = head.isHTTP11
        return request
    }

    // MARK: The body

    /// Begins to read the body of the request, or to wait for it.
    func beginBody() {
        stage = .body
        bodyLeft = head.bodyByteCount
        chunks = ChunkReader()
        if head.expectsContinue, head.isHTTP11, input.count == 0 {
            // A client whose buffers are full sends without it (RFC 9110, section 10.1.1).
            let text: StaticString = "HTTP/1.1 100 Continue\r\n\r\n"
            let sent = Glibc.send(socket, text.utf8Start, text.utf8CodeUnitCount, sendFlags)
            if sent > 0, sent < text.utf8CodeUnitCount { close() }
        }
    }

    private var isBodyComplete: Bool { head.isChunked ? chunks.isOver : bodyLeft == 0 }

    /// Reads once, then it is the others' turn. Returns whether there is something else to do now.
    private func readBody() -> Bool {
        guard let request else { return false }
        if isUploadPaused {
            if isBroken { close() }
            return false
        }
        if isBodyComplete {
            server.finish(request)
            return true
        }
        if input.count > 0 {
            let bytes = UnsafeRawBufferPointer(input.bytes)
            let count = head.isChunked ? bytes.count : Int(min(bodyLeft, UInt64(bytes.count)))
            input.consume(count)
            take(UnsafeRawBufferPointer(rebasing: bytes[0..<count]), request)
            return true
        }
        guard isReadable else { return false }
        // Not a byte of what may follow: it stays with the kernel.
        let room = loop.scratch
        let limit = head.isChunked ? room.count : Int(min(bodyLeft, UInt64(room.count)))
        guard
            let byteCount = receive(into: UnsafeMutableRawBufferPointer(rebasing: room[0..<limit]))
        else { return false }
        take(UnsafeRawBufferPointer(rebasing: room[0..<byteCount]), request)
        if stage != .body || isBodyComplete { return true }
        if isReadable { loop.continueLater(self) }
        return false
    }

    /// Takes bytes of the body out of their framing.
    private func take(_ bytes: UnsafeRawBufferPointer, _ request: Request) {
        guard head.isChunked else {
            bodyLeft -= UInt64(bytes.count)
            server.receive(bytes, for: request)
            return
        }
        do throws(ChunkReader.Fault) {
            try chunks.read(bytes) { piece in
                server.receive(piece, for: request)
                return stage == .body
            }
        } catch {
            server.refuseAtOnce(
                request,
                server.fault(
                    400, .badEncoding,
                    "The body's chunks are malformed: each is a size in hexadecimal digits, CR LF, so "
                        + "many bytes and CR LF."))
        }
    }

    // MARK: The socket

    /// Receives what is there.
    ///
    /// - Returns: How many bytes, one at least; nil when there are none. The connection is closed then, if none will come.
    private func receive(into room: UnsafeMutableRawBufferPointer) -> Int? {
        while true {
            let count = recv(socket, room.baseAddress, room.count, Int32(MSG_DONTWAIT))
            if count > 0 {
                activeAt = loop.now
                // The kernel had no more than that, and tells of what comes later; but not of an end that was there.
                if count < room.count, !isPeerGone.load(ordering: .relaxed) { isReadable = false }
                return count
            }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                isReadable = false
            } else {
                close()
            }
            return nil
        }
    }

    // MARK: Time

    /// Ends what takes too long and what nobody may see any more. Called once a second.
    func watch(_ now: UInt64) {
        let isLate = deadline != 0 && now > deadline
        let isIdle = now > activeAt + seconds(server.options.idleTimeoutSeconds)
        switch stage {
        case .head:
            guard isLate || isIdle else { return }
            if input.count == 0 { return close() }
            server.refuseLateHead(self)
            advance()
        case .body:
            guard let request else { return }
            if let refusal = server.accessRefusal(request) {
                server.refuseAtOnce(request, refusal)
            } else if isLate || (isIdle && !isUploadPaused) {
                server.refuseAtOnce(request, request.refusal ?? server.lateReply())
            } else {
                return
            }
            advance()
        case .waiting:
            if request?.waitingGrant?.ending != nil { answerInstead(.accessEnded) }
        case .sending:
            let isOver = request?.grant?.ending != nil || pull?.isOverdue?() == true
            if isIdle || (pull != nil && isOver) { close() }
        case .closed: return
        }
    }

    private func seconds(_ count: Int) -> UInt64 { UInt64(count) * 1_000_000_000 }
}
