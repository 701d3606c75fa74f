import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastThreads

/// A change of the schema that a realm asks for when it is opened.
final class SchemaWrite: PendingSchemaWrite {
    private let make: @Sendable (HoldfastObjectModel.Schema) -> SchemaProposal
    private let outcome = Monitor<WriteOutcome?>(nil)

    /// - `make`: Makes the proposal for the present schema; may run more than once.
    init(_ make: @escaping @Sendable (HoldfastObjectModel.Schema) -> SchemaProposal) {
        self.make = make
    }

    /// Makes the change and waits until it is durable.
    func run(in store: Store) throws(StoreError) {
        store.submit(self)
        if case .failure(let error) = outcome.wait({ $0 }) { throw error }
    }

    func proposal(_ present: Catalog) throws(StoreError) -> SchemaProposal {
        make(present.schema)
    }

    func finish(_ outcome: WriteOutcome) { self.outcome.update { $0 = outcome } }
}
