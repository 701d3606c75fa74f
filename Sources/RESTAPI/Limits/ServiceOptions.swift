import HoldfastObjectStore

/// All limits of a service: the options of its interface, and those of its store.
package struct ServiceOptions: Sendable {
    /// Of the interface and its use cases.
    package var rest = RESTOptions()
    /// Of the store.
    package var store = StoreOptions()

    /// Makes the defaults.
    package init() {}

    /// The options of a service that runs.
    init(_ rest: RESTOptions, _ store: StoreOptions) {
        self.rest = rest
        self.store = store
    }
}
