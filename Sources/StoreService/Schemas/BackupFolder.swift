import Glibc
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastStorage
import HoldfastThreads

/// The backups that a service has made, each a file in one folder. Thread-safe.
package final class BackupFolder: Sendable {
    /// One of them.
    package struct Entry: Sendable, Equatable {
        /// Its name: when it was made and the version of the store, such as `20261120T145137Z-0k3v9x7q-1044.holdfast`.
        package var name: String
        /// The version of the store that it holds.
        package var version: StoreVersion
        /// How long it is.
        package var byteCount: Int
    }

    private static let suffix = ".holdfast"
    private let served: ServedStore
    private let path: String
    private let gate = WorkGate(countMax: 1)

    /// The folder of a store's backups, which need not exist yet; nil if backups can't be made.
    package init?(_ served: ServedStore) {
        guard let path = served.limits.backupDirectory else { return nil }
        self.served = served
        self.path = path
    }

    /// Makes a backup, on a thread of its own. One is made at a time.
    ///
    /// - `completion`: Called once, on that thread, or at once when another one is being made.
    package func make(_ completion: @escaping @Sendable (Result<Entry, RequestFault>) -> Void) {
        guard gate.enter() else {
            let fault = RequestFault(
                .unavailable, "backup-running", "A backup is being made; wait for its end.",
                retryAfterSeconds: 5)
            return completion(.failure(fault))
        }
        let isStarted = startThreadIfPossible {
            let result = self.write()
            self.gate.leave()
            completion(result)
        }
        if isStarted { return }
        gate.leave()
        completion(.failure(.tooBusy))
    }

    private func write() -> Result<Entry, RequestFault> {
        do throws(BackupFile.Failure) {
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .system(errno) }
            removePartial()
            try BackupFile.synchronizeFolder(of: path)
            let written = try BackupFile.write(served.store) { description in
                "\(path)/\(Self.name(description))"
            } _: { _ in
                !gate.isStopping
            }
            return .success(
                Entry(
                    name: Self.name(written.description), version: written.description.version,
                    byteCount: written.byteCount))
        } catch { return .failure(fault(error)) }
    }

    /// The fault for a client if a backup could not be made or deleted; the reason is reported.
    private func fault(_ failure: BackupFile.Failure) -> RequestFault {
        switch failure {
        case .store(let error): return served.fault(error)
        case .stopped: return .stopping
        case .system(let code):
            _ = served.fault(
                .storage(StorageError(.io, operation: "backup", native: "errno \(code)")))
            if failure.isMediumFull {
                return RequestFault(
                    .storageFull, "storage-full",
                    "There is no space left for the backup. The store is unharmed; delete older backups "
                        + "or free space.")
            }
            return RequestFault(
                .failed, "backup-failed", "Writing the backup failed; the log has the reason.")
        }
    }

    /// There is no backup of this name.
    private static let noSuchBackup = RequestFault(
        .notFound, "backup-not-found",
        "There is no backup of this name; GET /v1/backups lists the backups.")

    /// Removes the incomplete backup of a killed process.
    private func removePartial() {
        for name in names() where name.hasSuffix(BackupFile.partialSuffix) {
            unlink("\(path)/\(name)")
        }
    }

    /// The whole backups, the oldest first.
    package func entries() -> [Entry] {
        names().sorted().compactMap { name in
            guard let version = Self.version(name), let byteCount = byteCount(name) else {
                return nil
            }
            return Entry(name: name, version: version, byteCount: byteCount)
        }
    }

    /// Opens a backup and returns its descriptor, which the caller closes.
    ///
    /// - Throws: ``RequestFault`` `.notFound` if no backup has this name.
    package func open(_ name: String) throws(RequestFault) -> Int32 {
        guard Self.version(name) != nil else { throw Self.noSuchBackup }
        let file = Glibc.open("\(path)/\(name)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { throw Self.noSuchBackup }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw Self.noSuchBackup
        }
        return file
    }

    /// Deletes a backup. Running downloads of it continue.
    ///
    /// - Throws: ``RequestFault`` `.notFound` if no backup has this name, `.failed` if it can't be deleted.
    package func remove(_ name: String) throws(RequestFault) {
        guard Self.version(name) != nil else { throw Self.noSuchBackup }
        guard unlink("\(path)/\(name)") != 0 else { return }
        throw errno == ENOENT ? Self.noSuchBackup : fault(.system(errno))
    }

    /// Gives up the backup that is being made, and returns when nothing uses the store any more.
    package func stop() { gate.stop() }

    // MARK: Names

    private static func name(_ description: BackupDescription) -> String {
        let time = Timestamp(seconds: description.seconds, nanoseconds: 0).description
        return time.filter { $0 != "-" && $0 != ":" } + "-\(description.version)\(suffix)"
    }

    /// The version in the name of a backup; nil for the name of anything else, such as one that leads out of the folder.
    package static func version(_ name: String) -> StoreVersion? {
        guard name.hasSuffix(suffix), name.utf8.count < 100 else { return nil }
        let stem = name.dropLast(suffix.count)
        guard let end = stem.firstIndex(of: "-"),
            stem[..<end].utf8.allSatisfy({ (48...57).contains($0) || $0 == 84 || $0 == 90 })
        else { return nil }
        return StoreVersion(text: stem[stem.index(after: end)...])
    }

    private func byteCount(_ name: String) -> Int? {
        var status = stat()
        guard lstat("\(path)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        return Int(status.st_size)
    }

    private func names() -> [String] { directoryNames(path) ?? [] }
}
