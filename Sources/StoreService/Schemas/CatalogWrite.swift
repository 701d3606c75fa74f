import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastThreads

/// A change of the schema or of the projections, and the request that waits for it.
package final class CatalogWrite: PendingSchemaWrite {
    /// The proposed schema, given the present catalog. May be called more than once.
    package typealias Proposal = @Sendable (Catalog) throws(StoreError) -> SchemaProposal

    private let store: Store
    private let wanted: Proposal
    private let completion: Completion

    /// Receives the catalog after the change, and the version that has it. The writer's thread.
    package typealias Completion =
        @Sendable (Result<(catalog: Catalog, version: StoreVersion), StoreError>) -> Void

    /// Makes a change.
    ///
    /// - `completion`: Called once.
    package init(
        _ store: Store, _ wanted: @escaping Proposal,
        completion: @escaping Completion
    ) {
        self.store = store
        self.wanted = wanted
        self.completion = completion
    }

    /// Makes a change and waits until it is durable.
    ///
    /// - Returns: The catalog after the change.
    package static func make(
        in store: Store, _ wanted: @escaping Proposal
    ) throws(StoreError) -> Catalog {
        let outcome = Monitor<Result<Catalog, StoreError>?>(nil)
        store.submit(
            CatalogWrite(store, wanted) { result in
                outcome.update { $0 = result.map(\.catalog) }
            })
        return try outcome.wait { $0 }.get()
    }

    package func proposal(_ present: Catalog) throws(StoreError) -> SchemaProposal {
        try wanted(present)
    }

    package func finish(_ outcome: WriteOutcome) {
        // Only this thread changes the catalog, so the newest one is the one just made.
        completion(
            outcome.map { (store.catalog, StoreVersion(epoch: store.epoch, number: $0)) })
    }
}
