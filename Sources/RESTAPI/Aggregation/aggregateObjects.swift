import HTTPServer
import ObjectJSON
import ObjectStore
import StoreService

extension RESTService {
    /// `GET /v1/classes/{class}/aggregate`: counts, extremes, sums and averages of the objects of a query,
    /// or of each group of them.
    func aggregateObjects(_ request: Request) throws(RequestFault) -> Outcome {
        try answerAggregate(request, of: request.ofClass)
    }

    /// Answers with an aggregate that is stated in the URL.
    func answerAggregate(
        _ request: Request, of container: ObjectContainer
    ) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        return try answerPage(of: .aggregate(container, aggregateText(request)), request)
    }

    /// The aggregate that a request states.
    func aggregateText(_ request: Request) -> AggregateText {
        AggregateText(
            operations: request[query: "op"]?.string, by: request[query: "by"]?.string,
            having: request[query: "having"]?.string, order: request[query: "order"]?.string,
            timeZone: request[query: "tz"]?.string)
    }
}
