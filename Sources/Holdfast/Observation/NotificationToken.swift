import Synchronization

/// The token of an observation, returned by `observe`. Changes are reported as long as it is kept and not invalidated.
///
/// A token keeps its realm. Thread-safe.
public final class NotificationToken: Sendable {
    private enum State {
        /// The observation begins on a queue.
        case waiting
        case observing(Observation)
        case ended
    }

    private let state: Mutex<State>

    init(_ observation: Observation) { state = Mutex(.observing(observation)) }

    /// The token of an observation that begins later.
    init() { state = Mutex(.waiting) }

    deinit { invalidate() }

    /// Ends the notifications. No call begins afterwards. Called from outside the realm's thread, a call that has begun may still
    /// run.
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
