import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows
import HoldfastStoreService

extension RESTService {
    /// Takes in a patch in projected names: `patchProjectedObject`, the same by key, and `patchProperty`.
    func patchProjected(
        _ request: Request, _ subject: ProjectedWrite.Subject, _ source: KeySource
    ) throws(RequestFault) -> Outcome {
        let precondition = try Precondition(request)
        let body = try request.patchBody()
        try request.requireAccepted("application/json")
        var write = ProjectedWrite(
            subject, ObjectAddress(request, source), body, precondition, for: caller(request),
            in: served)
        write.form = try Preferences(request).form
        return try submitWrite(request, write)
    }

    /// `PUT` of a projected object by either kind of key: replaces the part of the object that the projection shows.
    func putProjectedObject(_ request: Request, _ source: KeySource) throws(RequestFault) -> Outcome
    {
        _ = try BodyType.read(request)
        return try writeProjected(request, .whole, ObjectAddress(request, source))
    }

    /// `DELETE` of a projected object by either kind of key: deletes the whole object, and not only the part that the
    /// projection shows.
    func deleteProjectedObject(_ request: Request, _ source: KeySource) throws(RequestFault)
        -> Outcome
    {
        var write = ProjectedWrite(
            .deleted, ObjectAddress(request, source),
            PatchBody(request.bodyBytes, isJSONPatch: false), try Precondition(request),
            for: caller(request), in: served)
        write.form = try Preferences(request).form
        return try submitWrite(request, write)
    }

    /// `POST /v1/projections/{projection}/objects`: creates an object in projected names, or an array of them atomically.
    func createProjectedObjects(_ request: Request) throws(RequestFault) -> Outcome {
        let mode = try createMode(request)
        _ = try BodyType.read(request)
        let isArray = try beginsArray(request)
        return try writeProjected(
            request, .new(isArray: isArray, mode),
            ObjectAddress(request.className, .missing, of: request))
    }

    private func writeProjected(
        _ request: Request, _ subject: ProjectedWrite.Subject, _ address: ObjectAddress
    ) throws(RequestFault) -> Outcome {
        let precondition = try Precondition(request)
        try request.requireAccepted("application/json")
        var write = ProjectedWrite(
            subject, address, PatchBody(request.bodyBytes, isJSONPatch: false), precondition,
            for: caller(request), in: served)
        write.form = try Preferences(request).form
        return try submitWrite(request, write)
    }

    /// `PATCH` of a projected object by either kind of key; with `upsert=true` a merge patch creates an object that is not there.
    func patchProjectedObject(_ request: Request, _ source: KeySource) throws(RequestFault)
        -> Outcome
    {
        try patchProjected(request, request.isUpsert() ? .merged : .object, source)
    }
}

extension Request {
    /// The patch in the body.
    ///
    /// - Throws: ``RequestFault`` `.unsupportedPatchType` for a media type that is no patch.
    func patchBody() throws(RequestFault) -> PatchBody {
        PatchBody(bodyBytes, isJSONPatch: try BodyType.read(self, isPatch: true) == .jsonPatch)
    }

    /// Whether the patch in the body creates an object that is not there.
    ///
    /// - Throws: ``RequestFault`` if it is no merge patch, or has no known media type.
    func isUpsert() throws(RequestFault) -> Bool {
        guard try flag("upsert") else { return false }
        guard try BodyType.read(self, isPatch: true) != .jsonPatch else {
            throw .parameter(
                "upsert",
                "A JSON patch needs an existing object; with 'upsert', send a merge patch.")
        }
        return true
    }
}

// Shared parts of the operations on definitions of projections.
extension RESTService {
    /// The definition that a path names.
    ///
    /// - Throws: ``RequestFault`` `.notFound` with the nearest name.
    func definition(_ request: Request, _ rows: RowSchema) throws(RequestFault) -> Projection {
        let name = request.parameter(0).string
        guard let projection = rows.projections.first(where: { $0.name.isSame(as: name) }) else {
            throw .unknownProjection(name, rows)
        }
        return projection
    }

    /// `GET /v1/projections`: every definition, in the order in which they were made.
    func listProjections(_ request: Request) throws(RequestFault) -> Outcome {
        let rows = try rows(for: request)
        return try readDefinitions(request, rows) {
            $0.writer.object { $0.member("projections").projections(rows.projections) }
        }
    }

    /// `GET /v1/projections/{projection}`: one definition.
    func getProjection(_ request: Request) throws(RequestFault) -> Outcome {
        let rows = try rows(for: request)
        let projection = try definition(request, rows)
        return try readDefinitions(request, rows) { $0.writer.projection(projection) }
    }

    /// `PUT /v1/projections/{projection}`: adds a projection, or puts another in its place.
    func putProjection(_ request: Request) throws(RequestFault) -> Outcome {
        try reading(request) { () throws(RequestFault) in
            let name = request.parameter(0).string
            var reader = SchemaReader()
            let read = reader.readProjection(try self.json(request), JSONPointer(), named: name)
            guard let projection = read, reader.faults.isEmpty else {
                throw .projection(reader.faults)
            }
            let change = CatalogChange(.projection(projection))
            let isNew = change.isAddition(to: self.store.catalog)
            return try self.change(request, change) { catalog in
                self.schemaResponse(isNew ? 201 : 200, catalog.schema) {
                    $0.writer.projection(projection)
                }
            }
        }
    }

    /// `DELETE /v1/projections/{projection}`: takes a definition away; the objects stay.
    func deleteProjection(_ request: Request) throws(RequestFault) -> Outcome {
        let name = try definition(request, store.catalog.rows).name
        return try change(request, CatalogChange(.droppedProjection(name))) { catalog in
            Response(204).with(entityTag: self.schemaTag(catalog.schema))
        }
    }

    /// `PATCH /v1/classes/{class}/objects/{id}/properties/{property}?projection=`: changes the object that
    /// a single property holds by a merge patch in the names of a projection of its class.
    func patchProperty(_ request: Request) throws(RequestFault) -> Outcome {
        guard let name = request[query: "projection"]?.string else {
            throw .parameter(
                "projection",
                "State the 'projection' whose names the body uses, or change the property by a PATCH "
                    + "of its object.")
        }
        let property = UnsafeRawBufferPointer(request.parameter(2).bytes)
        return try patchProjected(
            request, .property(RequestBytes(property, of: request), projection: name), .path)
    }
}
