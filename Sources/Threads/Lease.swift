import Synchronization

/// A resource that is released when the last reference to this object goes, or earlier by ``end()``, on the thread where that
/// happens. Thread-safe.
package final class Lease: Sendable {
    private let giveBack: @Sendable () -> Void
    private let isOver = Atomic<Bool>(false)

    /// Creates a lease. `givenBack` releases the resource, and is called once.
    package init(givenBack: @escaping @Sendable () -> Void) { giveBack = givenBack }

    /// Releases the resource now, unless it was released before. Use it when the end is about to be announced, so that a listener
    /// may take the resource again at once.
    package func end() {
        if !isOver.exchange(true, ordering: .acquiringAndReleasing) { giveBack() }
    }

    deinit { end() }
}
