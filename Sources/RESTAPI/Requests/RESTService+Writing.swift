import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

extension RESTService {
    /// Bodies above so many bytes are read by the scheduler's threads, since that holds up a connection's.
    static let inlineBodyByteCountMax = 64 << 10

    /// Reads a body and runs the rest: at once, or on a scheduler's thread if the body is large.
    ///
    /// - `isLong`: Whether the request takes long for another reason than reading the body.
    func reading(
        _ request: Request, isLong: Bool = false,
        _ body: @escaping @Sendable () throws(RequestFault) -> Outcome
    ) throws(RequestFault) -> Outcome {
        guard isLong || request.body.count > Self.inlineBodyByteCountMax else { return try body() }
        return .later { exchange in self.scheduleOutcome(for: exchange, expecting: .long, body) }
    }

    /// Reads the request of a write, hands that in and answers when it is durable.
    func submitWrite<Body: WriteCase>(_ request: Request, _ body: Body) throws(RequestFault)
        -> Outcome
    {
        guard request.body.count > Self.inlineBodyByteCountMax else {
            // As in ``reading(_:_:)``, but without a closure on the heap for each small write.
            return try begin(request, body)
        }
        return try reading(request) { () throws(RequestFault) in try self.begin(request, body) }
    }

    private func begin<Body: WriteCase>(
        _ request: Request, _ body: Body
    ) throws(RequestFault) -> Outcome {
        try once(request) { claim throws(RequestFault) in
            let write = try ServedWrite(
                body, waiter: WriteExchange(service: self, grant: request.grant), claim, in: served)
            return .later(write.start)
        }
    }

    /// The response to a write, with the JSON that stands in the thread's buffer.
    func response(to reply: WriteReply) -> Response {
        let scratch = RequestScratch.current
        var response =
            reply.hasJSON
            ? Response(reply.isCreated ? 201 : 200, .json, scratch.takeReply())
            : Response(reply.isCreated ? 201 : 204)
        if let etag = reply.etag { response.headers.addETag(etag) }
        response.headers.addStoreVersion(reply.version)
        if let created = reply.created {
            let text = scratch.text
            text.removeAll()
            // A longer path can't be requested, and no header has room for a key of megabytes.
            if ObjectPath.append(created, to: text), text.count <= options.targetByteCountMax {
                text.bytes.withMemoryRebound(to: UInt8.self) { response.headers.add(.location, $0) }
            }
        }
        if let countMax = reply.affectedCountMax {
            response.headers.add(.preferenceApplied, "max-affected=\(countMax)")
        } else if let applied = Preferences.applied(
            minimal: reply.isMinimal, quotesLargeInts: reply.quotesLargeInts && reply.hasJSON)
        {
            response.headers.add(.preferenceApplied, applied)
        }
        if reply.isRepeat { response.headers.add(Self.replayed, "true" as StaticString) }
        return response
    }

    /// Tells a client that the reply is that of an earlier request.
    private static let replayed = HeaderName("Idempotency-Replayed")
}

/// An exchange that waits for a write.
package struct WriteExchange: WriteWaiter {
    let service: RESTService
    let grant: Grant?
    /// The destination of the reply; nil once that is on its way.
    var exchange: Exchange?

    package func wake<Body: WriteCase>(_ write: ServedWrite<Body, WriteExchange>) {
        write.waiter.exchange.take()?.respond(write)
    }

    package func tell<Body: WriteCase>(_ write: ServedWrite<Body, WriteExchange>) {
        write.waiter.exchange.take()?.respond(write.makeResponse())
    }
}

extension ServedWrite where Waiter == WriteExchange {
    /// Hands the write in; the exchange is answered when it is durable.
    func start(_ exchange: Exchange) {
        waiter.exchange = exchange
        start()
    }
}

extension ServedWrite: ResponseSource where Waiter == WriteExchange {
    package func makeResponse() -> Response {
        let service = waiter.service
        let response = service.replying(to: waiter.grant) { () throws(RequestFault) in
            service.response(to: try answer())
        }
        end()
        return response
    }
}
