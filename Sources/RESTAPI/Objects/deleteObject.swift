import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

extension RESTService {
    /// `DELETE /v1/classes/{class}/objects/{id}`: deletes an object, the embedded objects it owns and
    /// every link to it.
    func delete(_ request: Request, _ source: KeySource) throws(RequestFault) -> Outcome {
        return try takeIn(
            request,
            ObjectWrite(
                .deleted(ObjectAddress(request, source)), request.bodyBytes, .update,
                try Precondition(request), for: caller(request), in: served))
    }
}
