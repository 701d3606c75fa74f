import ObjectModel
import ObjectStore

/// A change of the schema with somebody who waits for it.
package final class SchemaWrite: PendingSchemaWrite {
    private let store: Store
    private let makeProposal: @Sendable (Schema) throws(StoreError) -> SchemaProposal?
    private let completion: @Sendable (Result<Catalog, StoreError>) -> Void

    /// Makes a change.
    ///
    /// - `proposal`: The schema that is wanted, given the present one; may run more than once.
    /// - `completion`: Called once, on the writer's thread, with the catalog after the change.
    package init(
        _ store: Store,
        proposal: @escaping @Sendable (Schema) throws(StoreError) -> SchemaProposal?,
        completion: @escaping @Sendable (Result<Catalog, StoreError>) -> Void
    ) {
        self.store = store
        makeProposal = proposal
        self.completion = completion
    }

    package func proposal(_ present: Schema) throws(StoreError) -> SchemaProposal? {
        try makeProposal(present)
    }

    package func finish(_ outcome: WriteOutcome) {
        switch outcome {
        // Only this thread changes the schema, so the newest catalog is the one just made.
        case .committed: completion(.success(store.catalog))
        case .failed(let error): completion(.failure(error))
        }
    }
}
