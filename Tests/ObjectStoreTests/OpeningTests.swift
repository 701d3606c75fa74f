import HoldfastBytes
import HoldfastObjectModel
@testable import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastStorage
import Testing
import HoldfastTestSupport

@Suite("Opening a store")
struct OpeningTests {
    private func code(_ engine: any StorageEngine) -> StorageError.Code? {
        do throws(StoreError) {
            try Store(engine: engine).close()
            return nil
        } catch {
            guard case .storage(let error) = error else { return nil }
            return error.code
        }
    }

    private func contents(_ engine: any StorageEngine) throws -> [[UInt8]: [UInt8]] {
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        return try snapshot.contents()
    }

    @Test(
        "an engine that holds something else, or an unknown format, is refused and left as it was",
        arguments: EngineCase.all)
    func foreign(engineCase: EngineCase) throws {
        let foreign: [[[UInt8]: [UInt8]]] = [
            [[9]: [1]],
            [StoreKey.format: StoreFormat.encode(StoreFormat.current + 1)],
            [StoreKey.format: StoreFormat.encode(0)],
            [StoreKey.format: StoreFormat.encode(StoreFormat.readable.lowerBound - 1)],
            [StoreKey.format: Array("HFST".utf8)],
            [StoreKey.format: Array("LEVL\u{1}\0\0\0".utf8)],
        ]
        for entries in foreign {
            let engine = LastingEngine(try engineCase.open())
            try OwnedBatch(entries).commit(to: engine)
            #expect(code(engine) == .format)
            #expect(try contents(engine) == entries)
        }
    }

    @Test(
        "a store without a readable state or schema is damaged, whichever byte is wrong",
        arguments: EngineCase.all)
    func damaged(engineCase: EngineCase) throws {
        let engine = LastingEngine(try engineCase.open())
        let store = try Store(engine: engine)
        try store.setSchema(Shelter.classes)
        try store.put("Person", Shelter.person("a"))
        store.close()
        let sound = try contents(engine)
        let state = try #require(sound[StoreKey.state])
        let catalog = try #require(sound[StoreKey.catalog])
        var bad: [(key: [UInt8], value: [UInt8]?)] = [
            (StoreKey.state, nil), (StoreKey.state, []), (StoreKey.state, state + [0]),
            (StoreKey.state, Array(repeating: 0xFF, count: 32)), (StoreKey.catalog, nil),
            (StoreKey.catalog, catalog + [0]),
        ]
        for count in stride(from: 0, to: catalog.count, by: 7) {
            bad.append((StoreKey.catalog, Array(catalog[..<count])))
        }
        for (key, value) in bad {
            var batch = OwnedBatch()
            batch.changes[key] = .some(value)
            try batch.commit(to: engine)
            #expect(code(engine) == .corrupted)
            try OwnedBatch(sound).commit(to: engine)
        }
        #expect(code(engine) == nil)
    }

    @Test("a store takes a new epoch when it is told to, and when its engine may lack commits")
    func newEpoch() throws {
        let engine = FaultyEngine(LastingEngine(try EngineCase.memory.open()))
        var store = try Store(engine: engine)
        try store.setSchema(Shelter.classes)
        try store.put("Person", Shelter.person("a"))
        let first = store.version
        store.close()

        engine.lackCommits()
        // What is not committed is not noted.
        engine.failCommit(engine.commitCount + 1, with: .io)
        #expect(code(engine) == .io)
        #expect(engine.mayLackCommits)
        store = try Store(engine: engine)
        let second = store.version
        #expect(second.epoch != first.epoch && second.number == first.number)
        #expect(try StoreCheck.run(store).findingCount == 0)
        #expect(!engine.mayLackCommits)
        store.close()

        store = try Store(engine: engine)
        #expect(store.version == second)
        store.close()
        var options = StoreOptions()
        options.takesNewEpoch = true
        store = try Store(engine: engine, options: options)
        #expect(store.version.epoch != second.epoch && store.version.number == second.number)
        try store.put("Person", Shelter.person("b"))
        store.close()
    }

    @Test("no random change of the stored schema crashes opening, reading or checking")
    func mutatedCatalog() throws {
        let seed = SeededGenerator.testSeed("mutated catalogs")
        var random = SeededGenerator(seed: seed)
        let engine = LastingEngine(try EngineCase.memory.open())
        let store = try Store(engine: engine)
        var schemas = RandomSchema()
        try store.setSchema(Shelter.classes + schemas.make(&random))
        try store.put(
            "Person", Shelter.person("a", ["home": .embedded(["street": .value(.string("s"))])]))
        store.close()
        let catalog = try #require(try contents(engine)[StoreKey.catalog])
        var openedCount = 0
        for _ in 0..<SeededGenerator.scaled(2000) {
            var bytes = catalog
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: bytes.indices, using: &random)
                bytes[place] =
                    Bool.random(using: &random)
                    ? UInt8(truncatingIfNeeded: random.next()) : bytes[place] ^ 1
            }
            guard let read = bytes.withUnsafeBytes({ Catalog($0) }) else { continue }
            openedCount += 1
            // What is accepted can be written again.
            let buffer = ByteBuffer()
            read.append(to: buffer)
            #expect(Catalog(buffer.bytes)?.schema == read.schema)
            try OwnedBatch([StoreKey.catalog: bytes]).commit(to: engine)
            let store = try Store(engine: engine)
            _ = try? store.contents()
            _ = try? store.findings()
            store.close()
        }
        #expect(openedCount > 0)
    }

    @Test("a schema is read back as it was stored, whatever is in it")
    func catalogCoding() throws {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("stored schemas"))
        for _ in 0..<SeededGenerator.scaled(50) {
            let engine = LastingEngine(try EngineCase.memory.open())
            let store = try Store(engine: engine)
            var schemas = RandomSchema()
            var classes = schemas.make(&random)
            try store.setSchema(classes)
            for _ in 0..<3 {
                schemas.extend(&classes, &random)
                try store.setSchema(classes)
            }
            store.close()
            let again = try Store(engine: engine)
            #expect(again.catalog.schema.classes == classes)
            #expect(again.catalog.schema.revision == store.catalog.schema.revision)
            for (old, new) in zip(store.catalog.rows.classes, again.catalog.rows.classes) {
                #expect(old.layouts == new.layouts && old.number == new.number)
                #expect(old.members.map(\.number) == new.members.map(\.number))
                #expect(old.linkingMembers == new.linkingMembers)
            }
            again.close()
        }
    }
}
