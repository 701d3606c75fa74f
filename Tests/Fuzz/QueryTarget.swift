import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastRows
import HoldfastTestSupport

/// Random texts as queries: they are refused or understood, and what is understood is evaluated on rows,
/// alone and through the planner, with the same result.
struct QueryTarget {
    /// The shelter's classes with maps, with points, and with values of every kind.
    private static let classes: [ObjectClass] = {
        var classes = Shelter.withPoints(Shelter.withMaps)
        classes[0].properties += [
            Property(name: "extra", type: .single(.scalar(.mixed))),
            Property(name: "extras", type: .list(.scalar(.mixed))),
        ]
        return classes
    }()

    private let store: Store
    private let contents: StoreContents

    private static let words = [
        "age", "name", "home", "street", "city", "former", "dogs", "best", "friends", "boss",
        "tags",
        "scores", "staff", "packs", "lovers", "id", "addresses", "self", "nothing", "$0", "$1",
        "@count",
        "@links", "Person", "ANY", "ALL", "NONE", "AND", "OR", "NOT", "IN", "BETWEEN", "CONTAINS",
        "BEGINSWITH[c]", "ENDSWITH", "LIKE", "MATCHES", "MATCHES[cd]", "TEXT", "==[d]", "IN[cd]",
        "'a* -b'", "'(a|b)*+['", "[c]", "[d]", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "!",
        "(",
        ")",
        "{", "}", "[", "]", ",", ".", "*", "0", "1", "-3", "2.5", "1e400", "0x1F", "'a'", "\"b\"",
        "'\\u0041'", "NULL", "TRUEPREDICATE", "true", "SORT", "LIMIT", "DISTINCT", "ASC", "DESC",
        "FIRST", "LAST", "geoWithin", "geoBox", "geoCircle", "geoPolygon", "place", "[0,0]",
        "[-10.5,20,3]", "{[0,0],[9,0],[9,9],[0,0]}", "+", "-", "*", "/", "@min", "@max", "@sum",
        "@avg", "@type", "@keys", "@values", "[*]", "[0]", "['a']", "SUBQUERY(", "$x", "$x.age",
        ").@count", ".a", ".length", "extra", "extras", "extra.a", "extra[*]", "pets", "places",
        "marks", "'int'", "2.5f", "binary($0)", "'", "\\", "é", "\u{0}", " ",
    ]

    private static let templates = [
        "age > 1", "name == 'a' AND age < 3", "ANY dogs.name == 'a'",
        "home.city.name BEGINSWITH 'a'",
        "age IN {0, 1, NULL}", "NOT (boss.age BETWEEN {0, 2})", "friends.@count >= 1",
        "name == $0 OR age == $1", "ALL friends.age != 0",
        "staff.@count == 0 SORT(name ASC) LIMIT(3)",
        "age + 1 == 2 * ( boss.age - 1 )", "scores * 2 > 1", "age / 0 != 1.5",
        "friends.@max.age >= age", "scores.@sum + 1 > friends.@avg.age", "marks.@min == 1",
        "SUBQUERY( friends , $x , $x.age > 1 AND name == 'a' ).@count > 0",
        "SUBQUERY( staff , $x , SUBQUERY( $x.friends , $y , $y.age != 1 ).@count == 0 ).@count >= 1",
        "extra.a == 1", "ANY extra[*] == 'a'", "extra.@type == 'int'", "extra[0].name == 'a'",
        "ALL extras.@type IN {'string', 'link'}", "extra.@count > 1", "extra[*].@sum != 0",
        "extra.a.b + 1 > age", "extra.boss.age == 1", "extra == best", "extra.@keys == 'a'",
        "ANY extra[*][*] != null", "pets.a.name == 'a' AND pets['b'] != null",
        "@links.Person.boss.@sum.age == 1", "@links.Address.city.street == 'a'",
        "friends.@count > 0 SORT(friends.@max.age ASC, extra.a DESC)", "extra == {1, 'a'}",
        "tags[0] == 'a'", "ANY scores > 1.5", "name CONTAINS[c] 'A'", "age == -1 OR name == ''",
        "ANY trail geoWithin geoCircle ( [ 10 , 10 ] , 1.5 ) AND age > 1",
        "place geoWithin geoBox ( [-90,-45] , [10,60] )", "place geoWithin geoCircle ( [0,0] , 1 )",
        "boss.place geoWithin geoPolygon ( {[0,0],[90,0],[45,80],[0,0]} , "
            + "{[40,10],[50,10],[45,20],[40,10]} )",
        "name TEXT 'a'", "name TEXT 'a* -é' AND id != 'b'", "NOT name TEXT 'é b'",
        "ANY tags TEXT 'a*'", "name MATCHES '[a-c]*'", "street MATCHES[d] '.?e.*'",
        "name IN[cd] {'A', 'É'} OR name ENDSWITH[d] 'e'", "home.city.name TEXT '-a'",
    ]

    init() throws {
        store = try Store(engine: try EngineCase.memory.open())
        var classes = Self.classes
        // Found by words as well: the names of persons, dogs and cities.
        for index in [0, 1, 3] {
            classes[index].properties[index == 1 ? 0 : 1].searchIndex = .fullText
        }
        try store.setSchema(classes)
        var random = SeededGenerator(seed: 1)
        let maker = RandomContent(Self.classes)
        for _ in 0..<150 {
            let known = try store.contents().objects.keys.sorted()
            let classes = Self.classes.filter { $0.kind == .object }
            let objectClass = classes[Int.random(in: classes.indices, using: &random)]
            var draft = maker.draft(objectClass, known: known, &random)
            if objectClass.name == "Person" { draft["place"] = Self.place(&random) }
            _ = try? store.put(objectClass.name, draft, mode: .merge)
        }
        contents = try store.contents()
    }

    /// Makes a point that is mostly on the Earth.
    private static func place(_ random: inout SeededGenerator) -> Content {
        .embedded([
            "type": .value(.string("Point")),
            "coordinates": .values([
                .double(.random(in: -190...190, using: &random)),
                .double(.random(in: -95...95, using: &random)),
            ]),
        ])
    }

    func round(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let text = makeText(&random)
            _ = try? ParsedQuery(text)
            try evaluate(text, &random)
        }
        for _ in 0..<50 {
            let count = Int.random(in: 0...40, using: &random)
            let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            _ = try? ParsedQuery(String(decoding: bytes, as: UTF8.self))
        }
    }

    private func makeText(_ random: inout SeededGenerator) -> String {
        func word() -> String { Self.words[Int.random(in: Self.words.indices, using: &random)] }
        if Int.random(in: 0..<3, using: &random) == 0 {
            return (0..<Int.random(in: 1...12, using: &random)).map { _ in word() }
                .joined(separator: Bool.random(using: &random) ? " " : "")
        }
        var parts = Self.templates[Int.random(in: Self.templates.indices, using: &random)]
            .split(separator: " ").map(String.init)
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            let index = Int.random(in: 0...parts.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: parts.insert(word(), at: index)
            case 1 where index < parts.count: parts.remove(at: index)
            default: if index < parts.count { parts[index] = word() }
            }
        }
        return parts.joined(separator: " ")
    }

    private func evaluate(_ text: String, _ random: inout SeededGenerator) throws {
        let transaction = try store.read()
        defer { transaction.close() }
        let classIndex = [0, 0, 1, 3][Int.random(in: 0..<4, using: &random)]
        let arguments: [QueryArgument] = [
            QueryArgument(.string("a")), QueryArgument(.int(1)),
        ]
        guard
            let query = try? CompiledQuery.compile(
                text: text, arguments: arguments, rootClass: classIndex, schema: transaction.rows)
        else { return }
        let rowClass = transaction.rows.classes[classIndex]
        let matcher = query.predicate.makeMatcher(transaction.rows, source: transaction)
        var expected: Set<UInt64> = []
        try transaction.scan(rowClass) { key, row in
            if matcher.matches(row: row, key: key, source: transaction) { expected.insert(key) }
            return true
        }
        let objects = ObjectQuery(
            classIndex: classIndex, predicate: query.predicate, sort: query.sort)
        func run(_ execution: QueryExecution) throws -> [UInt64] {
            var found: [UInt64] = []
            try execution.run(limit: 1_000_000) { key, _ in
                found.append(key)
                return true
            }
            return found
        }
        let found = try run(QueryExecution(objects, in: transaction))
        try expect(
            Set(found) == expected && found.count == expected.count,
            "'\(text)' on class \(classIndex): planned \(found.sorted()), scanned \(expected.sorted())"
        )
        for plan in try QueryExecution.alternatives(of: objects, in: transaction) {
            let other = try run(QueryExecution(objects, plan: plan, in: transaction))
            try expect(
                other == found,
                "'\(text)' on class \(classIndex): \(plan) gives \(other), not \(found)")
        }
    }
}
