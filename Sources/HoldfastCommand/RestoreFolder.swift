import Glibc
import HoldfastStorageLMDB
import HoldfastThreads

/// The directory of a store that is being restored.
///
/// The store is built in a folder `restoring` inside it. Its files are moved up at the end; the file that
/// marks a store comes last. As long as the folder exists, nothing opens the directory as a store:
/// an interrupted restore is mistaken neither for an empty store nor for a complete one.
struct RestoreFolder {
    private static let name = "restoring"

    private let directory: String

    init(_ directory: String) { self.directory = directory }

    /// Where the store is built.
    var building: String { "\(directory)/\(Self.name)" }

    /// Whether a restore has begun there and not ended.
    static func isInterrupted(_ directory: String) -> Bool {
        FileSystem.isDirectory("\(directory)/\(name)")
    }

    /// Refuses a directory with anything but the remains of an interrupted restore.
    func requireEmpty() throws(CommandFailure) {
        guard let names = directoryNames(directory) else {
            if errno == ENOENT { return }
            throw failed("can't be read")
        }
        if names.isEmpty || names.contains(Self.name) && !names.contains(LMDBEngine.formatFileName)
        {
            return
        }
        // A restore that ended, but for the folder.
        if names.contains(Self.name), directoryNames(building)?.isEmpty ?? false { return }
        throw CommandFailure(
            "'\(directory)' is not empty; restore into a new directory: nothing is overwritten")
    }

    /// Makes the directory and an empty folder in it.
    func begin() throws(CommandFailure) {
        guard mkdir(directory, 0o700) == 0 || errno == EEXIST else { throw failed("can't be made") }
        giveUp()
        guard mkdir(building, 0o700) == 0 else { throw failed("can't be written") }
        try synchronize(directory)
    }

    /// Removes the folder, and the files that an interrupted ``finish()`` has moved out of it.
    func giveUp() {
        for name in LMDBEngine.fileNames {
            if FileSystem.isDirectory(building) { unlink("\(directory)/\(name)") }
        }
        for name in directoryNames(building) ?? [] { unlink("\(building)/\(name)") }
        rmdir(building)
    }

    /// Makes the built store the directory's store.
    func finish() throws(CommandFailure) {
        for name in directoryNames(building) ?? [] where !LMDBEngine.fileNames.contains(name) {
            unlink("\(building)/\(name)")
        }
        try synchronize(building)
        // The format file is the last one, see ``LMDBEngine/fileNames``.
        for name in LMDBEngine.fileNames {
            guard rename("\(building)/\(name)", "\(directory)/\(name)") == 0 || errno == ENOENT
            else { throw failed("can't be written") }
            try synchronize(directory)
        }
        guard rmdir(building) == 0 else { throw failed("can't be written") }
        try synchronize(directory)
    }

    private func synchronize(_ path: String) throws(CommandFailure) {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw failed("can't be opened") }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw failed("can't be written") }
    }

    private func failed(_ what: String) -> CommandFailure {
        CommandFailure("'\(directory)' \(what): \(FileSystem.describe(errno))")
    }
}
