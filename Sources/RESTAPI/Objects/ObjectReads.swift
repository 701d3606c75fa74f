import Bytes
import HTTPServer
import ObjectJSON
import ObjectStore
import Rows
import StoreService

extension RESTService {
    /// Answers with one object: `getObject`, `getObjectByKey`, and the same of projections.
    ///
    /// What is read from the object's own row is answered at once on the connection's thread; a reply
    /// with other objects comes from the scheduler's.
    ///
    /// - `isProjected`: Whether the path names a projection and not a class.
    func readObject(_ request: Request, _ source: KeySource, isProjected: Bool = false) -> Outcome {
        answering { () throws(RequestFault) in
            try request.requireAccepted("application/json")
            if request.query.isEmpty {
                return try objectReply(
                    request, source, nil, isProjected: isProjected, in: nil)
            }
            let parameters = try Parameters(
                request,
                known: source.parameters(
                    isProjected ? ["fields", "minVersion"] : ["fields", "expand", "minVersion"]))
            let version = try minVersion(parameters)
            return whenAtVersion(version) {
                self.answering { () throws(RequestFault) in
                    try self.objectReply(
                        request, source, parameters, isProjected: isProjected, in: nil)
                }
            }
        }
    }

    private func objectReply(
        _ request: Request, _ source: KeySource, _ parameters: Parameters?, isProjected: Bool,
        in job: Job?
    ) throws(RequestFault) -> Outcome {
        if let job, job.isOverdue || job.isAbandoned { throw .queryTime(served.limits) }
        let scratch = RequestScratch.current
        // Taken before the snapshot: a reply may be newer than it says, never older.
        let version = store.version
        let read: ReadTransaction
        do { read = try store.read(reusing: scratch.read.take()) } catch {
            throw served.fault(error)
        }
        defer {
            read.close()
            scratch.read = read
        }
        read.turn = job
        if let job { read.limitFollowing(until: job.deadlineMilliseconds) }
        let names = scratch.names(of: read.rows, served)
        let projection = isProjected ? try self.projection(request, names) : nil
        let named: RowClass
        if let projection {
            named = projection.rowClass
        } else {
            named = try objectClass(request, names)
        }
        let found = try find(request, source, of: named, read, scratch)
        guard let (rowClass, key, row) = found else { throw RequestFault(.objectNotFound) }

        var selection = projection?.selection ?? names.classes[rowClass.index].everything
        if let parameters, let projection {
            selection = try projection.selection(fields: parameters["fields"]?.string)
        } else if let parameters {
            let fields = parameters["fields"]?.string
            let expand = parameters["expand"]?.string
            if fields != nil || expand != nil {
                selection = try FieldSelection(
                    fields: fields, expand: expand, of: rowClass, names: names)
            }
        }
        if selection.holdsOtherObjects, job == nil {
            return .later { exchange in
                self.schedule(for: exchange) { job in
                    let outcome = self.answering { () throws(RequestFault) in
                        try self.served.withinMemory(of: job) { () throws(RequestFault) in
                            try self.objectReply(
                                request, source, parameters, isProjected: isProjected, in: job)
                        }
                    }
                    guard case .respond(let response) = outcome else { return }
                    self.answer(exchange, in: job) { response }
                }
            }
        }

        let etag = StoreVersion(epoch: read.epoch, number: row.version)
        if let tags = try EntityTags.read(.ifMatch, of: request),
            !tags.matchesStrongly(etag.description)
        {
            let current = StoredObject(
                schema: read.rows, classIndex: rowClass.index, key: key, row: row)
            throw RequestFault(.preconditionFailed(Precondition.Failure(current: current)))
        }
        if !selection.holdsOtherObjects, let tags = try EntityTags.read(.ifNoneMatch, of: request),
            tags.matchesWeakly(etag.description)
        {
            var response = Response(304)
            response.headers.addETag(etag)
            response.headers.addStoreVersion(version)
            return .respond(response)
        }

        let preferences = try Preferences(request)
        scratch.reply.removeAll()
        var writer = ObjectWriter(scratch.reply, names: names, read: read, epoch: read.epoch)
        writer.linkKeys = scratch.linkKeys
        writer.quotesLargeInts = preferences.quotesLargeInts
        writer.limitCollections(served.limits)
        writer.byteCountMax = job?.memoryByteCountMax ?? served.limits.queryMemoryByteCountMax
        writer.write(row, key: key, selection)
        if read.failure != nil {
            try served.stored { () throws(StoreError) in try read.checkFailure() }
        }
        if read.isLate { throw .queryTime(served.limits) }
        if writer.isTruncated { throw .replyTooLarge(served.limits.queryMemoryByteCountMax) }
        var response = Response(200, .json, scratch.takeReply())
        response.headers.addETag(etag)
        response.headers.addStoreVersion(version)
        if preferences.quotesLargeInts {
            response.headers.add(.preferenceApplied, "int64=string" as StaticString)
            response.headers.add(.vary, "Prefer" as StaticString)
        }
        return .respond(response)
    }
}

extension RequestFault {
    /// A reply that would take more memory than a read may.
    static func replyTooLarge(_ limit: Int) -> RequestFault {
        RequestFault(
            .invalid, memoryCode,
            "The reply would take more than \(limit) bytes; expand less, or page the collections by "
                + "…/properties/{property}.")
    }
}
