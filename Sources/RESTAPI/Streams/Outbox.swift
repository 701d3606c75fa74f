import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows
import HoldfastStoreService
import HoldfastStreams
import HoldfastThreads

extension RESTService {
    /// `GET /v1/classes/{class}/outbox`: the objects of an asymmetric class that are not acknowledged yet, the oldest first; as a
    /// page, as a page as soon as there is anything (`Prefer: wait=`), or as events without end.
    func getOutbox(_ request: Request) throws(RequestFault) -> Outcome {
        let name = request.parameter(0).string
        let caller = caller(request)
        try served.requireOutbox(of: name, for: caller)
        let isEventStream = try acceptsEvents(request)
        let preferences = try Preferences(request)
        var page = QueryText()
        page.limit = try request.count("limit")
        let limit = try page.pageLimit(served.limits)
        let version = try minVersion(request)
        let since = request[query: "since"]?.string
        let last = request.header(.lastEventID).flatMap { $0.isEmpty ? nil : $0.string }
        let isResumed = isEventStream && last != nil
        let outbox = OutboxRequest(
            of: name, since: isResumed ? last : since,
            parameter: isResumed ? "Last-Event-ID" : "since", limit: limit,
            quotesLargeInts: preferences.quotesLargeInts, for: caller)
        let quotesLargeInts = preferences.quotesLargeInts
        if isEventStream {
            let stream = try makeEventStream(request, for: caller)
            try streams.follow(outbox, stream)
            return .respond(Response(following: stream, quotesLargeInts: quotesLargeInts))
        }
        let wait = min(preferences.waitSeconds ?? 0, Follower.waitSecondsMax)
        let slot = wait > 0 ? try takeStream(for: boundedUser(request)) : nil
        return try whenAtVersion(version) {
            guard let slot else {
                return self.answerFromJob { job throws(RequestFault) in
                    try self.served.outboxPage(outbox, in: job).map {
                        Response(changes: $0, quotesLargeInts: quotesLargeInts)
                    }
                }
            }
            return .later { exchange in
                self.streams.poll(
                    outbox, until: monotonicMilliseconds() + UInt64(wait) * 1000,
                    WaitingExchange(
                        exchange: exchange, service: self, slot: slot,
                        quotesLargeInts: quotesLargeInts, waitSeconds: wait))
            }
        }
    }

    /// `DELETE /v1/classes/{class}/outbox?through=`: acknowledges the objects up to a position.
    func acknowledgeOutbox(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let name = request.parameter(0).string
        let caller = caller(request)
        try served.requireOutbox(of: name, for: caller)
        guard let text = request[query: "through"]?.string else {
            throw .parameter(
                "through",
                "State in 'through' the last position that was consumed: the \"through\" of a reply, "
                    + "or the id of an event.")
        }
        return .later { exchange in
            let done: OutboxAcknowledgement.Completion = { result in
                exchange.respond {
                    self.replying(to: exchange.request.grant) { () throws(RequestFault) in
                        let (count, version) = try result.get()
                        var response = Response.object(200) { object in
                            object.member("affected").int(Int64(count))
                            object.member("version").string(version.description)
                        }
                        response.headers.addStoreVersion(version)
                        return response
                    }
                }
            }
            self.schedule(for: exchange) { job in
                do throws(RequestFault) {
                    let outcome = try self.served.acknowledge(
                        name, through: text, "through", for: caller, in: job, completion: done)
                    if case .gone = outcome { exchange.abandon() }
                } catch { done(.failure(error)) }
            }
        }
    }
}
