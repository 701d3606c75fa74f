import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

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
        let known = Precondition(
            try EntityTags.read(.ifNoneMatch, of: request), takingWeak: true)
        let form = try Preferences(request).form
        let caller = caller(request)
        // Made in one piece and handed on, since a copy counts many references.
        return try answer(
            request, for: caller,
            ObjectRead(
                ObjectAddress(request, source), isProjected: isProjected, for: caller,
                fields: request[query: "fields"]?.string,
                expand: request[query: "expand"]?.string, precondition: precondition,
                known: known, form: form))
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
    /// The reply whose JSON stands in the thread's buffer, of one object or of one element, or 304 to a client that knows it.
    init(object reply: ObjectRead.Reply, quotesLargeInts: Bool) {
        self =
            reply.isKnown ? Response(304) : Response(200, .json, RequestScratch.current.takeReply())
        headers.addETag(reply.etag)
        headers.addStoreVersion(reply.version)
        if !reply.isKnown { headers.addApplied(quotesLargeInts: quotesLargeInts) }
    }
}
