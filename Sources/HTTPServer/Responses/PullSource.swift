import HoldfastThreads
import CHoldfastEpoll
import CHoldfastMicroHTTPD
import Glibc

/// The result of pulling a body's next piece.
package enum Pull: Sendable {
    /// The number of bytes that were written to the buffer; at least one.
    case bytes(Int)
    /// The body is complete.
    case end
    /// The body cannot be completed: the connection is cut, so that the client notices.
    case failed
}

/// Produces a reply's body piece by piece.
///
/// Thread rule: `read` and `close` are called on the connection's thread, one at a time. A long pause in `read` blocks every
/// other connection of that thread, so a piece should be made of data at hand.
package protocol PullSource: AnyObject {
    /// Writes the next bytes to `buffer` (at least 128 bytes, usually 16 to 32 KiB).
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Pull

    /// The memory of bytes that were made and are not read yet: at most one piece, or one indivisible part that is longer.
    var heldByteCount: Int { get }

    /// Called exactly once, after the last read; also for a reply that was never sent.
    func close()
}

extension PullSource { package var heldByteCount: Int { 0 } }

/// The body of a reply that is pulled; it owns the source and closes it exactly once.
// @unchecked: only the thread that owns the reply uses the source: the handler's until the reply is returned, the connection's
// afterwards. The hand-over goes through a lock.
package final class PullBody: @unchecked Sendable {
    private let source: any PullSource
    /// The number of bytes that the source has; nil if it is unknown.
    let byteCount: Int?
    /// Whether sending has taken too long.
    let isOverdue: (@Sendable () -> Bool)?
    private var isClosed = false
    /// Counts the memory of the source; nil before the reply is sent.
    var memory: MemoryBudget?
    private var heldByteCount = 0
    /// The connection's socket once the reply is queued; then, whether its end is the body's end.
    var socket: Int32 = -1
    var endsWithConnection = false

    /// Wraps `source`. There is one protocol call for each piece.
    package init(
        _ source: some PullSource, byteCount: Int? = nil,
        until isOverdue: (@Sendable () -> Bool)? = nil
    ) {
        self.source = source
        self.byteCount = byteCount
        self.isOverdue = isOverdue
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Pull {
        if isClosed { return .failed }
        var pull = source.read(into: buffer)
        if !hold(source.heldByteCount) { pull = .failed }
        switch pull {
        case .bytes: break
        case .end: if endsWithConnection { shut() }
        case .failed: shut()
        }
        return pull
    }

    /// Shuts the socket. When a reader ends, libmicrohttpd closes the connection only at its next event, and with `MHD_USE_TURBO`
    /// there is none, so this causes one. Bytes that were sent are still delivered.
    private func shut() {
        if socket >= 0 { shutdown(socket, Int32(SHUT_RDWR)) }
    }

    /// The memory of the source, in bytes.
    var sourceByteCount: Int { source.heldByteCount }

    /// Counts the memory of bytes that are not read yet. Returns false if there is no room for more.
    private func hold(_ byteCount: Int) -> Bool {
        guard let memory, byteCount != heldByteCount else { return true }
        // A piece of usual length is never refused, because no reply of that length is.
        let hasRoom =
            byteCount <= MemoryBudget.grantedByteCountMax || byteCount < heldByteCount
            || memory.hasRoom(for: byteCount, insteadOf: heldByteCount)
        memory.replace(heldByteCount, with: byteCount)
        heldByteCount = byteCount
        return hasRoom
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        source.close()
        _ = hold(0)
    }

    deinit { close() }
}
