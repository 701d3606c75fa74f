import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastStoreService

extension RESTService {
    /// `GET …/aggregate/changes`: the reply of `aggregateObjects`, whenever it differs.
    func streamAggregate(
        _ request: Request, _ kind: ContainerKind
    ) throws(RequestFault) -> Outcome {
        try answerStream(
            request, streamTarget(request, kind), result: .aggregate(aggregateText(request)))
    }
}
