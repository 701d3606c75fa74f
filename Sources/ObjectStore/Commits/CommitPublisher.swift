import Synchronization

/// Publishes every commit: the newest version, to readers and observers. Thread-safe.
package final class CommitPublisher: Sendable {
    /// Makes what a commit changed, to be looked at before the observer returns; nil where it is more than the
    /// writer should wait for.
    package typealias StepMaker = () -> CommitStep?

    private let newest: Atomic<UInt64>
    private let observers = Mutex<[@Sendable (UInt64, StepMaker) -> Void]>([])

    init(version: UInt64) { newest = Atomic(version) }

    /// The newest version that can be read.
    package var version: UInt64 { newest.load(ordering: .acquiring) }

    /// Has `observer` called on the writer's thread after each commit that made versions, before the
    /// writes of that commit are answered. It must return at once.
    package func observe(
        _ observer: @escaping @Sendable (_ version: UInt64, _ step: StepMaker) -> Void
    ) {
        observers.withLock { $0.append(observer) }
    }

    func publish(_ version: UInt64, _ step: StepMaker) {
        newest.store(version, ordering: .releasing)
        let present = observers.withLock { $0 }
        for observer in present { observer(version, step) }
    }
}
