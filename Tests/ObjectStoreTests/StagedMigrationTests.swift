import HoldfastObjectModel
@testable import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRows
import HoldfastStorage
import Synchronization
import Testing
import HoldfastTestSupport

@Suite("Migrations in slices")
struct StagedMigrationTests {
    private static func classes(
        _ type: ScalarType, indexed: Bool = true, key: String = "id", extra: [Property] = []
    ) -> [ObjectClass] {
        [
            ObjectClass(
                name: "Note", primaryKey: key,
                properties: [
                    Property(name: "id", type: .single(.scalar(.int))),
                    Property(name: "n", type: .single(.scalar(type)), isIndexed: indexed),
                    Property(name: "text", type: .single(.scalar(.string)), isIndexed: !indexed),
                    Property(name: "next", type: .list(.object("Note"))),
                ] + extra)
        ]
    }

    private static var options: StoreOptions {
        var options = StoreOptions()
        options.migrationObjectCountMax = 0
        options.migrationSliceCount = 5
        return options
    }

    private func put(_ store: Store, _ id: Int64, _ number: Content) throws(StoreError) {
        try store.put(
            "Note", ["id": .value(.int(id)), "n": number, "text": .value(.string("t\(id)"))])
    }

    private func fill(_ store: Store, _ count: Int64) throws(StoreError) {
        try store.write { transaction throws(StoreError) in
            for id in 1...count {
                let content: ObjectContent = [
                    "id": .value(.int(id)), "n": .value(.int(id)),
                    "text": .value(.string("t\(id)")),
                ]
                try ObjectScript.Operation.write("Note", content, key: nil, .merge)
                    .run(transaction)
            }
        }
    }

    /// How many writes come at most beside migrations.
    private static let besideCountMax = 400

    @Test(
        "writers and readers go on beside a migration, and nothing of what they do is lost",
        arguments: EngineCase.all)
    func beside(engineCase: EngineCase) throws {
        let seed = SeededGenerator.testSeed("writes beside a migration on \(engineCase)")
        let store = try Store(engine: try engineCase.open(), options: Self.options)
        defer { store.close() }
        try store.setSchema(Self.classes(.int))
        try fill(store, 400)
        let expected = Mutex<[Int64: Int64]>(
            Dictionary(uniqueKeysWithValues: (1...400).map { ($0, $0) }))
        let isDone = Atomic(false)
        let besideCount = Atomic(0)
        try runThreads(2) { thread in
            if thread == 0 {
                defer { isDone.store(true, ordering: .releasing) }
                // To text and back, with another index and another key.
                try store.setSchema(Self.classes(.string))
                try store.setSchema(Self.classes(.int, indexed: false))
                try store.setSchema(Self.classes(.int, key: "text"))
                try store.setSchema(Self.classes(.string))
                return
            }
            var random = SeededGenerator(seed: seed)
            for round in 0..<Self.besideCountMax
            where round == 0 || !isDone.load(ordering: .acquiring) {
                let id = Int64.random(in: 1...500, using: &random)
                let isDelete = Int.random(in: 0..<4, using: &random) == 0
                let number = Int64.random(in: 0...1000, using: &random)
                if try writeBeside(store, id, isDelete ? nil : number) {
                    expected.withLock { $0[id] = isDelete ? nil : number }
                    besideCount.wrappingAdd(1, ordering: .relaxed)
                }
                guard round % 8 == 0 else { continue }
                try store.reading { transaction in
                    let types = Set(
                        try StoreContents(transaction).objects.values.map {
                            if case .value(let value)? = $0.content["n"] {
                                value.scalarType
                            } else {
                                ScalarType?.none
                            }
                        })
                    #expect(types == [transaction.catalog.schema.classes[0].properties[1].scalar])
                }
            }
        }
        try store.awaitCleanUp()
        #expect(try store.findings() == [])
        var found: [Int64: Int64] = [:]
        for (identity, object) in try store.contents().objects {
            guard case .int(let id) = identity.key,
                case .value(.string(let text))? = object.content["n"]
            else { continue }
            found[id] = Int64(text)
        }
        #expect(found == expected.withLock { $0 })
        #expect(besideCount.load(ordering: .relaxed) > 0)
    }

    /// Writes or deletes an object under the schema of the moment.
    private func writeBeside(_ store: Store, _ id: Int64, _ number: Int64?) throws -> Bool {
        do throws(StoreError) {
            try store.write { transaction throws(StoreError) in
                let objectClass = transaction.catalog.schema.classes[0]
                let key: Value =
                    objectClass.primaryKey == "id" ? .int(id) : .string("t\(id)")
                if let number {
                    let content: ObjectContent = [
                        "id": .value(.int(id)), "text": .value(.string("t\(id)")),
                        "n": .value(
                            objectClass.properties[1].scalar == .int
                                ? .int(number) : .string("\(number)")),
                    ]
                    try ObjectScript.Operation.write("Note", content, key: nil, .merge)
                        .run(transaction)
                } else {
                    try ObjectScript.Operation.delete(Identity("Note", key)).run(transaction)
                }
            }
            return true
        } catch {
            if case .objectNotFound = error { return true }
            throw error
        }
    }

    @Test("a write that a conversion would lose makes the migration fail, and stays")
    func lostBeside() throws {
        let store = try Store(engine: try EngineCase.memory.open(), options: Self.options)
        defer { store.close() }
        try store.setSchema(Self.classes(.string))
        try store.write { transaction throws(StoreError) in
            for id in 1...200 {
                let content: ObjectContent = [
                    "id": .value(.int(Int64(id))), "n": .value(.string("\(id)")),
                ]
                try ObjectScript.Operation.write("Note", content, key: nil, .merge)
                    .run(transaction)
            }
        }
        let change = AwaitedSchemaWrite { _ in
            SchemaProposal(Schema(classes: Self.classes(.int)))
        }
        // The gate holds up the writer until both wait behind it.
        let gate = WriterGate()
        store.submit(gate)
        gate.waitUntilReached()
        store.submit(change)
        let late = AwaitedWrite { transaction throws(StoreError) in
            try ObjectScript.Operation.write(
                "Note", ["id": .value(.int(1)), "n": .value(.string("x"))], key: nil, .merge
            ).run(transaction)
        }
        store.submit(late)
        gate.open()
        _ = try late.wait()
        #expect { try change.wait() } throws: { error in
            if case StoreError.lossyMigration = error { true } else { false }
        }
        #expect(
            try store.contents().objects[Identity("Note", .int(1))]?.content["n"]
                == .value(.string("x")))
        try store.awaitCleanUp()
        #expect(try store.findings() == [])
    }

    /// A store of 100 notes whose numbers have become texts that have no room in their rows; some of the notes were given to `body` meanwhile, and
    /// all in the end.
    private func storeOfTexts(
        beside body: (Store, _ id: Int64) throws -> Void
    ) throws -> Store {
        let engine = LastingEngine(try EngineCase.memory.open())
        var options = Self.options
        options.overflowLimits = .tiny
        let store = try Store(engine: engine, options: options)
        try store.setSchema(Self.classes(.int))
        try store.write { transaction throws(StoreError) in
            for id in 1...100 as ClosedRange<Int64> {
                let content: ObjectContent = [
                    "id": .value(.int(id)), "n": .value(.int(1_000_000_000 + id)),
                ]
                try ObjectScript.Operation.write("Note", content, key: nil, .create)
                    .run(transaction)
            }
        }
        let change = AwaitedSchemaWrite { _ in
            SchemaProposal(Schema(classes: Self.classes(.string)))
        }
        // Its 20 slices take long, until something has happened to some objects beside them.
        engine.slowDown(microseconds: 20_000)
        store.submit(change)
        var besideCount = 0
        for id in 1...100 as ClosedRange<Int64> {
            if store.catalog.schema.revision == 1 { besideCount += 1 }
            if besideCount == 10 { engine.slowDown(microseconds: 300) }
            try body(store, id)
        }
        engine.slowDown(microseconds: 0)
        _ = try change.wait()
        try store.awaitCleanUp()
        #expect(besideCount > 1)
        #expect(try store.findings() == [])
        return store
    }

    @Test(
        "a patch that states a long value twice beside a migration leaves what is staged of its object"
    )
    func patchedBeside() throws {
        let store = try storeOfTexts { store, id in
            try store.write { transaction throws(StoreError) in
                let rows = transaction.catalog.rows
                let editor = try ObjectEditor(
                    transaction, rows.classes[0], key: UInt64(id), .none)
                for text in ["a long text", "another long text of \(id)"] {
                    let draft = ObjectDraft(
                        ["text": .value(.string(text))], rows.classes[0], rows, isMerge: true)
                    var path = EditPath(rows.classes[0])
                    path.member = 2
                    do throws(EditFailure) {
                        try editor.apply(ObjectEdit(path, .place(draft, .put)), origin: [])
                    } catch {
                        throw .refused(error)
                    }
                }
                _ = try editor.finish()
            }
        }
        defer { store.close() }
        for (identity, object) in try store.contents().objects {
            guard case .int(let id) = identity.key else { continue }
            #expect(object.content["n"] == .value(.string("\(1_000_000_000 + id)")))
            #expect(object.content["text"] == .value(.string("another long text of \(id)")))
        }
    }

    @Test("objects that are deleted beside a migration leave nothing of what was staged of them")
    func deletedBeside() throws {
        try storeOfTexts { store, id in try store.delete("Note", .int(id)) }.close()
    }

    @Test("objects that lose links beside a migration keep what was staged of them")
    func unlinkedBeside() throws {
        @Sendable func classes(_ type: ScalarType) -> [ObjectClass] {
            [
                ObjectClass(
                    name: "Target", primaryKey: "id",
                    properties: [Property(name: "id", type: .single(.scalar(.int)))]),
                ObjectClass(
                    name: "Part", kind: .embedded,
                    properties: [
                        Property(name: "n", type: .single(.scalar(type))),
                        Property(
                            name: "target", type: .single(.object("Target")), isOptional: true),
                    ]),
                ObjectClass(
                    name: "Holder", primaryKey: "id",
                    properties: [
                        Property(name: "id", type: .single(.scalar(.int))),
                        Property(name: "parts", type: .list(.object("Part"))),
                    ]),
            ]
        }
        let engine = LastingEngine(try EngineCase.memory.open())
        var options = Self.options
        options.overflowLimits = .tiny
        let store = try Store(engine: engine, options: options)
        defer { store.close() }
        try store.setSchema(classes(.int))
        try store.write { transaction throws(StoreError) in
            for id in 1...60 as ClosedRange<Int64> {
                let parts: [ObjectContent] = (0..<3).map { place in
                    [
                        "n": .value(.int(1_000_000_000 + place)),
                        "target": place == 1 ? .link("Target", .int(id)) : .null,
                    ]
                }
                try ObjectScript.Operation.write(
                    "Target", ["id": .value(.int(id))], key: nil, .create
                ).run(transaction)
                try ObjectScript.Operation.write(
                    "Holder", ["id": .value(.int(id)), "parts": .embeddedList(parts)], key: nil,
                    .create
                ).run(transaction)
            }
        }
        let change = AwaitedSchemaWrite { _ in
            SchemaProposal(Schema(classes: classes(.string)))
        }
        engine.slowDown(microseconds: 300)
        store.submit(change)
        for id in 1...60 as ClosedRange<Int64> { try store.delete("Target", .int(id)) }
        engine.slowDown(microseconds: 0)
        _ = try change.wait()
        try store.awaitCleanUp()
        #expect(try store.findings() == [])
        let wanted: [ObjectContent] = (0..<3).map {
            ["n": .value(.string("\(1_000_000_000 + $0)")), "target": .null]
        }
        for object in try store.contents().objects.values {
            #expect(object.content["parts"] == .embeddedList(wanted))
        }
    }

    @Test("a class that gets an object beside the migration that drops it stays")
    func droppedBeside() throws {
        let store = try Store(engine: try EngineCase.memory.open(), options: Self.options)
        defer { store.close() }
        let old = ObjectClass(
            name: "Old", primaryKey: "id",
            properties: [Property(name: "id", type: .single(.scalar(.int)))])
        try store.setSchema(Self.classes(.int) + [old])
        try fill(store, 100)
        let change = AwaitedSchemaWrite { _ in
            SchemaProposal(Schema(classes: Self.classes(.string)))
        }
        // The gate holds up the writer until both wait behind it.
        let gate = WriterGate()
        store.submit(gate)
        gate.waitUntilReached()
        store.submit(change)
        let isBeside = Atomic(false)
        let late = AwaitedWrite { transaction throws(StoreError) in
            isBeside.store(store.migrationProgress != nil, ordering: .relaxed)
            try ObjectScript.Operation.write("Old", ["id": .value(.int(1))], key: nil, .create)
                .run(transaction)
        }
        store.submit(late)
        gate.open()
        _ = try late.wait()
        let wasBeside = isBeside.load(ordering: .relaxed)
        #expect(wasBeside)
        #expect { try change.wait() } throws: { error in
            if case StoreError.lossyMigration = error { true } else { false }
        }
        #expect(try store.contents().objects.count == 101)
        try store.awaitCleanUp()
        #expect(try store.findings() == [])
        try store.setSchema(Self.classes(.string), allowsDataLoss: true)
        #expect(try store.contents().objects.count == 100)
    }

    @Test("one migration at a time: another is refused and says how far the first is")
    func oneAtATime() throws {
        let store = try Store(engine: try EngineCase.memory.open(), options: Self.options)
        defer { store.close() }
        try store.setSchema(Self.classes(.int))
        try fill(store, 200)
        let gate = WriterGate()
        store.submit(gate)
        gate.waitUntilReached()
        let changes = (0..<2).map { _ in
            AwaitedSchemaWrite { _ in SchemaProposal(Schema(classes: Self.classes(.string))) }
        }
        for change in changes { store.submit(change) }
        gate.open()
        _ = try changes[0].wait()
        #expect { try changes[1].wait() } throws: { error in
            if case StoreError.migrationUnderWay = error { true } else { false }
        }
    }

    @Test(
        "a migration whose commits fail leaves the store as it was, and can be made again",
        arguments: EngineCase.all)
    func failingCommits(engineCase: EngineCase) throws {
        for failing in [1, 2, 3, 5, 8, 12] {
            let engine = FaultyEngine(try engineCase.open())
            let store = try Store(engine: engine, options: Self.options)
            defer { store.close() }
            try store.setSchema(Self.classes(.int))
            try fill(store, 22)
            let before = try store.contents().objects
            engine.failCommit(engine.commitCount + failing, with: .diskFull)
            do throws(StoreError) {
                try store.setSchema(Self.classes(.string))
                #expect(failing > 5)
            } catch {
                #expect(try store.contents().objects == before)
                #expect(try store.findings() == [], "commit \(failing)")
                try put(store, 1, .value(.int(1)))
                try store.setSchema(Self.classes(.string))
            }
            // A clean-up that failed goes on with the next write.
            for count in 0..<1000 where store.migrationProgress != nil {
                // The commit that is to fail may be that of the write.
                do throws(StoreError) {
                    try put(store, 2, .value(.string("\(count)")))
                } catch {
                    guard case .storage = error else { throw error }
                }
            }
            #expect(store.migrationProgress == nil, "commit \(failing)")
            #expect(try store.findings() == [], "commit \(failing)")
        }
    }

    @Test("a clean-up that fails is told once, and again when it fails behind one that succeeded")
    func failingCleanup() throws {
        let engine = FaultyEngine(try EngineCase.memory.open())
        let store = try Store(engine: engine, options: Self.options)
        defer { store.close() }
        let other = ObjectClass(
            name: "Other", properties: [Property(name: "n", type: .single(.scalar(.int)))])
        let told = Told()
        store.observeFailures { error in told.errors.withLock { $0.append(error) } }
        for round in 1...2 {
            try store.setSchema(Self.classes(.int) + [other])
            try fill(store, 22)
            try engine.failReads(
                FaultyEngine.ReadFault(tags: [StoreKey.Tag.row], after: 0, isLasting: true))
            try store.setSchema([other], allowsDataLoss: true)
            // Each write has it tried again.
            for number in 1...3 { try store.put("Other", ["n": .value(.int(Int64(number)))]) }
            #expect(engine.endReadFault() > 1)
            #expect(told.errors.withLock { $0.map(\.code) } == Array(repeating: .io, count: round))
            for number in 1...100 where store.migrationProgress != nil {
                try store.put("Other", ["n": .value(.int(Int64(number)))])
            }
            #expect(store.migrationProgress == nil)
            #expect(try store.findings() == [])
        }
    }

    /// What a store has told of failures.
    private final class Told: Sendable {
        let errors = Mutex<[StorageError]>([])
    }

    @Test(
        "a store that is closed in the middle is opened as it was, and cleans up",
        arguments: EngineCase.all)
    func interrupted(engineCase: EngineCase) throws {
        for count in [1, 2, 4, 7] {
            let engine = LastingEngine(try engineCase.open())
            var store = try Store(engine: engine, options: Self.options)
            try store.setSchema(Self.classes(.int))
            try fill(store, 30)
            let before = try store.contents().objects
            let change = AwaitedSchemaWrite { _ in
                SchemaProposal(
                    Schema(classes: Self.classes(.string, indexed: false, key: "text")))
            }
            let gate = WriterGate()
            store.submit(gate)
            gate.waitUntilReached()
            store.submit(change)
            // Between two slices comes a group of writes: as many slices are made.
            let writes = (0..<count).map { _ in AwaitedWrite { _ in } }
            store.submit(writes[0])
            gate.open()
            _ = try writes[0].wait()
            for write in writes.dropFirst() {
                store.submit(write)
                _ = try write.wait()
            }
            store.close()
            store = try Store(engine: engine, options: Self.options)
            defer { store.close() }
            if (try? change.wait()) == nil {
                #expect(try store.contents().objects == before)
            }
            #expect(try store.findings() == [])
            try store.awaitCleanUp()
            #expect(try store.findings() == [])
            try put(
                store, 1, store.catalog.schema.revision > 1 ? .value(.string("1")) : .value(.int(1))
            )
        }
    }
}
