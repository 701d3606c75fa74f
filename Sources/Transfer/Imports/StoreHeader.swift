import HoldfastAccess
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastStoreService

/// The first line of a whole store's export: `{"holdfast":1,"schema":{…},"projections":[…]}`.
struct StoreHeader {
    /// The version of the form of the lines.
    static let formVersion: UInt64 = 1

    /// The classes.
    var schema: Schema
    var projections: [Projection]
}

extension StoreHeader {
    init(_ catalog: Catalog) {
        schema = catalog.schema
        projections = catalog.projections
    }

    /// Whether objects of a class have lines of their own.
    static func holdsObjects(of objectClass: ObjectClass) -> Bool { objectClass.kind == .object }

    /// Writes the line, without its end.
    func write(to writer: JSONWriter) {
        writer.object { object in
            object.member("holdfast").uint(Self.formVersion)
            _ = object.member("schema")
            SchemaWriter(writer).write(schema)
            object.member("projections").projections(projections)
        }
    }

    /// Reads the line.
    ///
    /// - Throws: ``RequestFault`` `.invalid` when it is not the first line of an export that this program knows,
    ///   with every fault of its schema.
    static func read(_ root: JSONValue) throws(RequestFault) -> StoreHeader {
        guard root.kind == .object, let version = root.member(named: "holdfast") else {
            throw RequestFault(
                .invalid, "not-an-export",
                "An import of a whole store begins with the line {\"holdfast\":1,\"schema\":{…}} that "
                    + "'GET /v1/export' writes; objects of only one class go to "
                    + "/v1/classes/{class}/import, or 'holdfast import --class'.")
        }
        guard version.exactInt64 == Int64(formVersion) else {
            throw RequestFault(
                .invalid, "unknown-export-form",
                "The export does not have format \(formVersion), which this version reads; "
                    + "import it with the version that wrote it, or a newer one.")
        }
        var schema: JSONValue?
        var projections: JSONValue?
        for member in root.members {
            if member.isNamed("schema") {
                schema = member.value
            } else if member.isNamed("projections") {
                projections = member.value
            } else if !member.isNamed("holdfast") {
                let name = String(decoding: member.name, as: UTF8.self)
                throw RequestFault(
                    .invalid, "unknown-member",
                    "The first line takes 'holdfast', 'schema' and 'projections', not '\(name)'.")
            }
        }
        guard let schema else {
            throw RequestFault(.invalid, "missing-member", "The first line lacks 'schema'.")
        }
        let document = try SchemaReader.read(schema) { $0.readSchema($1) }
        var definitions: [Projection] = []
        if let projections { definitions = try read(projections: projections) }
        return StoreHeader(schema: document.schema, projections: definitions)
    }

    private static func read(projections: JSONValue) throws(RequestFault) -> [Projection] {
        let pointer = JSONPointer().appending("projections")
        guard projections.kind == .array else {
            throw RequestFault(.invalid, "wrong-type", "'projections' is an array of projections.")
        }
        var reader = SchemaReader()
        var result: [Projection] = []
        for (index, value) in projections.elements.enumerated() {
            if let read = reader.readProjection(value, pointer.appending(index: index), named: nil)
            {
                result.append(read)
            }
        }
        guard reader.faults.isEmpty else { throw .projection(reader.faults) }
        return result
    }

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
            guard store.catalog.schema.classes.isEmpty else { throw conflict(with: store.catalog) }
            let schema = schema
            _ = try change(store) { present throws(StoreError) in
                // No other write may have come first.
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
                        : "Class '\(objectClass.name)' is different in the store.",
                    pointer: JSONPointer().appending("schema").appending("classes")
                        .appending(index: index).description))
        }
        for (index, projection) in projections.enumerated() where !isFree(projection, in: present) {
            faults.append(
                RequestFault.Entry(
                    code: "schema-conflict",
                    detail: "Projection '\(projection.name)' is different in the store.",
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
