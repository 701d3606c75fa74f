import Storage
import TestSupport
import Testing
import Threads

@testable import StorageLMDB

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

    /// Commits about `byteCount` bytes while no checkpoint can begin.
    private func fill(_ byteCount: Int) throws {
        for number in 0..<byteCount / 1024 {
            try OwnedBatch([[1, UInt8(number)]: [UInt8](repeating: 1, count: 1000)])
                .commit(to: engine)
        }
    }

    /// A writer that awaits room on a thread of its own, then makes the value true.
    private func startWriter() -> Monitor<Bool> {
        let isDone = Monitor(false)
        let engine = engine
        startThread {
            engine.awaitRoom()
            isDone.signal { isDone in
                isDone = true
                return true
            }
        }
        return isDone
    }

    /// Whether a writer still waits after a time that none takes who doesn't.
    private func waits(_ isDone: Monitor<Bool>) -> Bool {
        isDone.wait(milliseconds: 200) { $0 ? () : nil } == nil
    }

    @Test("is not awaited while there is enough")
    func enough() throws {
        defer { close() }
        environment.checkpointLock.lock()
        defer { environment.checkpointLock.unlock() }
        try fill(Self.byteCount)
        engine.awaitRoom()
        #expect(environment.checkpointer.beginCount == 0)
    }

    @Test("is awaited until a checkpoint has begun to write what is there")
    func begins() throws {
        defer { close() }
        environment.checkpointLock.lock()
        do {
            defer { environment.checkpointLock.unlock() }
            try fill(Self.byteCount * 7 / 4)
        }
        let isDone = startWriter()
        isDone.wait { $0 ? () : nil }
        #expect(environment.checkpointer.beginCount > 0)
    }

    @Test("is awaited while a checkpoint can't begin, but not after one has failed")
    func fails() throws {
        defer { close() }
        environment.checkpointLock.lock()
        defer { environment.checkpointLock.unlock() }
        try fill(Self.byteCount * 7 / 4)
        let isDone = startWriter()
        #expect(waits(isDone))
        environment.checkpointer.tell(StorageError(.io, operation: "checkpoint"))
        isDone.wait { $0 ? () : nil }
        #expect(environment.checkpointer.beginCount == 0)
    }
}
