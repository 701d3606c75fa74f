/// The notifications of an observer as a sequence: `for await change in dogs.changes()`.
///
/// It is iterated where the realm belongs, in a function of its actor or of the main actor. Observing begins with the iteration.
/// It ends with the iterator or its task.
public struct RealmChanges<Change>: AsyncSequence {
    private let observe: (@escaping (Change) -> Void) -> NotificationToken

    init(_ observe: @escaping (@escaping (Change) -> Void) -> NotificationToken) {
        self.observe = observe
    }

    /// Begins to observe, with the same faults as `observe`.
    public func makeAsyncIterator() -> Iterator { Iterator(observe) }

    /// The changes from the begin of the iteration on.
    public struct Iterator: AsyncIteratorProtocol {
        /// The changes that were reported and not taken yet.
        private final class Waiting { var changes: [Change] = [] }

        private let waiting = Waiting()
        private var signals: AsyncStream<Void>.Iterator
        private let token: NotificationToken

        fileprivate init(_ observe: (@escaping (Change) -> Void) -> NotificationToken) {
            let (stream, continuation) = AsyncStream.makeStream(
                of: Void.self, bufferingPolicy: .bufferingNewest(1))
            signals = stream.makeAsyncIterator()
            token = observe { [waiting] change in
                waiting.changes.append(change)
                continuation.yield()
            }
        }

        /// The next change; nil when the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Change? {
            while waiting.changes.isEmpty {
                if await signals.next(isolation: actor) == nil { return nil }
            }
            return waiting.changes.removeFirst()
        }

        /// The next change; nil when the task was cancelled.
        public mutating func next() async -> Change? { await next(isolation: #isolation) }
    }
}

@available(*, unavailable)
extension RealmChanges: Sendable {}

@available(*, unavailable)
extension RealmChanges.Iterator: Sendable {}

extension Realm {
    /// The notifications of ``observe(_:)``, as a sequence.
    public func changes() -> RealmChanges<Notification> {
        RealmChanges { tell in self.observe { notification, _ in tell(notification) } }
    }
}
