import Glibc
import HoldfastStorage
import HoldfastStorageLMDB
import HoldfastTestSupport
import Testing

@testable import HoldfastObjectStore

/// Stores that are unfinished because their process ended while it created them.
@Suite("Unfinished stores")
struct UnfinishedStoreTests {
    private let directory = TemporaryDirectory()

    private func open(_ access: LMDBOptions.Access) throws -> LMDBEngine {
        var options = LMDBOptions(directory: directory.path, mapByteCount: 64 << 20)
        options.access = access
        return try LMDBEngine(options)
    }

    @Test("say so to a reader, and are finished by a writer")
    func unfinished() throws {
        // The files exist, but not the first records.
        try open(.writing).close()
        let empty = try open(.reading)
        do throws(StoreError) {
            try Store(engine: empty).close()
            Issue.record("It was opened.")
        } catch {
            guard case .storage(.unfinished) = error else { throw error }
        }
        empty.close()
        // The data file has its final name, but the file of the format does not.
        #expect(unlink(directory.path + "/holdfast.format") == 0)
        #expect(LMDBEngine.isStore(directory: directory.path))
        #expect(throws: StorageError.unfinished) { try open(.reading) }
        // Not even that.
        #expect(
            rename(directory.path + "/holdfast.mdb", directory.path + "/holdfast.mdb.new") == 0)
        #expect(LMDBEngine.isStore(directory: directory.path))
        #expect(throws: StorageError.unfinished) { try open(.reading) }
        try Store(engine: open(.writing)).close()
        try Store(engine: open(.reading)).close()
    }
}
