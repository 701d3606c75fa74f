import HoldfastBytes
import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastStoreService

extension RESTService {
    /// `POST /v1/access/explain`: what a user may do with an object, by which role and rule, or why not. Rules may read as much as queries.
    func explainAccess(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let question = try AccessQuestion(json(request))
        let caller = caller(request)
        return answerFromJob { job throws(RequestFault) in
            try self.served.withRead(for: caller, in: job) { read throws(RequestFault) in
                let buffer = ByteBuffer(capacity: 1024)
                try question.answer(self.access, read, self.served, to: JSONWriter(buffer))
                return Response(200, .json, Bytes(taking: buffer))
            }
        }
    }
}
