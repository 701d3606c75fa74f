import Synchronization

/// What admitted a request, such as a token with a right, for as long as that holds.
///
/// Requests share one. Whoever admits them ends it; the server, which looks once a second, then ends what it
/// admitted and still goes on: a stream, a reply that waits or is being sent piece by piece, an upload.
/// Thread-safe.
package final class Grant: Sendable {
    /// Why a grant has ended.
    package enum End: UInt8, Sendable {
        /// The token is no longer known.
        case revoked = 1
        /// It is known, and may not do this any more.
        case lowered
    }

    /// Whether it is for reading alone. A wait for the end of a write is not cut: the client would not
    /// learn what became of it.
    let isForReading: Bool
    /// Whose requests it admits, by a number of those who admit them; 0 stands for everybody.
    package let owner: UInt64
    private let state = Atomic<UInt8>(0)

    /// A grant that holds.
    package init(isForReading: Bool, owner: UInt64) {
        self.isForReading = isForReading
        self.owner = owner
    }

    /// Why it has ended; nil while it holds. Cost: an atomic load.
    package var ending: End? { End(rawValue: state.load(ordering: .relaxed)) }

    /// Ends it. Any thread.
    package func end(_ reason: End) { state.store(reason.rawValue, ordering: .relaxed) }
}
