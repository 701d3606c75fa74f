import HoldfastBytes
import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastStoreService
import HoldfastStreams
import HoldfastThreads

/// Server-sent events (WHATWG HTML, section 9.2).
struct ServerSentEvents: EventFraming {
    func begin(_ name: StaticString, id: String?, in buffer: ByteBuffer) {
        buffer.append("event: " as StaticString)
        buffer.append(name)
        if let id { buffer.append("\nid: \(id)") }
        buffer.append("\ndata: " as StaticString)
    }

    func end(id: String?, in buffer: ByteBuffer) {
        if let id { buffer.append("\nid: \(id)") }
        buffer.append("\n\n" as StaticString)
    }

    func retry(after milliseconds: Int, in buffer: ByteBuffer) {
        buffer.append("retry: \(milliseconds)\n")
    }

    /// Browsers dispatch nothing for an event without data, nor for a comment.
    func heartbeat(id: String?, in buffer: ByteBuffer) {
        buffer.append(id.map { "id: \($0)\n\n" } ?? ":\n\n")
    }
}

extension EventStream: StreamSink {
    package func send(_ bytes: SharedBytes) -> StreamSent { StreamSent(send(Bytes(bytes))) }

    package func send(all pieces: [SharedBytes]) -> StreamSent {
        StreamSent(send(all: pieces.map { Bytes($0) }))
    }

    package func end(sending last: SharedBytes) { end(sending: Bytes(last)) }
}

extension StreamSent {
    fileprivate init(_ sent: EventStream.Sent) {
        switch sent {
        case .queued: self = .queued
        case .full: self = .full
        case .closed: self = .closed
        }
    }
}

/// A request that is answered when something happens.
struct WaitingExchange: ReplySink {
    let exchange: Exchange
    let service: RESTService
    /// The connection that it takes. Its client may poll again as soon as it has the reply.
    let slot: Lease
    let quotesLargeInts: Bool
    let waitSeconds: Int

    var isGone: Bool { exchange.isGone }

    func reply(_ page: SharedBytes) {
        let (quotes, wait) = (quotesLargeInts, waitSeconds)
        slot.end()
        // Made, and compressed, by the connection's thread and not by the feed's.
        exchange.respond { Response(changes: page, quotesLargeInts: quotes, waitSeconds: wait) }
    }

    func fail(_ fault: RequestFault) {
        slot.end()
        exchange.respond(service.response(fault, to: exchange.request.grant))
    }

    func abandon() { exchange.abandon() }
}

extension Bytes {
    /// The same bytes, without a copy.
    init(_ bytes: SharedBytes) { self.init(bytes.buffer.bytes, keptBy: bytes.holder) }
}

extension Response {
    /// A page of changes. Clients that accept events get a stream at the same address.
    ///
    /// - `waitSeconds`: How long the request could wait; 0 when it could not.
    init(changes page: SharedBytes, quotesLargeInts: Bool, waitSeconds: Int = 0) {
        self.init(200, .json, Bytes(page))
        headers.add(.vary, "Accept" as StaticString)
        headers.addApplied(quotesLargeInts: quotesLargeInts, waitSeconds: waitSeconds)
    }

    /// Events without end; there are pages at the same address.
    init(following stream: EventStream, quotesLargeInts: Bool) {
        self.init(events: stream)
        headers.add(.vary, "Accept" as StaticString)
        headers.addApplied(quotesLargeInts: quotesLargeInts)
    }
}
