import HoldfastObjectJSON
import HoldfastStoreService
import HoldfastStreams
import Synchronization

/// Waits for the one reply of a poll. Any thread.
final class AwaitedReply: ReplySink {
    /// What it was answered.
    enum Reply {
        case page(String)
        case fault(RequestFault)
    }

    private let state = Mutex<(reply: Reply?, isGone: Bool)>((nil, false))

    /// Whether it is answered, or its client has left.
    var isGone: Bool { state.withLock { $0.isGone } }

    /// Has the client leave.
    ///
    /// - Returns: What it was answered before; nil for nothing.
    func leave() -> Reply? {
        state.withLock { state in
            state.isGone = true
            return state.reply
        }
    }

    func reply(_ page: SharedBytes) {
        answer(.page(String(decoding: page.buffer.array, as: UTF8.self)))
    }

    func fail(_ fault: RequestFault) { answer(.fault(fault)) }

    func abandon() {}

    private func answer(_ reply: Reply) {
        state.withLock { state in if !state.isGone { state = (reply, true) } }
    }
}
