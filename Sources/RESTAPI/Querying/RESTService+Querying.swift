import HoldfastBytes
import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

extension PageRequest: ReadOperation {
    func response(
        to reply: Reply, _ request: Request, _ service: RESTService
    ) throws(RequestFault) -> Response {
        // What is asked for in a body has no address for the next page.
        var response = Response(page: reply.page, reply.text, nextAt: text.isInBody ? nil : request)
        if case .objects = subject { response.headers.add(.vary, "Accept" as StaticString) }
        // CSV has no other form of numbers.
        let quotes = quotesLargeInts && reply.page.form != .csv
        response.headers.addApplied(quotesLargeInts: quotes)
        return response
    }
}

extension RESTService {
    /// Answers with a page of what the URL asks for.
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
    /// The reply with a page that was written to a buffer, which is taken over.
    ///
    /// - `request`: Has the address of the page; nil where none has the query.
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
