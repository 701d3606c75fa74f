import Synchronization

/// Something that is given back when the last reference to this goes, or before, on whatever thread that is. Thread-safe.
package final class Lease: Sendable {
    private let giveBack: @Sendable () -> Void
    private let isOver = Atomic<Bool>(false)

    /// Has something given back once.
    package init(givenBack: @escaping @Sendable () -> Void) { giveBack = givenBack }

    /// Gives it back now, unless it was: before somebody hears of the end who may take it again at once.
    package func end() {
        if !isOver.exchange(true, ordering: .acquiringAndReleasing) { giveBack() }
    }

    deinit { end() }
}
