import HoldfastObjectModel
@testable import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRows
import HoldfastStorage
import Testing
import HoldfastTestSupport

@Suite("Unique values and rules for deletion in the store")
struct ConstraintTests {
    private static func scalar(_ name: String, _ type: ScalarType, isUnique: Bool = false)
        -> Property
    {
        Property(
            name: name, type: .single(.scalar(type)), isOptional: name != "id", isUnique: isUnique)
    }

    private static let user = ObjectClass(
        name: "User", primaryKey: "id",
        properties: [
            scalar("id", .int), scalar("mail", .string, isUnique: true), scalar("a", .string),
            scalar("b", .int),
        ], uniqueGroups: [["a", "b"]])

    private static func chain(_ rule: OnDelete) -> ObjectClass {
        ObjectClass(
            name: "Node", primaryKey: "id",
            properties: [
                scalar("id", .int),
                Property(
                    name: "next", type: .single(.object("Node")), isOptional: true, onDelete: rule),
            ])
    }

    private func open(_ engine: any StorageEngine, _ classes: ObjectClass...) throws -> Store {
        let store = try Store(engine: engine)
        try store.setSchema(classes)
        return store
    }

    @Test("a chain of 100,000 objects goes with its end, and one more is too many")
    func longChain() throws {
        let store = try open(
            try EngineCase.memory.open(valueByteCountMax: 64 << 20), Self.chain(.cascade))
        defer { store.close() }
        let count = 100_000
        for start in stride(from: 1, through: count + 1, by: 50_000) {
            let ids = start..<min(start + 50_000, count + 2)
            try store.run(
                ids.map { id in
                    .write(
                        "Node",
                        [
                            "id": .value(.int(Int64(id))),
                            "next": id == 1 ? .null : .link("Node", .int(Int64(id - 1))),
                        ], key: nil, .create)
                })
        }
        do {
            try store.delete("Node", .int(1))
            Issue.record("100,001 deletions are more than a transaction has")
        } catch {
            guard case .tooManyOperations(limit: count) = error else { throw error }
        }
        try store.delete("Node", .int(2))
        #expect(try store.contents().objects.keys.map(\.key) == [.int(1)])
        #expect(try store.findings() == [])
    }

    @Test("unique dates that nobody states are one, that of their transaction")
    func dates() throws {
        var note = Self.user
        note.properties[1] = Property(
            name: "mail", type: .single(.scalar(.date)), isUnique: true)
        let store = try open(try EngineCase.memory.open(), note)
        defer { store.close() }
        do {
            try store.run(
                [1, 2].map { .write("User", ["id": .value(.int($0))], key: nil, .create) })
            Issue.record("both have the time of the transaction")
        } catch {
            guard case .notUnique(let violations) = error else { throw error }
            #expect(violations.map(\.properties) == [["mail"]])
            #expect(violations.map(\.holder) == ["User 1"])
        }
        for id in [1, 2] as [Int64] { try store.put("User", ["id": .value(.int(id))]) }
        #expect(try store.contents().objects.count == 2)
        #expect(try store.findings() == [])
    }

    @Test("members of one commit group see each other's values", arguments: EngineCase.all)
    func group(engineCase: EngineCase) throws {
        let store = try open(try engineCase.open(), Self.user)
        defer { store.close() }
        let gate = WriterGate()
        store.submit(gate)
        gate.waitUntilReached()
        let writes = (1...4).map { id in
            let mail = id % 2 == 0 ? "even" : "odd"
            return AwaitedWrite { transaction throws(StoreError) in
                try ObjectScript.Operation.write(
                    "User", ["id": .value(.int(Int64(id))), "mail": .value(.string(mail))],
                    key: nil, .create
                ).run(transaction)
            }
        }
        for write in writes { store.submit(write) }
        gate.open()
        for (position, write) in writes.enumerated() {
            do throws(StoreError) {
                _ = try write.wait()
                #expect(position < 2)
            } catch {
                guard case .notUnique(let violations) = error else { throw error }
                #expect(violations.map(\.holder) == ["User \(position - 1)"])
                #expect(violations.map(\.properties) == [["mail"]])
            }
        }
        #expect(try store.contents().objects.count == 2)
        #expect(try store.findings() == [])
    }

    @Test(
        "a store that is opened again keeps unique groups, rules and what is required",
        arguments: EngineCase.all)
    func reopened(engineCase: EngineCase) throws {
        let classes = [Self.user, Self.chain(.deny), Self.chain(.cascade)].enumerated().map {
            var objectClass = $1
            objectClass.name += "\($0)"
            for position in objectClass.properties.indices {
                objectClass.properties[position].isRequired = position % 2 == 1
                if case .single(.object) = objectClass.properties[position].type {
                    objectClass.properties[position].type = .single(.object(objectClass.name))
                }
            }
            return objectClass
        }
        let store = try Store(engine: try engineCase.open())
        defer { store.close() }
        try store.setSchema(classes)
        let record = try #require(
            try store.reading { try $0.snapshot.bytes(forKey: StoreKey.catalog) })
        let read = try #require(record.withUnsafeBytes { Catalog($0) })
        #expect(read.schema.classes == classes)
        #expect(read.rows.classes[0].uniqueKeys.map(\.members) == [[1], [2, 3]])
        #expect(
            read.rows.classes[0].uniqueKeys.map(\.number)
                == store.catalog.rows.classes[0].uniqueKeys.map(\.number))
        for count in 0..<record.count {
            #expect(record[..<count].withUnsafeBytes { Catalog($0) } == nil)
        }
    }

    @Test("the check finds values that are shared, and entries of groups that are missing or wrong")
    func check() throws {
        let engine = try EngineCase.memory.open()
        let store = try open(engine, Self.user)
        defer { store.close() }
        func user(_ id: Int64, _ b: Int64) -> ObjectContent {
            [
                "id": .value(.int(id)), "mail": .value(.string("m\(id)")),
                "a": .value(.string("x")), "b": .value(.int(b)),
            ]
        }
        try store.put("User", user(1, 1))
        try store.put("User", user(2, 2))
        let group = try #require(store.catalog.rows.classes[0].uniqueKeys.last)
        let prefix = [StoreKey.Tag.index] + withUnsafeBytes(of: group.number.bigEndian, Array.init)
        let snapshot = try engine.snapshot()
        let entries = try snapshot.entries(KeyRange(prefix: prefix)).map(\.key)
        snapshot.close()
        #expect(entries.count == 2)
        func damage(_ changes: [[UInt8]: [UInt8]?]) throws -> Set<String> {
            var batch = OwnedBatch()
            for (key, value) in changes { batch.changes[key] = .some(value) }
            try batch.commit(to: engine)
            return Set(try StoreCheck.run(store).findings.map(\.code))
        }
        #expect(try damage([entries[0]: nil]) == ["index-entry-missing"])
        var shared = entries[1]
        shared[shared.count - 1] = entries[0][entries[0].count - 1]
        #expect(
            try damage([shared: []]) == [
                "index-entry-missing", "index-entry-wrong", "unique-value-shared",
            ])
        #expect(try damage([shared: nil, entries[0]: []]) == [])
        var other = entries[0]
        other[6] ^= 1
        #expect(try damage([other: []]) == ["index-entry-wrong"])
    }

    @Test("shared values are found in parts as in one go")
    func search() throws {
        var plain = Self.user
        plain.uniqueGroups = []
        plain.properties[1].isUnique = false
        let store = try open(try EngineCase.memory.open(), plain)
        defer { store.close() }
        for id in 0..<200 {
            let mail: Content = id % 10 == 0 ? .null : .value(.string("m\(id % 60)"))
            try store.put("User", ["id": .value(.int(Int64(id))), "mail": mail])
        }
        let change = try SchemaChange(
            from: store.catalog, to: SchemaProposal(Schema(classes: [Self.user])))
        let rowClass = change.catalog.rows.classes[0]
        try store.reading { transaction in
            for countMax in [1, 7, 64, 1 << 20] {
                var search = DuplicateSearch(
                    rowClass: rowClass, unique: rowClass.uniqueKeys[0],
                    snapshot: transaction.snapshot, source: transaction)
                search.entryCountMax = countMax
                let found = try #require(try search.run())
                #expect(found.objectCount == 180)
                #expect(found.examples.count == 3)
            }
        }
    }

    @Test(
        "lists and maps in a mixed property are unique by all that they hold",
        arguments: [false, true])
    func mixedElements(isGroup: Bool) throws {
        var free = ObjectClass(
            name: "Note", primaryKey: "id",
            properties: [
                Self.scalar("id", .int), Property(name: "m", type: .single(.scalar(.mixed))),
            ])
        var bound = free
        if isGroup { bound.uniqueGroups = [["m"]] } else { bound.properties[1].isUnique = true }
        let store = try open(try EngineCase.memory.open(), bound)
        defer { store.close() }
        func put(_ id: Int64, _ value: Value) throws -> Bool {
            do throws(StoreError) {
                try store.put("Note", ["id": .value(.int(id)), "m": .value(value)])
                return true
            } catch {
                guard case .notUnique = error else { throw error }
                return false
            }
        }
        let list: Value = .list([.int(1), .string("a")])
        #expect(try put(1, list))
        #expect(try put(2, .list([.int(1), .string("b")])))
        #expect(try put(3, .list([.int(1)])))
        #expect(try put(4, .list([])))
        #expect(try put(5, .map([])))
        #expect(try put(6, .map([Value.MapEntry("a", list)])))
        #expect(try put(7, .map([Value.MapEntry("b", list)])))
        #expect(try !put(8, .list([.double(1), .string("a")])))
        #expect(try !put(9, .map([Value.MapEntry("a", .list([.int(1), .string("a")]))])))
        #expect(try !put(2, list))
        #expect(try put(1, .list([.int(2)])) && put(8, list))
        #expect(try store.findings() == [])
        // The same, when what is there becomes unique.
        try store.setSchema([free])
        try store.setSchema([bound])
        #expect(try store.findings() == [])
        try store.setSchema([free])
        #expect(try put(9, list))
        #expect { try store.setSchema([bound]) } throws: { error in
            guard case .sharedValues(let faults)? = error as? StoreError else { return false }
            return faults.count == 1 && faults[0].detail.hasPrefix("2 objects share 'm'")
        }
        free.properties.append(Self.scalar("more", .int))
        try store.setSchema([free])
        #expect(try store.findings() == [])
    }

    @Test("random writes keep what is unique, as a plain model does", arguments: EngineCase.all)
    func random(engineCase: EngineCase) throws {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("unique values"))
        struct User: Equatable {
            var mail: String?
            var a: String?
            var b: Int64?
        }
        let store = try open(try engineCase.open(), Self.user)
        defer { store.close() }
        var model: [Int64: User] = [:]
        var refusedCount = 0
        for _ in 0..<SeededGenerator.scaled(600) {
            var next = model
            var operations: [ObjectScript.Operation] = []
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let id = Int64.random(in: 1...8, using: &random)
                if next[id] != nil, Int.random(in: 0..<5, using: &random) == 0 {
                    next[id] = nil
                    operations.append(.delete(Identity("User", .int(id))))
                    continue
                }
                func pick<Value>(_ values: [Value]) -> Value? {
                    Int.random(in: 0..<5, using: &random) == 0
                        ? nil : values.randomElement(using: &random)
                }
                let user = User(
                    mail: pick((0..<9).map { "m\($0)" }), a: pick(["x", "y"]),
                    b: pick([1, 2, 3, 4, 5, 6]))
                next[id] = user
                operations.append(
                    .write(
                        "User",
                        [
                            "id": .value(.int(id)),
                            "mail": user.mail.map { .value(.string($0)) } ?? .null,
                            "a": user.a.map { .value(.string($0)) } ?? .null,
                            "b": user.b.map { .value(.int($0)) } ?? .null,
                        ], key: nil, .replace))
            }
            let mails = next.values.compactMap(\.mail)
            let pairs = next.values.compactMap { user in
                user.a.flatMap { a in user.b.map { "\(a) \($0)" } }
            }
            let isUnique = Set(mails).count == mails.count && Set(pairs).count == pairs.count
            do throws(StoreError) {
                try store.run(operations)
                #expect(isUnique)
                model = next
            } catch {
                guard case .notUnique = error else { throw error }
                #expect(!isUnique)
                refusedCount += 1
            }
        }
        #expect(refusedCount > 10)
        #expect(try store.contents().objects.count == model.count)
        #expect(try store.findings() == [])
    }
}
