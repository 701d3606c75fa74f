import HoldfastStorage
import HoldfastTestSupport
import Testing
import HoldfastThreads

@testable import HoldfastStorageLMDB

/// A writer before a journal, and a checkpoint that the test holds up.
@Suite("Room in the journal")
struct JournalRoomTests {
    private static let byteCount = 64 << 10

    private let directory = TemporaryDirectory()
    private let engine: LMDBEngine
    private let environment: LMDBEnvironment

    init() throws {
        let options = LMDBOptions(
            directory: directory.path, mapByteCount: LMDBOptions.embeddedMapByteCount,
            checkpointMilliseconds: 3_600_000, checkpointByteCount: Self.byteCount)
        engine = try LMDBEngine(options)
        environment = try LMDBRegistry.environment(options)
    }

    private func close() {
        LMDBRegistry.release(environment)
        engine.close()
    }

    /// Runs `body` while no checkpoint can begin.
    private func withoutCheckpoints<Result>(_ body: () throws -> Result) rethrows -> Result {
        environment.checkpointLock.lock()
        defer { environment.checkpointLock.unlock() }
        return try body()
    }

    /// Commits `count` records of about `byteCount` bytes.
    private func fill(_ count: Int, of byteCount: Int) throws {
        for number in 0..<count {
            try OwnedBatch([[1, UInt8(number)]: [UInt8](repeating: 1, count: byteCount)])
                .commit(to: engine)
        }
    }

    /// A writer that awaits room on a thread of its own, and tells how often there was an empty file by then.
    private func startWriter() -> Monitor<Int?> {
        let told = Monitor<Int?>(nil)
        let (engine, checkpointer) = (engine, environment.checkpointer)
        startThread(named: "test") {
            engine.awaitRoom()
            let count = checkpointer.freezeCount
            told.update { $0 = count }
        }
        return told
    }

    @Test("is not awaited while there is enough")
    func enough() throws {
        defer { close() }
        try withoutCheckpoints {
            try fill(60, of: 1024)
            engine.awaitRoom()
            #expect(environment.checkpointer.freezeCount == 0)
        }
    }

    @Test(
        "is awaited, when the next commit may find none, until a checkpoint has begun",
        arguments: [(110, 1024), (2, 45 << 10)])
    func begins(count: Int, byteCount: Int) throws {
        defer { close() }
        let told = try withoutCheckpoints {
            try fill(count, of: byteCount)
            let told = startWriter()
            // One that does not wait tells long before.
            #expect(told.wait(microseconds: 200_000) { $0 } == nil)
            return told
        }
        #expect(told.wait { $0 } > 0)
    }

    @Test("is not awaited after a checkpoint has failed")
    func fails() throws {
        defer { close() }
        try withoutCheckpoints {
            try fill(110, of: 1024)
            let told = startWriter()
            environment.checkpointer.tell(StorageError(.io, operation: "checkpoint"))
            #expect(told.wait { $0 } == 0)
        }
    }
}
