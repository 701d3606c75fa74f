import ObjectStore
import Storage
import StorageLMDB

/// The options by which every verb finds and opens a store.
enum OpenStore {
    static let data = Option("data", "DIR", "the store's directory")
    static let mapSize = Option(
        "map-size", "SIZE", "address space reserved for the data, its upper bound", fallback: "1TiB"
    )
    static let durability = Option(
        "durability", "full|relaxed", "relaxed: a power cut may lose the last writes",
        fallback: "full")

    /// The most bytes that one object can have: room for a string of the longest kind beside others.
    private static let objectByteCountMax = 64 << 20

    /// Opens the store that the options name.
    ///
    /// - `createsMissing`: Whether a store is made where there is none.
    /// - `instead`: What to say beside the complaint when another process has the store.
    /// - `directory`: Another one than that of the options.
    static func open(
        _ arguments: Arguments, _ options: StoreOptions = StoreOptions(),
        directory: String? = nil, createsMissing: Bool, instead: String? = nil
    ) throws(CommandFailure) -> Store {
        let place: String
        if let directory { place = directory } else { place = try arguments.required("data") }
        if !createsMissing, !FileSystem.isDirectory(place) {
            throw CommandFailure("there is no directory '\(place)'")
        }
        if !createsMissing, !LMDBEngine.isStore(directory: place),
            !RestoreFolder.isInterrupted(place)
        {
            throw CommandFailure("'\(place)' holds no store; name the directory that was served")
        }
        let engine = try engine(arguments, directory: place, instead: instead)
        do throws(StoreError) {
            return try Store(engine: engine, options: options)
        } catch {
            engine.close()
            throw failure(error, place)
        }
    }

    /// Opens the engine that the options name.
    ///
    /// - `directory`, `instead`: As above.
    static func engine(
        _ arguments: Arguments, directory: String? = nil, instead: String?
    ) throws(CommandFailure) -> LMDBEngine {
        let place: String
        if let directory { place = directory } else { place = try arguments.required("data") }
        if RestoreFolder.isInterrupted(place) {
            throw CommandFailure(
                "in '\(place)' a restore was interrupted; run 'holdfast restore' again, or empty the "
                    + "directory")
        }
        var lmdb = LMDBOptions(directory: place)
        lmdb.valueByteCountMax = objectByteCountMax
        if let size = try arguments.byteCount("map-size") { lmdb.mapByteCount = size }
        lmdb.durability = try arguments.choice("durability", LMDBOptions.Durability.full)
        do {
            return try LMDBEngine(lmdb)
        } catch {
            throw failure(error, place, instead)
        }
    }

    /// What to tell of a failing store.
    static func failure(_ error: StoreError, _ directory: String) -> CommandFailure {
        if case .storage(let storage) = error { return failure(storage, directory, nil) }
        return CommandFailure("\(directory): \(error)")
    }

    /// What to tell of a failing engine.
    static func failure(
        _ error: StorageError, _ directory: String, _ instead: String?
    ) -> CommandFailure {
        let native = error.native.map { ": \($0)" } ?? ""
        switch error.code {
        case .locked:
            var message = "the store is in use by another process\(native)"
            if let instead { message += "\n\(instead)" }
            return CommandFailure(message)
        case .format:
            return CommandFailure(
                "'\(directory)' holds no store that this version can read\(native); it was not changed"
            )
        case .permission: return CommandFailure("'\(directory)' may not be opened\(native)")
        case .diskFull: return CommandFailure("no room is left for '\(directory)'\(native)")
        case .corrupted: return CommandFailure("the store in '\(directory)' is damaged\(native)")
        default:
            return CommandFailure(
                "'\(directory)' can't be used: \(error.operation) failed (\(error.code.rawValue))\(native)"
            )
        }
    }
}
