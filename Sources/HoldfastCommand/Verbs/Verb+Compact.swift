import HoldfastStorageLMDB
import HoldfastStorage

extension Verb {
    static let compact = Verb(
        name: "compact", summary: "Rewrites a store's file without its unused pages.",
        options: [OpenStore.data, OpenStore.mapSize, OpenStore.newEpoch],
        notes: """
            It needs room for a second file, and puts it in the place of the first when it is whole. Versions,
            cursors and ETags stay as they are.
            """
    ) { arguments throws(CommandFailure) in
        let directory = OpenStore.directory(arguments)
        // As a store at first, so that nothing else is rewritten.
        try OpenStore.open(arguments, for: .changing, instead: "stop the service first").close()
        let engine = try OpenStore.engine(
            arguments, directory: directory, instead: "stop the service first")
        defer { engine.close() }
        let before = engine.storedByteCount ?? 0
        do throws(StorageError) {
            try engine.compact()
        } catch {
            throw OpenStore.failure(error, directory, nil)
        }
        engine.close()
        let after = try OpenStore.engine(arguments, directory: directory, instead: nil)
        defer { after.close() }
        Terminal.write(
            "\(directory): \(before) bytes before, \(after.storedByteCount ?? 0) bytes now\n")
        return .success
    }
}
