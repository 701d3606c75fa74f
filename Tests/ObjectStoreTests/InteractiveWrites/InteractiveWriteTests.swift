import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRows
import HoldfastStorage
import Testing
import HoldfastTestSupport

@Suite("Turns that are lent")
struct InteractiveWriteTests: InteractiveWriteSuite {
    @Test(
        "changes are seen in the turn at once, and by others after its commit",
        arguments: EngineCase.all)
    func changes(engineCase: EngineCase) throws {
        let (engine, store) = try open(engineCase)
        defer { store.close() }
        let commits = engine.commitCount
        let turn = try store.beginInteractiveWrite()
        for id in ["a", "b"] {
            try put(id).run(turn.transaction)
            let key = try #require(OrderedKey(.string(id)))
            let people = turn.transaction.catalog.rows.classes[0]
            #expect(try turn.transaction.find(people, primaryKey: key) != nil)
        }
        #expect(try store.contents().objects.isEmpty)
        #expect(try turn.commit() == 2)
        #expect(try store.contents().objects.count == 2)
        #expect(engine.commitCount == commits + 1)
        #expect { try turn.commit() } throws: {
            if case StoreError.interactiveWriteEnded = $0 { true } else { false }
        }
        #expect(try store.findings() == [])
    }

    @Test("a turn that changes nothing makes no commit", arguments: EngineCase.all)
    func nothing(engineCase: EngineCase) throws {
        let (engine, store) = try open(engineCase)
        defer { store.close() }
        let commits = engine.commitCount
        #expect(try store.beginInteractiveWrite().commit() == 1)
        #expect(engine.commitCount == commits)
    }

    @Test(
        "an object keeps the key that it got in the turn, though another was linked to before it was made",
        arguments: EngineCase.all)
    func keys(engineCase: EngineCase) throws {
        let (_, store) = try open(engineCase)
        defer { store.close() }
        let turn = try store.beginInteractiveWrite()
        let rows = turn.transaction.catalog.rows
        var made: [String: UInt64] = [:]
        for (id, boss) in [("a", "c"), ("b", "c"), ("c", "a")] {
            let draft = ObjectDraft(
                Shelter.person(id, ["boss": Shelter.link(boss)]), rows.classes[0], rows)
            made[id] = try turn.transaction.write(draft, mode: .create).key
        }
        _ = try turn.commit()
        try store.reading { view in
            for (id, key) in made {
                let stored = try #require(OrderedKey(.string(id)))
                let found = try stored.bytes.withUnsafeBytes {
                    try view.find(rows.classes[0], primaryKey: $0)?.key
                }
                #expect(found == key)
            }
        }
        #expect(try store.findings() == [])
    }

    @Test(
        "what can't be committed is thrown by the commit, and leaves nothing behind",
        arguments: EngineCase.all)
    func refusal(engineCase: EngineCase) throws {
        let (_, store) = try open(engineCase)
        defer { store.close() }
        let turn = try store.beginInteractiveWrite()
        try put("a", ["boss": Shelter.link("nobody")]).run(turn.transaction)
        #expect { try turn.commit() } throws: {
            if case StoreError.danglingLinks = $0 { true } else { false }
        }
        #expect(try store.run([put("b")]) == 2)
        #expect(try store.contents().objects.count == 1)
        #expect(try store.findings() == [])
    }

    @Test(
        "a turn that is cancelled, or let go of, changes nothing and lets others go on",
        arguments: EngineCase.all)
    func cancelling(engineCase: EngineCase) throws {
        let (_, store) = try open(engineCase)
        defer { store.close() }
        let turn = try store.beginInteractiveWrite()
        try put("a").run(turn.transaction)
        let behind = write(put("b"))
        store.submit(behind)
        turn.cancel()
        turn.cancel()
        #expect(try behind.wait() == 2)
        do {
            let dropped = try store.beginInteractiveWrite()
            try put("c").run(dropped.transaction)
        }
        #expect(try store.run([put("d")]) == 3)
        #expect(try ids(store) == [Value.string("b"), .string("d")].map { "\($0)" }.sorted())
        #expect(try store.findings() == [])
    }

    @Test(
        "writes that come while a turn is lent share its commit, a change of the schema does not",
        arguments: EngineCase.all)
    func group(engineCase: EngineCase) throws {
        let (engine, store) = try open(engineCase)
        defer { store.close() }
        let commits = engine.commitCount
        let turn = try store.beginInteractiveWrite()
        try put("a").run(turn.transaction)
        let writes = ["b", "c"].map { write(put($0, ["boss": Shelter.link("a")])) }
        for write in writes { store.submit(write) }
        let schema = AwaitedSchemaWrite { present throws(StoreError) in
            var next = present.schema
            next.classes.append(ObjectClass(name: "New", properties: []))
            return SchemaProposal(next)
        }
        store.submit(schema)
        #expect(try turn.commit() == 2)
        #expect(try writes.map { try $0.wait() } == [3, 4])
        #expect(try schema.wait() == 5)
        #expect(engine.commitCount == commits + 2)
        #expect(try store.findings() == [])
    }

    @Test(
        "a turn whose commit meets another fails, and the writes behind it run again",
        arguments: EngineCase.all)
    func conflict(engineCase: EngineCase) throws {
        let (engine, store) = try open(engineCase)
        defer { store.close() }
        engine.failCommit(engine.commitCount + 1, with: .conflict)
        let turn = try store.beginInteractiveWrite()
        try put("a").run(turn.transaction)
        let behind = write(put("b"))
        store.submit(behind)
        #expect { try turn.commit() } throws: {
            if case StoreError.storage(let error) = $0 { error.code == .conflict } else { false }
        }
        #expect(try behind.wait() == 2)
        #expect(try store.contents().objects.count == 1)
        #expect(try store.findings() == [])
    }

    @Test(
        "a commit that fails fails the turn and the writes behind it", arguments: EngineCase.all)
    func failure(engineCase: EngineCase) throws {
        let (engine, store) = try open(engineCase)
        defer { store.close() }
        engine.failCommit(engine.commitCount + 1, with: .diskFull)
        let turn = try store.beginInteractiveWrite()
        try put("a").run(turn.transaction)
        let behind = write(put("b"))
        store.submit(behind)
        #expect(throws: StoreError.self) { try turn.commit() }
        #expect(throws: StoreError.self) { try behind.wait() }
        #expect(try store.run([put("c")]) == 2)
        #expect(try store.contents().objects.count == 1)
    }

    @Test("a second turn on the thread that has one is refused, and so is one on the writer's")
    func nested() throws {
        let (_, store) = try open(.memory)
        defer { store.close() }
        func isRefused(_ error: any Error) -> Bool {
            if case StoreError.interactiveWriteIsOpen = error { true } else { false }
        }
        let turn = try store.beginInteractiveWrite()
        #expect { try store.beginInteractiveWrite() } throws: { isRefused($0) }
        try put("a").run(turn.transaction)
        #expect(try turn.commit() == 2)
        try store.beginInteractiveWrite().cancel()
        #expect {
            try store.write { _ throws(StoreError) in _ = try store.beginInteractiveWrite() }
        } throws: { isRefused($0) }
    }

    @Test("a turn moves from thread to thread", arguments: EngineCase.all)
    func moving(engineCase: EngineCase) throws {
        let (_, store) = try open(engineCase)
        defer { store.close() }
        let turn = try StartedThread { Result { try store.beginInteractiveWrite() } }.result().get()
        for id in ["a", "b"] {
            let operation = put(id)
            try runThreads(1) { _ in try operation.run(turn.transaction) }
        }
        let version = try StartedThread { Result { try turn.commit() } }.result().get()
        #expect(version == 2)
        #expect(try store.contents().objects.count == 2)
    }

    @Test("a write that a turn keeps waiting is refused, another turn is not")
    func patience() throws {
        var options = StoreOptions()
        options.interactiveWaitMilliseconds = 20
        let (_, store) = try open(.memory, options)
        defer { store.close() }
        let turn = try store.beginInteractiveWrite()
        let operation = put("b")
        let next = try StartedThread { () -> Result<UInt64, any Error> in
            Result {
                let turn = try store.beginInteractiveWrite()
                try operation.run(turn.transaction)
                return try turn.commit()
            }
        }
        for _ in 0..<2 {
            let late = write(put("late"))
            store.submit(late)
            #expect { try late.wait() } throws: {
                if case StoreError.waitedForTurn(milliseconds: 20) = $0 { true } else { false }
            }
        }
        try put("a").run(turn.transaction)
        #expect(try turn.commit() == 2)
        #expect(try next.result().get() == 3)
        #expect(try store.contents().objects.count == 2)
    }

    @Test("a turn has no limit of operations and bytes")
    func limits() throws {
        var options = StoreOptions()
        options.operationCountMax = 3
        options.transactionByteCountMax = 1000
        let (_, store) = try open(.memory, options)
        defer { store.close() }
        let turn = try store.beginInteractiveWrite()
        for number in 0..<50 { try put("p\(number)").run(turn.transaction) }
        _ = try turn.commit()
        #expect(try store.contents().objects.count == 50)
        #expect(throws: StoreError.self) { try store.run((0..<4).map { put("p\($0)x") }) }
    }

    @Test("a store that closes waits for the turn that is lent", arguments: EngineCase.all)
    func closing(engineCase: EngineCase) throws {
        let engine = LastingEngine(try engineCase.open())
        let store = try Store(engine: engine)
        try store.setSchema(Shelter.classes)
        let turn = try store.beginInteractiveWrite()
        try put("a").run(turn.transaction)
        let closing = try StartedThread { store.close() }
        // The first refusal is for the turn that the thread has, the last one for the store.
        var isClosing = false
        while !isClosing {
            do { _ = try store.beginInteractiveWrite() } catch {
                if case .closing = error { isClosing = true }
            }
        }
        #expect(try turn.commit() == 2)
        closing.result()
        let again = try Store(engine: engine)
        defer { again.close() }
        #expect(try again.contents().objects.count == 1)
    }

    @Test(
        "turns and writes of several threads run one after the other", arguments: EngineCase.all)
    func threads(engineCase: EngineCase) throws {
        let (_, store) = try open(engineCase)
        defer { store.close() }
        /// Makes the person whose number is the first that is free.
        @Sendable func add(_ transaction: WriteTransaction) throws(StoreError) {
            var number = 0
            while let id = OrderedKey(.string("p\(number)")),
                try transaction.find(transaction.catalog.rows.classes[0], primaryKey: id) != nil
            {
                number += 1
            }
            try ObjectScript.Operation.write(
                "Person", Shelter.person("p\(number)"), key: nil, .create
            ).run(transaction)
        }
        let seed = SeededGenerator.testSeed("lent turns on \(engineCase)")
        let roundCount = 30
        try runThreads(4) { thread in
            var random = SeededGenerator(seed: seed &+ UInt64(thread))
            for _ in 0..<roundCount {
                if Bool.random(using: &random) {
                    try store.write(add)
                    continue
                }
                let cancelled = try store.beginInteractiveWrite()
                try add(cancelled.transaction)
                cancelled.cancel()
                let turn = try store.beginInteractiveWrite()
                try add(turn.transaction)
                _ = try turn.commit()
            }
        }
        #expect(try ids(store).count == 4 * roundCount, "seed \(seed)")
        #expect(store.version.number == UInt64(1 + 4 * roundCount))
        #expect(try store.findings() == [])
    }
}
