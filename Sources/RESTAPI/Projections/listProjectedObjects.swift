import HTTPServer

extension RESTService {
    private static let projectedListParameters: [StaticString] = [
        "filter", "arg", "text", "sort", "distinct", "limit", "cursor", "fields", "count",
        "explain", "minVersion",
    ]

    /// `GET /v1/projections/{projection}/objects`: a page of a query, each object as the projection shows
    /// it. The query is stated in the names of the class.
    func listProjectedObjects(_ request: Request) -> Outcome {
        answering { () throws(Problem) in
            let parameters = try Parameters(
                request, known: Self.projectedListParameters, repeatable: ["arg", "text"])
            try BodyType.requireJSONAccepted(request)
            let minimum = try minVersion(parameters)
            let preferences = try Preferences(request)
            let text = try QueryText(request, parser: RequestScratch.current.parser)
            return whenAtVersion(minimum) {
                self.answerPage(
                    request, text, preferences, target: nextTarget(of: request), isProjected: true)
            }
        }
    }
}
