import HTTPServer
import JSON
import ObjectJSON
import StoreService

// What the operations on backups share.
extension RESTService {
    /// Where backups are.
    ///
    /// - Throws: ``RequestFault`` `.conflict` when the service has no directory for them.
    func backupFolder() throws(RequestFault) -> BackupFolder {
        if let backups { return backups }
        throw RequestFault(
            .conflict, "no-backups",
            "This service keeps its store in memory and has no directory for backups; "
                + "GET /v1/export gives all that is in it.")
    }

    /// Writes `{"name","version","bytes"}`.
    func write(_ entry: BackupFolder.Entry, to writer: JSONWriter) {
        writer.object { object in
            object.member("name").string(entry.name)
            object.member("version").string(entry.version.description)
            object.member("bytes").int(Int64(entry.byteCount))
        }
    }

    /// There is no backup of this name.
    static let noSuchBackup = RequestFault(
        .notFound, "backup-not-found",
        "There is no backup of this name; GET /v1/backups lists those that are there.")

    /// What a client is told of a backup that could not be made or deleted.
    func problem(_ failure: BackupFile.Failure) -> RequestFault {
        switch failure {
        case .store(let error): return served.fault(error)
        case .stopped: return .stopping
        case .system(let code):
            logger.log(.error, "a backup failed", ("errno", .number(Int(code))))
            if failure.isMediumFull {
                return RequestFault(
                    .storageFull, "storage-full",
                    "There is no room left for the backup. The store is unharmed; delete older backups "
                        + "or make room.")
            }
            return RequestFault(
                .failed, "backup-failed", "The backup's file failed; the log has the reason.")
        }
    }
}
