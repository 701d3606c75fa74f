import ObjectModel
import ObjectStore

/// A change of the projections with somebody who waits for it.
package final class ProjectionsWrite: PendingSchemaWrite {
    private let store: Store
    private let make: @Sendable (Catalog) throws(StoreError) -> [Projection]?
    private let completion: @Sendable (Result<Catalog, StoreError>) -> Void

    /// Makes a change.
    ///
    /// - `make`: The projections that are wanted, given the present catalog; nil to leave them. May run
    ///   more than once.
    /// - `completion`: Called once, on the writer's thread, with the catalog after the change.
    package init(
        _ store: Store, make: @escaping @Sendable (Catalog) throws(StoreError) -> [Projection]?,
        completion: @escaping @Sendable (Result<Catalog, StoreError>) -> Void
    ) {
        self.store = store
        self.make = make
        self.completion = completion
    }

    package func proposal(_ present: Schema) throws(StoreError) -> SchemaProposal? { nil }

    package func projections(_ present: Catalog) throws(StoreError) -> [Projection]? {
        try make(present)
    }

    package func finish(_ outcome: WriteOutcome) {
        switch outcome {
        // Only this thread changes the catalog, so the newest one is the one just made.
        case .committed: completion(.success(store.catalog))
        case .failed(let error): completion(.failure(error))
        }
    }
}
