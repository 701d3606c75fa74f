import CHoldfastMicroHTTPD
import Synchronization

// What happens to a request: the change of its state under its lock, and what libmicrohttpd is told of it there.
//
// Nobody but the thread that ended a wait resumes a connection, and libmicrohttpd frees no suspended one.
extension Request {
    // MARK: The connection's thread

    /// Decides the next step of the connection's thread.
    func next(hasBytes: Bool) -> RequestState.Step {
        state.withLock { $0.next(hasBytes: hasBytes) }
    }

    func beginReceiving() {
        // A sink ends by itself.
        state.withLock { $0.receive(until: upload == nil ? admission : nil) }
    }

    /// Suspends the connection until ``resume()``, unless that came already or the request has ended.
    func pause() {
        state.withLock { state in
            if connection.server.allowsWaiting, state.pause() {
                MHD_suspend_connection(connection.handle)
            }
        }
    }

    /// Refuses the request.
    ///
    /// - Returns: Whether the refusal is to be sent at once, as the connection's last reply.
    func refuse(_ response: Response, readsBody: Bool) -> Bool {
        state.withLock { state in
            switch state.refuse(response, readsBody: readsBody) {
            case .sendNow: return true
            case .read(let resumes):
                if resumes { MHD_resume_connection(connection.handle) }
                return false
            }
        }
    }

    /// Suspends the connection until an exchange answers, or `admission` ends. Returns false when the request has ended.
    func wait(until admission: Admission?) -> Bool {
        state.withLock { state in
            guard connection.server.allowsWaiting else { return false }
            state.wait(until: admission)
            MHD_suspend_connection(connection.handle)
            connection.prepareToAnswer()
            return true
        }
    }

    func beginSending(_ pieces: RequestState.Pieces?) { state.withLock { $0.send(pieces) } }

    func beginCut() { state.withLock { $0.cut() } }
    func beginStream() { state.withLock { $0.detach() } }

    /// Ends the request.
    ///
    /// - `lateReply`: The reply to a request that libmicrohttpd has given up as too slow.
    func end(_ lateReply: Response?) -> RequestState.Ending {
        var left = RequestState.idle
        state.withLock { swap(&$0, &left) }
        // Behind the lock, since it may hold the last reference to an exchange.
        return left.end(lateReply)
    }

    // MARK: Any thread

    /// Lets a paused body go on.
    func resume() {
        state.withLock { state in
            // Under the lock: libmicrohttpd may hand on the next piece before it has left the call that paused, and a pause for
            // that piece may not come between.
            if state.resume() { MHD_resume_connection(connection.handle) }
        }
    }

    /// Answers the request, unless it was answered before. Returns false when its client has left.
    @discardableResult
    func answer(_ answer: RequestState.Answer) -> Bool {
        let isTaken = state.withLock { $0.answer(answer) }
        // Outside of the lock, which the connection's thread takes as soon as it is woken.
        if isTaken { MHD_resume_connection(connection.handle) }
        return isTaken
    }

    /// Whether the request needs no answer any more.
    var isGone: Bool {
        state.withLock { state in
            // The connection is suspended, so that its socket stays open.
            !state.isWaiting || connection.hasLeft(isHTTP11: isHTTP11)
        }
    }

    /// Takes notice of a client that has shut its sending side.
    ///
    /// - Returns: Whether the connection ends with it, since libmicrohttpd reads.
    func noticeShut() -> Bool {
        state.withLock { state in
            // One that has left altogether answers with a reset, which is seen before anybody asks.
            if state.isWaiting {
                _ = connection.hasLeft(isHTTP11: isHTTP11)
                connection.prepareToAnswer()
            }
            return state.isReading
        }
    }

    /// Ends what is received or waits, with a reply in place of the request's own.
    func interrupt(_ reply: () -> Response) {
        state.withLock { connection.apply($0.interrupt(reply)) }
    }

    /// Whether a reply is being sent that has no limit of its own.
    var isSendingWithoutLimit: Bool { state.withLock(\.isSendingWithoutLimit) }

    /// Ends the request if its admission has ended or its reply is overdue.
    func watch(_ reply: (Grant.End) -> Response) {
        state.withLock { connection.apply($0.watch(reply)) }
    }
}
