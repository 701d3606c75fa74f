import HTTPServer
import ObjectJSON
import StoreService

extension RESTService {
    /// `DELETE /v1/backups/{name}`
    func deleteBackup(_ request: Request) -> Outcome {
        answering { () throws(RequestFault) in
            try Parameters.refuseAll(request)
            let name = request.parameter(0).string
            let folder = try backupFolder()
            return answerScheduled { () throws(RequestFault) in
                do throws(BackupFile.Failure) {
                    guard try folder.remove(name) else { return self.response(Self.noSuchBackup) }
                } catch {
                    return self.response(self.problem(error))
                }
                return Response(204)
            }
        }
    }
}
