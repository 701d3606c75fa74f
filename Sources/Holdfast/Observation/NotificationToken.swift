import Synchronization

/// The right to be told of changes, which `observe` returns: they are told as long as it is kept and not invalidated.
///
/// A token keeps the realm that it is of. Thread-safe.
public final class NotificationToken: Sendable {
    private enum State {
        /// The observation begins on a queue.
        case waiting
        case observing(Observation)
        case ended
    }

    private let state: Mutex<State>

    init(_ observation: Observation) { state = Mutex(.observing(observation)) }

    /// One of an observation that begins later.
    init() { state = Mutex(.waiting) }

    deinit { invalidate() }

    /// Ends the notifications. No call begins afterwards; on another thread than the realm's one that has begun may go on.
    public func invalidate() { take()?.end() }

    private func take() -> Observation? {
        state.withLock { state in
            defer { state = .ended }
            if case .observing(let observation) = state { return observation }
            return nil
        }
    }

    /// Takes over the observation of another token.
    func adopt(_ other: NotificationToken) {
        guard let observation = other.take() else { return }
        let isEnded = state.withLock { state in
            if case .ended = state { return true }
            state = .observing(observation)
            return false
        }
        if isEnded { observation.end() }
    }

    var isInvalidated: Bool {
        state.withLock { if case .ended = $0 { true } else { false } }
    }

    /// The observation; nil before it has begun, and after the token was invalidated.
    var present: Observation? {
        state.withLock { if case .observing(let observation) = $0 { observation } else { nil } }
    }
}
