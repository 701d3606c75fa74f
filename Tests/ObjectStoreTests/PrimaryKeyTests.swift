import HoldfastBytes
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRows
import Testing
import HoldfastTestSupport

@Suite("Primary keys")
struct PrimaryKeyTests {
    static let keys: [(ScalarType, [Value])] = [
        (.int, [.int(0), .int(-1), .int(.min), .int(.max)]),
        (
            .string,
            [
                .string(""), .string("\0"), .string("\0\0"), .string("a"), .string("a\0"),
                .string(String(repeating: "k", count: 400)),
                .string(String(repeating: "k", count: 401)),
                .string(String(repeating: "k", count: 5000)),
                .string(String(repeating: "k", count: 5000) + "1"),
            ]
        ),
        (
            .objectID,
            [.objectID(ObjectID(high: 0, low: 0)), .objectID(ObjectID(high: .max, low: 1))]
        ),
        (.uuid, [.uuid(UUID128(high: 0, low: 0)), .uuid(UUID128(high: 1, low: .max))]),
    ]

    @Test(
        "an object is found by a key of each type, also null and long strings, and by no other",
        arguments: EngineCase.all)
    func everyType(engineCase: EngineCase) throws {
        for (type, keys) in Self.keys {
            let store = try Store(engine: try engineCase.open())
            defer { store.close() }
            try store.setSchema([
                ObjectClass(
                    name: "K", primaryKey: "id",
                    properties: [
                        Property(name: "id", type: .single(.scalar(type)), isOptional: true),
                        Property(name: "n", type: .single(.scalar(.int))),
                    ])
            ])
            let all = keys + [.null]
            for (number, key) in all.enumerated() {
                try store.put(
                    "K", ["id": .value(key), "n": .value(.int(Int64(number)))], mode: .create)
            }
            #expect(throws: StoreError.self) {
                try store.put("K", ["id": .null], mode: .create)
            }
            try store.reading { transaction in
                let rowClass = transaction.rows.classes[0]
                #expect(try transaction.count(rowClass) == all.count)
                for (number, key) in all.enumerated() {
                    let encoded = try #require(OrderedKey(key)).bytes
                    let found = try encoded.withUnsafeBytes {
                        try transaction.find(rowClass, primaryKey: $0)
                    }
                    let row = try #require(found?.row)
                    #expect(rowClass.field(1, in: row).load(Int64.self) == Int64(number))
                }
            }
            for key in all.dropLast(1) { try store.delete("K", key) }
            #expect(try store.contents().objects.keys.map(\.key) == [.null])
            #expect(try store.findings() == [])
        }
    }

    @Test(
        "strings that Swift takes for equal, but whose bytes differ, are different keys",
        arguments: EngineCase.all)
    func canonicalEquivalence(engineCase: EngineCase) throws {
        let store = try Shelter.open(engineCase)
        defer { store.close() }
        try store.put("Person", Shelter.person("\u{E9}"), mode: .create)
        try store.put("Person", Shelter.person("e\u{301}"), mode: .create)
        let count = try store.reading { try $0.count($0.rows.classes[0]) }
        #expect(count == 2)
    }

    @Test(
        "an object key is never used again, not even for an object with the same primary key",
        arguments: EngineCase.all)
    func keysAreNotReused(engineCase: EngineCase) throws {
        let engine = LastingEngine(try engineCase.open())
        var store = try Store(engine: engine)
        try store.setSchema(Shelter.classes)
        var seen: Set<UInt64> = []
        for _ in 0..<3 {
            try store.put("Person", Shelter.person("a"), mode: .create)
            let key = try #require(
                try store.contents().objects[Identity("Person", .string("a"))]?.key)
            #expect(seen.insert(key).inserted)
            try store.delete("Person", .string("a"))
            store.close()
            store = try Store(engine: engine)
        }
        store.close()
    }

    @Test(
        "a load of rising keys meets those that were there before, wherever they stand",
        arguments: EngineCase.all)
    func risingKeys(engineCase: EngineCase) throws {
        let store = try Shelter.open(engineCase)
        defer { store.close() }
        func id(_ number: Int) -> String { String(100 + number) }
        let present = [20, 21, 60, 99]
        try store.run(
            present.map { .write("Person", Shelter.person(id($0)), key: nil, .create) })
        let before = try store.contents().objects.mapValues(\.key)
        try store.run(
            (0..<100).map {
                let age: ObjectContent = ["age": .value(.int(Int64($0)))]
                return .write("Person", Shelter.person(id($0), age), key: nil, .merge)
            })
        let after = try store.contents().objects.mapValues(\.key)
        #expect(after.count == 100)
        for (identity, key) in before { #expect(after[identity] == key) }
        #expect(throws: StoreError.self) {
            try store.run(
                (100..<150).map { .write("Person", Shelter.person(id($0)), key: nil, .create) }
                    + [.write("Person", Shelter.person(id(120)), key: nil, .create)])
        }
        #expect(try store.contents().objects.count == 100)
        #expect(try store.findings() == [])
    }
}
