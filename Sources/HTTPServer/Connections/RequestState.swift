/// The state of a request, and each transition to the next state.
///
/// libmicrohttpd's thread reads a request and sends its reply, workers answer it, and the watch of time and rights and the end of
/// the server interrupt it. All of them meet here: each event is a function that changes the state and returns the caller's next
/// action. The type has no clock, socket or lock.
enum RequestState: Sendable {
    /// The reply of an exchange, on its way to the connection's thread.
    enum Answer: Sendable {
        case ready(Response)
        case make(@Sendable () -> Response)
        case source(any ResponseSource)
        /// The exchange was dropped without an answer.
        case dropped
        /// The connection is closed without a reply, because its client has left.
        case abandoned
        /// A reply in place of the awaited answer; the connection's last.
        case instead(Response)
    }

    /// The bytes that are read before a refusal is sent.
    enum Rest: Sendable {
        /// The rest of the body, up to a bound.
        case body
        /// No bytes: the receiving side of the socket is shut, and the refusal is the connection's last reply.
        ///
        /// - `isBegun`: Whether the head was complete, so that the request is counted.
        case nothing(isBegun: Bool)
    }

    /// A body that is sent piece by piece.
    struct Pieces: Sendable {
        let admission: Admission?
        /// Whether sending has taken too long.
        let isOverdue: (@Sendable () -> Bool)?
    }

    /// There is no request, or it is over.
    case idle
    /// The request line has arrived.
    ///
    /// - `isBegun`: Whether the head is complete and being checked, so that the request is counted.
    case head(isBegun: Bool)
    /// The head is complete, the body is on its way.
    ///
    /// - `mayContinue`: Whether the sink was resumed before its request for a pause arrived.
    case receiving(until: Admission?, mayContinue: Bool)
    /// The connection is suspended until the sink of the body wants more.
    case paused(until: Admission?)
    /// The reply is decided, and the rest of the request is dropped.
    case refused(Response, Rest)
    /// The connection is suspended until an exchange answers.
    case waiting(until: Admission?)
    /// The connection is resumed with an answer that is not sent yet.
    case answered(Answer)
    /// libmicrohttpd sends the reply.
    case sending(Pieces?)
    /// The reply was written directly to the socket, and libmicrohttpd closes the connection.
    case cut
    /// The socket became an event stream, which counts the request when it ends.
    case detached
}

// MARK: The connection's thread

extension RequestState {
    /// A step of the connection's thread when libmicrohttpd calls it for a request.
    enum Step: Sendable {
        /// The head is complete.
        case begin
        /// Takes a piece of the body.
        case take
        /// The request is complete.
        case finish
        /// Leaves the piece where it is; libmicrohttpd offers it again.
        case leave
        /// Drops a piece of the body.
        case drop(Response)
        /// Sends a refusal as a reply, after everything that is read.
        ///
        /// - `isBegun`: Whether the request began before. If not, because its head became complete later, it begins with its
        ///   reply.
        case tell(Response, isLast: Bool, isBegun: Bool)
        /// Sends a refusal in the middle of a body, where libmicrohttpd takes no reply.
        case cut(Response)
        case answer(Answer)
        /// The reply is on its way.
        case nothing
    }

    /// Begins a request after its line has arrived.
    mutating func begin() { self = .head(isBegun: false) }

    /// Decides the next step.
    ///
    /// - `hasBytes`: Whether there is a piece of the body.
    mutating func next(hasBytes: Bool) -> Step {
        switch self {
        case .head(let isBegun):
            self = .head(isBegun: true)
            return isBegun ? .nothing : .begin
        case .receiving: return hasBytes ? .take : .finish
        case .paused, .waiting: return .leave
        case .refused(let response, .body):
            return hasBytes ? .drop(response) : .tell(response, isLast: false, isBegun: true)
        case .refused(let response, .nothing(let isBegun)):
            return hasBytes ? .cut(response) : .tell(response, isLast: true, isBegun: isBegun)
        case .answered(let answer):
            self = .sending(nil)
            return .answer(answer)
        case .idle, .sending, .cut, .detached: return .nothing
        }
    }

    /// Begins to receive the body of an admitted request.
    mutating func receive(until admission: Admission?) {
        if case .head = self { self = .receiving(until: admission, mayContinue: false) }
    }

    /// Pauses the body. Returns whether the connection is to be suspended.
    mutating func pause() -> Bool {
        guard case .receiving(let admission, let mayContinue) = self else { return false }
        self =
            mayContinue
            ? .receiving(until: admission, mayContinue: false) : .paused(until: admission)
        return !mayContinue
    }

    /// The consequence of a refusal.
    enum Refusal: Sendable, Equatable {
        /// It is sent at once, as the connection's last reply.
        case sendNow
        /// It is sent after the rest of the body.
        case read(resumes: Bool)
    }

    /// Refuses the request.
    ///
    /// - `readsBody`: Whether the rest of the body is read to keep the connection.
    mutating func refuse(_ response: Response, readsBody: Bool) -> Refusal {
        switch self {
        case .head:
            guard readsBody else { return .sendNow }
            self = .refused(response, .body)
        case .receiving: self = .refused(response, .body)
        case .paused:
            self = .refused(response, .body)
            return .read(resumes: true)
        // The request was refused before.
        case .idle, .refused, .waiting, .answered, .sending, .cut, .detached: break
        }
        return .read(resumes: false)
    }

    /// Begins to wait for an exchange.
    mutating func wait(until admission: Admission?) { self = .waiting(until: admission) }

    /// Begins to send the reply.
    mutating func send(_ pieces: Pieces?) { self = .sending(pieces) }

    mutating func cut() { self = .cut }
    mutating func detach() { self = .detached }

    /// The work that is left at the end of a request.
    struct Ending: Sendable {
        /// The refusal that was not sent yet.
        var refusal: Response?
        /// The answer that libmicrohttpd did not take, because it met the end of the client's bytes first.
        var answer: Answer?
        var isCounted = true
        /// Whether the request was counted as under way.
        var wasBegun = true
        /// Whether libmicrohttpd sent the reply.
        var isSent = false
    }

    /// Ends the request for any reason.
    ///
    /// - `lateReply`: The reply to a request that libmicrohttpd has given up as too slow; nil for other ends.
    mutating func end(_ lateReply: Response?) -> Ending {
        defer { self = .idle }
        return switch self {
        case .sending: Ending(isSent: true)
        case .idle, .head(isBegun: false):
            Ending(refusal: lateReply, isCounted: false, wasBegun: false)
        case .head, .receiving: Ending(refusal: lateReply)
        case .refused(let response, .body): Ending(refusal: lateReply == nil ? nil : response)
        case .refused(let response, .nothing(let isBegun)):
            Ending(refusal: response, isCounted: isBegun, wasBegun: isBegun)
        case .answered(let answer): Ending(answer: answer)
        case .detached: Ending(isCounted: false)
        case .paused, .waiting, .cut: Ending()
        }
    }
}

// MARK: Other threads

extension RequestState {
    /// Lets a paused body go on. Returns whether the connection is to be resumed.
    mutating func resume() -> Bool {
        switch self {
        case .paused(let admission):
            self = .receiving(until: admission, mayContinue: false)
            return true
        case .receiving(let admission, _): self = .receiving(until: admission, mayContinue: true)
        case .idle, .head, .refused, .waiting, .answered, .sending, .cut, .detached: break
        }
        return false
    }

    /// Takes the answer of an exchange. Returns whether the connection is to be resumed; false if the request no longer waits.
    mutating func answer(_ answer: Answer) -> Bool {
        guard case .waiting = self else { return false }
        self = .answered(answer)
        return true
    }

    var isIdle: Bool { if case .idle = self { true } else { false } }

    /// Whether the request waits for an exchange's answer.
    var isWaiting: Bool { if case .waiting = self { true } else { false } }

    /// Whether libmicrohttpd reads from the socket, so that the end of the client's bytes ends the request.
    var isReading: Bool {
        switch self {
        case .idle, .head, .receiving, .refused: true
        case .paused, .waiting, .answered, .sending, .cut, .detached: false
        }
    }

    /// Whether a reply without a time limit of its own is being sent.
    var isSendingWithoutLimit: Bool {
        if case .sending(let pieces) = self { pieces?.isOverdue == nil } else { false }
    }

    /// The effect of an interruption on the connection of a request.
    struct Interruption: OptionSet, Sendable {
        let rawValue: UInt8
        /// The connection is resumed.
        static let resume = Interruption(rawValue: 1)
        /// The receiving side of the socket is shut, so that libmicrohttpd calls again.
        static let shutReceiving = Interruption(rawValue: 2)
        /// Both sides are shut, so that the client sees that the reply is incomplete.
        static let shut = Interruption(rawValue: 4)
    }

    /// Ends a request that is being received or waits, with `reply` in place of its own.
    mutating func interrupt(_ reply: () -> Response) -> Interruption {
        switch self {
        case .head(let isBegun):
            self = .refused(reply(), .nothing(isBegun: isBegun))
            return .shutReceiving
        case .receiving:
            self = .refused(reply(), .nothing(isBegun: true))
            return .shutReceiving
        case .refused(let response, .body):
            self = .refused(response, .nothing(isBegun: true))
            return .shutReceiving
        case .paused:
            self = .refused(reply(), .nothing(isBegun: true))
            return [.resume, .shutReceiving]
        case .waiting:
            self = .answered(.instead(reply()))
            return .resume
        case .idle, .refused, .answered, .sending, .cut, .detached: return []
        }
    }

    /// Ends the request if its admission has ended or its reply is overdue. Called repeatedly.
    mutating func watch(_ reply: (Grant.End) -> Response) -> Interruption {
        switch self {
        case .receiving(let admission, _), .paused(let admission), .waiting(let admission):
            guard let end = admission?.ending else { return [] }
            return interrupt { reply(end) }
        case .sending(let pieces?):
            return pieces.admission?.ending != nil || pieces.isOverdue?() == true ? .shut : []
        case .idle, .head, .refused, .answered, .sending, .cut, .detached: return []
        }
    }
}
