import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastStoreService

extension RESTService {
    /// `PUT /v1/access`: sets the access document, or with `dryRun` tells what would be said of it. What users have begun
    /// ends, because other rules hold for it; their streams begin again.
    func putAccess(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let stated = try AccessReader.read(json(request))
        let precondition = try accessPrecondition(request)
        let isDryRun = try request.flag("dryRun")
        if !isDryRun, request.grant.flatMap({ principal(of: $0)?.user }) != nil {
            throw RequestFault(
                .forbidden, "not-allowed",
                "The token is a user's, which the document would keep from setting another one: set it with a token of the store that is not a user's. "
                    + "'holdfast token create' makes one.")
        }
        let audit = auditLine(request)
        return answerScheduled { () throws(RequestFault) in
            let rules: AccessRules
            if isDryRun {
                rules = try self.access.preview(stated, where: precondition)
            } else {
                rules = try self.access.put(stated, where: precondition)
                self.endWorkOfUsers()
                audit.write()
            }
            return self.accessResponse(rules.revision, rules.document, rules.warnings)
        }
    }
}
