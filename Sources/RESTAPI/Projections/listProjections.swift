import HoldfastHTTPServer
import HoldfastObjectJSON

extension RESTService {
    /// `GET /v1/projections`: every definition, in the order in which they were made.
    func listProjections(_ request: Request) throws(RequestFault) -> Outcome {
        let rows = try rows(for: request)
        return try readDefinitions(request, rows) { json in
            json.object { $0.member("projections").projections(rows.projections) }
        }
    }
}
