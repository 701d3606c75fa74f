import Glibc
import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastStoreService
import HoldfastThreads

// Shared parts of the operations on backups.
extension RESTService {
    /// Where backups are.
    ///
    /// - Throws: ``RequestFault`` `.conflict` when the service has no directory for them.
    func backupFolder() throws(RequestFault) -> BackupFolder {
        if let backups { return backups }
        throw RequestFault(
            .conflict, "no-backups",
            "This service keeps its store in memory and has no directory for backups; "
                + "GET /v1/export sends all of its data.")
    }

    /// Writes `{"name","version","bytes"}`.
    func write(_ entry: BackupFolder.Entry, to writer: JSONWriter) {
        writer.object { object in
            object.member("name").string(entry.name)
            object.member("version").string(entry.version.description)
            object.member("bytes").int(Int64(entry.byteCount))
        }
    }

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

    /// `POST /v1/backups`: copies the store as it is now, while writes go on.
    func createBackup(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let folder = try backupFolder()
        return .later { exchange in
            folder.make { result in
                exchange.respond {
                    switch result {
                    case .success(let entry):
                        Response.json(201) { self.write(entry, to: $0) }
                            .with(.location, "/v1/backups/\(entry.name)")
                    case .failure(let fault): self.response(fault)
                    }
                }
            }
        }
    }

    /// `GET /v1/backups/{name}`: the bytes of a backup, which `holdfast restore` takes.
    func getBackup(_ request: Request) throws(RequestFault) -> Outcome {
        let name = request.parameter(0).string
        let file = try backupFolder().open(name)
        // The name has no character that a quoted string could not have.
        return .respond(
            Response(200, .bytes, pulling: FileSource(file))
                .with(.contentDisposition, "attachment; filename=\"\(name)\""))
    }

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
