import HTTPServer
import ObjectJSON
import ObjectStore
import StoreService

extension RESTService {
    /// `GET /v1/classes/{class}/sections`: the result of a query, divided by what its objects have in
    /// common.
    func sectionObjects(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let minimum = try minVersion(request)
        let preferences = try Preferences(request)
        let page = PageRequest(
            .sections(
                className: request.parameter(0).string, by: request[query: "by"]?.string,
                objectCount: try request.count("objects")),
            try QueryText(request, parser: RequestScratch.current.parser),
            quotesLargeInts: preferences.quotesLargeInts)
        return try whenAtVersion(minimum) { () throws(RequestFault) in
            try self.answerPage(request, page)
        }
    }
}
