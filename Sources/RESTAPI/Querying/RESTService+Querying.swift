import Bytes
import HTTPServer
import ObjectJSON
import ObjectStore
import StoreService

extension RESTService {
    /// Answers with a page of what the URL asks for.
    ///
    /// - `subject`: Read between the headers and the query.
    /// - `varies`: As below.
    func answerPage(
        of subject: @autoclosure () throws(RequestFault) -> PageRequest.Subject,
        _ request: Request, forms: [ListForm] = [.json], varies: Bool = false
    ) throws(RequestFault) -> Outcome {
        let preferences = try Preferences(request)
        return try answerPage(
            request,
            PageRequest(
                try subject(), try QueryText(request, parser: RequestScratch.current.parser),
                forms: forms, quotesLargeInts: preferences.quotesLargeInts), varies: varies)
    }

    /// Answers with a page of the version that the request asks for: on the connection's thread if it is sure to be
    /// short, else on the scheduler's.
    ///
    /// - `hasAddress`: Whether the next page has an address, which is this one's with a cursor.
    /// - `varies`: Whether there are other forms of it.
    func answerPage(
        _ request: Request, _ page: PageRequest, hasAddress: Bool = true, varies: Bool = false
    ) throws(RequestFault) -> Outcome {
        try whenReadable(request, cursor: page.text) { pin throws(RequestFault) in
            var page = page
            page.pin = pin
            return try self.answer(request, page, hasAddress: hasAddress, varies: varies)
        }
    }

    private func answer(
        _ request: Request, _ page: PageRequest, hasAddress: Bool, varies: Bool
    ) throws(RequestFault) -> Outcome {
        let respond = {
            @Sendable (reply: PageReply, buffer: ByteBuffer) throws(RequestFault) in
            var response = self.response(
                reply, buffer, nextAt: hasAddress ? request : nil)
            if varies { response.headers.add(.vary, "Accept" as StaticString) }
            // CSV has no other form of numbers.
            let quotes = page.quotesLargeInts && reply.form != .csv
            response.headers.addApplied(quotesLargeInts: quotes)
            return try response.under(page.pin, self.served)
        }
        var reading = page
        let buffer = ByteBuffer(capacity: 4096)
        if let reply = try request.allowing({ () throws(RequestFault) in
            try reading.writeIfShort(served, to: buffer)
        }) {
            return .respond(try respond(reply, buffer))
        }
        let checked = reading
        return answerReading(of: page.pin) { read throws(RequestFault) in
            let buffer = ByteBuffer(capacity: 4096)
            return try request.allowing { () throws(RequestFault) in
                try respond(try checked.write(from: read, self.served, to: buffer), buffer)
            }
        }
    }

    /// The reply with a page that was written to a buffer, which is taken over.
    ///
    /// - `request`: Has the address of the page; nil where none has the query.
    func response(_ reply: PageReply, _ buffer: ByteBuffer, nextAt request: Request?) -> Response {
        let (base, count) = buffer.takeStorage()
        var response = Response(
            200, reply.form.contentType, HTTPServer.Bytes(adopting: base, count: count))
        response.headers.addStoreVersion(reply.version)
        if let next = reply.next, let request {
            let link = RequestScratch.current.text
            link.removeAll()
            link.append("<")
            appendNextTarget(of: request, to: link)
            link.append("cursor=")
            link.append(next)
            link.append(">; rel=\"next\"")
            response.headers.add(.link, link.bytes.bindMemory(to: UInt8.self))
        }
        return response
    }
}
