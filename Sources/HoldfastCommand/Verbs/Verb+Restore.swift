import HoldfastObjectStore
import HoldfastStorageLMDB
import HoldfastStoreService

extension Verb {
    static let restore = Verb(
        name: "restore", summary: "Restores a backup into a new or empty directory.",
        operands: "FILE", operandCount: 1...1, options: [OpenStore.data, OpenStore.mapSize],
        notes: """
            The whole file is checked first. The store appears when it is complete; repeat the
            command if it was interrupted. The store gets a new epoch: change streams from an old
            cursor begin with 'reset', and old ETags and cursors are no longer valid.
            """
    ) { arguments throws(CommandFailure) in
        let path = arguments.operands.first ?? ""
        let directory = OpenStore.directory(arguments)
        let folder = RestoreFolder(directory)
        try folder.requireEmpty()
        do throws(BackupFault) {
            let reader = try BackupFile.reader(path)
            try reader.verify { Terminal.progress("restore: \($0 >> 20) MiB checked") }
        } catch { throw failure(error, path, directory) }
        try folder.begin()
        let engine = try OpenStore.engine(arguments, directory: folder.building, instead: nil)
        do throws(BackupFault) {
            defer { engine.close() }
            try BackupFile.reader(path).restore(into: engine) {
                Terminal.progress("restore: \($0 >> 20) MiB read")
            }
        } catch {
            folder.giveUp()
            throw failure(error, path, directory)
        }
        // Opening it shows that it is a store.
        let store = try OpenStore.open(arguments, for: .changing, directory: folder.building)
        let version = store.version
        store.close()
        try folder.finish()
        Terminal.write("\(directory): restored, version \(version)\n")
        return .success
    }

    private static func failure(
        _ fault: BackupFault, _ path: String, _ directory: String
    ) -> CommandFailure {
        switch fault {
        case .noBackup: CommandFailure("'\(path)' is not a backup")
        case .unknownFormat(let version):
            CommandFailure(
                "'\(path)' has format \(version), which this version does not read; restore it with "
                    + "the version that made it")
        case .cut: CommandFailure("'\(path)' is cut off: its end is missing")
        case .damaged(let offset): CommandFailure("'\(path)' is damaged after byte \(offset)")
        case .reading(let code):
            CommandFailure("'\(path)' can't be read: \(FileSystem.describe(code))")
        case .notEmpty: CommandFailure("'\(directory)' is not empty")
        case .storage(let error): OpenStore.failure(error, directory, nil)
        }
    }
}
