import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

extension RESTService {
    /// `GET …/aggregate`: counts, extremes, sums and averages of the objects of a query, or of each group of them.
    func aggregateObjects(
        _ request: Request, _ kind: ContainerKind
    ) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        return try answerPage(
            of: .aggregate(kind.container(request), aggregateText(request)), request)
    }

    /// The aggregate that a request states.
    func aggregateText(_ request: Request) -> AggregateText {
        AggregateText(
            operations: request[query: "op"]?.string, by: request[query: "by"]?.string,
            having: request[query: "having"]?.string, order: request[query: "order"]?.string,
            timeZone: request[query: "tz"]?.string)
    }
}
