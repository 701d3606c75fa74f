import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows
import HoldfastStoreService
import HoldfastText

extension RESTService {
    /// Answers with one object: `getObject`, `getObjectByKey`, and the same of projections.
    ///
    /// - `isProjected`: Whether the path names a projection and not a class.
    func readObject(_ request: Request, _ source: KeySource, isProjected: Bool = false)
        throws(RequestFault) -> Outcome
    {
        try request.requireAccepted("application/json")
        let precondition = Precondition(
            try EntityTags.read(.ifMatch, of: request), takingWeak: false)
        let known = Precondition(try EntityTags.read(.ifNoneMatch, of: request), takingWeak: true)
        let form = try Preferences(request).form
        let caller = caller(request)
        // Made in one piece and handed on, since a copy counts many references.
        return try answer(
            request, for: caller,
            ObjectRead(
                ObjectAddress(request, source), isProjected: isProjected, for: caller,
                fields: request[query: "fields"]?.string, expand: request[query: "expand"]?.string,
                precondition: precondition, known: known, form: form))
    }
}

extension ObjectRead: ReadOperation {
    func response(
        to reply: Reply, _ request: Request, _ service: RESTService
    ) throws(RequestFault) -> Response {
        Response(object: reply, quotesLargeInts: form.quotesLargeInts)
    }
}

extension Response {
    /// The reply with the JSON in the thread's buffer, of one object or one element, or 304 to a client that knows it.
    init(object reply: ObjectRead.Reply, quotesLargeInts: Bool) {
        self =
            reply.isKnown ? Response(304) : Response(200, .json, RequestScratch.current.takeReply())
        headers.addETag(reply.etag)
        headers.addStoreVersion(reply.version)
        if !reply.isKnown { headers.addApplied(quotesLargeInts: quotesLargeInts) }
    }
}

extension RESTService {
    /// `POST /v1/classes/{class}/objects`: creates an object, or an array of them atomically. `mode` says
    /// what happens to existing objects.
    func createObjects(_ request: Request) throws(RequestFault) -> Outcome {
        let mode = try createMode(request)
        _ = try BodyType.read(request)
        try request.requireAccepted("application/json")
        let isArray = try beginsArray(request)
        return try write(
            request, .new(RequestBytes(request.className, of: request), isArray: isArray), mode)
    }

    /// The mode that `mode` names; creation without it.
    func createMode(_ request: Request) throws(RequestFault) -> WriteMode {
        guard let text = request[query: "mode"] else { return .create }
        if text == "create" { return .create }
        if text == "merge" { return .merge }
        if text == "replace" { return .replace }
        if text == "ignore" { return .ignore }
        throw .parameter(
            "mode", "'mode' is create, merge, replace or ignore.",
            hint: NearestName.of(text.string, among: ["create", "merge", "replace", "ignore"]))
    }

    /// Whether the body is an array, for which no header can state a precondition.
    func beginsArray(_ request: Request) throws(RequestFault) -> Bool {
        guard Self.beginsArray(request.body) else { return false }
        if try Precondition(request) != .none {
            throw RequestFault(
                .malformed, "invalid-header",
                "If-Match and If-None-Match apply to one object; leave them out of a request that "
                    + "writes an array. Each object of the array may state its \"$version\".")
        }
        return true
    }

    /// Whether the first byte of a body that is no blank opens an array.
    private static func beginsArray(_ body: UnsafeRawBufferPointer) -> Bool {
        for byte in body where byte != 0x20 && byte != 0x09 && byte != 0x0A && byte != 0x0D {
            return byte == UInt8(ascii: "[")
        }
        return false
    }

    /// `PUT /v1/classes/{class}/objects/{id}`: creates an object or replaces it. Where the class has no
    /// primary key it only replaces.
    func put(_ request: Request, _ source: KeySource) throws(RequestFault) -> Outcome {
        _ = try BodyType.read(request)
        try request.requireAccepted("application/json")
        return try write(request, .named(ObjectAddress(request, source), isMerge: false), .replace)
    }

    func write(
        _ request: Request, _ subject: ObjectWrite.Subject, _ mode: WriteMode
    ) throws(RequestFault) -> Outcome {
        let precondition = try Precondition(request)
        let write = ObjectWrite(
            subject, request.bodyBytes, mode, precondition, for: caller(request), in: served)
        write.form = try Preferences(request).form
        return try submitWrite(request, write)
    }

    /// `PATCH /v1/classes/{class}/objects/{id}`: changes the properties that a merge patch states, or
    /// applies a JSON patch; with `upsert=true` a merge patch creates an object that is not there.
    func patch(_ request: Request, _ source: KeySource) throws(RequestFault) -> Outcome {
        let isUpsert = try request.isUpsert()
        let type = try BodyType.read(request, isPatch: true)
        try request.requireAccepted("application/json")
        if type == .jsonPatch {
            return try write(request, .patched(ObjectAddress(request, source)), .update)
        }
        return try write(
            request, .named(ObjectAddress(request, source), isMerge: true),
            isUpsert ? .merge : .update)
    }

    /// `DELETE /v1/classes/{class}/objects/{id}`: deletes an object, the embedded objects it owns and every link to it.
    func delete(_ request: Request, _ source: KeySource) throws(RequestFault) -> Outcome {
        try write(request, .deleted(ObjectAddress(request, source)), .update)
    }

    /// `POST /v1/transactions`: several operations, which succeed or fail together.
    func createTransaction(_ request: Request) throws(RequestFault) -> Outcome {
        _ = try BodyType.read(request)
        try request.requireAccepted("application/json")
        var write = TransactionWrite(request.bodyBytes, for: caller(request), in: served)
        write.form = try Preferences(request).form
        return try submitWrite(request, write)
    }
}
