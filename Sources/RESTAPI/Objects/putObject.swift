import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

extension RESTService {
    /// `PUT /v1/classes/{class}/objects/{id}`: creates an object or replaces it. Where the class has no
    /// primary key it only replaces.
    func put(_ request: Request, _ source: KeySource) throws(RequestFault) -> Outcome {
        _ = try BodyType.read(request)
        try request.requireAccepted("application/json")
        return try write(
            request, .named(ObjectAddress(request, source), isMerge: false), .replace)
    }

    /// Takes in a write of objects.
    func write(
        _ request: Request, _ subject: ObjectWrite.Subject, _ mode: WriteMode
    ) throws(RequestFault) -> Outcome {
        let precondition = try Precondition(request)
        let write = ObjectWrite(
            subject, request.bodyBytes, mode, precondition, for: caller(request), in: served)
        write.form = try Preferences(request).form
        return try takeIn(request, write)
    }
}
