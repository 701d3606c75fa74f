import Synchronization

/// One holder's share of a store that is open in this process. Thread-safe.
package final class SharedStore: Sendable {
    /// The store.
    package let store: Store
    private let folder: OpenStores.Folder
    private let isReleased = Atomic(false)

    init(_ store: Store, _ folder: OpenStores.Folder) {
        self.store = store
        self.folder = folder
    }

    deinit { release() }

    /// Ends the share. The last holder's closes the store, see ``Store/close()``: its views and turns have to be ended before.
    /// Harmless when it is ended already.
    package func release() {
        if isReleased.exchange(true, ordering: .acquiringAndReleasing) { return }
        OpenStores.release(folder)
    }
}
