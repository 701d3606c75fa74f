import Foundation
import HoldfastObjectStore
import HoldfastStorage
import HoldfastStorageLMDB
import HoldfastStorageMemory
import HoldfastThreads
import Synchronization

/// A store that realms use, in its folder or in memory. Thread-safe.
final class OpenedStore: Sendable {
    /// The way in which the store is shared within the process.
    private enum Share: Sendable {
        case folder(SharedStore)
        case memory(name: String)
    }

    let store: Store
    let fileURL: URL?
    private let share: Share
    /// The number of users: the live realm and the frozen realms of its versions.
    private let userCount = Atomic(1)

    private init(_ store: Store, _ fileURL: URL?, _ share: Share) {
        self.store = store
        self.fileURL = fileURL
        self.share = share
    }

    /// Opens the store of a configuration, or shares the one that is open.
    ///
    /// - Throws: ``Realm/Error``.
    static func open(_ configuration: Realm.Configuration) throws -> OpenedStore {
        guard let url = configuration.fileURL else {
            let name = configuration.inMemoryIdentifier ?? ""
            return OpenedStore(try MemoryStores.open(name), nil, .memory(name: name))
        }
        let path = url.path
        if !FileManager.default.fileExists(atPath: path) {
            if configuration.readOnly {
                throw Realm.Error(.fileNotFound, "There is no store at '\(path)'.", fileURL: url)
            }
            do {
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            } catch {
                throw Realm.Error(
                    .fileAccess,
                    "The folder of '\(path)' can't be made: \(error.localizedDescription)",
                    fileURL: url)
            }
        }
        var options = StoreOptions()
        options.isReadOnly = configuration.readOnly
        do throws(StoreError) {
            let shared = try OpenStores.open(folder: path, options: options) {
                () throws(StorageError) in
                var engine = LMDBOptions(directory: path)
                engine.access = configuration.readOnly ? .reading : .writing
                return try LMDBEngine(engine)
            }
            return OpenedStore(shared.store, url, .folder(shared))
        } catch {
            if case .openedOtherwise = error {
                throw Realm.Error(
                    .invalidConfiguration,
                    "Realm at path '\(path)' already opened with different read permissions.",
                    fileURL: url)
            }
            throw Realm.Error(error, url)
        }
    }

    private var memoryName: String? {
        if case .memory(let name) = share { name } else { nil }
    }

    /// Counts one more realm that shares this store.
    func retain() { userCount.wrappingAdd(1, ordering: .relaxed) }

    /// Counts one realm less. The last realm ends the share; the last share closes the store.
    func release() {
        guard userCount.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 else {
            return
        }
        // The writer's thread may release the last realm after reporting a commit. Closing there would wait for the thread
        // itself.
        guard store.isOnWriterThread else { return endShare() }
        startThread(named: "closing") { self.endShare() }
    }

    private func endShare() {
        ClosingStores.tell(store, at: fileURL?.path ?? memoryName ?? "")
        switch share {
        case .folder(let shared): shared.release()
        case .memory(let name): MemoryStores.release(name)
        }
    }
}

/// The stores that realms have released, for tests that check for open stores. Thread-safe.
package enum ClosingStores {
    package typealias Observer = @Sendable (_ store: Store, _ location: String) -> Void
    private static let observer = Mutex<Observer?>(nil)

    /// Passes each store to `observer` when the last realm that shares it releases it. The store is still open then.
    package static func observe(_ observer: @escaping Observer) {
        Self.observer.withLock { $0 = observer }
    }

    fileprivate static func tell(_ store: Store, at location: String) {
        let present = observer.withLock { $0 }
        present?(store, location)
    }
}

/// The stores in memory of this process, by their identifiers. Thread-safe.
private enum MemoryStores {
    private struct Entry {
        var store: Store
        var holderCount: Int
    }

    private static let entries = Monitor<[String: Entry]>([:])

    static func open(_ name: String) throws -> Store {
        let opened: Result<Store, StoreError> = entries.withLock { entries in
            if let present = entries[name] {
                entries[name]?.holderCount += 1
                return .success(present.store)
            }
            do throws(StoreError) {
                let store = try Store(engine: MemoryEngine())
                entries[name] = Entry(store: store, holderCount: 1)
                return .success(store)
            } catch { return .failure(error) }
        }
        do throws(StoreError) { return try opened.get() } catch { throw Realm.Error(error, nil) }
    }

    static func release(_ name: String) {
        let last: Store? = entries.withLock { entries in
            guard let entry = entries[name] else { return nil }
            if entry.holderCount > 1 {
                entries[name]?.holderCount -= 1
                return nil
            }
            entries[name] = nil
            return entry.store
        }
        last?.close()
    }
}
