import HTTPServer
import ObjectJSON

extension RESTService {
    /// `GET /v1/classes/{class}/changes`: what happens to the objects of a class that satisfy a filter.
    func streamClassChanges(_ request: Request) throws(RequestFault) -> Outcome {
        let rowClass = try objectClass(request, served.names(of: store.catalog.rows))
        return try answerStream(request, .objects(className: rowClass.definition.name))
    }
}
