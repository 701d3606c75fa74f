import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastStoreService

extension RESTService {
    /// `PATCH /v1/classes/{class}/objects/{id}/properties/{property}?projection=`: changes the object that
    /// a single property holds by a merge patch in the names of a projection of its class.
    func patchProperty(_ request: Request) throws(RequestFault) -> Outcome {
        guard let name = request[query: "projection"]?.string else {
            throw .parameter(
                "projection",
                "State the 'projection' whose names the body uses, or change the property by a PATCH "
                    + "of its object.")
        }
        let property = UnsafeRawBufferPointer(request.parameter(2).bytes)
        return try patchProjected(
            request, .property(RequestBytes(property, of: request), projection: name), .path)
    }
}
