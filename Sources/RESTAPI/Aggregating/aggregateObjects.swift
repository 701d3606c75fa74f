import HTTPServer
import ObjectJSON
import ObjectStore
import StoreService

extension RESTService {
    private static let aggregateParameters: [StaticString] = [
        "op", "by", "filter", "arg", "text", "limit", "cursor", "explain", "minVersion",
    ]

    /// `GET /v1/classes/{class}/aggregate`: counts, extremes, sums and averages of the objects of a query,
    /// or of each group of them.
    func aggregateObjects(_ request: Request) -> Outcome {
        answering { () throws(RequestFault) in
            let parameters = try Parameters(
                request, known: Self.aggregateParameters, repeatable: ["arg", "text"])
            try request.requireAccepted("application/json")
            let minimum = try minVersion(parameters)
            let preferences = try Preferences(request)
            let text = AggregateText(
                query: try QueryText(request, parser: RequestScratch.current.parser),
                operations: parameters["op"]?.string, by: parameters["by"]?.string)
            return whenAtVersion(minimum) {
                self.answerAggregate(request, text, preferences)
            }
        }
    }

    /// Answers on the connection's thread where indexes tell everything, else on a worker's.
    private func answerAggregate(
        _ request: Request, _ text: AggregateText, _ preferences: Preferences
    ) -> Outcome {
        answering { () throws(RequestFault) in
            let target = nextTarget(of: request)
            let check = { @Sendable (names: SchemaNames) throws(RequestFault) in
                try CheckedAggregate(
                    text, of: self.objectClass(request, names), names: names,
                    limits: self.served.limits)
            }
            let reply = {
                @Sendable (request: CheckedRequest<CheckedAggregate>, read: ReadTransaction) in
                AggregateReply(
                    service: self, query: request.checked, text: text.query, read: read,
                    names: request.names, quotesLargeInts: preferences.quotesLargeInts,
                    target: target)
            }
            guard !text.query.isLong else {
                return answerReading { read throws(RequestFault) in
                    try reply(CheckedRequest(self.served.names(of: read.rows), check), read)
                        .response()
                }
            }
            let read = try served.stored { () throws(StoreError) in try store.read() }
            defer { read.close() }
            let checked = try CheckedRequest(
                RequestScratch.current.names(of: read.rows, served), check)
            let short = reply(checked, read)
            if short.isShort { return .respond(try short.response()) }
            return answerReading { read throws(RequestFault) in
                try reply(checked.under(read.rows, self.served), read).response()
            }
        }
    }
}
