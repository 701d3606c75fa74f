import HTTPServer
import ObjectJSON

extension RESTService {
    /// `GET /v1/projections/{projection}/objects/{id}/changes`: what happens to what a projection shows of
    /// one object, which may come and go.
    func streamProjectedObjectChanges(_ request: Request) throws(RequestFault) -> Outcome {
        let projection = try served.names(of: store.catalog.rows).projection(
            named: request.parameter(0).string)
        let key = try KeyText.value(
            path: UnsafeRawBufferPointer(request.parameter(1).bytes), of: projection.rowClass)
        return try answerStream(
            request, .projection(name: projection.definition.name, key: key))
    }
}
