import Glibc
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastStorage
import HoldfastTestSupport
import HoldfastThreads
import Testing

@Suite("Turns that follow each other")
struct SharedInteractiveWriteTests: InteractiveWriteSuite {
    /// The steps of a turn on a thread of its own, which it takes when it is told to.
    private final class Kept: Sendable {
        enum Step: Sendable { case begin, isHandedOver, commit, cancel }
        let step = Monitor(Step.begin)

        func await(_ wanted: [Step]) -> Step {
            step.wait { wanted.contains($0) ? $0 : nil }
        }
    }

    /// Commits a turn while the next one is kept, and returns the result of the first and that of the second.
    private func commit(
        _ store: Store, keeping next: ObjectScript.Operation, end: Kept.Step,
        between: () throws -> Void
    ) throws -> (first: Result<UInt64, any Error>, next: Result<UInt64, any Error>) {
        let turn = try store.beginInteractiveWrite()
        try put("a").run(turn.transaction)
        let kept = Kept()
        let thread = try StartedThread { () -> Result<UInt64, any Error> in
            Result {
                let turn = try store.beginInteractiveWrite()
                try next.run(turn.transaction)
                kept.step.update { $0 = .isHandedOver }
                if case .cancel = kept.await([.commit, .cancel]) {
                    turn.cancel()
                    return 0
                }
                return try turn.commit()
            }
        }
        let first: Result<UInt64, any Error> = Result { try turn.commit() }
        _ = kept.await([.isHandedOver])
        try between()
        kept.step.update { $0 = end }
        return (first, thread.result())
    }

    @Test(
        "a turn that has ended is answered though the next one is kept", arguments: EngineCase.all)
    func keeping(engineCase: EngineCase) throws {
        let (_, store) = try open(engineCase)
        defer { store.close() }
        let outcome = try commit(
            store, keeping: put("b", ["boss": Shelter.link("a")]), end: .commit
        ) {
            let present = try ids(store)
            #expect(present == ["\(Value.string("a"))"])
        }
        #expect(try outcome.first.get() == 2)
        #expect(try outcome.next.get() == 3)
        #expect(try ids(store).count == 2)
        #expect(store.version.number == 3)
        #expect(try store.run([put("c")]) == 4)
        #expect(try store.findings() == [])
    }

    @Test("one that is cancelled takes nothing from those before it", arguments: EngineCase.all)
    func cancelling(engineCase: EngineCase) throws {
        let (_, store) = try open(engineCase)
        defer { store.close() }
        let outcome = try commit(store, keeping: put("b"), end: .cancel) {}
        #expect(try outcome.first.get() == 2)
        #expect(try outcome.next.get() == 0)
        #expect(try ids(store) == ["\(Value.string("a"))"])
        #expect(try store.run([put("c")]) == 3)
        #expect(try store.findings() == [])
    }

    @Test("those that saw what could not be committed fail with it", arguments: EngineCase.all)
    func failing(engineCase: EngineCase) throws {
        let (engine, store) = try open(engineCase)
        defer { store.close() }
        engine.failCommit(engine.commitCount + 1, with: .diskFull)
        let outcome = try commit(store, keeping: put("b"), end: .commit) {}
        #expect(throws: StoreError.self) { try outcome.first.get() }
        // It may have begun when the first was over, and then has seen nothing of it.
        if case .success = outcome.next { #expect(try ids(store).count == 1) }
        if case .failure = outcome.next { #expect(try ids(store).isEmpty) }
        _ = try store.run([put("c")])
        #expect(try store.findings() == [])
    }

    @Test(
        "one whose owner asks for it finds committed what it is lent upon, or fails",
        arguments: EngineCase.all, [false, true])
    func base(engineCase: EngineCase, fails: Bool) throws {
        let (engine, store) = try open(engineCase)
        defer { store.close() }
        let turn = try store.beginInteractiveWrite()
        try turn.awaitPrecedingCommit()
        try put("a").run(turn.transaction)
        let next = try StartedThread { () -> Result<[String], any Error> in
            Result {
                let turn = try store.beginInteractiveWrite()
                try turn.awaitPrecedingCommit()
                return try ids(store)
            }
        }
        // Then it waits for its turn, as a rule.
        usleep(100_000)
        if fails { engine.failCommit(engine.commitCount + 1, with: .diskFull) }
        let first = Result { try turn.commit() }
        let seen = next.result()
        if fails {
            #expect(throws: StoreError.self) { try first.get() }
            if case .success(let ids) = seen { #expect(ids.isEmpty) }
        } else {
            #expect(try first.get() == 2)
            #expect(try seen.get() == ["\(Value.string("a"))"])
        }
        #expect(try store.findings() == [])
    }

    @Test(
        "of many threads are all kept, in fewer commits than there are", arguments: EngineCase.all)
    func many(engineCase: EngineCase) throws {
        let (engine, store) = try open(engineCase)
        defer { store.close() }
        let commits = engine.commitCount
        let (threadCount, roundCount) = (8, 25)
        try runThreads(threadCount) { thread in
            for round in 0..<roundCount {
                let turn = try store.beginInteractiveWrite()
                try ObjectScript.Operation.write(
                    "Person", Shelter.person("\(thread)-\(round)"), key: nil, .create
                ).run(turn.transaction)
                if round % 5 == 4 { turn.cancel() } else { _ = try turn.commit() }
            }
        }
        let kept = threadCount * roundCount / 5 * 4
        #expect(try ids(store).count == kept)
        #expect(store.version.number == UInt64(1 + kept))
        #expect(engine.commitCount - commits <= kept)
        #expect(try store.findings() == [])
    }
}
