import HoldfastAccess
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastThreads

/// A change of the schema, of one class, or of one projection, as a client states it.
package struct CatalogChange: Sendable {
    /// The subject of a change.
    package enum Subject: Sendable {
        /// The whole schema.
        case schema(SchemaDocument)
        /// The class of a name, which is added if it is missing.
        case objectClass(String, ObjectClass, SchemaRenames)
        /// The class of a name goes, with its objects.
        case droppedClass(String)
        /// A projection, which is added if no projection has its name.
        case projection(Projection)
        /// The projection of a name goes.
        case droppedProjection(String)
    }

    /// The revisions of the schema that it may change, as versions of the store's epoch, or the condition that its
    /// subject is missing.
    package var precondition = Precondition.none
    /// The revision of the schema that a change of one class was made from; nil for any.
    package var madeFrom: UInt64?
    /// Whether values may be lost that the new schema has no room for.
    package var allowsDataLoss = false
    private let subject: Subject

    package init(_ subject: Subject) { self.subject = subject }

    /// Returns the version that stands for the present schema of a store in a precondition.
    package static func version(of schema: Schema, in store: Store) -> StoreVersion {
        StoreVersion(epoch: store.epoch, number: schema.revision)
    }

    /// Whether it adds its subject.
    package func isAddition(to present: Catalog) -> Bool {
        switch subject {
        case .objectClass(let name, _, let renames):
            present.schema.objectClass(named: renames.oldName(ofClass: name)) == nil
        case .projection(let projection):
            !present.projections.contains { $0.name.isSame(as: projection.name) }
        case .schema, .droppedClass, .droppedProjection: false
        }
    }

    /// Makes the change. `completion` is called once, on the writer's thread, when it is durable or has failed.
    package func start(in store: Store, _ completion: @escaping CatalogWrite.Completion) {
        store.submit(CatalogWrite(store, wanted(in: store), completion: completion))
    }

    /// Makes the change and waits until it is durable.
    package func make(in store: Store) throws(RequestFault) -> Catalog {
        do throws(StoreError) {
            return try CatalogWrite.make(in: store, wanted(in: store))
        } catch {
            throw fault(error)
        }
    }

    /// Writes the effects of the change. Objects may have to be read for it.
    ///
    /// - Throws: ``StoreError`` as the change would, also if its precondition is not met.
    package func preview(in store: Store, to json: JSONWriter) throws(StoreError) {
        SchemaWriter(json).write(try store.previewSchema(try wanted(in: store)(store.catalog)))
    }

    /// Describes a failed change for the client.
    package func fault(_ error: StoreError) -> RequestFault {
        if case .brokenProjections(let faults) = error, case .projection(let stated) = subject {
            // A fault of the projection that the body defines is a fault of the body.
            let own = faults.filter { $0.projection.isSame(as: stated.name) }
            if !own.isEmpty { return .projection(FaultList(own.map { $0.inBody(stated) })) }
        }
        if case .preconditionFailed = error, precondition == .absent {
            return RequestFault(
                .preconditionFailed, "precondition-failed",
                "The schema or definition exists already; read it, or leave the condition out.")
        }
        var problem = SchemaProblem.make(error, pointerOf: pointer(of:))
        if case .lossyMigration(let faults) = error, case .schema = subject,
            faults.contains(where: { $0.className.flatMap { pointer(of: .className($0)) } == nil })
        {
            problem.detail =
                "PUT /v1/schema replaces all classes; PUT /v1/schema/classes/{class} adds one. "
                + problem.detail
        }
        return problem
    }

    // MARK: The change

    private func wanted(in store: Store) -> CatalogWrite.Proposal {
        { present throws(StoreError) in
            try require(present, in: store)
            return try proposal(present)
        }
    }

    /// Checks the client's precondition on the present schema.
    private func require(_ present: Catalog, in store: Store) throws(StoreError) {
        if case .schema(let document) = subject, let revision = document.revision,
            revision != present.schema.revision
        {
            throw .schemaRevision(current: present.schema.revision)
        }
        if let madeFrom, madeFrom != present.schema.revision {
            throw .schemaRevision(current: present.schema.revision)
        }
        let isMet =
            precondition == .absent
            ? isAddition(to: present)
            : precondition.holds(of: Self.version(of: present.schema, in: store))
        if isMet { return }
        throw .preconditionFailed(current: nil)
    }

    private func proposal(_ present: Catalog) throws(StoreError) -> SchemaProposal {
        var proposal = try changed(present)
        let renames = proposal.renames
        proposal.document = { stored, present, wanted throws(StoreError) in
            try AccessRules.text(of: stored, present, wanted, renames)
        }
        return proposal
    }

    private func changed(_ present: Catalog) throws(StoreError) -> SchemaProposal {
        let schema = present.schema
        switch subject {
        case .schema(let document):
            return SchemaProposal(
                document.schema, renames: document.renames, allowsDataLoss: allowsDataLoss)
        case .objectClass(_, let objectClass, let renames):
            return SchemaProposal(
                schema.replacing(objectClass, renames), renames: renames,
                allowsDataLoss: allowsDataLoss)
        case .droppedClass(let name):
            guard schema.objectClass(named: name) != nil else { throw .unknownClass(name) }
            let users = schema.users(ofClass: name)
            if !users.isEmpty { throw .classInUse(users) }
            return SchemaProposal(schema.dropping(name), allowsDataLoss: allowsDataLoss)
        case .droppedProjection(let name):
            return SchemaProposal(
                schema, projections: present.projections.filter { !$0.name.isSame(as: name) })
        case .projection(let projection):
            var projections = present.projections
            if let position = projections.firstIndex(where: { $0.name.isSame(as: projection.name) })
            {
                projections[position] = projection
            } else {
                projections.append(projection)
            }
            return SchemaProposal(schema, projections: projections)
        }
    }

    /// Finds the position of a part of the schema in the body.
    private func pointer(of item: SchemaSubject) -> JSONPointer? {
        switch (subject, item) {
        case (.schema(let document), _): document.pointer(of: item)
        case (.objectClass(let name, _, _), .className(let named)):
            named == name ? JSONPointer() : nil
        case (.objectClass, .rename(let old)): JSONPointer().appending("renames").appending(old)
        case (.droppedClass, _), (.projection, _), (.droppedProjection, _): nil
        }
    }
}

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
    package init(_ store: Store, _ wanted: @escaping Proposal, completion: @escaping Completion) {
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
            CatalogWrite(store, wanted) { result in outcome.update { $0 = result.map(\.catalog) } })
        return try outcome.wait { $0 }.get()
    }

    package func proposal(_ present: Catalog) throws(StoreError) -> SchemaProposal {
        try wanted(present)
    }

    package func finish(_ outcome: WriteOutcome) {
        // Only this thread changes the catalog, so the newest one is the one just made.
        completion(outcome.map { (store.catalog, StoreVersion(epoch: store.epoch, number: $0)) })
    }
}
