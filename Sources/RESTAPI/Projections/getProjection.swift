import HoldfastHTTPServer
import HoldfastObjectJSON

extension RESTService {
    /// `GET /v1/projections/{projection}`: one definition.
    func getProjection(_ request: Request) throws(RequestFault) -> Outcome {
        let catalog = store.catalog
        let projection = try definition(request, catalog)
        return try readDefinitions(request, catalog) { $0.projection(projection) }
    }
}
