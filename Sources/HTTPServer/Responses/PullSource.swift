import CHoldfastEpoll
import CHoldfastMicroHTTPD
import Glibc

/// The result of pulling a body's next piece.
package enum Pull: Sendable {
    /// That many bytes were written to the buffer; at least one.
    case bytes(Int)
    /// The body is complete.
    case end
    /// It cannot be completed: the connection is cut, so that the client notices.
    case failed
}

/// Produces a reply's body piece by piece.
///
/// Thread rule: `read` and `close` are called on the connection's thread, one at a time. A long
/// pause in `read` holds up every other connection of that thread, so a piece should be made of
/// data at hand.
package protocol PullSource: AnyObject {
    /// Writes the next bytes to `buffer` (128 bytes at least, usually 16 to 32 KiB).
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Pull

    /// The memory of what was made and is not read yet, in bytes: no more than a piece, unless one can't be cut.
    var heldByteCount: Int { get }

    /// Called exactly once, when no more is read; also for a reply that was never sent.
    func close()
}

extension PullSource {
    package var heldByteCount: Int { 0 }
}

/// The body of a reply that is pulled; it owns the source and closes it exactly once.
// @unchecked: the source is touched only by the thread that owns the reply: the handler's until it
// is returned, the connection's afterwards. The hand-over goes through a lock.
package final class PullBody: @unchecked Sendable {
    private let source: any PullSource
    /// Whether it has taken too long.
    let isOverdue: (@Sendable () -> Bool)?
    private var isClosed = false
    /// Counts what the source holds; nil before the reply is sent.
    var memory: MessageMemory?
    private var heldByteCount = 0
    /// The connection's socket once the reply is queued, and whether its end is the body's end.
    var socket: Int32 = -1
    var endsWithConnection = false

    /// Wraps `source`; one protocol call a piece, not a byte.
    package init(_ source: some PullSource, until isOverdue: (@Sendable () -> Bool)? = nil) {
        self.source = source
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

    /// libmicrohttpd closes a connection that a reader ends only at the connection's next event, and
    /// with `MHD_USE_TURBO` there is none, so this makes one. What was sent is still delivered.
    private func shut() {
        if socket >= 0 { shutdown(socket, Int32(SHUT_RDWR)) }
    }

    /// What the source holds.
    var sourceByteCount: Int { source.heldByteCount }

    /// Counts the memory of what is not read yet; false where there is no room for more.
    private func hold(_ byteCount: Int) -> Bool {
        guard let memory, byteCount != heldByteCount else { return true }
        // A piece of usual length is never refused, as no reply of that length is.
        let hasRoom =
            byteCount <= MessageMemory.grantedByteCountMax || byteCount < heldByteCount
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
