import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastStoreService

extension RESTService {
    /// `GET …/changes`: the changes of the objects that satisfy a filter, or of what a projection shows of them.
    func streamClassChanges(
        _ request: Request, _ kind: ContainerKind
    ) throws(RequestFault) -> Outcome {
        try answerStream(request, streamTarget(request, kind))
    }

    /// The objects of the container that a request's path names, as a stream follows them.
    ///
    /// - Throws: ``RequestFault`` `.notFound` with the nearest name, `.unsupportedOperation` for a class without objects.
    func streamTarget(
        _ request: Request, _ kind: ContainerKind
    ) throws(RequestFault) -> StreamDefinition.Target {
        switch kind {
        case .objectClass:
            let names = served.names(of: try rows(for: request))
            return .objects(className: try objectClass(request, names).definition.name)
        case .projection: return .projection(name: request.parameter(0).string, key: nil)
        }
    }
}
