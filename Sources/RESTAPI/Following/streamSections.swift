import HTTPServer
import ObjectJSON
import StoreService

extension RESTService {
    /// `GET /v1/classes/{class}/sections/changes`: the sections of a query's result, and what changes in them.
    func streamSections(_ request: Request) throws(RequestFault) -> Outcome {
        let rowClass = try objectClass(request, served.names(of: store.catalog.rows))
        return try answerStream(
            request, .objects(className: rowClass.definition.name), result: try sections(request))
    }

    /// The sections that a request states.
    func sections(_ request: Request) throws(RequestFault) -> ResultForm {
        .sections(
            by: request[query: "by"]?.string, sort: request[query: "sort"]?.string,
            limit: try request.count("limit"), objectCount: try request.count("objects"))
    }
}
