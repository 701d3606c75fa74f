import CHoldfastEpoll
import Glibc
import Synchronization
import HoldfastThreads

/// The queue at which a loop's thread waits: sockets in epoll, and messages of other threads.
///
/// A message wakes the thread only while it rests, so that messages that come while it works cost no system call.
final class LoopQueue<Message: Sendable>: Sendable {
    private struct Inbox {
        var messages: [Message] = []
        /// Whether the thread looks at the messages before it rests.
        var isAwake = false
    }

    /// The descriptor to which sockets are added, with numbers other than 0.
    let epoll: Int32
    private let wakeUp: Int32
    private let inbox = Mutex(Inbox())

    /// Opens the descriptors.
    init() throws(ServerError) {
        epoll = shim_epoll_create()
        wakeUp = shim_event_create()
        guard epoll >= 0, wakeUp >= 0 else { throw .system("epoll_create1", errno: errno) }
        // Edge-triggered: each signal is an edge, so the counter need not be read.
        guard shim_epoll_add(epoll, wakeUp, 0, shim_readable | shim_edges) == 0 else {
            throw .system("epoll_ctl", errno: errno)
        }
    }

    deinit {
        close(epoll)
        close(wakeUp)
    }

    /// Starts a thread that runs `body` and gets no signals.
    static func startThread(_ body: @escaping @Sendable () -> Void) throws(ServerError)
        -> SystemThread
    {
        let thread = SystemThread {
            var signals = sigset_t()
            sigfillset(&signals)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
            body()
        }
        guard let thread else { throw .system("pthread_create", errno: errno) }
        return thread
    }

    /// Posts a message. Any thread. Cost: a lock, and a system call when the thread rests.
    func post(_ message: Message) {
        let mustWake = inbox.withLock { inbox in
            inbox.messages.append(message)
            defer { inbox.isAwake = true }
            return !inbox.isAwake
        }
        if mustWake { shim_event_signal(wakeUp) }
    }

    /// Waits for sockets or messages. The loop's thread.
    ///
    /// - `milliseconds`: Other than 0 only after ``take(_:)`` has allowed to rest; -1 for no limit.
    /// - Returns: The part of `events` that was filled.
    func wait(
        _ events: UnsafeMutableBufferPointer<shim_ready>, milliseconds: Int32
    ) -> Slice<UnsafeMutableBufferPointer<shim_ready>> {
        let count = shim_epoll_wait(epoll, events.baseAddress, Int32(events.count), milliseconds)
        // Until the thread rests again, a message need not wake it.
        if milliseconds != 0 { inbox.withLock { $0.isAwake = true } }
        return events[0..<Int(max(0, count))]
    }

    /// Replaces the contents of `messages` by the messages that were posted. The loop's thread.
    ///
    /// - Returns: Whether there were no messages, so that the thread may rest.
    func take(_ messages: inout [Message]) -> Bool {
        messages.removeAll(keepingCapacity: true)
        return inbox.withLock { inbox in
            swap(&inbox.messages, &messages)
            if messages.isEmpty { inbox.isAwake = false }
            return messages.isEmpty
        }
    }
}
