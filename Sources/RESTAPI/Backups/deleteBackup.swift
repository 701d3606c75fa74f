import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastStoreService

extension RESTService {
    /// `DELETE /v1/backups/{name}`
    func deleteBackup(_ request: Request) throws(RequestFault) -> Outcome {
        let name = request.parameter(0).string
        let folder = try backupFolder()
        return answerScheduled { () throws(RequestFault) in
            try folder.remove(name)
            return Response(204)
        }
    }
}
