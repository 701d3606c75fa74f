import HoldfastObjectStore
import HoldfastStorageLMDB
import HoldfastStoreService

extension Verb {
    static let restore = Verb(
        name: "restore", summary: "Makes a store of a backup, in a new or empty directory.",
        operands: "FILE", operandCount: 1...1, options: [OpenStore.data, OpenStore.mapSize],
        notes: """
            The whole file is checked first. The store appears when it is complete; a restore that was
            interrupted is begun anew by the same command. The store gets a new epoch: change streams that
            go on from an old cursor begin with 'reset', and old ETags and cursors no longer fit.
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
        case .noBackup: CommandFailure("'\(path)' is no backup")
        case .unknownFormat(let version):
            CommandFailure(
                "'\(path)' has format \(version), which this version does not read; restore it with "
                    + "the version that made it")
        case .cut: CommandFailure("'\(path)' is cut off: its end is missing")
        case .damaged(let offset): CommandFailure("'\(path)' is damaged behind byte \(offset)")
        case .reading(let code):
            CommandFailure("'\(path)' can't be read: \(FileSystem.describe(code))")
        case .notEmpty: CommandFailure("'\(directory)' is not empty")
        case .storage(let error): OpenStore.failure(error, directory, nil)
        }
    }
}
