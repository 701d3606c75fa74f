import Synchronization

/// Publishes every commit: the newest version, to readers and observers. Thread-safe.
package final class CommitPublisher: Sendable {
    /// Makes what a commit changed, to be looked at before the observer returns; nil where it is more than the
    /// writer should wait for.
    package typealias StepMaker = () -> CommitStep?

    private let newest: Atomic<UInt64>
    private typealias Observer = @Sendable (UInt64, StepMaker) -> Void
    private let observers = Mutex<(lastNumber: Int, present: [(number: Int, tell: Observer)])>(
        (0, []))

    init(version: UInt64) { newest = Atomic(version) }

    /// The newest version that can be read.
    package var version: UInt64 { newest.load(ordering: .acquiring) }

    /// Has `observer` called on the writer's thread after each commit that made versions, before the
    /// writes of that commit are answered. It must return at once.
    ///
    /// - Returns: What ``endObservation(_:)`` takes.
    @discardableResult
    package func observe(
        _ observer: @escaping @Sendable (_ version: UInt64, _ step: StepMaker) -> Void
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

    func publish(_ version: UInt64, _ step: StepMaker) {
        newest.store(version, ordering: .releasing)
        let present = observers.withLock { $0.present }
        for observer in present { observer.tell(version, step) }
    }
}

/// The changes of a group of transactions, seen on the writer's thread before the writes are answered.
package struct CommitStep {
    /// The state before the group.
    let before: StoreView
    /// The state that it leads to.
    let after: StoreView
    /// The version behind which the changes begin.
    let start: UInt64
    /// All that it did.
    let changes: GroupChanges
}
