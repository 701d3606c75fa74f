import HTTPServer
import ObjectJSON
import ObjectStore
import StoreService

extension RESTService {
    /// `GET /v1/classes/{class}/sections`: the result of a query, divided by what its objects have in
    /// common.
    func sectionObjects(_ request: Request) -> Outcome {
        answering { () throws(RequestFault) in
            let parameters = Parameters(request)
            try request.requireAccepted("application/json")
            let minimum = try minVersion(parameters)
            let preferences = try Preferences(request)
            let page = PageRequest(
                .sections(
                    className: request.parameter(0).string, by: parameters["by"]?.string,
                    objectCount: try parameters.count("objects")),
                try QueryText(request, parser: RequestScratch.current.parser),
                quotesLargeInts: preferences.quotesLargeInts)
            return whenAtVersion(minimum) { self.answerPage(request, page) }
        }
    }
}
