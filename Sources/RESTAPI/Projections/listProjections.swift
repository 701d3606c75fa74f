import HoldfastHTTPServer
import HoldfastObjectJSON

extension RESTService {
    /// `GET /v1/projections`: every definition, in the order in which they were made.
    func listProjections(_ request: Request) throws(RequestFault) -> Outcome {
        let catalog = store.catalog
        return try readDefinitions(request, catalog) { json in
            json.object { $0.member("projections").projections(catalog.projections) }
        }
    }
}
