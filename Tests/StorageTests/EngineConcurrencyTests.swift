import Glibc
import HoldfastStorage
import Synchronization
import Testing
import HoldfastTestSupport

@Suite("Threads on every engine")
struct EngineConcurrencyTests {
    private struct Torn: Error {
        var detail = ""
    }

    private final class Flag: Sendable {
        let value = Atomic<Bool>(false)
    }

    @Test(
        "no increment is lost between writers that run again after conflicts",
        arguments: EngineCase.all)
    func increments(engineCase: EngineCase) throws {
        let engine = try engineCase.open()
        let perThread = SeededGenerator.scaled(100)
        try runThreads(4) { _ in
            for _ in 0..<perThread {
                while true {
                    let snapshot = try engine.snapshot()
                    let count = try snapshot.bytes(forKey: [1]).map { Self.number($0) } ?? 0
                    let base = snapshot.commit
                    snapshot.close()
                    do throws(StorageError) {
                        try OwnedBatch([[1]: Self.bytes(count + 1)]).commit(to: engine, base: base)
                        break
                    } catch {
                        guard error.code == .conflict else { throw error }
                    }
                }
            }
        }
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        #expect(try snapshot.bytes(forKey: [1]).map { Self.number($0) } == UInt64(4 * perThread))
    }

    @Test("readers always see whole commits while others write", arguments: EngineCase.all)
    func readersBesideWriters(engineCase: EngineCase) throws {
        let engine = try engineCase.open()
        let commits = SeededGenerator.scaled(200)
        let isDone = Flag()
        // Every commit gives all keys the same value, and replaces a range of as many keys.
        try Self.writeStep(0, to: engine)
        try runThreads(5) { index in
            if index == 0 {
                defer { isDone.value.store(true, ordering: .releasing) }
                for step in 1...commits { try Self.writeStep(UInt64(step), to: engine) }
                return
            }
            var last: UInt64 = 0
            while !isDone.value.load(ordering: .acquiring) {
                let snapshot = try engine.snapshot()
                defer { snapshot.close() }
                let entries = try snapshot.entries(reversed: index % 2 == 0)
                let values = Set(entries.map { Self.number($0.value) })
                guard entries.count == 60, values.count == 1, let step = values.first, step >= last
                else {
                    throw Torn(
                        detail: "\(entries.count) entries of \(values.sorted()) behind \(last)")
                }
                last = step
                let again = try snapshot.bytes(forKeys: entries.map(\.key))
                guard again == entries.map(\.value) else {
                    throw Torn(detail: "\(again) by keys, \(entries) in order")
                }
            }
        }
    }

    @Test(
        "a snapshot holds the commit whose number it has, wherever its thread is stopped while it is taken",
        arguments: EngineCase.all)
    func numbered(engineCase: EngineCase) throws {
        let engine = try engineCase.open()
        let commits = SeededGenerator.scaled(10_000)
        let isDone = Flag()
        let readers = Mutex<[pthread_t]>([])
        try Self.writeNumber(to: engine)
        Self.stopThreadsOnSignal()
        try runThreads(5) { index in
            if index == 0 {
                defer { isDone.value.store(true, ordering: .releasing) }
                for _ in 0..<commits { try Self.writeNumber(to: engine) }
            } else if index == 1 {
                while !isDone.value.load(ordering: .acquiring) {
                    readers.withLock { for reader in $0 { pthread_kill(reader, SIGUSR2) } }
                    usleep(1000)
                }
            } else {
                readers.withLock { $0.append(pthread_self()) }
                defer { readers.withLock { $0.removeAll { $0 == pthread_self() } } }
                while !isDone.value.load(ordering: .acquiring) {
                    let snapshot = try engine.snapshot()
                    defer { snapshot.close() }
                    let number = try snapshot.bytes(forKey: [1]).map { Self.number($0) }
                    guard number == snapshot.commit else {
                        throw Torn(detail: "commit \(snapshot.commit) holds \(number ?? 0)")
                    }
                }
            }
        }
    }

    @Test(
        "snapshots are taken on one thread and used and closed on another",
        arguments: EngineCase.all)
    func handedOver(engineCase: EngineCase) throws {
        struct Handed: @unchecked Sendable {
            // Used by one thread at a time: the one that made it waits for the other.
            let snapshot: any StorageSnapshot
        }
        let engine = try engineCase.open()
        try OwnedBatch([[1]: [1]]).commit(to: engine)
        for _ in 0..<50 {
            let handed = Handed(snapshot: try engine.snapshot())
            try runThreads(1) { _ in
                guard try handed.snapshot.contents() == [[1]: [1]] else { throw Torn() }
                handed.snapshot.close()
            }
        }
    }

    private static func writeStep(_ step: UInt64, to engine: any StorageEngine) throws {
        var batch = OwnedBatch()
        batch.removedRanges = [KeyRange(prefix: [2])]
        for index in UInt8(0)..<30 {
            batch.changes[[1, index]] = bytes(step)
            batch.changes[[2, UInt8(truncatingIfNeeded: step), index]] = bytes(step)
        }
        try batch.commit(to: engine)
    }

    /// Lets a thread that gets `SIGUSR2` stop for a millisecond, as a busy machine stops one.
    private static func stopThreadsOnSignal() {
        var action = sigaction()
        action.sa_flags = SA_RESTART
        action.__sigaction_handler.sa_handler = { _ in
            var time = timespec(tv_sec: 0, tv_nsec: 1_000_000)
            nanosleep(&time, nil)
        }
        sigaction(SIGUSR2, &action, nil)
    }

    /// Writes the number of the commit that it makes, past any journal.
    private static func writeNumber(to engine: any StorageEngine) throws {
        let snapshot = try engine.snapshot()
        let base = snapshot.commit
        snapshot.close()
        var batch = OwnedBatch([[1]: bytes(base + 1)])
        batch.removedRanges = [KeyRange(prefix: [2])]
        try batch.commit(to: engine, base: base)
    }

    private static func number(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func bytes(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }
}
