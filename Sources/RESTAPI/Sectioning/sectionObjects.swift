import HTTPServer
import ObjectStore

extension RESTService {
    private static let sectionParameters: [StaticString] = [
        "by", "filter", "arg", "text", "sort", "limit", "cursor", "objects", "fields", "expand",
        "count", "explain", "minVersion",
    ]

    /// `GET /v1/classes/{class}/sections`: the result of a query, divided by what its objects have in
    /// common.
    func sectionObjects(_ request: Request) -> Outcome {
        answering { () throws(Problem) in
            let parameters = try Parameters(
                request, known: Self.sectionParameters, repeatable: ["arg", "text"])
            try BodyType.requireJSONAccepted(request)
            let minimum = try minVersion(parameters)
            let preferences = try Preferences(request)
            let text = SectionText(
                query: try QueryText(request, parser: RequestScratch.current.parser),
                by: parameters["by"]?.string, objectCount: try parameters.count("objects"))
            let target = nextTarget(of: request)
            // What can be checked at once is, so that a faulty request does not wait.
            _ = try CheckedSections(
                text,
                of: objectClass(
                    request, RequestScratch.current.names(of: store.catalog.rows, self)),
                names: RequestScratch.current.names(of: store.catalog.rows, self), options: options)
            return whenAtVersion(minimum) {
                self.answerReading { read throws(Problem) in
                    let names = self.names(of: read.rows)
                    return try SectionReply(
                        service: self,
                        query: CheckedSections(
                            text, of: self.objectClass(request, names), names: names,
                            options: self.options),
                        text: text.query, read: read, names: names,
                        quotesLargeInts: preferences.quotesLargeInts, target: target
                    ).response()
                }
            }
        }
    }
}
