import HoldfastBytes
import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastStoreService

extension RESTService {
    /// `POST /v1/access/explain`: what a user may do with an object, by which role and rule, or why not.
    func explainAccess(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        _ = try BodyType.read(request)
        let question = try AccessQuestion(
            served.json(request.body, RequestScratch.current.parser))
        let buffer = ByteBuffer(capacity: 1024)
        let barred = try StoredTokens(store, fault: served.fault).read().users
        try question.answer(
            access, served, for: caller(request), barred: barred, to: JSONWriter(buffer))
        let (base, count) = buffer.takeStorage()
        return .respond(Response(200, .json, Bytes(adopting: base, count: count)))
    }
}
