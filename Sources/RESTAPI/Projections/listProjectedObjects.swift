import HTTPServer
extension RESTService {
    private static let projectedListParameters: [StaticString] = [
        "filter", "arg", "text", "sort", "distinct", "limit", "cursor", "fields", "count",
        "explain", "geometry", "minVersion",
    ]

    /// `GET /v1/projections/{projection}/objects`: a page of a query, each object as the projection shows
    /// it. The query is stated in the names of the class.
    func listProjectedObjects(_ request: Request) -> Outcome {
        answerList(request, known: Self.projectedListParameters, isProjected: true)
    }
}
