import HTTPServer
import ObjectJSON
import ObjectStore
import StoreService

extension RESTService {
    private static let sectionParameters: [StaticString] = [
        "by", "filter", "arg", "text", "sort", "limit", "cursor", "objects", "fields", "expand",
        "count", "explain", "minVersion",
    ]

    /// `GET /v1/classes/{class}/sections`: the result of a query, divided by what its objects have in
    /// common.
    func sectionObjects(_ request: Request) -> Outcome {
        answering { () throws(RequestFault) in
            let parameters = try Parameters(
                request, known: Self.sectionParameters, repeatable: ["arg", "text"])
            try request.requireAccepted("application/json")
            let minimum = try minVersion(parameters)
            let preferences = try Preferences(request)
            let text = SectionText(
                query: try QueryText(request, parser: RequestScratch.current.parser),
                by: parameters["by"]?.string, objectCount: try parameters.count("objects"))
            let target = nextTarget(of: request)
            let check = { @Sendable (names: SchemaNames) throws(RequestFault) in
                try CheckedSections(
                    text, of: self.objectClass(request, names), names: names,
                    limits: self.served.limits)
            }
            // What can be checked at once is, so that a faulty request does not wait.
            let known =
                text.query.isLong
                ? nil
                : try CheckedRequest(
                    RequestScratch.current.names(of: store.catalog.rows, served), check)
            return whenAtVersion(minimum) {
                self.answerReading { read throws(RequestFault) in
                    let request =
                        if let known {
                            try known.under(read.rows, self.served)
                        } else {
                            try CheckedRequest(self.served.names(of: read.rows), check)
                        }
                    return try SectionReply(
                        service: self, query: request.checked, text: text.query, read: read,
                        names: request.names, quotesLargeInts: preferences.quotesLargeInts,
                        target: target
                    ).response()
                }
            }
        }
    }
}
