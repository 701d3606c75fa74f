import Synchronization

/// Publishes every commit: the newest version, to readers and observers. Thread-safe.
package final class CommitPublisher: Sendable {
    private let newest: Atomic<UInt64>
    private let observers = Mutex<[@Sendable (UInt64) -> Void]>([])

    init(version: UInt64) { newest = Atomic(version) }

    /// The newest version that can be read.
    package var version: UInt64 { newest.load(ordering: .acquiring) }

    /// Has `observer` called on the writer's thread after each commit that made versions, before the
    /// writes of that commit are answered. It must return at once.
    package func observe(_ observer: @escaping @Sendable (_ version: UInt64) -> Void) {
        observers.withLock { $0.append(observer) }
    }

    func publish(_ version: UInt64) {
        newest.store(version, ordering: .releasing)
        let present = observers.withLock { $0 }
        for observer in present { observer(version) }
    }
}
