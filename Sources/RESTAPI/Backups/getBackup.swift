import HoldfastHTTPServer
import HoldfastObjectJSON

extension RESTService {
    /// `GET /v1/backups/{name}`: the bytes of a backup, which `holdfast restore` takes.
    func getBackup(_ request: Request) throws(RequestFault) -> Outcome {
        let name = request.parameter(0).string
        let file = try backupFolder().open(name)
        // The name has no character that a quoted string could not have.
        return .respond(
            Response(200, .bytes, pulling: BackupSource(file))
                .with(.contentDisposition, "attachment; filename=\"\(name)\""))
    }
}
