import HTTPServer
import Synchronization

/// Whether the client of an exchange still waits for its reply, asked while that is made. Thread-safe.
///
/// A client that has closed its own side of the connection counts as one that has left: whether it reads on is
/// not to be known.
final class ClientPresence: Sendable {
    private let exchange: Exchange
    private let isGone = Atomic<Bool>(false)

    init(_ exchange: Exchange) { self.exchange = exchange }

    /// Whether it was found to have left: what was made for it since then is not whole.
    var hasLeft: Bool { isGone.load(ordering: .relaxed) }

    /// Looks whether it is there. Cost: a system call.
    func isThere() -> Bool {
        if exchange.isGone { isGone.store(true, ordering: .relaxed) }
        return !hasLeft
    }
}
