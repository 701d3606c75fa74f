import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastRows
import HoldfastTestSupport
import Testing

@Suite("Conditions behind one link")
struct SharedTargetTests {
    private static let classes = [
        ObjectClass(
            name: "City", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.int))),
                Property(name: "size", type: .single(.scalar(.int))),
                Property(name: "country", type: .single(.object("Country")), isOptional: true),
            ]),
        ObjectClass(
            name: "Country", primaryKey: "code",
            properties: [
                Property(name: "code", type: .single(.scalar(.string))),
                Property(
                    name: "cities",
                    type: .linkingObjects(className: "City", property: "country")),
            ]),
    ]

    /// Three countries of a hundred cities with sizes up to 99, 199 and 299, and a city of none.
    private static func world() throws -> Store {
        let store = try Store(engine: try EngineCase.memory.open())
        try store.setSchema(classes)
        for code in ["a", "b", "c"] {
            try store.put("Country", ["code": .value(.string(code))], mode: .create)
        }
        try store.run(
            (0...300).map { id in
                var content: ObjectContent = [
                    "id": .value(.int(Int64(id))), "size": .value(.int(Int64(id))),
                ]
                if id < 300 {
                    content["country"] = .link("Country", .string(["a", "b", "c"][id / 100]))
                }
                return .write("City", content, key: nil, .create)
            })
        return store
    }

    private static func predicate(_ filter: String, _ read: ReadTransaction) throws -> Predicate {
        try CompiledQuery.compile(text: filter, rootClass: 0, schema: read.rows).predicate
    }

    @Test(
        "are found out once for each target, and say what they say of each object",
        arguments: [
            ("country.cities.@max.size > 150", 200), ("country.cities.@max.size > 250", 100),
            ("country.cities.@count == 100", 300), ("country.cities.@count == 0", 1),
            ("country.cities.@avg.size == null", 1), ("ANY country.cities.size == 5", 100),
            ("NONE country.cities.size == 5", 201), ("ALL country.cities.size < 200", 201),
            ("SUBQUERY(country.cities, $c, $c.size > 190).@count > 9", 100),
            ("country.cities.@min.size + country.cities.@max.size == 299", 100),
            ("size > country.cities.@avg.size", 150), ("size == country.cities.@max.size", 3),
            ("size + 100 > country.cities.@sum.size / 100", 301),
            ("size * 2 > country.cities.@min.size * 3 + country.cities.@count", 49),
            ("country.@links.@count > 1 AND NOT country.cities.@sum.size < 20000", 100),
        ])
    func once(filter: String, count: Int) throws {
        let store = try Self.world()
        defer { store.close() }
        try store.reading { read in
            let query = ObjectQuery(
                classIndex: 0, predicate: try Self.predicate(filter, read))
            let execution = QueryExecution(query, plan: .scan(query), in: read)
            #expect(try execution.count() == count)
            // Each city, and for each condition and country that one and its cities twice.
            #expect(execution.statistics.rowsRead <= 301 + 2 * 3 * 202)
        }
    }

    @Test("are found out once for each target where objects are sorted by them")
    func sorted() throws {
        let store = try Self.world()
        defer { store.close() }
        try store.reading { read in
            let query = ObjectQuery(
                classIndex: 0, predicate: nil,
                sort: try SortKey.parse(
                    list: "-country.cities.@avg.size,country.cities.@count,-id", clause: "sort",
                    root: .objects(classIndex: 0), schema: read.rows))
            let execution = QueryExecution(query, plan: .scan(query), in: read)
            var keys: [UInt64] = []
            try execution.run(limit: 400) { key, _ in
                keys.append(key)
                return true
            }
            // Object keys begin with 1. Who has no country comes last.
            let expected = [200..<300, 100..<200, 0..<100].flatMap { $0.reversed().map { $0 + 1 } }
            #expect(keys == (expected + [301]).map(UInt64.init))
            #expect(execution.statistics.rowsRead <= 4 * 301 + 2 * 3 * 202)
        }
    }

    @Test("are found out anew in another snapshot")
    func snapshots() throws {
        let store = try Self.world()
        defer { store.close() }
        let before = try store.read()
        defer { before.close() }
        let matcher = try Self.predicate("country.cities.@max.size > 1000", before)
            .makeMatcher(before.rows)
        func count(_ read: ReadTransaction) throws -> Int {
            var count = 0
            try read.scan(read.rows.classes[0]) { key, row in
                if matcher.matches(row: row, key: key, source: read) { count += 1 }
                return true
            }
            return count
        }
        #expect(try count(before) == 0)
        try store.run([
            .write(
                "City", ["id": .value(.int(7)), "size": .value(.int(2000))], key: nil, .merge)
        ])
        let after = try store.read()
        defer { after.close() }
        #expect(try count(after) == 100)
        #expect(try count(before) == 0)
    }
}
