import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRows
import HoldfastServiceSupport
import HoldfastStoreService
import Synchronization
import HoldfastTestSupport
import Testing
import HoldfastThreads

@Suite("reads without a server", .timeLimit(.minutes(2)))
struct ReadCaseTests {
    private static let thing = ObjectClass(
        name: "Thing", primaryKey: "id",
        properties: [
            Property(name: "id", type: .single(.scalar(.int))),
            Property(name: "names", type: .list(.scalar(.string))),
        ])

    /// One thing, whose names take some thousand bytes.
    private static func open(memoryByteCountMax: Int = 256 << 20) throws -> ServedStore {
        let store = try Shelter.open(.memory, classes: [thing])
        let names = (0..<200).map { Value.string("name number \($0)") }
        try store.write { transaction throws(StoreError) in
            try ObjectScript.Operation.write(
                "Thing", ["id": .value(.int(7)), "names": .values(names)], key: nil, .merge
            ).run(transaction)
        }
        var limits = ServiceLimits()
        limits.queryMemoryByteCountMax = memoryByteCountMax
        return ServedStore(store, limits: limits) { _, _ in }
    }

    private static func read(_ served: ServedStore) -> ObjectRead {
        ObjectRead(
            ObjectAddress("Thing", "7"), isProjected: false, for: .program)
    }

    private static func text() -> String {
        String(decoding: RequestScratch.current.reply.bytes, as: UTF8.self)
    }

    @Test("are answered alike on a connection's thread and in a job")
    func places() throws {
        let served = try Self.open()
        defer { served.stop() }
        var read = Self.read(served)
        let short = try read.answerIfShort(served) { _ in Self.text() }
        #expect(short?.hasPrefix(#"{"id":7,"names":["name number 0","#) ?? false)
        #expect(try served.answer(read) { _ in Self.text() } == short)
    }

    @Test("are refused whole where a list is longer than a reply may be")
    func longReply() throws {
        let served = try Self.open(memoryByteCountMax: 1000)
        defer { served.stop() }
        var read = Self.read(served)
        let fault = #expect(throws: RequestFault.self) {
            try read.answerIfShort(served) { _ in Self.text() }
        }
        #expect(fault?.code == "query-memory-exceeded")
    }

    @Test("are refused where the view that they read failed")
    func failedView() throws {
        let served = try Self.open()
        defer { served.stop() }
        let failed = #expect(throws: RequestFault.self) {
            try served.withRead(for: .program) { read in
                [0xFF, 1].withUnsafeBytes { read.overflowChunk($0) == nil ? 1 : 2 }
            }
        }
        #expect(failed?.code == "storage-damaged" || failed?.kind == .failed)
        let late = #expect(throws: RequestFault.self) {
            try served.withRead(for: .program) { read in
                read.limitFollowing(until: 1)
                while read.budget.spend() {}
                return 1
            }
        }
        #expect(late?.code == "query-too-slow")
    }

    /// The runs of a job, and how its steps ended.
    private func outcomes(
        of served: ServedStore, isAwaited: (@Sendable () -> Bool)? = nil,
        until deadline: UInt64 = .max, count: Int,
        _ body: @escaping @Sendable (ReadTransaction, _ run: Int) throws(RequestFault) -> Int
    ) -> [String] {
        let seen = Monitor<[String]>([])
        do {
            _ = served.scheduler.submit(
                Job(Caller.program.client, until: deadline, isAwaited: isAwaited) { job in
                    let run = seen.withLock { $0.count }
                    let outcome: String
                    do throws(RequestFault) {
                        let made = try served.withRead(for: .program, in: job) {
                            read throws(RequestFault) in try body(read, run)
                        }
                        switch made {
                        case .reply(let number): outcome = "reply \(number)"
                        case .again: outcome = "again"
                        case .gone: outcome = "gone"
                        }
                    } catch {
                        outcome = error.code
                    }
                    seen.update { $0.append(outcome) }
                })
            seen.wait { $0.count == count ? () : nil }
        }
        return seen.withLock { $0 }
    }

    @Test("begin again with more memory, and are over where there is nobody to tell")
    func jobs() throws {
        let served = try Self.open()
        defer { served.stop() }
        #expect(outcomes(of: served, count: 1) { _, _ in 1 } == ["reply 1"])
        let again = outcomes(of: served, count: 2) { _, run throws(RequestFault) in
            if run == 0 { throw .queryMemory(served.limits) }
            return run
        }
        #expect(again == ["again", "reply 1"])
        #expect(outcomes(of: served, isAwaited: { false }, count: 1) { _, _ in 1 } == ["gone"])
        #expect(outcomes(of: served, until: 1, count: 1) { _, _ in 1 } == ["query-too-slow"])
        let left = Monitor(false)
        let gone = outcomes(of: served, isAwaited: { left.withLock { !$0 } }, count: 1) { read, _ in
            left.update { $0 = true }
            while read.budget.spend() {}
            return 1
        }
        #expect(gone == ["gone"])
    }
}
