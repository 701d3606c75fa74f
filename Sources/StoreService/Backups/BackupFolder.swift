import Glibc
import ObjectJSON
import ObjectModel
import ObjectStore
import Synchronization
import Threads

/// The backups that a service has made, each a file in one folder. Thread-safe.
package final class BackupFolder: Sendable {
    /// One of them.
    package struct Entry: Sendable, Equatable {
        /// Its name: when it was made and the version of the store, such as
        /// `20261120T145137Z-0k3v9x7q-1044.holdfast`.
        package var name: String
        /// The version of the store that it holds.
        package var version: StoreVersion
        /// How long it is.
        package var byteCount: Int
    }

    private static let suffix = ".holdfast"
    private let path: String
    private let gate = ImportGate(countMax: 1)
    private let isStopping = Atomic<Bool>(false)

    /// A folder that need not exist yet.
    package init(path: String) { self.path = path }

    /// Makes a backup, on a thread of its own, where `completion` is called once. One is made at a time.
    ///
    /// - Returns: False when one is being made; nothing was begun then.
    package func make(
        _ store: Store,
        _ completion: @escaping @Sendable (Result<Entry, BackupFile.Failure>) -> Void
    ) -> Bool {
        guard gate.enter() else { return false }
        startThread {
            let result = self.write(store)
            self.gate.leave()
            completion(result)
        }
        return true
    }

    private func write(_ store: Store) -> Result<Entry, BackupFile.Failure> {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { return .failure(.system(errno)) }
        removePartial()
        do throws(BackupFile.Failure) {
            try BackupFile.synchronizeFolder(of: path)
            let written = try BackupFile.write(store) { description in
                "\(path)/\(Self.name(description))"
            } _: { _ in
                !isStopping.load(ordering: .relaxed)
            }
            return .success(
                Entry(
                    name: Self.name(written.description), version: written.description.version,
                    byteCount: written.byteCount))
        } catch {
            return .failure(error)
        }
    }

    /// Removes what a process that was killed has left of a backup.
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

    /// Opens a backup; the caller closes the descriptor. Nil when there is none of this name.
    package func open(_ name: String) -> (file: Int32, byteCount: Int)? {
        guard Self.version(name) != nil else { return nil }
        let file = Glibc.open("\(path)/\(name)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return nil }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            return nil
        }
        return (file, Int(status.st_size))
    }

    /// Deletes a backup; false when there is none of this name. Who reads it goes on.
    package func remove(_ name: String) throws(BackupFile.Failure) -> Bool {
        guard Self.version(name) != nil else { return false }
        guard unlink("\(path)/\(name)") == 0 else {
            if errno == ENOENT { return false }
            throw .system(errno)
        }
        return true
    }

    /// Gives up the backup that is being made, and returns when nothing uses the store any more.
    package func stop() {
        isStopping.store(true, ordering: .relaxed)
        gate.waitUntilIdle()
    }

    // MARK: Names

    private static func name(_ description: BackupDescription) -> String {
        let time = Timestamp(seconds: description.seconds, nanoseconds: 0).description
        return time.filter { $0 != "-" && $0 != ":" } + "-\(description.version)\(suffix)"
    }

    /// The version in the name of a backup; nil for the name of anything else, such as one that leads
    /// out of the folder.
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

    private func names() -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names
    }
}
