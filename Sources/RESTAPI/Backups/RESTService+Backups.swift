import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastStoreService

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
}
