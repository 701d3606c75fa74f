import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastRows
import HoldfastTestSupport
import Testing

@Suite("Column store")
struct ColumnStoreTests {
    private static let thing = ObjectClass(
        name: "Thing", primaryKey: "id",
        properties: [
            Property(name: "id", type: .single(.scalar(.int))),
            Property(name: "name", type: .single(.scalar(.string)), isOptional: true),
            Property(name: "born", type: .single(.scalar(.date)), isOptional: true),
            Property(name: "tags", type: .list(.scalar(.int))),
        ])

    private static func open(_ options: StoreOptions, count: Int64 = 300) throws -> Store {
        let store = try Shelter.open(.memory, options: options, classes: [thing])
        try write(
            store, (0..<count).map { ["id": .value(.int($0)), "name": .value(.string("a"))] })
        return store
    }

    private static func write(_ store: Store, _ drafts: [ObjectContent]) throws {
        try store.write { transaction throws(StoreError) in
            for draft in drafts {
                try ObjectScript.Operation.write("Thing", draft, key: nil, .merge).run(transaction)
            }
        }
    }

    private static func count(
        _ filter: String, _ read: ReadTransaction, limits: QueryLimits = QueryLimits()
    ) throws -> Int {
        let rowClass = try #require(read.rows.rowClass(named: "Thing"))
        let compiled = try CompiledQuery.compile(
            text: filter, rootClass: rowClass.index, schema: read.rows)
        return try QueryExecution(
            ObjectQuery(classIndex: rowClass.index, predicate: compiled.predicate), in: read,
            limits: limits
        ).count()
    }

    private static func count(_ filter: String, _ store: Store) throws -> Int {
        try store.reading { try count(filter, $0) }
    }

    @Test(
        "a regular expression that runs wild beside columns ends the query, as it does without them"
    )
    func wildPattern() throws {
        let store = try Self.open(ColumnTests.eager())
        defer { store.close() }
        let evil = String(repeating: "a", count: 60)
        try Self.write(store, [["id": .value(.int(7)), "name": .value(.string(evil))]])
        let filter = "born == null AND name MATCHES '(a+)+b'"
        func isPattern(_ error: any Error) -> Bool {
            if case StoreError.stopped(.pattern) = error { true } else { false }
        }
        #expect(performing: { try Self.count(filter, store) }, throws: isPattern)
        try store.reading { read in
            let rowClass = try #require(read.rows.rowClass(named: "Thing"))
            let compiled = try CompiledQuery.compile(
                text: filter, rootClass: rowClass.index, schema: read.rows)
            for sort in ["", "-id"] {
                let query = ObjectQuery(
                    classIndex: rowClass.index, predicate: compiled.predicate,
                    sort: sort.isEmpty
                        ? []
                        : try SortKey.parse(
                            list: sort, clause: "sort", root: .objects(classIndex: rowClass.index),
                            schema: read.rows
                        ))
                let execution = QueryExecution(query, plan: .scan(query), in: read)
                #expect(
                    performing: { try execution.run(limit: 10) { _, _ in true } }, throws: isPattern
                )
            }
        }
    }

    @Test("a sort by columns goes on behind what a plan that was given up has handed over")
    func sortAfterFallback() throws {
        let store = try Self.open(ColumnTests.eager())
        defer { store.close() }
        try store.reading { read in
            let rowClass = try #require(read.rows.rowClass(named: "Thing"))
            let compiled = try CompiledQuery.compile(
                text: "name == 'a'", rootClass: rowClass.index, schema: read.rows)
            let query = ObjectQuery(
                classIndex: rowClass.index, predicate: compiled.predicate,
                sort: try SortKey.parse(
                    list: "id", clause: "sort", root: .objects(classIndex: rowClass.index),
                    schema: read.rows))
            var walk = Plan.scan(query)
            walk.source = .index(
                member: try #require(rowClass.primaryKeyIndex), ranges: [.all])
            walk.order = .natural(reversed: false)
            walk.fallback = .after(cost: 10 * QueryCost.anyRow, .scan(query))
            let execution = QueryExecution(query, plan: walk, in: read)
            var keys: [UInt64] = []
            try execution.run(limit: 50) { key, _ in
                keys.append(key)
                return true
            }
            #expect(execution.followed.count == 2)
            #expect(keys == Array(1...50))
        }
    }

    @Test("the second scan builds columns, and the first does not")
    func second() throws {
        let store = try Self.open(StoreOptions())
        defer { store.close() }
        #expect(try Self.count("name == 'a'", store) == 300)
        #expect(store.columns.byteCount == 0)
        #expect(try Self.count("name == 'a'", store) == 300)
        #expect(store.columns.byteCount > 0)
        #expect(try Self.count("name != 'a'", store) == 0)
    }

    @Test("no memory for columns means none, and small classes have none")
    func none() throws {
        for options in [
            ColumnTests.eager { $0.byteCountMax = 0 },
            ColumnTests.eager { $0.objectCountMin = 301 },
        ] {
            let store = try Self.open(options)
            defer { store.close() }
            for _ in 0..<3 { #expect(try Self.count("name == 'a'", store) == 300) }
            #expect(store.columns.byteCount == 0)
        }
        let store = try Self.open(ColumnTests.eager { $0.objectCountMin = 300 })
        defer { store.close() }
        #expect(try Self.count("name == 'a'", store) == 300)
        #expect(store.columns.byteCount > 0)
    }

    @Test("columns stay within their memory, and what does not fit is read from rows")
    func memory() throws {
        // Which objects there are and one int fit, and no more.
        let byteCountMax = 30_000
        let store = try Self.open(ColumnTests.eager { $0.byteCountMax = byteCountMax })
        defer { store.close() }
        for _ in 0..<3 {
            #expect(try Self.count("id >= 100 AND id < 200", store) == 100)
            #expect(try Self.count("name == 'a'", store) == 300)
            #expect(store.columns.byteCount <= byteCountMax)
        }
    }

    @Test("a schema change drops them")
    func schemaChange() throws {
        let store = try Self.open(ColumnTests.eager())
        defer { store.close() }
        let old = try store.read()
        defer { old.close() }
        #expect(try Self.count("name == 'a'", old) == 300)
        var changed = Self.thing
        changed.properties[1] = Property(name: "name", type: .single(.scalar(.string)))
        changed.properties.append(
            Property(name: "more", type: .single(.scalar(.int)), defaultValue: .constant(.int(7))))
        try store.setSchema([changed])
        #expect(store.columns.byteCount == 0)
        #expect(try Self.count("more == 7 AND name == 'a'", store) == 300)
        #expect(try Self.count("name == 'a'", old) == 300)
        #expect(try Self.count("more != 7", store) == 0)
    }

    @Test("a transaction sees what it has not committed, and others do not")
    func uncommitted() throws {
        let store = try Self.open(ColumnTests.eager())
        defer { store.close() }
        #expect(try Self.count("name == 'a'", store) == 300)
        try store.write { transaction throws(StoreError) in
            let draft: ObjectContent = ["id": .value(.int(5)), "name": .value(.string("b"))]
            try ObjectScript.Operation.write("Thing", draft, key: nil, .merge).run(transaction)
            let view = try transaction.view()
            #expect((try? Self.count("name == 'b'", view)) == 1)
            #expect((try? Self.count("name == 'a'", view)) == 299)
            #expect((try? Self.count("name == 'a'", store)) == 300)
        }
        #expect(try Self.count("name == 'a'", store) == 299)
    }

    @Test("values at the limits of columns and beyond them are found alike")
    func limits() throws {
        let store = try Self.open(ColumnTests.eager())
        defer { store.close() }
        let drafts: [ObjectContent] = [1023, 1024, 1025].enumerated().map { index, count in
            [
                "id": .value(.int(Int64(index))),
                "name": .value(
                    .string(
                        String(repeating: "é", count: 8) + String(repeating: "x", count: count - 16)
                    )),
                "born": .value(
                    .date(
                        Timestamp(seconds: 9_223_372_035 + Int64(index), nanoseconds: 999_999_999))),
                "tags": .values((0..<254 + index).map { .int(Int64($0)) }),
            ]
        }
        try Self.write(store, drafts)
        #expect(try Self.count("name ENDSWITH 'x'", store) == 3)
        #expect(try Self.count("name CONTAINS[c] 'ÉX'", store) == 3)
        #expect(try Self.count("name CONTAINS 'éé'", store) == 3)
        #expect(try Self.count("born > T9223372036:0", store) == 2)
        #expect(try Self.count("born < T9223372037:0", store) == 2)
        #expect(try Self.count("ANY tags == 253", store) == 3)
        #expect(try Self.count("ANY tags == 254", store) == 2)
        #expect(try Self.count("ANY tags == 255", store) == 1)
        #expect(try Self.count("NONE tags >= 0", store) == 297)
        #expect(try Self.count("ALL tags < 254", store) == 298)
    }

    @Test("a query whose time is over stops")
    func time() throws {
        let store = try Self.open(ColumnTests.eager())
        defer { store.close() }
        #expect(try Self.count("name == 'a'", store) == 300)
        _ = try store.reading { read in
            #expect(throws: StoreError.self) {
                try Self.count(
                    "name == 'a'", read, limits: QueryLimits(deadlineMilliseconds: 1))
            }
        }
        #expect(try Self.count("name == 'a'", store) == 300)
    }
}
