import HTTPServer
import ObjectJSON

extension RESTService {
    /// `GET /v1/classes/{class}/objects/{id}/changes`: what happens to one object, which may come and go.
    func streamObjectChanges(_ request: Request) throws(RequestFault) -> Outcome {
        let rowClass = try objectClass(request, served.names(of: store.catalog.rows))
        let key = try KeyText.value(
            path: UnsafeRawBufferPointer(request.parameter(1).bytes), of: rowClass)
        return try answerStream(
            request, .object(className: rowClass.definition.name, key: key))
    }
}
