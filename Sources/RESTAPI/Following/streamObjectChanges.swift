import HoldfastHTTPServer
import HoldfastObjectJSON

extension RESTService {
    /// `GET …/objects/{id}/changes`: the changes of one object, or of what a projection shows of it. It may come and go.
    func streamObjectChanges(
        _ request: Request, _ kind: ContainerKind
    ) throws(RequestFault) -> Outcome {
        let names = served.names(of: try rows(for: request))
        let key = UnsafeRawBufferPointer(request.parameter(1).bytes)
        switch kind {
        case .objectClass:
            let rowClass = try objectClass(request, names)
            return try answerStream(
                request,
                .object(
                    className: rowClass.definition.name,
                    key: try KeyText.value(path: key, of: rowClass)))
        case .projection:
            let projection = try names.projection(named: request.parameter(0).string)
            return try answerStream(
                request,
                .projection(
                    name: projection.definition.name,
                    key: try KeyText.value(path: key, of: projection.rowClass)))
        }
    }
}
