import HoldfastBytes
import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

/// The reading of a page.
struct PageOperation: ReadOperation {
    var reading: PageRequest
    /// Whether the next page has an address, which is this one's with a cursor.
    var hasAddress = true
    /// Whether there are other forms of it.
    var varies = false

    func response(
        to reply: PageRequest.Reply, _ request: Request, _ service: RESTService
    ) throws(RequestFault) -> Response {
        var response = Response(page: reply.page, reply.text, nextAt: hasAddress ? request : nil)
        if varies { response.headers.add(.vary, "Accept" as StaticString) }
        // CSV has no other form of numbers.
        let quotes = reading.quotesLargeInts && reply.page.form != .csv
        response.headers.addApplied(quotesLargeInts: quotes)
        return response
    }
}

extension RESTService {
    /// Answers with a page of what the URL asks for.
    ///
    /// - `subject`: Read between the headers and the query.
    /// - `varies`: Whether there are other forms of it.
    func answerPage(
        of subject: @autoclosure () throws(RequestFault) -> PageRequest.Subject,
        _ request: Request, forms: [ListForm] = [.json], varies: Bool = false
    ) throws(RequestFault) -> Outcome {
        let preferences = try Preferences(request)
        let page = PageRequest(
            try subject(), try QueryText(request, parser: RequestScratch.current.parser),
            forms: forms, quotesLargeInts: preferences.quotesLargeInts, for: caller(request),
            ReadVersion(nil, of: served))
        return try answer(
            request, for: page.caller, cursor: page.text,
            PageOperation(reading: page, varies: varies))
    }
}

extension Response {
    /// The reply with a page that was written to a buffer, which is taken over.
    ///
    /// - `request`: Has the address of the page; nil where none has the query.
    init(page: PageReply, _ buffer: ByteBuffer, nextAt request: Request?) {
        let (base, count) = buffer.takeStorage()
        self.init(200, page.form.contentType, Bytes(adopting: base, count: count))
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
