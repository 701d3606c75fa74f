import HTTPServer
import ObjectJSON
import Rows

extension RESTService {
    /// `PATCH /v1/classes/{class}/objects?filter=`: changes all objects that match, by a merge patch or a
    /// JSON patch that is applied to each; all or none.
    func patchObjects(_ request: Request) -> Outcome {
        answering { () throws(RequestFault) in
            let type = try BodyType.read(request, isPatch: true)
            return changeMatches(request) { rowClass, names, scratch throws(RequestFault) in
                let json = try self.served.json(request.body, scratch.parser)
                if type == .jsonPatch {
                    return .patch(
                        try JSONPatch(
                            json, operationCountMax: self.store.options.operationCountMax))
                }
                let reader = scratch.reader
                reader.reset()
                guard let draft = reader.readChange(json, of: rowClass, names: names) else {
                    throw reader.problem()
                }
                return .merge(draft)
            }
        }
    }
}
