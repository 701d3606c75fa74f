import HoldfastBytes
import HoldfastObjectModel
@testable import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRows
import HoldfastStorage
import Testing
import HoldfastTestSupport

@Suite("The store check")
struct StoreCheckTests {
    /// A store with one of everything, and its engine to plant damage in.
    private func open(_ engineCase: EngineCase) throws -> (any StorageEngine, Store) {
        let engine = try engineCase.open()
        let store = try Store(engine: engine)
        try store.setSchema(Shelter.withMaps)
        let city = Content.link("City", .int(1))
        try store.put("City", ["id": .value(.int(1)), "name": .value(.string("Ulm"))])
        try store.put("Dog", ["name": .value(.string("Rex"))], mode: .create)
        try store.put(
            "Person",
            Shelter.person(
                "ann",
                [
                    "name": .value(.string("Ann")), "age": .value(.int(40)),
                    "home": .embedded(["city": city]), "best": .link("Dog", .int(1)),
                    "friends": .values([Identity("Person", .string("ann")).link]),
                    "tags": .values([.string("x"), .null]),
                    "scores": .values([.double(1), .double(2)]),
                    "marks": .entries(["a": .value(.double(1)), "b": .null]),
                ]))
        try store.put("Person", Shelter.person("bob"))
        try store.delete("Person", .string("bob"))
        #expect(try store.findings() == [])
        return (engine, store)
    }

    private func key(_ write: (ByteBuffer) -> Void) -> [UInt8] {
        let buffer = ByteBuffer()
        write(buffer)
        return buffer.array
    }

    private func entries(_ engine: any StorageEngine, _ prefix: [UInt8]) throws -> [(
        key: [UInt8], value: [UInt8]
    )] {
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        return try snapshot.entries(KeyRange(prefix: prefix))
    }

    /// Plants damage, expects exactly these kinds of finding, and takes it back.
    private func expect(
        _ codes: Set<String>, in store: Store, _ engine: any StorageEngine,
        _ damage: [[UInt8]: [UInt8]?],
        _ sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        var batch = OwnedBatch()
        var back = OwnedBatch()
        let snapshot = try engine.snapshot()
        for (key, value) in damage {
            batch.changes[key] = .some(value)
            back.changes[key] = .some(try snapshot.bytes(forKey: key))
        }
        snapshot.close()
        try batch.commit(to: engine)
        let found = Set(try StoreCheck.run(store).findings.map(\.code))
        #expect(found == codes, sourceLocation: sourceLocation)
        try back.commit(to: engine)
        #expect(try store.findings() == [], sourceLocation: sourceLocation)
    }

    @Test("missing, extra and wrong index entries are found", arguments: EngineCase.all)
    func indexes(engineCase: EngineCase) throws {
        let (engine, store) = try open(engineCase)
        defer { store.close() }
        let people = store.catalog.rows.classes[0]
        let age = people.members[2].number
        func entry(_ number: UInt32, _ value: Value, _ object: UInt64) -> [UInt8] {
            key {
                StoreKey.appendIndexPrefix(number, to: $0)
                OrderedKey.append(value, to: $0)
                $0.append(big: object)
            }
        }
        let right = entry(age, .int(40), 1)
        #expect(try entries(engine, right).count == 1)
        try expect(["index-entry-missing"], in: store, engine, [right: nil])
        try expect(["index-entry-wrong"], in: store, engine, [entry(age, .int(41), 1): []])
        try expect(
            ["index-entry-missing", "index-entry-wrong"], in: store, engine,
            [right: nil, entry(age, .null, 1): []])
        try expect(["index-entry-without-row"], in: store, engine, [entry(age, .int(40), 2): []])
        try expect(["index-unknown"], in: store, engine, [entry(900, .int(40), 1): []])
        let home = people.members[3].number
        try expect(["index-unknown"], in: store, engine, [entry(home, .int(40), 1): []])
        try expect(["index-entry-damaged"], in: store, engine, [[StoreKey.Tag.index, 0]: []])
    }

    @Test(
        "missing, extra and wrong inverse links, and links to nothing, are found",
        arguments: EngineCase.all)
    func links(engineCase: EngineCase) throws {
        let (engine, store) = try open(engineCase)
        defer { store.close() }
        let inverse = try entries(engine, [StoreKey.Tag.inverseLink])
        #expect(inverse.count == 3)
        for (key, value) in inverse {
            try expect(["inverse-link-missing"], in: store, engine, [key: nil])
            try expect(
                ["inverse-link-missing", "inverse-link-wrong"], in: store, engine,
                [key: [value[0] + 1, 0, 0, 0]])
            var other = key
            other[other.count - 1] = 7
            try expect(["inverse-link-without-origin"], in: store, engine, [other: value])
            var noClass = key
            noClass[17] = 9
            try expect(["inverse-link-damaged"], in: store, engine, [noClass: value])
            var target = key
            target[12] = 99
            try expect(["inverse-link-wrong"], in: store, engine, [target: value])
        }
        // The dog goes without the links to it.
        let rows = store.catalog.rows
        let dog = key { StoreKey.appendRow(rows.classes[1], 1, to: $0) }
        try expect(
            ["link-dangling", "object-count-wrong", "row-missing"], in: store, engine, [dog: nil])
    }

    @Test(
        "primary keys that are missing or lead to the wrong row are found",
        arguments: EngineCase.all)
    func primaryKeys(engineCase: EngineCase) throws {
        let (engine, store) = try open(engineCase)
        defer { store.close() }
        let people = store.catalog.rows.classes[0]
        func mapKey(_ id: String) -> [UInt8] {
            key {
                StoreKey.appendPrimaryKeyPrefix(people, to: $0)
                OrderedKey.append(.string(id), to: $0)
            }
        }
        try expect(["primary-key-missing"], in: store, engine, [mapKey("ann"): nil])
        try expect(
            ["primary-key-missing", "primary-key-without-row"], in: store, engine,
            [mapKey("ann"): [0, 0, 0, 0, 0, 0, 0, 9]])
        try expect(
            ["primary-key-wrong"], in: store, engine, [mapKey("eve"): [0, 0, 0, 0, 0, 0, 0, 1]])
        try expect(
            ["primary-key-missing", "primary-key-damaged"], in: store, engine, [mapKey("ann"): [1]])
    }

    @Test("wrong counters and keys of no class are found", arguments: EngineCase.all)
    func counters(engineCase: EngineCase) throws {
        let (engine, store) = try open(engineCase)
        defer { store.close() }
        let number = store.catalog.rows.classes[0].number
        let stateKey = key { StoreKey.appendClassState(number, to: $0) }
        func state(_ next: UInt64, _ count: UInt64) -> [UInt8] {
            key {
                $0.append(little: next)
                $0.append(little: count)
            }
        }
        try expect(["object-count-wrong"], in: store, engine, [stateKey: state(3, 2)])
        try expect(["class-state-damaged"], in: store, engine, [stateKey: [1, 2, 3]])
        try expect(["class-state-damaged"], in: store, engine, [stateKey: state(.max, 1)])
        try expect(
            ["object-count-wrong", "object-key-reusable"], in: store, engine, [stateKey: nil])
        for unknown: [UInt8] in [
            [0], [0, 1], [0, 0xFF], [1, 0, 0, 0, 99], stateKey + [0], [7, 0, 0, 0, 99, 1], [8],
            [255],
            key { StoreKey.appendRow(store.catalog.rows.classes[2], 1, to: $0) },
            key { StoreKey.appendPrimaryKeyPrefix(store.catalog.rows.classes[1], to: $0) }
                + [1],
        ] {
            try expect(["entry-unknown"], in: store, engine, [unknown: [1]])
        }
    }

    @Test(
        "an access document and accounts are known, and damage of them is found",
        arguments: EngineCase.all)
    func accounts(engineCase: EngineCase) throws {
        let (engine, store) = try open(engineCase)
        defer { store.close() }
        let account = AccountRecord(id: .random(), login: "Ann", passwordHash: "x", seconds: 1)
        let hash = [UInt8](repeating: 7, count: 32)
        try store.write { transaction throws(StoreError) in
            transaction.putAccessDocument(StoredDocument(revision: 1, text: "{}"))
            transaction.putAccount(account)
            transaction.putSession(
                SessionRecord(account: account.id, hash: hash, seconds: 1, used: 1))
        }
        #expect(try store.findings() == [])
        let id = key { StoreKey.appendAccount(account.id, to: $0) }
        let login = key { StoreKey.appendLogin("ann", to: $0) }
        let session = key { StoreKey.appendSession(hash, of: account.id, to: $0) }
        let other = key { StoreKey.appendLogin("eve", to: $0) }
        let value = key { StoreKey.append(account.id, to: $0) }
        try expect(["access-document-damaged"], in: store, engine, [StoreKey.accessDocument: [1]])
        try expect(
            ["account-damaged", "login-without-account", "session-without-account"], in: store,
            engine, [id: [1]])
        try expect(["account-without-login"], in: store, engine, [login: nil])
        try expect(["login-without-account"], in: store, engine, [other: value])
        try expect(["session-damaged"], in: store, engine, [session: [1]])
        try expect(["session-damaged"], in: store, engine, [session + [1]: [1]])
        try expect(["user-damaged"], in: store, engine, [StoreKey.userPrefix + [65]: [1]])
    }

    @Test("gaps, damage and lies of the change log are found", arguments: EngineCase.all)
    func changeLog(engineCase: EngineCase) throws {
        let (engine, store) = try open(engineCase)
        defer { store.close() }
        func logKey(_ version: UInt64) -> [UInt8] {
            key { StoreKey.appendChangeLog(version, to: $0) }
        }
        let log = try entries(engine, [StoreKey.Tag.changeLog])
        let last = store.version.number
        #expect(log.count == Int(last))
        try expect(
            ["change-log-gap", "change-log-size-wrong", "change-log-incomplete"], in: store, engine,
            [logKey(2): nil])
        try expect(
            ["change-log-gap", "change-log-size-wrong", "row-missing"], in: store, engine,
            [logKey(last): nil])
        try expect(
            ["change-log-gap", "change-log-size-wrong"], in: store, engine,
            [logKey(last + 1): log[0].value])
        try expect(
            ["change-log-damaged", "change-log-incomplete"], in: store, engine,
            [logKey(2): Array(repeating: 0xFF, count: log[1].value.count)])
        // The deletion never happened: the row that it names is not there, nor its insertion undone.
        var entry = try #require(log[Int(last) - 1].value.withUnsafeBytes { ChangeLogEntry($0) })
        entry.changes[0].kind = .update
        let buffer = ByteBuffer()
        entry.append(to: buffer)
        try expect(
            ["row-missing", "change-log-size-wrong"], in: store, engine,
            [logKey(last): buffer.array])
    }

    @Test(
        "a row that is damaged, from another version or of another layout is found",
        arguments: EngineCase.all)
    func rows(engineCase: EngineCase) throws {
        let (engine, store) = try open(engineCase)
        defer { store.close() }
        let people = store.catalog.rows.classes[0]
        let rowKey = key { StoreKey.appendRow(people, 1, to: $0) }
        let row = try #require(try entries(engine, rowKey).first?.value)
        func changed(_ offset: Int, _ bytes: [UInt8]) -> [UInt8] {
            var copy = row
            copy.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
            return copy
        }
        func offset(_ name: String) -> Int {
            guard let member = people.names.position(of: name) else { return -1 }
            let number = people.members[member].number
            return people.layout.slots.first { $0.propertyNumber == number }?.offset ?? -1
        }
        func heap(_ name: String) -> Int {
            row.withUnsafeBytes {
                Int($0.loadUnaligned(fromByteOffset: offset(name), as: UInt32.self))
            }
        }
        let damaged: [(String, [UInt8])] = [
            ("empty", []), ("short", Array(row.dropLast())), ("long", row + [0]),
            ("header alone", [1, 0, 0, 0, 16, 0, 0, 0] + Array(row[8..<16])),
            ("layout", changed(0, [9])), ("layout 0", changed(0, [0])),
            ("string outside", changed(offset("name") + 4, [0xFF, 0xFF])),
            ("string in the header", changed(offset("name"), [1, 0, 0, 0])),
            ("text", changed(heap("name"), [0xFF])),
            ("collection count", changed(heap("tags"), [0xFF])),
            ("set order", changed(heap("scores") + 8 + 7, [0x41])),
            // Behind the byte count of the keys: their count, flags and two ends.
            ("map order", changed(heap("marks") + 20, [0x63])),
            ("map key", changed(heap("marks") + 20, [0x2E])),
            ("map key text", changed(heap("marks") + 20, [0xFF])),
            ("map key count", changed(heap("marks") + 4, [3])),
            ("map key length", changed(heap("marks"), [0xFF])),
            ("map value count", changed(heap("marks") + 22, [9])),
            ("embedded layout", changed(heap("home"), [7])),
            ("embedded length", changed(heap("home") + 4, [1])),
            ("null list", changed(16, [row[16] | 1 << 4])),
        ]
        for (what, bytes) in damaged {
            var batch = OwnedBatch()
            batch.changes[rowKey] = .some(bytes)
            try batch.commit(to: engine)
            let codes = Set(try StoreCheck.run(store).findings.map(\.code))
            #expect(codes.contains("row-damaged"), "\(what)")
            #expect(
                codes.isSubset(of: [
                    "row-damaged", "index-entry-wrong", "inverse-link-wrong",
                ]), "\(what): \(codes)")
            // Reading it is an error or gives something; it does not crash.
            _ = try? store.contents()
            _ = try? store.put(
                "Person", Shelter.person("ann", ["age": .value(.int(41))]), mode: .ignore)
            try OwnedBatch([rowKey: row]).commit(to: engine)
        }
        #expect(try store.findings() == [])
        try expect(
            ["row-from-the-future", "row-version-wrong"], in: store, engine,
            [rowKey: changed(8, [99])])
        try expect(["row-version-wrong"], in: store, engine, [rowKey: changed(8, [2])])
        let ghost = key { StoreKey.appendRow(people, 2, to: $0) }
        try expect(
            [
                "deleted-row-present", "object-count-wrong", "index-entry-missing",
                "inverse-link-missing",
                "primary-key-missing",
            ],
            in: store, engine, [ghost: row])
        try expect(["row-key-malformed"], in: store, engine, [rowKey + [0]: row])
    }

    @Test("no random damage crashes reading, writing or checking", arguments: EngineCase.all)
    func randomDamage(engineCase: EngineCase) throws {
        let seed = SeededGenerator.testSeed("random damage on \(engineCase)")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<SeededGenerator.scaled(60) {
            let (engine, store) = try open(engineCase)
            let sound = try entries(engine, [])
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                var (key, value) = sound[Int.random(in: sound.indices, using: &random)]
                let isKey = Int.random(in: 0..<4, using: &random) == 0
                let count = isKey ? key.count : value.count
                guard count > 0 else { continue }
                let place = Int.random(in: 0..<count, using: &random)
                var batch = OwnedBatch()
                if isKey {
                    batch.changes[key] = .some(nil)
                    key[place] = UInt8(truncatingIfNeeded: random.next())
                } else if Bool.random(using: &random) {
                    value[place] = UInt8(truncatingIfNeeded: random.next())
                } else {
                    value.removeSubrange(place...)
                }
                batch.changes[key] = .some(value)
                try batch.commit(to: engine)
            }
            _ = try? store.findings()
            _ = try? store.contents()
            _ = try? store.changes(after: 0)
            _ = try? store.put("Person", Shelter.person("ann", ["age": .value(.int(1))]))
            _ = try? store.put("City", ["id": .value(.int(2))])
            _ = try? store.delete("Dog", .int(1))
            _ = try? store.delete("Person", .string("ann"))
            _ = try? store.findings()
            store.close()
        }
    }
}
