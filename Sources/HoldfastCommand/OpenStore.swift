import HoldfastAccess
import HoldfastObjectStore
import HoldfastStorage
import HoldfastStorageLMDB
import HoldfastStoreService

/// The options by which every verb finds and opens a store.
enum OpenStore {
    static let data = Option("data", "DIR", "the store's directory", fallback: "./data")

    /// The directory that the options name.
    static func directory(_ arguments: Arguments) -> String { arguments.text("data") ?? "./data" }

    static let mapSize = Option(
        "map-size", "SIZE", "address space reserved for the data, its maximum", fallback: "1TiB"
    )
    static let durability = Option(
        "durability", "full|relaxed", "relaxed: a power cut may lose the last writes",
        fallback: "full")

    static let newEpoch = Option(
        flag: "new-epoch",
        "for a directory that was copied back or lacks its journal: old cursors and ETags become invalid"
    )

    static let pageCheck = Option(
        "page-check", "SIZE",
        "how much of the data file is checked for damaged pages at the start; 0 for nothing",
        fallback: "1GiB")

    /// The purpose for which a store is opened.
    enum Purpose {
        /// Reading, after every page of the data file was checked.
        case checking
        /// Reading: nothing is changed, and the medium may be read-only.
        case reading
        case changing
        /// Changing, and making a missing store.
        case making
    }

    /// The most bytes that one object can have: room for a string of the longest kind beside others.
    private static let objectByteCountMax = 64 << 20

    /// Opens the store that the options name.
    ///
    /// - `purpose`: The purpose of opening it.
    /// - `instead`: A hint beside the complaint if another process has the store.
    /// - `directory`: A directory in place of the one in the options.
    static func open(
        _ arguments: Arguments, _ options: StoreOptions = StoreOptions(), for purpose: Purpose,
        directory: String? = nil, instead: String? = nil
    ) throws(CommandFailure) -> Store {
        let path = directory ?? Self.directory(arguments)
        if purpose != .making, !FileSystem.isDirectory(path) {
            throw CommandFailure("there is no directory '\(path)'")
        }
        if purpose == .making, let parent = FileSystem.missingParent(of: path) {
            throw CommandFailure(
                "there is no directory '\(parent)' for '\(path)'; make it first: mkdir -p '\(parent)'"
            )
        }
        if purpose != .making, !LMDBEngine.isStore(directory: path),
            !RestoreFolder.isInterrupted(path)
        {
            throw CommandFailure("'\(path)' holds no store; name the directory that was served")
        }
        let engine = try engine(arguments, directory: path, purpose, instead: instead)
        return try store(engine, arguments, options, path)
    }

    /// Opens the store that the options name, for changes, or makes one in their directory, which has to be there.
    ///
    /// - Returns: The store; nil when another process has it.
    static func openUnlessInUse(_ arguments: Arguments) throws(CommandFailure) -> Store? {
        let path = Self.directory(arguments)
        guard FileSystem.isDirectory(path) else {
            throw CommandFailure(
                "there is no directory '\(path)'\nif the store is new, make its directory first: mkdir '\(path)'"
            )
        }
        let options = try engineOptions(arguments, directory: path, .making)
        let engine: LMDBEngine
        do throws(StorageError) {
            engine = try LMDBEngine(options)
        } catch {
            if error.code == .locked { return nil }
            throw failure(error, path, nil)
        }
        return try store(engine, arguments, StoreOptions(), path)
    }

    private static func store(
        _ engine: LMDBEngine, _ arguments: Arguments, _ options: StoreOptions, _ path: String
    ) throws(CommandFailure) -> Store {
        var options = options
        options.takesNewEpoch = arguments.has("new-epoch")
        do throws(StoreError) {
            return try Store(engine: engine, options: options)
        } catch {
            engine.close()
            throw failure(error, path)
        }
    }

    /// Opens the engine that the options name.
    ///
    /// - `instead`: As above.
    static func engine(
        _ arguments: Arguments, directory path: String, _ purpose: Purpose = .changing,
        instead: String?
    ) throws(CommandFailure) -> LMDBEngine {
        let options = try engineOptions(arguments, directory: path, purpose)
        do { return try LMDBEngine(options) } catch { throw failure(error, path, instead) }
    }

    private static func engineOptions(
        _ arguments: Arguments, directory path: String, _ purpose: Purpose
    ) throws(CommandFailure) -> LMDBOptions {
        if RestoreFolder.isInterrupted(path) {
            throw CommandFailure(
                "in '\(path)' a restore was interrupted; run 'holdfast restore' again, or empty the "
                    + "directory")
        }
        var lmdb = LMDBOptions(directory: path)
        lmdb.valueByteCountMax = objectByteCountMax
        if let size = try arguments.byteCount("map-size") { lmdb.mapByteCount = size }
        lmdb.access = purpose == .checking || purpose == .reading ? .reading : .writing
        lmdb.checkedByteCountMax =
            switch purpose {
            case .checking: .max
            case .making: try arguments.byteCount("page-check", min: 0) ?? 1 << 30
            case .reading, .changing: 0
            }
        lmdb.acceptsLoss = arguments.has("new-epoch")
        lmdb.durability = try arguments.choice("durability", LMDBOptions.Durability.full)
        return lmdb
    }

    /// The message for a failing store.
    static func failure(_ error: StoreError, _ directory: String) -> CommandFailure {
        if case .storage(let storage) = error { return failure(storage, directory, nil) }
        return CommandFailure("\(directory): \(error)")
    }

    /// The message for a failing engine.
    static func failure(
        _ error: StorageError, _ directory: String, _ instead: String?
    ) -> CommandFailure {
        let native = error.native.map { ": \($0)" } ?? ""
        if error == .unfinished {
            var failure = CommandFailure(
                "creating the store in '\(directory)' was interrupted, and it is still empty; "
                    + "'holdfast serve' finishes it")
            failure.isOfUnfinishedStore = true
            return failure
        }
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
        case .diskFull: return CommandFailure("no space is left for '\(directory)'\(native)")
        case .corrupted: return .damage("the store in '\(directory)' is damaged\(native)")
        default:
            return CommandFailure(
                "'\(directory)' can't be used: \(error.operation) failed (\(error.code.rawValue))\(native)"
            )
        }
    }
}
