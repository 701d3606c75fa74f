import HTTPServer
import ObjectJSON
import ObjectStore
import StoreService

extension RESTService {
    /// Answers with one object: `getObject`, `getObjectByKey`, and the same of projections.
    ///
    /// What is read from the object's own row is answered at once on the connection's thread; a reply
    /// with other objects comes from the scheduler's.
    ///
    /// - `isProjected`: Whether the path names a projection and not a class.
    func readObject(_ request: Request, _ source: KeySource, isProjected: Bool = false)
        throws(RequestFault) -> Outcome
    {
        try request.requireAccepted("application/json")
        var read = ObjectRead(ObjectAddress(request, source), isProjected: isProjected)
        read.precondition = Precondition(
            try EntityTags.read(.ifMatch, of: request), takingWeak: false)
        read.known = Precondition(
            try EntityTags.read(.ifNoneMatch, of: request), takingWeak: true)
        read.form = try Preferences(request).form
        if request.query.isEmpty { return try answer(read) }
        read.fields = request[query: "fields"]?.string
        read.expand = request[query: "expand"]?.string
        return try whenReadable(request) { [read] pin throws(RequestFault) in
            var read = read
            read.pin = pin
            return try self.answer(read)
        }
    }

    private func answer(_ read: ObjectRead) throws(RequestFault) -> Outcome {
        if let reply = try read.reply(served, in: nil) {
            return .respond(
                try response(reply.etag, reply.version, reply.isKnown, read.form)
                    .under(read.pin, served))
        }
        return .later { exchange in
            self.schedule(for: exchange) { job in
                self.answer(exchange, in: job) { () throws(RequestFault) in
                    let reply = try self.served.withinMemory(of: job) { () throws(RequestFault) in
                        try read.reply(self.served, in: job)
                    }
                    guard let reply else { throw .queryTime(self.served.limits) }
                    return try self.response(
                        reply.etag, reply.version, reply.isKnown, read.form
                    ).under(read.pin, self.served)
                }
            }
        }
    }

    /// The reply to a reading whose JSON stands in the thread's buffer, or 304 to a client that knows it.
    func response(
        _ etag: StoreVersion, _ version: StoreVersion, _ isKnown: Bool, _ form: ReplyForm
    ) -> Response {
        var response =
            isKnown ? Response(304) : Response(200, .json, RequestScratch.current.takeReply())
        response.headers.addETag(etag)
        response.headers.addStoreVersion(version)
        if !isKnown { response.headers.addApplied(quotesLargeInts: form.quotesLargeInts) }
        return response
    }
}
