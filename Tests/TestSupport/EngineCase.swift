import HoldfastStorage
import HoldfastStorageLMDB
import HoldfastStorageMemory

/// Every kind of engine, as an argument of tests: `@Test(arguments: EngineCase.all)`.
package enum EngineCase: String, CaseIterable, Sendable {
    case memory
    case lmdb

    /// Every engine that can be opened here.
    package static var all: [EngineCase] { allCases }

    /// Opens an empty engine. Its files go with it.
    ///
    /// - Parameters:
    ///   - valueByteCountMax: The longest value that it takes.
    ///   - snapshotCountMax: The most snapshots that it lets be open.
    /// - Returns: The engine, to be closed or just let go.
    /// - Throws: ``StorageError`` when there is no room for its files.
    package func open(
        valueByteCountMax: Int = 1 << 20, snapshotCountMax: Int = 126
    ) throws(StorageError) -> any StorageEngine {
        switch self {
        case .memory:
            return MemoryEngine(
                limits: StorageLimits(
                    keyByteCountMax: 511, valueByteCountMax: valueByteCountMax,
                    snapshotCountMax: snapshotCountMax))
        case .lmdb:
            let directory = TemporaryDirectory()
            let engine = try LMDBEngine(
                LMDBOptions(
                    directory: directory.path, mapByteCount: LMDBOptions.embeddedMapByteCount,
                    readerCountMax: snapshotCountMax, durability: .relaxed,
                    valueByteCountMax: valueByteCountMax))
            return TemporaryEngine(engine, in: directory)
        }
    }
}
