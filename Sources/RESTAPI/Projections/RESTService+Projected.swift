import HTTPServer
import ObjectJSON
import ObjectStore
import Rows

// What the operations on projected objects share.
extension RESTService {
    /// The projection whose name stands first in the path, of a class whose objects stand by themselves.
    ///
    /// - Throws: ``RequestFault`` `.notFound` with the nearest name; `.unsupportedOperation` for one of an embedded class.
    func projection(_ request: Request, _ names: SchemaNames) throws(RequestFault)
        -> CompiledProjection
    {
        try names.projection(named: request.parameter(0).string)
    }
}
