import Glibc
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastStorage
import HoldfastStorageLMDB
import HoldfastStorageMemory
import Synchronization
import Testing
import HoldfastTestSupport

@Suite("Stores that a process shares")
struct OpenStoresTests {
    private static func make(_ folder: String) throws(StorageError) -> any StorageEngine {
        try LMDBEngine(
            LMDBOptions(
                directory: folder, mapByteCount: LMDBOptions.embeddedMapByteCount,
                durability: .relaxed))
    }

    @Test("a folder has one store, by whatever path, until its last holder is gone")
    func sharing() throws {
        let directory = TemporaryDirectory()
        let folder = directory.path + "/store"
        let link = directory.path + "/link"
        let made = Mutex(0)
        func open(_ path: String) throws(StoreError) -> SharedStore {
            try OpenStores.open(folder: path) { () throws(StorageError) in
                made.withLock { $0 += 1 }
                return try Self.make(path)
            }
        }
        let first = try open(folder)
        symlink(folder, link)
        let second = try open(link)
        let third = try open(directory.path + "/./store/")
        #expect(first.store === second.store && second.store === third.store)
        try first.store.setSchema(Shelter.classes)
        first.release()
        first.release()
        second.release()
        #expect(try third.store.put("Person", Shelter.person("a")) == 2)
        third.release()
        #expect(made.withLock { $0 } == 1)
        #expect {
            try third.store.put("Person", Shelter.person("b"))
        } throws: {
            if case StoreError.closing = $0 { true } else { false }
        }
        do {
            let again = try open(folder)
            #expect(again.store !== first.store)
            #expect(try again.store.contents().objects.count == 1)
        }
        let last = try open(folder)
        defer { last.release() }
        #expect(made.withLock { $0 } == 3)
    }

    @Test("two folders have two stores")
    func apart() throws {
        let directories = [TemporaryDirectory(), TemporaryDirectory()]
        let stores = try directories.map { directory in
            try OpenStores.open(folder: directory.path) { MemoryEngine() }
        }
        #expect(stores[0].store !== stores[1].store)
        for store in stores { store.release() }
    }

    @Test("threads that open and release a folder have its one store, never a closed one")
    func threads() throws {
        let directory = TemporaryDirectory()
        let folder = directory.path
        let openCount = Mutex(0)
        let first = try OpenStores.open(folder: folder) { () throws(StorageError) in
            try Self.make(folder)
        }
        try first.store.setSchema(Shelter.classes)
        first.release()
        try runThreads(4) { thread in
            for round in 0..<15 {
                let shared = try OpenStores.open(folder: folder) { () throws(StorageError) in
                    openCount.withLock { $0 += 1 }
                    return try Self.make(folder)
                }
                try shared.store.put("Person", Shelter.person("p\(thread)-\(round)"))
                shared.release()
            }
        }
        let shared = try OpenStores.open(folder: folder) { () throws(StorageError) in
            try Self.make(folder)
        }
        defer { shared.release() }
        #expect(openCount.withLock { $0 } >= 1)
        #expect(try shared.store.contents().objects.count == 60)
        #expect(try shared.store.findings() == [])
    }

    @Test(
        "a store that is open for reading can't be opened for writing beside it, nor the other way")
    func contradiction() throws {
        let directory = TemporaryDirectory()
        let folder = directory.path
        var reading = StoreOptions()
        reading.isReadOnly = true
        func open(_ options: StoreOptions) throws(StoreError) -> SharedStore {
            try OpenStores.open(folder: folder, options: options) { () throws(StorageError) in
                try Self.make(folder)
            }
        }
        func isContradicted(_ error: any Error, _ isReadOnly: Bool) -> Bool {
            guard case StoreError.openedOtherwise(let present) = error else { return false }
            return present == isReadOnly
        }
        // An empty folder has nothing to read.
        #expect {
            try open(reading)
        } throws: {
            if case StoreError.storage(let error) = $0 { error.code == .format } else { false }
        }
        let writer = try open(StoreOptions())
        try writer.store.setSchema(Shelter.classes)
        #expect { try open(reading) } throws: { isContradicted($0, false) }
        writer.release()
        let reader = try open(reading)
        #expect { try open(StoreOptions()) } throws: { isContradicted($0, true) }
        func isRefused(_ error: any Error) -> Bool {
            if case StoreError.readOnly = error { true } else { false }
        }
        #expect { try reader.store.put("Person", Shelter.person("a")) } throws: { isRefused($0) }
        #expect { try reader.store.beginInteractiveWrite() } throws: { isRefused($0) }
        #expect(try reader.store.contents().objects.isEmpty)
        reader.release()
        try open(StoreOptions()).release()
    }

    @Test("a folder that is missing, or none, is an error, and one that failed can be opened later")
    func failures() throws {
        let directory = TemporaryDirectory()
        let path = directory.path
        #expect(throws: StoreError.self) {
            try OpenStores.open(folder: path + "/none/store") { MemoryEngine() }
        }
        var reading = StoreOptions()
        reading.isReadOnly = true
        #expect(throws: StoreError.self) {
            try OpenStores.open(folder: path + "/none", options: reading) { MemoryEngine() }
        }
        #expect(access(path + "/none", F_OK) != 0)
        #expect {
            try OpenStores.open(folder: path) { () throws(StorageError) in
                throw StorageError(.locked, operation: "open store")
            }
        } throws: {
            if case StoreError.storage(let error) = $0 { error.code == .locked } else { false }
        }
        try OpenStores.open(folder: path) { MemoryEngine() }.release()
    }
}
