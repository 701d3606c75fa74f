import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore

extension StoreHeader {
    /// Makes sure that a store has these classes and projections as they are; it may have others. A store
    /// without classes gets them, one without a projection gets that.
    ///
    /// - Returns: The catalog with them. Waits until it is durable.
    /// - Throws: ``RequestFault`` `.conflict` when the store has others of the same names, or classes but not these.
    func adopt(into store: Store) throws(RequestFault) -> Catalog {
        let holdsClasses = schema.classes.allSatisfy {
            store.catalog.schema.objectClass(named: $0.name) == $0
        }
        if !holdsClasses {
            guard store.catalog.schema.classes.isEmpty else {
                throw conflict(with: store.catalog)
            }
            let schema = schema
            _ = try change(store) { present throws(StoreError) in
                // Nobody else may have come first.
                guard present.schema.classes.isEmpty else {
                    throw .schemaRevision(current: present.schema.revision)
                }
                var proposal = SchemaProposal(schema)
                proposal.document = { stored, present, wanted throws(StoreError) in
                    try AccessRules.text(of: stored, present, wanted, SchemaRenames())
                }
                return proposal
            }
        }
        guard !projections.allSatisfy({ store.catalog.projections.contains($0) }) else {
            return store.catalog
        }
        let projections = projections
        guard projections.allSatisfy({ isFree($0, in: store.catalog) }) else {
            throw conflict(with: store.catalog)
        }
        return try change(store) { present throws(StoreError) in
            let added = projections.filter { projection in
                !present.projections.contains { $0.name.isSame(as: projection.name) }
            }
            return SchemaProposal(present.schema, projections: present.projections + added)
        }
    }

    private func isFree(_ projection: Projection, in catalog: Catalog) -> Bool {
        catalog.projections.first { $0.name.isSame(as: projection.name) }.map { $0 == projection }
            ?? true
    }

    private func change(
        _ store: Store, _ wanted: @escaping CatalogWrite.Proposal
    ) throws(RequestFault) -> Catalog {
        do throws(StoreError) {
            return try CatalogWrite.make(in: store, wanted)
        } catch {
            if case .schemaRevision = error { throw conflict(with: store.catalog) }
            throw SchemaProblem.make(error) { _ in nil }
        }
    }

    /// Why these objects can't be taken by a store: every class and projection that differs.
    private func conflict(with present: Catalog) -> RequestFault {
        var faults: [RequestFault.Entry] = []
        for (index, objectClass) in schema.classes.enumerated() {
            let stored = present.schema.objectClass(named: objectClass.name)
            if stored == objectClass { continue }
            faults.append(
                RequestFault.Entry(
                    code: "schema-conflict",
                    detail: stored == nil
                        ? "The store has no class '\(objectClass.name)'."
                        : "Class '\(objectClass.name)' is another one in the store.",
                    pointer: JSONPointer().appending("schema").appending("classes")
                        .appending(index: index).description))
        }
        for (index, projection) in projections.enumerated() where !isFree(projection, in: present) {
            faults.append(
                RequestFault.Entry(
                    code: "schema-conflict",
                    detail: "Projection '\(projection.name)' is another one in the store.",
                    pointer: JSONPointer().appending("projections").appending(index: index)
                        .description))
        }
        return RequestFault(
            .conflict, "schema-conflict",
            "The store has a schema already, and it differs from the import's: import into an empty "
                + "store, or give this one the same classes first (PUT /v1/schema).",
            errors: faults)
    }
}
