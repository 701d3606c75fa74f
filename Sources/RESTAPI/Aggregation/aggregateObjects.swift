import HTTPServer
import ObjectJSON
import ObjectStore
import StoreService

extension RESTService {
    /// `GET /v1/classes/{class}/aggregate`: counts, extremes, sums and averages of the objects of a query,
    /// or of each group of them.
    func aggregateObjects(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        return try answerPage(
            of: .aggregate(
                className: request.parameter(0).string, operations: request[query: "op"]?.string,
                by: request[query: "by"]?.string),
            request)
    }
}
