import HTTPServer
import ObjectJSON
import ObjectStore
import StoreService

extension RESTService {
    /// `GET /v1/classes/{class}/aggregate`: counts, extremes, sums and averages of the objects of a query,
    /// or of each group of them.
    func aggregateObjects(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let minimum = try minVersion(request)
        let preferences = try Preferences(request)
        let page = PageRequest(
            .aggregate(
                className: request.parameter(0).string, operations: request[query: "op"]?.string,
                by: request[query: "by"]?.string),
            try QueryText(request, parser: RequestScratch.current.parser),
            quotesLargeInts: preferences.quotesLargeInts)
        return try whenAtVersion(minimum) { () throws(RequestFault) in
            try self.answerPage(request, page)
        }
    }
}
