import Glibc
import HoldfastStorage
import HoldfastThreads
import Synchronization

/// The stores that this process has open, one for each folder, by any of its paths. Thread-safe.
package enum OpenStores {
    /// A folder's identity.
    struct Folder: Hashable {
        let device: UInt
        let number: UInt
    }

    private enum Entry {
        /// A thread opens it, or closes it.
        case busy
        case open(Store, holderCount: Int)
    }

    // Only look-ups happen with the lock held: opening and closing may take long, and wait for other stores' users.
    private static let entries = Monitor<[Folder: Entry]>([:])

    /// Opens the store of a folder, or shares the one that is open.
    ///
    /// - `folder`: Is made, for its owner alone, when it is missing; the folder above has to be there.
    /// - `options`: Count where the store is not open yet; whether it is read only has to agree.
    /// - `makeEngine`: Called where the store is not open yet.
    /// - Throws: ``StoreError`` `.openedOtherwise` where it is open and reading only does not agree; `.storage`.
    package static func open(
        folder: String, options: StoreOptions = StoreOptions(),
        makeEngine: () throws(StorageError) -> any StorageEngine
    ) throws(StoreError) -> SharedStore {
        let folder = try identify(folder, mayMake: !options.isReadOnly)
        let present: Store? = entries.wait { entries -> Store?? in
            switch entries[folder] {
            case .busy: return nil
            case .open(let store, let holderCount):
                if store.options.isReadOnly == options.isReadOnly {
                    entries[folder] = .open(store, holderCount: holderCount + 1)
                }
                return store
            case nil:
                entries[folder] = .busy
                return .some(nil)
            }
        }
        if let present {
            guard present.options.isReadOnly == options.isReadOnly else {
                throw .openedOtherwise(isReadOnly: present.options.isReadOnly)
            }
            return SharedStore(present, folder)
        }
        do throws(StoreError) {
            let store = try make(options, makeEngine)
            entries.update { $0[folder] = .open(store, holderCount: 1) }
            return SharedStore(store, folder)
        } catch {
            entries.update { $0[folder] = nil }
            throw error
        }
    }

    /// Ends one holder's share, and closes the store with the last one.
    static func release(_ folder: Folder) {
        let last: Store? = entries.withLock { entries in
            guard case .open(let store, let holderCount) = entries[folder] else { return nil }
            entries[folder] = holderCount > 1 ? .open(store, holderCount: holderCount - 1) : .busy
            return holderCount > 1 ? nil : store
        }
        guard let last else { return }
        last.close()
        entries.update { $0[folder] = nil }
    }

    private static func make(
        _ options: StoreOptions, _ makeEngine: () throws(StorageError) -> any StorageEngine
    ) throws(StoreError) -> Store {
        let engine: any StorageEngine
        do { engine = try makeEngine() } catch { throw .storage(error) }
        do throws(StoreError) { return try Store(engine: engine, options: options) } catch {
            engine.close()
            throw error
        }
    }

    private static func identify(_ folder: String, mayMake: Bool) throws(StoreError) -> Folder {
        if mayMake, mkdir(folder, 0o700) != 0, errno != EEXIST { throw failure(folder, errno) }
        var status = stat()
        guard stat(folder, &status) == 0 else { throw failure(folder, errno) }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw failure(folder, ENOTDIR) }
        return Folder(device: UInt(status.st_dev), number: UInt(status.st_ino))
    }

    private static func failure(_ folder: String, _ code: Int32) -> StoreError {
        let reason: StorageError.Code =
            switch code {
            case EACCES, EPERM, EROFS: .permission
            case ENOSPC, EDQUOT: .diskFull
            default: .io
            }
        return .storage(
            StorageError(
                reason, operation: "open folder",
                native: "\(folder): \(String(cString: strerror(code)))"))
    }
}

/// One holder's share of a store that is open in this process. Thread-safe.
package final class SharedStore: Sendable {
    package let store: Store
    private let folder: OpenStores.Folder
    private let isReleased = Atomic(false)

    init(_ store: Store, _ folder: OpenStores.Folder) {
        self.store = store
        self.folder = folder
    }

    deinit { release() }

    /// Ends the share. The last holder's closes the store, see ``Store/close()``: its views and interactive writes have to be
    /// ended before. Harmless when it is ended already.
    package func release() {
        if isReleased.exchange(true, ordering: .acquiringAndReleasing) { return }
        OpenStores.release(folder)
    }
}
