import HTTPServer
import ObjectJSON
import StoreService

extension RESTService {
    /// `GET /v1/classes/{class}/aggregate/changes`: the reply of `aggregateObjects`, whenever it differs.
    func streamAggregate(_ request: Request) throws(RequestFault) -> Outcome {
        let rowClass = try objectClass(request, served.names(of: store.catalog.rows))
        return try answerStream(
            request, .objects(className: rowClass.definition.name),
            result: .aggregate(aggregateText(request)))
    }
}
