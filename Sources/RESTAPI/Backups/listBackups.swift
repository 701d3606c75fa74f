import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON

extension RESTService {
    /// `GET /v1/backups`: the backups that are there, the oldest first.
    func listBackups(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let folder = try backupFolder()
        return answerScheduled { () throws(RequestFault) in
            let entries = folder.entries()
            return Response.object(200) { object in
                object.member("backups").array(of: entries) { self.write($0, to: $1) }
            }
        }
    }
}
