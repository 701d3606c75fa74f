import HTTPServer
import ObjectJSON
import ObjectStore
import StoreService

extension RESTService {
    /// `GET /v1/classes/{class}/aggregate`: counts, extremes, sums and averages of the objects of a query,
    /// or of each group of them.
    func aggregateObjects(_ request: Request) -> Outcome {
        answering { () throws(RequestFault) in
            let parameters = Parameters(request)
            try request.requireAccepted("application/json")
            let minimum = try minVersion(parameters)
            let preferences = try Preferences(request)
            let page = PageRequest(
                .aggregate(
                    className: request.parameter(0).string, operations: parameters["op"]?.string,
                    by: parameters["by"]?.string),
                try QueryText(request, parser: RequestScratch.current.parser),
                quotesLargeInts: preferences.quotesLargeInts)
            return whenAtVersion(minimum) { self.answerPage(request, page) }
        }
    }
}
