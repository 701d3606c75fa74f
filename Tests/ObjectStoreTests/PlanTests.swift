import HoldfastBytes
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastRows
import HoldfastTestSupport
import Testing

@Suite("Plans of queries")
struct PlanTests {
    /// Cities, plain and indexed properties of the same kinds, and links of every kind between them.
    private static let classes: [ObjectClass] = {
        func plain(
            _ name: String, _ type: ScalarType, optional: Bool = true, indexed: Bool = false
        ) -> Property {
            Property(
                name: name, type: .single(.scalar(type)), isOptional: type != .mixed && optional,
                isIndexed: indexed)
        }
        return [
            ObjectClass(
                name: "City", primaryKey: "id",
                properties: [
                    plain("id", .int, optional: false), plain("a", .int),
                    plain("ai", .int, indexed: true),
                    plain("si", .string, indexed: true), plain("s", .string),
                    plain("di", .double, indexed: true), plain("bi", .bool, indexed: true),
                    plain("mi", .mixed, indexed: true), plain("ti", .date, indexed: true),
                    plain("ci", .decimal128, indexed: true),
                    Property(name: "country", type: .single(.object("Country")), isOptional: true),
                    Property(name: "twin", type: .single(.object("City")), isOptional: true),
                    Property(name: "near", type: .list(.object("City"))),
                    Property(name: "seen", type: .set(.object("Country")), isOptional: false),
                    Property(name: "routes", type: .map(.object("City")), isOptional: true),
                    Property(name: "place", type: .single(.object("Place")), isOptional: true),
                    Property(name: "places", type: .list(.object("Place"))),
                    Property(name: "ints", type: .list(.scalar(.int)), isOptional: true),
                    Property(
                        name: "twins", type: .linkingObjects(className: "City", property: "twin")),
                ]),
            ObjectClass(
                name: "Country",
                properties: [
                    plain("code", .string, indexed: true), plain("size", .int),
                    Property(name: "capital", type: .single(.object("City")), isOptional: true),
                    Property(
                        name: "cities",
                        type: .linkingObjects(className: "City", property: "country")),
                ]),
            ObjectClass(
                name: "Place", kind: .embedded,
                properties: [
                    plain("street", .string),
                    Property(name: "of", type: .single(.object("Country")), isOptional: true),
                    Property(name: "inner", type: .single(.object("Place")), isOptional: true),
                ]),
        ]
    }()

    private static let cityCount = 70
    private static let countryCount = 6

    private static func pick<T>(_ values: [T], _ random: inout SeededGenerator) -> T {
        values[Int.random(in: values.indices, using: &random)]
    }

    private static func text(_ random: inout SeededGenerator) -> String {
        let stem = pick(["", "", "", String(repeating: "x", count: 420)], &random)
        return stem + pick(["", "a", "ab", "abc", "b", "é", "\u{0}"], &random)
    }

    private static func mixed(_ random: inout SeededGenerator) -> Value {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: .null
        case 1: .int(Int64.random(in: -2...3, using: &random))
        case 2: .double(pick([0, 0.5, 1, .nan, .infinity], &random))
        case 3: .string(text(&random))
        case 4: .bool(Bool.random(using: &random))
        default: .list([.int(1)])
        }
    }

    private static func value(_ name: String, _ random: inout SeededGenerator) -> Value {
        if name == "id" { return .int(Int64.random(in: -1...Int64(cityCount), using: &random)) }
        if name != "bi", Int.random(in: 0..<6, using: &random) == 0 { return .null }
        switch name {
        case "a", "ai", "size": return .int(Int64.random(in: -2...6, using: &random))
        case "s", "si", "code", "street": return .string(text(&random))
        case "di": return .double(pick([-1, 0, 0.5, 1, 2, .nan, .infinity], &random))
        case "bi": return .bool(Bool.random(using: &random))
        case "ti":
            return .date(
                Timestamp(seconds: Int64.random(in: -1...2, using: &random), nanoseconds: 0))
        case "ci": return .decimal(Decimal128(pick(["1", "1.0", "2.5", "-3"], &random)) ?? .nan)
        default: return mixed(&random)
        }
    }

    private static func city(_ id: Int, _ random: inout SeededGenerator) -> ObjectContent {
        func city(_ random: inout SeededGenerator) -> Value {
            .link(
                className: "City", key: .int(Int64.random(in: 0..<Int64(cityCount), using: &random))
            )
        }
        func country(_ random: inout SeededGenerator) -> Value {
            .link(
                className: "Country",
                key: .int(Int64.random(in: 1...Int64(countryCount), using: &random)))
        }
        func place(_ depth: Int, _ random: inout SeededGenerator) -> ObjectContent {
            var content: ObjectContent = ["street": .value(value("street", &random))]
            if Bool.random(using: &random) { content["of"] = .value(country(&random)) }
            if depth > 0, Bool.random(using: &random) {
                content["inner"] = .embedded(place(depth - 1, &random))
            }
            return content
        }
        func many(_ random: inout SeededGenerator) -> Range<Int> {
            0..<pick([0, 0, 1, 2, 4], &random)
        }
        var content: ObjectContent = ["id": .value(.int(Int64(id)))]
        for name in ["a", "ai", "s", "si", "di", "bi", "mi", "ti", "ci"] {
            content[name] = .value(value(name, &random))
        }
        if Bool.random(using: &random) { content["country"] = .value(country(&random)) }
        if Bool.random(using: &random) { content["twin"] = .value(city(&random)) }
        content["near"] = .values(many(&random).map { _ in city(&random) })
        content["seen"] = .values(many(&random).map { _ in country(&random) })
        content["ints"] = .values(
            many(&random).map { _ in .int(Int64.random(in: 0...3, using: &random)) })
        var routes: [String: Content] = [:]
        for index in many(&random) { routes["r\(index)"] = .value(city(&random)) }
        content["routes"] = .entries(routes)
        if Bool.random(using: &random) { content["place"] = .embedded(place(2, &random)) }
        content["places"] = .embeddedList(many(&random).map { _ in place(1, &random) })
        return content
    }

    private static func store(
        _ engineCase: EngineCase, _ random: inout SeededGenerator,
        options: StoreOptions = StoreOptions()
    ) throws -> Store {
        let store = try Store(engine: try engineCase.open(), options: options)
        try store.setSchema(classes)
        for _ in 0..<countryCount {
            try store.put(
                "Country",
                ["code": .value(value("code", &random)), "size": .value(value("size", &random))],
                mode: .create)
        }
        // All are there before the first one links to another.
        try store.run(
            (0..<cityCount).map {
                .write("City", ["id": .value(.int(Int64($0)))], key: nil, .merge)
            })
        var contents: [ObjectScript.Operation] = []
        for id in 0..<cityCount {
            contents.append(.write("City", city(id, &random), key: nil, .merge))
        }
        for _ in 0..<5 {
            let id = Int64.random(in: 0..<Int64(cityCount), using: &random)
            contents.append(.delete(Identity("City", .int(id))))
        }
        for operation in contents { _ = try? store.run([operation]) }
        return store
    }

    // MARK: Random queries

    private static func constant(_ name: String, _ random: inout SeededGenerator) -> QueryArgument {
        QueryArgument(value(name, &random))
    }

    /// One comparison; arguments are appended.
    private static func comparison(
        _ arguments: inout [QueryArgument], _ random: inout SeededGenerator
    ) -> String {
        func argument(_ value: QueryArgument) -> String {
            arguments.append(value)
            return "$\(arguments.count - 1)"
        }
        let ways: [(path: String, isMany: Bool)] = [
            ("", false), ("", false), ("", false), ("country.", false), ("twin.", false),
            ("twin.country.", false), ("near.", true), ("seen.", true), ("routes.", true),
            ("place.of.", false), ("place.inner.of.", false), ("places.of.", true),
            ("twins.", true),
            ("@links.City.near.", true), ("@links.Country.capital.", true), ("near[0].", false),
            ("twin.near.country.", true), ("country.cities.", true), ("routes['r1'].", false),
        ]
        let way = pick(ways, &random)
        switch Int.random(in: 0..<14, using: &random) {
        case 0:
            let key = QueryArgument(.int(Int64.random(in: -1..<Int64(cityCount), using: &random)))
            let path = pick(
                ["twin", "near", "twins", "routes", "twin.twin", "country.capital"], &random)
            let sign =
                path.hasPrefix("twin.") || path == "twin" ? pick(["==", "!="], &random) : "=="
            return "\(path) \(sign) obj('City', \(argument(key)))"
        case 1:
            return pick(
                [
                    "near.@count > 1", "twin == null", "place.street == null", "a == ai",
                    "ALL near.ai > 0",
                    "NONE near.ai == 3", "ANY ints == 1", "ANY near.ints == 1", "ALL ints == 1",
                    "country.cities.@count > 3", "ANY near.place.street == 'a'",
                ], &random)
        default: break
        }
        let isCountry =
            way.path.hasSuffix("of.") || way.path.hasSuffix("country.") || way.path == "seen."
            || way.path == "@links.Country.capital."
        let name =
            isCountry
            ? pick(["code", "size"], &random)
            : pick(["a", "ai", "s", "si", "di", "bi", "mi", "ti", "ci", "id"], &random)
        let quantifier = way.isMany ? pick(["ANY ", "", "ANY ", "NONE ", "ALL "], &random) : ""
        let path = "\(quantifier)\(way.path)\(name)"
        let isText = ["s", "si", "code"].contains(name)
        if isText, Bool.random(using: &random) {
            return pick(
                [
                    "\(path) BEGINSWITH 'a'", "\(path) LIKE 'a*'", "\(path) LIKE 'a?*'",
                    "\(path) LIKE '*'",
                    "\(path) LIKE 'ab'", "\(path) CONTAINS 'b'", "\(path) LIKE '*b'",
                    "\(path) BEGINSWITH \(argument(constant(name, &random)))",
                    "\(path) ==[c] 'AB'",
                ], &random)
        }
        if !way.isMany, Int.random(in: 0..<4, using: &random) == 0 {
            let list = (0..<Int.random(in: 0...4, using: &random)).map { _ in
                argument(constant(name, &random))
            }
            let all = "{\(list.joined(separator: ", "))}"
            return pick(
                [
                    "\(path) IN \(all)", "\(path) == ALL \(all)", "\(path) == NONE \(all)",
                    "\(path) != ALL \(all)", "\(path) != \(all)", "\(path) > ANY \(all)",
                ], &random)
        }
        let sign = pick(["==", "==", "!=", "<", "<=", ">", ">="], &random)
        let right = argument(constant(name, &random))
        if Int.random(in: 0..<8, using: &random) == 0, quantifier.isEmpty {
            return "\(right) \(sign) \(path)"
        }
        return "\(path) \(sign) \(right)"
    }

    private static func filter(
        depth: Int, _ arguments: inout [QueryArgument], _ random: inout SeededGenerator
    ) -> String {
        guard depth > 0 else { return comparison(&arguments, &random) }
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return "NOT (\(filter(depth: depth - 1, &arguments, &random)))"
        case 1, 2, 3, 4:
            let sign = pick([" AND ", " AND ", " OR "], &random)
            let count = Int.random(in: 2...3, using: &random)
            return (0..<count).map { _ in "(\(filter(depth: depth - 1, &arguments, &random)))" }
                .joined(separator: sign)
        default: return comparison(&arguments, &random)
        }
    }

    private static func run(_ execution: QueryExecution, limit: Int = .max) throws -> [UInt64] {
        var keys: [UInt64] = []
        try execution.run(limit: limit) { key, _ in
            keys.append(key)
            return true
        }
        return keys
    }

    @Test(
        "every plan gives the same objects in the same order, whole and by pages, and the same count",
        arguments: [(EngineCase.memory, false), (.lmdb, false), (.memory, true)])
    func everyPlan(engineCase: EngineCase, hasColumns: Bool) throws {
        let seed = SeededGenerator.testSeed("every plan on \(engineCase), columns: \(hasColumns)")
        var random = SeededGenerator(seed: seed)
        let sorts = [
            "", "", "ai", "-ai", "si", "-si", "mi", "-mi", "di", "-di", "id", "-id", "a", "-s,a",
            "ai,si",
            "country.code", "-bi", "ci",
        ]
        var planCount = 0
        var compositeCount = 0
        var refused: [String] = []
        for round in 0..<SeededGenerator.scaled(1) {
            let store = try Self.store(
                engineCase, &random, options: hasColumns ? ColumnTests.eager() : StoreOptions())
            defer { store.close() }
            let transaction = try store.read()
            defer { transaction.close() }
            let rowClass = try #require(transaction.rows.rowClass(named: "City"))
            for _ in 0..<80 {
                var arguments: [QueryArgument] = []
                let text = Self.filter(
                    depth: Int.random(in: 0...2, using: &random), &arguments, &random)
                let list = Self.pick(sorts, &random)
                let note = "seed \(seed) round \(round): \(text) \(arguments) by '\(list)'"
                let predicate: Predicate
                do throws(QueryError) {
                    predicate = try CompiledQuery.compile(
                        text: text, arguments: arguments, rootClass: rowClass.index,
                        schema: transaction.rows
                    ).predicate
                } catch {
                    // What the language refuses has no plans.
                    refused.append("\(note): \(error.message)")
                    continue
                }
                var query = ObjectQuery(
                    classIndex: rowClass.index, predicate: predicate,
                    sort: list.isEmpty
                        ? []
                        : try SortKey.parse(
                            list: list, clause: "sort", root: .objects(classIndex: rowClass.index),
                            schema: transaction.rows))
                query.expectedCount = Self.pick([nil, 1, 5], &random)
                // What a plain loop over all rows finds.
                let matcher = predicate.makeMatcher(transaction.rows, source: transaction)
                var matching: [UInt64] = []
                try transaction.scan(rowClass) { key, row in
                    if matcher.matches(row: row, key: key, source: transaction) {
                        matching.append(key)
                    }
                    return true
                }
                let expected = try Self.run(
                    QueryExecution(query, plan: .scan(query), in: transaction))
                #expect(expected.sorted() == matching, "\(note)")
                for plan in try QueryExecution.alternatives(of: query, in: transaction) {
                    planCount += 1
                    switch plan.source {
                    case nil, .index: break
                    default: compositeCount += 1
                    }
                    let found = try Self.run(QueryExecution(query, plan: plan, in: transaction))
                    let count = try QueryExecution(query, plan: plan, in: transaction).count()
                    let limit = Int.random(in: 1...9, using: &random)
                    let pages = try Self.pages(query, plan, limit: limit, transaction)
                    #expect(found == expected, "\(note): \(plan)")
                    #expect(count == expected.count, "\(note): \(plan)")
                    #expect(pages == expected, "\(note) in pages of \(limit): \(plan)")
                    if found != expected || count != expected.count || pages != expected { return }
                }
            }
        }
        #expect(planCount > 400 && compositeCount > 60, "\(planCount), \(compositeCount)")
        #expect(refused.count < 10, "\(refused.prefix(3))")
    }

    @Test("an object is found by its primary key behind any position before it")
    func primaryKeyBehindPosition() throws {
        var random = SeededGenerator(seed: 2)
        let store = try Self.store(.memory, &random)
        defer { store.close() }
        let transaction = try store.read()
        defer { transaction.close() }
        let rowClass = try #require(transaction.rows.rowClass(named: "City"))
        var query = ObjectQuery(
            classIndex: rowClass.index,
            predicate: try CompiledQuery.compile(
                text: "id IN {40}", rootClass: rowClass.index, schema: transaction.rows
            ).predicate)
        let found = try Self.run(QueryExecution(query, in: transaction))
        let key = try #require(found.first)
        for plan in try QueryExecution.alternatives(of: query, in: transaction) {
            for last in [0, 1, key - 1, key, key + 1, .max] {
                query.after = QueryPosition(sortBytes: [], key: last)
                let rest = try Self.run(QueryExecution(query, plan: plan, in: transaction))
                #expect(rest == (last < key ? found : []), "behind \(last): \(plan)")
            }
        }
    }

    @Test("the least and the greatest value come from an index without null and NaN")
    func extremes() throws {
        var random = SeededGenerator(seed: 1)
        let store = try Self.store(.memory, &random)
        defer { store.close() }
        let transaction = try store.read()
        defer { transaction.close() }
        let rowClass = try #require(transaction.rows.rowClass(named: "City"))
        for name in ["ai", "di", "ti", "si", "id"] {
            let member = try #require(rowClass.names.position(of: name))
            for isGreatest in [false, true] {
                let query = try #require(
                    ObjectQuery(classIndex: rowClass.index).extreme(
                        of: member, isGreatest: isGreatest, transaction.rows))
                var values: [[UInt8]] = []
                try transaction.scan(rowClass) { _, row in
                    let field = rowClass.field(member, in: row)
                    if !field.isNull, name != "di" || !field.load(Double.self).isNaN {
                        values.append(Self.key(rowClass, member, row, transaction))
                    }
                    return true
                }
                values.sort { $0.lexicographicallyPrecedes($1) }
                let execution = try QueryExecution(query, in: transaction)
                var found: [UInt8]?
                try execution.run(limit: 1) { _, row in
                    found = Self.key(rowClass, member, row, transaction)
                    return true
                }
                #expect(found == (isGreatest ? values.last : values.first), "\(name)")
                // A text that is cut is compared with those that share its beginning.
                if name != "si" { #expect(execution.statistics.rowsRead == 1) }
            }
        }
        let plain = try #require(rowClass.names.position(of: "a"))
        #expect(
            ObjectQuery(classIndex: rowClass.index).extreme(
                of: plain, isGreatest: true, transaction.rows)?.classIndex == nil)
    }

    @Test(
        "an object that a primary key names is found behind those before it, and not behind itself")
    func behindObjectKeys() throws {
        var random = SeededGenerator(seed: 1)
        let store = try Self.store(.memory, &random)
        defer { store.close() }
        let transaction = try store.read()
        defer { transaction.close() }
        let rowClass = try #require(transaction.rows.rowClass(named: "City"))
        let member = try #require(rowClass.primaryKeyIndex)
        var ids: [UInt64: Int64] = [:]
        try transaction.scan(rowClass) { key, row in
            ids[key] = rowClass.field(member, in: row).load(Int64.self)
            return ids.count < 5
        }
        for (key, id) in ids {
            let predicate = try CompiledQuery.compile(
                text: "id == \(id)", arguments: [], rootClass: rowClass.index,
                schema: transaction.rows
            ).predicate
            for after in [0, key - 1, key, key + 1] {
                let query = ObjectQuery(
                    classIndex: rowClass.index, predicate: predicate,
                    after: QueryPosition(sortBytes: [], key: after))
                for plan in try QueryExecution.alternatives(of: query, in: transaction) {
                    let found = try Self.run(QueryExecution(query, plan: plan, in: transaction))
                    #expect(found == (after < key ? [key] : []), "\(key) behind \(after): \(plan)")
                }
            }
        }
    }

    private static func key(
        _ rowClass: RowClass, _ member: Int, _ row: RowView, _ transaction: ReadTransaction
    ) -> [UInt8] {
        let buffer = ByteBuffer(capacity: 64)
        OrderedKey.append(
            rowClass.field(member, in: row), rowClass.members[member].storage.element, transaction,
            to: buffer)
        return buffer.array
    }

    private static func pages(
        _ query: ObjectQuery, _ plan: Plan, limit: Int, _ transaction: ReadTransaction
    ) throws -> [UInt64] {
        var query = query
        var all: [UInt64] = []
        while all.count < 1000 {
            let execution = QueryExecution(query, plan: plan, in: transaction)
            var count = 0
            try execution.run(limit: limit) { key, row in
                count += 1
                all.append(key)
                query.after = execution.position(key, row)
                return true
            }
            if count < limit { return all }
        }
        return all
    }
}
