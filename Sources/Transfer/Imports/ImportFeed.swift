import HoldfastBytes
import HoldfastObjectJSON
import HoldfastThreads

/// An import's text on its way from the thread that receives it to the import's own.
///
/// A bounded number of bytes waits in between. Thread-safe; one thread each sends and receives.
package final class ImportFeed: Sendable {
    /// The next thing that the import gets.
    enum Received {
        case text(ByteBuffer)
        /// The text is complete.
        case end
        /// No client waits for the import, or it may not go on.
        case unwanted
    }

    private struct State {
        /// Bytes that were received and that the import has not got.
        var text = ByteBuffer(capacity: 0)
        /// Whether the sender was told to wait and not yet to go on.
        var isSenderWaiting = false
        var isComplete = false
        var isAbandoned = false
        /// Whether no more text is taken.
        var isClosed = false
        /// Each says whether a client has left that the import was for.
        var departures: [@Sendable () -> Bool] = []
        /// Says why the import may not go on.
        var ending: @Sendable () -> RequestFault? = { nil }
        /// When these were asked last, in nanoseconds of the monotonic clock.
        var askedAt = monotonicNanoseconds()
        /// Why the import was ended, as was said then; asked again it may be nothing.
        var refusal: RequestFault?

        mutating func abandon() {
            isAbandoned = true
            text = ByteBuffer(capacity: 0)
        }

        /// Whether the sender is to be told to go on.
        mutating func wakesSender() -> Bool {
            defer { isSenderWaiting = false }
            return isSenderWaiting
        }
    }

    /// The received bytes with which the sender has to wait.
    static let receivedByteCount = 256 << 10
    /// The interval of the checks whether a client still waits for the import, and whether it may continue.
    private static let departureMicroseconds = 1_000_000

    private let onRoom: @Sendable () -> Void
    private let state = Monitor(State())

    /// Makes an empty feed.
    ///
    /// - `onRoom`: Called once after each ``append(_:)`` that returned false, when there is room
    ///   again; perhaps before that call has returned. Any thread.
    init(onRoom: @escaping @Sendable () -> Void) { self.onRoom = onRoom }

    // MARK: The sending thread

    /// Takes a copy of the next bytes of text.
    ///
    /// - Returns: False when no more is wanted until `onRoom` is called.
    package func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var hasRoom = true
        state.update { state in
            if state.isClosed || state.isAbandoned { return }
            state.text.append(bytes)
            hasRoom = state.text.count < Self.receivedByteCount
            if !hasRoom { state.isSenderWaiting = true }
        }
        return hasRoom
    }

    /// The same for a sender that waits here until there is room.
    package func send(_ bytes: UnsafeRawBufferPointer) {
        if !append(bytes) { state.wait { $0.isSenderWaiting ? nil : () } }
    }

    /// Notes that the text is complete.
    package func complete() { state.update { $0.isComplete = true } }

    /// Notes that the sender is gone. Unread text is dropped, and written objects stay.
    package func abandon() { state.update { $0.abandon() } }

    /// Abandons the import when `isGone` says so, which is asked before each chunk and each second. Any thread.
    package func abandon(when isGone: @escaping @Sendable () -> Bool) {
        state.withLock { $0.departures.append(isGone) }
    }

    /// Refuses the rest of the import when `ending` says why, which is asked as often: no chunk is committed then. Any thread.
    package func refuse(when ending: @escaping @Sendable () -> RequestFault?) {
        state.withLock { $0.ending = ending }
    }

    // MARK: The import's thread

    /// Waits for text and takes all that there is.
    ///
    /// - `rate`: Told how long the import waited for how many bytes.
    /// - Throws: ``RequestFault`` when they come too slowly.
    func receive(_ rate: inout ImportRate) throws(RequestFault) -> Received {
        while true {
            let begunAt = monotonicNanoseconds()
            var (wakesSender, isDue) = (false, true)
            let received: Received? = state.wait(microseconds: Self.departureMicroseconds) {
                state in
                if state.isAbandoned { return .unwanted }
                isDue = begunAt > state.askedAt + UInt64(Self.departureMicroseconds) * 1000
                if state.text.count > 0 {
                    let text = state.text
                    state.text = ByteBuffer(capacity: 0)
                    wakesSender = state.wakesSender()
                    return .text(text)
                }
                return state.isComplete ? .end : nil
            }
            if wakesSender {
                // Wakes a sender in ``send(_:)``.
                state.update { _ in }
                onRoom()
            }
            var byteCount = 0
            if case .text(let text)? = received { byteCount = text.count }
            try rate.add(waitedNanoseconds: monotonicNanoseconds() - begunAt, byteCount: byteCount)
            if isDue, endIfAbandoned() { return .unwanted }
            if let received { return received }
        }
    }

    /// Why the import may not go on; nil as long as it may. Any thread.
    var ending: RequestFault? {
        let (refusal, ending) = state.withLock { ($0.refusal, $0.ending) }
        return refusal ?? ending()
    }

    /// Ends the import where no client waits for it any more, or it may not go on, and returns whether it has ended: called
    /// wherever its work may be long. Cost: a system call.
    func endIfAbandoned() -> Bool {
        var isAbandoned = false
        state.signal { state in
            let wasAbandoned = state.isAbandoned
            if !wasAbandoned {
                state.askedAt = monotonicNanoseconds()
                state.refusal = state.ending()
                if state.refusal != nil || state.departures.contains(where: { $0() }) {
                    state.abandon()
                }
            }
            isAbandoned = state.isAbandoned
            return isAbandoned && !wasAbandoned
        }
        return isAbandoned
    }

    /// Takes no more text: the rest of the text is received and dropped.
    func close() {
        var wakesSender = false
        state.update { state in
            state.isClosed = true
            state.text = ByteBuffer(capacity: 0)
            wakesSender = state.wakesSender()
        }
        if wakesSender { onRoom() }
    }

    /// Waits until the text is complete or the sender gone; true for the former.
    func waitForEnd() -> Bool {
        while true {
            let isComplete = state.wait(microseconds: Self.departureMicroseconds) { state in
                state.isAbandoned ? false : state.isComplete ? true : nil
            }
            if let isComplete { return isComplete }
            if endIfAbandoned() { return false }
        }
    }
}
