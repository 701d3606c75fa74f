import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastRows
import HoldfastStoreService

// What the operations on definitions of projections share.
extension RESTService {
    /// The definition that a path names.
    ///
    /// - Throws: ``RequestFault`` `.notFound` with the nearest name.
    func definition(_ request: Request, _ rows: RowSchema) throws(RequestFault) -> Projection {
        let name = request.parameter(0).string
        guard let projection = rows.projections.first(where: { $0.name.isSame(as: name) }) else {
            throw .unknownProjection(name, rows)
        }
        return projection
    }
}
