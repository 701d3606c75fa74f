import HoldfastObjectStore

/// The version of the store that a read sees: a pinned one, or the newest.
package struct ReadVersion: Sendable {
    /// The pin of the version; nil for the newest.
    package let pin: SnapshotPin?
    /// The version, or one that the newest is not older than.
    package let number: StoreVersion

    /// The version that is pinned, or the newest, as of now.
    package init(_ pin: SnapshotPin?, of served: ServedStore) {
        self.pin = pin
        number = pin?.version ?? served.store.version
    }
}
