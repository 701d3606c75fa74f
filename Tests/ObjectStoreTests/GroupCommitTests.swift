import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRows
import HoldfastStorage
import HoldfastStorageLMDB
import HoldfastStorageMemory
import Synchronization
import Testing
import HoldfastTestSupport

@Suite("Commits of groups")
struct GroupCommitTests {
    private func group(_ store: Store, _ writes: [AwaitedWrite]) {
        let gate = WriterGate()
        store.submit(gate)
        gate.waitUntilReached()
        for write in writes { store.submit(write) }
        gate.open()
    }

    private func put(_ content: ObjectContent) -> AwaitedWrite {
        AwaitedWrite { transaction throws(StoreError) in
            try ObjectScript.Operation.write("Person", content, key: nil, .merge).run(transaction)
        }
    }

    private func open(
        _ engineCase: EngineCase, isParted: Bool = false
    ) throws -> (FaultyEngine, Store) {
        let engine = FaultyEngine(try engineCase.open())
        var options = StoreOptions()
        if isParted { options.partCommits() }
        let store = try Store(engine: engine, options: options)
        try store.setSchema(Shelter.classes)
        return (engine, store)
    }

    private static func isDiskFull(_ error: any Error) -> Bool {
        guard case StoreError.storage(let storage) = error else { return false }
        return storage.code == .diskFull
    }

    @Test(
        "waiting writes share a commit, each with a version and outcome of its own",
        arguments: EngineCase.all, [false, true])
    func outcomes(engineCase: EngineCase, isParted: Bool) throws {
        let (engine, store) = try open(engineCase, isParted: isParted)
        defer { store.close() }
        let seen = Mutex<[UInt64]>([])
        store.publisher.observe { version in seen.withLock { $0.append(version) } }
        let commits = engine.commitCount
        let failing = AwaitedWrite { transaction throws(StoreError) in
            try ObjectScript.Operation.write(
                "Person", Shelter.person("half"), key: nil, .create
            ).run(transaction)
            throw .objectNotFound
        }
        let counting = Mutex(0)
        let looking = AwaitedWrite { transaction throws(StoreError) in
            let rows = transaction.catalog.rows
            var count = 0
            for id in ["a", "b", "half", "c"] {
                if let key = OrderedKey(.string(id)),
                    try transaction.find(rows.classes[0], primaryKey: key) != nil
                {
                    count += 1
                }
            }
            counting.withLock { $0 = count }
        }
        let writes = [
            put(Shelter.person("a")), failing,
            put(Shelter.person("b", ["boss": Shelter.link("a")])),
            looking, put(Shelter.person("a")), put(Shelter.person("c")),
        ]
        group(store, writes)
        #expect(try writes[0].wait() == 2)
        #expect { try writes[1].wait() } throws: { error in
            if case StoreError.objectNotFound = error { true } else { false }
        }
        #expect(try writes[2].wait() == 3)
        #expect(try writes[3].wait() == 3)
        #expect(try writes[4].wait() == 3)
        #expect(try writes[5].wait() == 4)
        #expect(counting.withLock { $0 } == 2)
        #expect(engine.commitCount == commits + 1)
        #expect(seen.withLock { $0 } == [4])
        let objects = try store.contents().objects
        #expect(
            objects.mapValues(\.version) == [
                Identity("Person", .string("a")): 2, Identity("Person", .string("b")): 3,
                Identity("Person", .string("c")): 4,
            ])
        #expect(try store.findings() == [])
    }

    @Test("a writer asks its engine for room before each of its attempts")
    func room() throws {
        let (engine, store) = try open(.memory)
        defer { store.close() }
        func awaitCount(_ content: ObjectContent) throws -> Int {
            let before = engine.awaitCount
            let write = put(content)
            store.submit(write)
            _ = try write.wait()
            return engine.awaitCount - before
        }
        #expect(try awaitCount(Shelter.person("a")) == 1)
        engine.failCommit(engine.commitCount + 1, with: .conflict)
        #expect(try awaitCount(Shelter.person("b")) == 2)
    }

    @Test(
        "a conflict runs the whole group again on the newer state",
        arguments: EngineCase.all, [false, true])
    func conflict(engineCase: EngineCase, isParted: Bool) throws {
        let (engine, store) = try open(engineCase, isParted: isParted)
        defer { store.close() }
        engine.failCommit(engine.commitCount + 1, with: .conflict)
        engine.failCommit(engine.commitCount + 2, with: .conflict)
        let runs = Mutex(0)
        let counted = AwaitedWrite { transaction throws(StoreError) in
            runs.withLock { $0 += 1 }
            try ObjectScript.Operation.write("Dog", [:], key: nil, .create).run(transaction)
        }
        let other = put(Shelter.person("a"))
        group(store, [counted, other])
        #expect(try counted.wait() == 2)
        #expect(try other.wait() == 3)
        #expect(runs.withLock { $0 } == 3)
        #expect(try store.contents().objects.count == 2)
        #expect(try store.findings() == [])
    }

    @Test(
        "a failed commit fails every write of its group, and the store goes on",
        arguments: EngineCase.all, [false, true])
    func failedCommit(engineCase: EngineCase, isParted: Bool) throws {
        let (engine, store) = try open(engineCase, isParted: isParted)
        defer { store.close() }
        engine.failCommit(engine.commitCount + 1, with: .diskFull)
        let unchanging = AwaitedWrite { _ throws(StoreError) in }
        let writes = [put(Shelter.person("a")), put(Shelter.person("b")), unchanging]
        group(store, writes)
        for write in writes {
            #expect { try write.wait() } throws: { Self.isDiskFull($0) }
        }
        #expect(store.version.number == 1)
        #expect(try store.contents().objects.isEmpty)
        #expect(try store.put("Person", Shelter.person("a"), mode: .create) == 2)
        #expect(try store.findings() == [])
    }

    @Test(
        "a commit in parts of which one fails leaves nothing behind", arguments: EngineCase.all)
    func failedPart(engineCase: EngineCase) throws {
        let (engine, store) = try open(engineCase, isParted: true)
        defer { store.close() }
        try store.put("Person", Shelter.person("a"), mode: .create)
        let before = try store.contents().objects.mapValues(\.version)
        for count in 0..<3 {
            engine.failPart(after: count)
            let failing = (0..<4).map {
                put(Shelter.person("p\($0)", ["name": .value(.string("n"))]))
            }
            group(store, failing)
            for write in failing {
                #expect { try write.wait() } throws: { Self.isDiskFull($0) }
            }
            #expect(try store.contents().objects.mapValues(\.version) == before)
        }
        #expect(try store.put("Person", Shelter.person("b"), mode: .create) == 3)
        #expect(try store.contents().objects.count == 2)
        #expect(try store.findings() == [])
    }

    @Test("a write that does not fit the engine fails alone", arguments: EngineCase.all)
    func tooLarge(engineCase: EngineCase) throws {
        let engine = FaultyEngine(try engineCase.open(valueByteCountMax: 100_000))
        let store = try Store(engine: engine)
        try store.setSchema(Shelter.classes)
        defer { store.close() }
        let long = Content.value(.string(String(repeating: "x", count: 100_001)))
        let key = String(repeating: "k", count: 60_000)
        let keys = [Shelter.person(key + "1"), Shelter.person(key + "2")]
        for draft in keys { try store.put("Person", draft) }
        // The change log keeps the keys of what is deleted, so this entry is too long.
        let deletion = AwaitedWrite { transaction throws(StoreError) in
            for id in [key + "1", key + "2"] {
                try ObjectScript.Operation.delete(Identity("Person", .string(id))).run(transaction)
            }
        }
        let writes = [
            put(Shelter.person("a")), put(Shelter.person("b", ["name": long])), deletion,
            put(Shelter.person("c")),
        ]
        group(store, writes)
        #expect(try writes[0].wait() == 4)
        for write in writes[1...2] {
            #expect { try write.wait() } throws: { error in
                if case StoreError.tooLarge = error { true } else { false }
            }
        }
        #expect(try writes[3].wait() == 5)
        #expect(try store.contents().objects.count == 4)
        #expect(try store.findings() == [])
        #expect {
            try store.setSchema(
                Shelter.classes + [
                    ObjectClass(
                        name: "Long",
                        properties: [
                            Property(
                                name: "p", type: .single(.scalar(.string)),
                                defaultValue: .constant(
                                    .string(String(repeating: "x", count: 60_000))))
                        ])
                ])
        } throws: { error in
            if case StoreError.tooLarge = error { true } else { false }
        }
        #expect(store.catalog.schema.classes.count == 4)
    }

    @Test("the longest string that the object model allows is stored, also as a primary key")
    func longestValue() throws {
        let options = LMDBOptions(directory: "/nowhere")
        let limit = options.valueByteCountMax
        #expect(MemoryEngine().limits.valueByteCountMax == limit)
        let store = try Store(engine: try EngineCase.lmdb.open(valueByteCountMax: limit))
        try store.setSchema(Shelter.classes)
        defer { store.close() }
        let longest = String(repeating: "x", count: ModelLimits.valueByteCountMax)
        try store.put(
            "Person", Shelter.person(longest, ["name": .value(.string(longest))]), mode: .create)
        #expect(
            try store.contents().objects[Identity("Person", .string(longest))]?.content["name"]
                == .value(.string(longest)))
        try store.delete("Person", .string(longest))
        #expect(try store.changes(after: 2).order.count == 1)
        #expect(try store.findings() == [])
    }

    @Test(
        "a group ends before a change of the schema and where its bytes reach the limit",
        arguments: EngineCase.all)
    func bounds(engineCase: EngineCase) throws {
        let engine = FaultyEngine(try engineCase.open())
        var options = StoreOptions()
        options.groupByteCountMax = 2000
        let store = try Store(engine: engine, options: options)
        try store.setSchema(Shelter.classes)
        defer { store.close() }
        let commits = engine.commitCount
        let long = Content.value(.string(String(repeating: "x", count: 3000)))
        var writes = (0..<4).map { put(Shelter.person("p\($0)", ["name": long])) }
        let gate = WriterGate()
        store.submit(gate)
        gate.waitUntilReached()
        for write in writes { store.submit(write) }
        let schema = AwaitedSchemaWrite { present throws(StoreError) in
            var next = present.schema
            next.classes.append(ObjectClass(name: "New", properties: []))
            return SchemaProposal(next)
        }
        store.submit(schema)
        writes.append(put(Shelter.person("last")))
        store.submit(writes[4])
        gate.open()
        #expect(try writes.map { try $0.wait() } == [2, 3, 4, 5, 7])
        #expect(try schema.wait() == 6)
        #expect(engine.commitCount == commits + 6)
        #expect(try store.findings() == [])
    }

    @Test(
        "writes handed in before the store closes are finished, later ones refused",
        arguments: EngineCase.all)
    func closing(engineCase: EngineCase) throws {
        let engine = LastingEngine(try engineCase.open())
        let store = try Store(engine: engine)
        try store.setSchema(Shelter.classes)
        let writes = (0..<50).map { put(Shelter.person("p\($0)")) }
        for write in writes { store.submit(write) }
        store.close()
        #expect(try writes.map { try $0.wait() } == (2...51).map { UInt64($0) })
        let late = put(Shelter.person("late"))
        store.submit(late)
        #expect { try late.wait() } throws: { error in
            if case StoreError.closing = error { true } else { false }
        }
        let again = try Store(engine: engine)
        defer { again.close() }
        #expect(again.version.number == 51 && again.epoch == store.epoch)
        #expect(try again.contents().objects.count == 50)
        #expect(try again.findings() == [])
    }

    @Test(
        "a draft made for an older schema is refused, not written into the wrong class",
        arguments: EngineCase.all)
    func staleDraft(engineCase: EngineCase) throws {
        let store = try Shelter.open(engineCase)
        defer { store.close() }
        let old = store.catalog.rows
        try store.setSchema(
            [ObjectClass(name: "First", properties: [])] + Shelter.classes)
        #expect {
            try store.write { transaction throws(StoreError) in
                let draft = ObjectDraft(Shelter.person("a"), old.classes[0], old)
                _ = try transaction.write(draft, mode: .create)
            }
        } throws: { error in
            if case StoreError.schemaRevision(current: 2) = error { true } else { false }
        }
        #expect {
            try store.write { transaction throws(StoreError) in
                try transaction.delete(old.classes[0], key: 1)
            }
        } throws: { error in
            if case StoreError.schemaRevision(current: 2) = error { true } else { false }
        }
    }
}
