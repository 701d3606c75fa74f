import HTTPServer
import ObjectJSON
import ObjectStore
import StoreService

/// A client that waits for a write.
package struct RESTCaller: WriteCaller {
    let service: RESTService
    let preferences: Preferences
    /// Where the reply goes; nil once it is on its way.
    var exchange: Exchange?

    package func record(of reply: WriteReply, _ scratch: RequestScratch) -> [UInt8] {
        RecordedReply.encode(service.response(to: reply, preferences, scratch))
    }

    package func finish<Body: WriteBody>(_ write: ServedWrite<Body, RESTCaller>) {
        guard let exchange = write.caller.exchange.take() else { return }
        if write.hasLongReply,
            service.isScheduled(
                for: exchange, expecting: .long, { _ in exchange.respond(write.makeResponse()) })
        {
            return
        }
        exchange.respond(write)
    }
}

extension ServedWrite where Caller == RESTCaller {
    /// Hands the write in; the exchange is answered when it is durable.
    func start(_ exchange: Exchange) {
        caller.exchange = exchange
        start()
    }
}

extension ServedWrite: ResponseSource where Caller == RESTCaller {
    package func makeResponse() -> Response {
        let service = caller.service
        let response = service.replying { () throws(RequestFault) in
            switch try answer() {
            case .reply(let reply):
                service.response(to: reply, caller.preferences, RequestScratch.current)
            case .recorded(let bytes, let isRepeat):
                try RecordedReply.response(bytes, isRepeat: isRepeat)
            }
        }
        end()
        return response
    }
}

extension RESTService {
    /// Bodies above so many bytes are read by the scheduler's threads, since that holds up a connection's.
    static let inlineBodyByteCountMax = 64 << 10

    /// Reads a body and what follows: at once, or on the scheduler's when the body is large.
    func reading(
        _ request: Request, _ body: @escaping @Sendable () throws(RequestFault) -> Outcome
    ) throws(RequestFault) -> Outcome {
        guard request.body.count > Self.inlineBodyByteCountMax else { return try body() }
        return .later { exchange in self.decide(for: exchange, expecting: .long, body) }
    }

    /// Reads the request of a write, hands that in and answers when it is durable.
    func takeIn<Body: WriteBody>(
        _ request: Request, _ preferences: Preferences, _ body: Body
    ) throws(RequestFault) -> Outcome {
        guard request.body.count > Self.inlineBodyByteCountMax else {
            // As in ``reading(_:_:)``, but without a closure on the heap for each small write.
            return try begin(request, preferences, body)
        }
        return try reading(request) { () throws(RequestFault) in
            try self.begin(request, preferences, body)
        }
    }

    private func begin<Body: WriteBody>(
        _ request: Request, _ preferences: Preferences, _ body: Body
    ) throws(RequestFault) -> Outcome {
        try once(request) { claim throws(RequestFault) in
            let write = try ServedWrite(
                body, for: RESTCaller(service: self, preferences: preferences), claim, in: served)
            return .later(write.start)
        }
    }

    /// The reply to a write, with the JSON that stands in the thread's buffer.
    func response(
        to reply: WriteReply, _ preferences: Preferences, _ scratch: RequestScratch
    ) -> Response {
        var response =
            reply.hasJSON
            ? Response(reply.isCreated ? 201 : 200, .json, scratch.takeReply())
            : Response(reply.isCreated ? 201 : 204)
        if let etag = reply.etag { response.headers.addETag(etag) }
        response.headers.addStoreVersion(reply.version)
        if let created = reply.created {
            let text = scratch.text
            text.removeAll()
            // Nobody could ask for a longer one, and no header has room for a key of megabytes.
            if ObjectPath.append(created, to: text), text.count <= options.targetByteCountMax {
                text.bytes.withMemoryRebound(to: UInt8.self) { response.headers.add(.location, $0) }
            }
        }
        if let countMax = reply.affectedCountMax {
            response.headers.add(.preferenceApplied, "max-affected=\(countMax)")
        } else if let applied = preferences.applied(minimal: reply.isMinimal) {
            response.headers.add(.preferenceApplied, applied)
        }
        return response
    }
}

extension Preferences {
    /// What of it use cases know.
    var form: ReplyForm {
        var form = ReplyForm()
        form.isMinimal = isMinimal
        form.quotesLargeInts = quotesLargeInts
        return form
    }
}
