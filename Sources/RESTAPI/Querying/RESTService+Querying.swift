import Bytes
import HTTPServer
import ObjectJSON
import ObjectStore
import Rows
import StoreService

extension RESTService {
    /// The reply with a page that was written from a view: with the version that it shows, and the address of
    /// the next one.
    ///
    /// - `next`: The cursor of the next page; nil on the last one.
    /// - `target`: The address up to where a cursor goes; nil where no address has the query.
    /// - Throws: ``RequestFault`` when storage failed while it was written.
    func pageReply(
        _ buffer: ByteBuffer, _ type: ContentType = .json, of read: ReadTransaction,
        next: String?, at target: String?
    ) throws(RequestFault) -> Response {
        let version = try served.stored { () throws(StoreError) in
            try read.checkFailure()
            return try read.state().version
        }
        let (base, count) = buffer.takeStorage()
        var response = Response(200, type, HTTPServer.Bytes(adopting: base, count: count))
        response.headers.addStoreVersion(StoreVersion(epoch: read.epoch, number: version))
        if let next, let target {
            response.headers.add(.link, "<\(target)cursor=\(next)>; rel=\"next\"")
        }
        return response
    }

    /// Objects of a page up to which a query that reads nothing else is answered at once.
    private static let inlineCountMax = 100

    /// Answers with a page of a query: on the connection's thread if it is sure to be short, else on the
    /// scheduler's.
    ///
    /// - `isProjected`: Whether the path names a projection and not a class.
    func answerPage(
        _ request: Request, _ text: QueryText, _ forms: [ListForm], _ preferences: Preferences,
        target: String?, isProjected: Bool = false
    ) -> Outcome {
        answering { () throws(RequestFault) in
            let check = { @Sendable (names: SchemaNames) throws(RequestFault) in
                try self.check(text, forms, request, names, isProjected: isProjected)
            }
            let reply = {
                @Sendable (request: CheckedRequest<CheckedQuery>, read: ReadTransaction)
                    throws(RequestFault) in
                try QueryPage(
                    service: self, query: request.checked, text: text, read: read,
                    names: request.names, quotesLargeInts: preferences.quotesLargeInts,
                    target: target
                ).response()
            }
            guard !text.isLong else {
                return answerReading { read throws(RequestFault) in
                    try reply(CheckedRequest(self.served.names(of: read.rows), check), read)
                }
            }
            let read = try served.stored { () throws(StoreError) in try store.read() }
            defer { read.close() }
            let checked = try CheckedRequest(
                RequestScratch.current.names(of: read.rows, served), check)
            let query = checked.checked
            let isShort =
                query.limit <= Self.inlineCountMax && !query.selection.holdsOtherObjects
                && !query.form.isGeoJSON
                && !text.counts
                && query.distinct.isEmpty && query.stages == nil
                && ObjectQuery(
                    classIndex: query.rowClass.index, predicate: query.predicate, sort: query.sort
                ).isBounded(in: read)
            if isShort { return .respond(try reply(checked, read)) }
            return answerReading { read throws(RequestFault) in
                try reply(checked.under(read.rows, self.served), read)
            }
        }
    }

    private func check(
        _ text: QueryText, _ forms: [ListForm], _ request: Request, _ names: SchemaNames,
        isProjected: Bool
    ) throws(RequestFault) -> CheckedQuery {
        guard isProjected else {
            return try CheckedQuery(
                text, of: objectClass(request, names), names: names, limits: served.limits,
                forms: forms)
        }
        let projection = try projection(request, names)
        return try CheckedQuery(
            text, of: projection.rowClass, projection: projection, names: names,
            limits: served.limits,
            forms: forms)
    }
}
