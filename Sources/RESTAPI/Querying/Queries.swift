import HoldfastBytes
import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService
import HoldfastThreads

extension PageRequest: ReadOperation {
    func response(
        to reply: Reply, _ request: Request, _ service: RESTService
    ) throws(RequestFault) -> Response {
        // A query in a body has no URL for the next page.
        var response = Response(page: reply.page, reply.text, nextAt: text.isInBody ? nil : request)
        if case .objects = subject { response.headers.add(.vary, "Accept" as StaticString) }
        // CSV has no other form of numbers.
        let quotes = quotesLargeInts && reply.page.form != .csv
        response.headers.addApplied(quotesLargeInts: quotes)
        return response
    }
}

extension RESTService {
    /// Answers with the page that the URL requests.
    ///
    /// - `subject`: Read between the headers and the query.
    func answerPage(
        of subject: @autoclosure () throws(RequestFault) -> PageRequest.Subject,
        _ request: Request, forms: [ListForm] = [.json]
    ) throws(RequestFault) -> Outcome {
        let preferences = try Preferences(request)
        let page = PageRequest(
            try subject(), try QueryText(request, parser: RequestScratch.current.parser),
            forms: forms, quotesLargeInts: preferences.quotesLargeInts, for: caller(request))
        return try answer(request, for: page.caller, cursor: page.text, page)
    }
}

extension Response {
    /// The reply with a page in a buffer, which it takes over.
    ///
    /// - `request`: Has the URL of the page; nil if no URL has the query.
    init(page: PageReply, _ buffer: ByteBuffer, nextAt request: Request?) {
        self.init(200, page.form.contentType, Bytes(taking: buffer))
        headers.addStoreVersion(page.version)
        if let next = page.next, let request {
            let link = RequestScratch.current.text
            link.removeAll()
            link.append("<")
            appendNextTarget(of: request, to: link)
            link.append("cursor=")
            link.append(next)
            link.append(">; rel=\"next\"")
            headers.add(.link, link.bytes.bindMemory(to: UInt8.self))
        }
    }
}

extension RESTService {
    /// `GET …/objects`: a page of a query that is stated in the URL, in the names of the class. A projection shows each
    /// object in its own.
    func listObjects(_ request: Request, _ kind: ContainerKind) throws(RequestFault) -> Outcome {
        try answerPage(
            of: .objects(kind.container(request)), request, forms: try ListForm.read(request))
    }
}

/// Appends the request's own target without its cursor, up to where the next cursor goes.
func appendNextTarget(of request: Request, to target: ByteBuffer) {
    let raw = request.rawTarget.bytes
    let mark = raw.firstIndex(of: UInt8(ascii: "?")) ?? raw.endIndex
    target.append(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(raw)[..<mark]))
    target.append("?")
    var start = mark + 1
    while start < raw.count {
        var end = start
        while end < raw.count, raw[end] != UInt8(ascii: "&") { end += 1 }
        let part = RequestText(UnsafeBufferPointer(rebasing: raw[start..<end]))
        if !part.isEmpty, part != "cursor", !part.hasPrefix("cursor=") {
            target.append(UnsafeRawBufferPointer(part.bytes))
            target.append("&")
        }
        start = end + 1
    }
}

extension RESTService {
    /// `POST …/query`: a page of a query that is stated in a body.
    func queryObjects(_ request: Request, _ kind: ContainerKind) throws(RequestFault) -> Outcome {
        try reading(request) { () throws(RequestFault) in
            // CSV has no place for the cursor of the next page, and a body has no address with one.
            let forms = try ListForm.read(request, offered: [.json, .geoJSON])
            let preferences = try Preferences(request)
            _ = try BodyType.read(request)
            let text = try QueryText(
                body: self.served.json(request.body, RequestScratch.current.parser, isQuery: true),
                byteCount: request.body.count, within: self.served.limits)
            let page = PageRequest(
                .objects(kind.container(request)), text, forms: forms,
                quotesLargeInts: preferences.quotesLargeInts, for: self.caller(request))
            return try self.answer(request, for: page.caller, cursor: text, page)
        }
    }

    /// `GET …/aggregate`: counts, extremes, sums and averages of the objects of a query, or of each group of them.
    func aggregateObjects(
        _ request: Request, _ kind: ContainerKind
    ) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        return try answerPage(
            of: .aggregate(kind.container(request), aggregateText(request)), request)
    }

    /// The aggregate that a request states.
    func aggregateText(_ request: Request) -> AggregateText {
        AggregateText(
            operations: request[query: "op"]?.string, by: request[query: "by"]?.string,
            having: request[query: "having"]?.string, order: request[query: "order"]?.string,
            timeZone: request[query: "tz"]?.string)
    }

    /// `GET …/sections`: the result of a query, divided by a value that its objects have in common.
    func sectionObjects(_ request: Request, _ kind: ContainerKind) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        return try answerPage(
            of: .sections(
                kind.container(request), by: request[query: "by"]?.string,
                objectCount: try request.count("objects")), request)
    }
}

/// A use case that reads, and the response to its reply.
protocol ReadOperation: ReadCase {
    /// Makes the response, after the view is closed.
    func response(
        to reply: Reply, _ request: Request, _ service: RESTService
    ) throws(RequestFault) -> Response
}

extension RESTService {
    /// Answers a read of the version that the request asks for, as soon as the store has it: on the connection's thread
    /// if the reply is sure to be short, else from a job.
    ///
    /// - `caller`: The caller of the use case, a property of which is read through a copy of all of it.
    /// - `text`: Of a page, whose cursor goes on under the snapshot of the page before.
    func answer(
        _ request: Request, for caller: Caller, cursor text: QueryText? = nil,
        _ operation: consuming some ReadOperation
    ) throws(RequestFault) -> Outcome {
        // Most reads are of one object and have no parameters.
        if !request.hasQuery, text == nil {
            return try answerNow(request, for: caller, under: nil, consume operation)
        }
        let unpinned = operation
        return try whenReadable(request, cursor: text) { pin throws(RequestFault) in
            var operation = unpinned
            operation.pin = pin
            return try self.answerNow(request, for: self.caller(request), under: pin, operation)
        }
    }

    /// The time for the reads of rules on a connection's thread.
    private static let shortMilliseconds: UInt64 = 5

    /// - `pin`: The pin of the operation.
    private func answerNow(
        _ request: Request, for caller: Caller, under pin: SnapshotPin?,
        _ operation: consuming some ReadOperation
    ) throws(RequestFault) -> Outcome {
        var operation = consume operation
        // Put together here and not in a function of `ReadCase`, since the compiler specializes generic code within its
        // module alone.
        let short = try request.allowing { () throws(RequestFault) -> Response? in
            do throws(RequestFault) {
                let deadline =
                    caller.visibility == nil
                    ? nil : monotonicMilliseconds() + Self.shortMilliseconds
                let reply = try served.withRead(for: caller, of: pin, until: deadline) {
                    read throws(RequestFault) in
                    read.isBrief = true
                    return try operation.replyIfShort(read, served)
                }
                guard let reply else { return nil }
                return try operation.response(to: reply, request, self)
            } catch {
                // The reads of rules for one object may take as long as a query, and a reply may be large.
                guard error.isQueryMemory || caller.visibility != nil && error.isQueryTime else {
                    throw error
                }
                return nil
            }
        }
        if let short { return .respond(try short.under(pin, served)) }
        return answerFromJob { [operation] job throws(RequestFault) in
            try request.allowing { () throws(RequestFault) in
                try operation.reply(self.served, in: job).map { reply throws(RequestFault) in
                    try operation.response(to: reply, request, self).under(pin, self.served)
                }
            }
        }
    }
}
