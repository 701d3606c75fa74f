import Synchronization

/// The right to be told of changes, which `observe` returns: they are told as long as it is kept and not invalidated.
///
/// A token keeps the realm that it is of. Thread-safe.
public final class NotificationToken: Sendable {
    private let observation: Mutex<Observation?>

    init(_ observation: Observation) {
        self.observation = Mutex(observation)
    }

    deinit { invalidate() }

    /// Ends the notifications. No call begins afterwards; on another thread than the realm's one that has begun may go on.
    public func invalidate() {
        let ended = observation.withLock { present in
            let ended = present
            present = nil
            return ended
        }
        ended?.end()
    }

    /// The observation; nil after the token was invalidated.
    var present: Observation? { observation.withLock { $0 } }
}
