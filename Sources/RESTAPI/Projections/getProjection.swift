import HoldfastHTTPServer
import HoldfastObjectJSON

extension RESTService {
    /// `GET /v1/projections/{projection}`: one definition.
    func getProjection(_ request: Request) throws(RequestFault) -> Outcome {
        let rows = try rows(for: request)
        let projection = try definition(request, rows)
        return try readDefinitions(request, rows) { $0.projection(projection) }
    }
}
