import HoldfastObjectModel
@testable import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRows
import HoldfastStorage
import HoldfastTestSupport
import Testing

@Suite("Turns whose changes leave memory")
struct LargeInteractiveWriteTests: InteractiveWriteSuite {
    private func open(
        _ engineCase: EngineCase, byteCountMax: Int
    ) throws -> (FaultyEngine, Store) {
        var options = StoreOptions()
        options.interactiveByteCountMax = byteCountMax
        return try open(engineCase, options)
    }

    private func texts(_ ids: [String]) -> [String] { ids.map { "\(Value.string($0))" }.sorted() }

    private func isFull(_ error: any Error) -> Bool {
        if case StoreError.storage(let error) = error { error.code == .diskFull } else { false }
    }

    @Test(
        "what a view sees in the middle of one is what others see after it, and nothing is left of a cancelled one",
        arguments: EngineCase.all, [0, 4_000])
    func views(engineCase: EngineCase, byteCountMax: Int) throws {
        let seed = SeededGenerator.testSeed("large turns on \(engineCase), \(byteCountMax) bytes")
        var random = SeededGenerator(seed: seed)
        let (_, store) = try open(engineCase, byteCountMax: byteCountMax)
        defer { store.close() }
        var roomCount = 0
        for round in 0..<SeededGenerator.scaled(20) {
            let before = try store.reading { try ViewDump.lines(of: $0) }
            let version = store.version.number
            let turn = try store.beginInteractiveWrite()
            let view = turn.transaction.openView()
            for _ in 0..<60 {
                let operation = ViewDump.operation(&random)
                do throws(StoreError) {
                    try turn.transaction.attempt { () throws(StoreError) in
                        try operation.run(turn.transaction)
                        // Nothing leaves memory while it may be rolled back.
                        #expect(try turn.spillToEngine() == false)
                    }
                } catch {
                    guard case .objectNotFound = error else { throw error }
                }
                if try turn.spillToEngine() { roomCount += 1 }
            }
            let inside = try ViewDump.lines(of: view)
            if round % 3 == 2 {
                turn.cancel()
                #expect(store.version.number == version)
                let after = try store.reading { try ViewDump.lines(of: $0) }
                #expect(after == before, "round \(round) of seed \(seed)")
            } else {
                #expect(try turn.commit() == version + 1)
                let after = try store.reading { try ViewDump.lines(of: $0) }
                #expect(after == inside, "round \(round) of seed \(seed)")
                #expect(try !store.changes(after: version).order.isEmpty)
            }
        }
        #expect(roomCount > (byteCountMax == 0 ? 500 : 5))
        #expect(try store.findings() == [])
    }

    @Test(
        "have no more in memory than they may, however many objects they make, change and delete",
        arguments: EngineCase.all)
    func memory(engineCase: EngineCase) throws {
        let byteCountMax = 64 << 10
        let (engine, store) = try open(engineCase, byteCountMax: byteCountMax)
        defer { store.close() }
        let commits = engine.commitCount
        let turn = try store.beginInteractiveWrite()
        var greatest = 0
        func run(_ operation: ObjectScript.Operation) throws {
            try operation.run(turn.transaction)
            greatest = max(greatest, turn.transaction.overlay.byteCount)
            _ = try turn.spillToEngine()
        }
        for number in 0..<6_000 { try run(put("p\(number)", ["age": .value(.int(1))])) }
        for number in 0..<6_000 { try run(put("p\(number)", ["age": .value(.int(2))])) }
        for number in 0..<3_000 { try run(.delete(Identity("Person", .string("p\(number)")))) }
        #expect(greatest < byteCountMax + 4096)
        #expect(try turn.commit() == 2)
        #expect(engine.commitCount == commits + 1)
        #expect(try store.contents().objects.count == 3_000)
        #expect(try store.changes(after: 1).outcomes.count { $0.kind == .insert } == 3_000)
        #expect(try store.findings() == [])
    }

    @Test(
        "that are cancelled, or let go of, change nothing and let others go on",
        arguments: EngineCase.all)
    func cancelling(engineCase: EngineCase) throws {
        let (_, store) = try open(engineCase, byteCountMax: 0)
        defer { store.close() }
        let turn = try store.beginInteractiveWrite()
        try put("a").run(turn.transaction)
        #expect(try turn.spillToEngine())
        try put("b").run(turn.transaction)
        let behind = write(put("c"))
        store.submit(behind)
        turn.cancel()
        #expect(try behind.wait() == 2)
        do {
            let dropped = try store.beginInteractiveWrite()
            try put("d").run(dropped.transaction)
            #expect(try dropped.spillToEngine())
        }
        #expect(try store.run([put("e")]) == 3)
        #expect(try ids(store) == texts(["c", "e"]))
        #expect(try store.findings() == [])
    }

    @Test("that can't be committed leave nothing behind", arguments: EngineCase.all)
    func refusal(engineCase: EngineCase) throws {
        let (_, store) = try open(engineCase, byteCountMax: 0)
        defer { store.close() }
        let turn = try store.beginInteractiveWrite()
        try put("a", ["boss": Shelter.link("nobody")]).run(turn.transaction)
        #expect(try turn.spillToEngine())
        #expect {
            try turn.commit()
        } throws: {
            if case StoreError.danglingLinks = $0 { true } else { false }
        }
        #expect(try store.run([put("b")]) == 2)
        #expect(try ids(store) == texts(["b"]))
        #expect(try store.findings() == [])
    }

    @Test(
        "share their commit with no write that came meanwhile, which sees what they did",
        arguments: EngineCase.all)
    func alone(engineCase: EngineCase) throws {
        let (engine, store) = try open(engineCase, byteCountMax: 0)
        defer { store.close() }
        let commits = engine.commitCount
        let turn = try store.beginInteractiveWrite()
        try put("a").run(turn.transaction)
        #expect(try turn.spillToEngine())
        let behind = write(put("b", ["boss": Shelter.link("a")]))
        store.submit(behind)
        #expect(try turn.commit() == 2)
        #expect(try behind.wait() == 3)
        #expect(engine.commitCount == commits + 2)
        #expect(try store.findings() == [])
    }

    @Test(
        "leave a turn committed that has ended before them, though they are cancelled",
        arguments: EngineCase.all)
    func following(engineCase: EngineCase) throws {
        let (_, store) = try open(engineCase, byteCountMax: 0)
        defer { store.close() }
        let first = try store.beginInteractiveWrite()
        try put("a").run(first.transaction)
        let next = try StartedThread { () -> Result<[Bool], any Error> in
            Result {
                let turn = try store.beginInteractiveWrite()
                let people = turn.transaction.catalog.rows.classes[0]
                func sees(_ id: String) throws -> Bool {
                    let key = try #require(OrderedKey(.string(id)))
                    return try turn.transaction.find(people, primaryKey: key) != nil
                }
                try self.put("b").run(turn.transaction)
                guard try turn.spillToEngine() else { return [] }
                defer { turn.cancel() }
                return [try sees("a"), try sees("b"), try sees("c")]
            }
        }
        #expect(try first.commit() == 2)
        #expect(try next.result().get() == [true, true, false])
        #expect(try store.run([put("d")]) == 3)
        #expect(try ids(store) == texts(["a", "d"]))
        #expect(try store.findings() == [])
    }

    @Test("go on on another thread", arguments: EngineCase.all)
    func moving(engineCase: EngineCase) throws {
        let (_, store) = try open(engineCase, byteCountMax: 0)
        defer { store.close() }
        let turn = try StartedThread { () -> Result<InteractiveWrite, any Error> in
            Result {
                let turn = try store.beginInteractiveWrite()
                try self.put("a").run(turn.transaction)
                _ = try turn.spillToEngine()
                return turn
            }
        }.result().get()
        try put("b", ["boss": Shelter.link("a")]).run(turn.transaction)
        #expect(try turn.spillToEngine())
        #expect(try turn.commit() == 2)
        #expect(try ids(store) == texts(["a", "b"]))
        #expect(try store.findings() == [])
    }

    @Test(
        "fail where the engine takes no more, and leave nothing behind",
        arguments: EngineCase.all, [0, 2])
    func fullDisk(engineCase: EngineCase, skippedCount: Int) throws {
        let (engine, store) = try open(engineCase, byteCountMax: 0)
        defer { store.close() }
        let turn = try store.beginInteractiveWrite()
        for part in 0..<skippedCount {
            try put("p\(part)").run(turn.transaction)
            #expect(try turn.spillToEngine())
        }
        try put("a").run(turn.transaction)
        engine.failPart(after: 0)
        #expect { try turn.spillToEngine() } throws: { isFull($0) }
        #expect { try turn.spillToEngine() } throws: { isFull($0) }
        #expect { try turn.commit() } throws: { isFull($0) }
        #expect(try store.run([put("b")]) == 2)
        #expect(try ids(store) == texts(["b"]))
        #expect(try store.findings() == [])
    }
}
