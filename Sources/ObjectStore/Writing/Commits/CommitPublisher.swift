import Synchronization

/// Publishes every commit: the newest version, to readers and observers. Thread-safe.
package final class CommitPublisher: Sendable {
    private let newest: Atomic<UInt64>
    private typealias Observer = @Sendable (UInt64) -> Void
    private let observers = Mutex<(lastNumber: Int, present: [(number: Int, tell: Observer)])>(
        (0, []))

    init(version: UInt64) { newest = Atomic(version) }

    /// The newest version that can be read.
    package var version: UInt64 { newest.load(ordering: .acquiring) }

    /// Has `observer` called on the writer's thread after each commit that made versions, before the
    /// writes of that commit are answered. It must return at once.
    ///
    /// - Returns: The argument of ``endObservation(_:)``.
    @discardableResult
    package func observe(
        _ observer: @escaping @Sendable (_ version: UInt64) -> Void
    ) -> Int {
        observers.withLock { observers in
            observers.lastNumber += 1
            observers.present.append((observers.lastNumber, observer))
            return observers.lastNumber
        }
    }

    /// Calls an observer no more; a call that is under way goes on.
    package func endObservation(_ number: Int) {
        observers.withLock { observers in observers.present.removeAll { $0.number == number } }
    }

    func publish(_ version: UInt64) {
        newest.store(version, ordering: .releasing)
        let present = observers.withLock { $0.present }
        for observer in present { observer.tell(version) }
    }
}
