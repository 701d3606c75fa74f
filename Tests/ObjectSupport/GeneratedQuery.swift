import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows
import HoldfastTestSupport

/// A random query on a class with skewed values, values that grow with the objects, links, places and words, to
/// compare its plans.
package struct GeneratedQuery {
    /// What is asked.
    package let query: ObjectQuery
    /// How many objects are taken.
    package let limit: Int
    /// The query in words.
    package let text: String

    /// The objects of a query, or their number.
    package func run(_ execution: QueryExecution) throws -> [UInt64] {
        guard !query.isCounted else { return [UInt64(try execution.count())] }
        var keys: [UInt64] = []
        try execution.run(limit: limit) { key, _ in
            keys.append(key)
            return true
        }
        return keys
    }

    /// Makes a page by some order, all objects, or their number.
    package init(_ read: ReadTransaction, _ random: inout SeededGenerator) throws {
        let rowClass = read.rows.rowClass(named: "Thing")?.index ?? 0
        let filter = Self.filter(&random)
        let sort = ["", "", "", "rank", "-even", "n", "age"].randomElement(using: &random) ?? ""
        let page = Int.random(in: 1...30, using: &random)
        let taken = sort.isEmpty ? Int.random(in: 0..<3, using: &random) : 0
        text = "\(filter) by '\(sort)', " + ["page of \(page)", "all", "count"][taken]
        limit = taken == 0 ? page : .max
        let query = ObjectQuery(
            classIndex: rowClass,
            predicate: try CompiledQuery.compile(
                text: filter, rootClass: rowClass, schema: read.rows
            ).predicate,
            sort: sort.isEmpty
                ? []
                : try SortKey.parse(
                    list: sort, clause: "sort", root: .objects(classIndex: rowClass),
                    schema: read.rows),
            expectedCount: taken == 0 ? page : nil)
        self.query = taken == 2 ? query.counted : query
    }

    // MARK: Conditions

    private static func filter(_ random: inout SeededGenerator) -> String {
        let count = Int.random(in: 1...3, using: &random)
        let sign = Int.random(in: 0..<6, using: &random) == 0 ? " OR " : " AND "
        return (0..<count).map { _ in condition(&random) }.joined(separator: sign)
    }

    private static func condition(_ random: inout SeededGenerator) -> String {
        func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
        switch below(14) {
        case 0: return "skew == \(skewed(500, &random))"
        case 1: return "skew > \(below(500))"
        case 2: return "even == \(below(200))"
        case 3: return "even IN {\(below(200)), \(below(200)), \(below(200))}"
        case 4: return "rank < \(skewed(100, &random)).5"
        case 5: return "age == \(below(45))"
        case 6: return "age >= \(below(45))"
        case 7: return "n < \(below(5000))"
        case 8: return "flag == \(below(2) == 0)"
        case 9: return "group.name == 'g\(below(40))'"
        case 10: return "group.kind == \(below(4))"
        case 11: return "note TEXT 'w\(skewed(300, &random))'"
        case 12: return "note TEXT 'w\(skewed(300, &random)) w\(skewed(300, &random))'"
        default:
            return "place geoWithin geoCircle([\(skewed(100, &random)),\(below(100) - 50)],"
                + "\(Double(1 + below(20)) / 100))"
        }
    }

    // MARK: Objects

    /// The classes that the queries ask.
    package static let classes: [ObjectClass] = {
        func plain(_ name: String, _ type: ScalarType, indexed: Bool = false) -> Property {
            Property(name: name, type: .single(.scalar(type)), isIndexed: indexed)
        }
        return [
            ObjectClass(
                name: "Thing", primaryKey: "id",
                properties: [
                    plain("id", .int), plain("skew", .int, indexed: true),
                    plain("even", .int, indexed: true), plain("rank", .double, indexed: true),
                    plain("age", .int, indexed: true), plain("n", .int), plain("flag", .bool),
                    Property(
                        name: "note", type: .single(.scalar(.string)), searchIndex: .fullText),
                    Property(
                        name: "place", type: .single(.object("Point")), isOptional: true,
                        searchIndex: .geo),
                    Property(name: "group", type: .single(.object("Group")), isOptional: true),
                ]),
            ObjectClass(
                name: "Group", primaryKey: "id",
                properties: [
                    plain("id", .int), plain("name", .string, indexed: true), plain("kind", .int),
                ]),
            ObjectClass(
                name: "Point", kind: .embedded,
                properties: [
                    Property(
                        name: "type", type: .single(.scalar(.string)),
                        defaultValue: .constant(.string("Point"))),
                    Property(name: "coordinates", type: .list(.scalar(.double))),
                ]),
        ]
    }()

    /// Fills a store with a class that has grown tenfold since its only sample was taken, so that the ages of nine
    /// objects in ten were never seen.
    package static func fill(
        _ store: Store, count: Int64, _ random: inout SeededGenerator
    ) throws {
        try store.setSchema(classes)
        let groups = (0..<groupCount).map { id in
            ObjectScript.Operation.write(
                "Group",
                [
                    "id": .value(.int(id)), "name": .value(.string("g\(id)")),
                    "kind": .value(.int(id % 4)),
                ], key: nil, .create)
        }
        try store.run(groups)
        for range in [0..<count / 10, count / 10..<count] {
            let drafts = range.map { thing($0, of: count, &random) }
            try store.run(drafts.map { .write("Thing", $0, key: nil, .create) })
        }
    }

    private static let groupCount: Int64 = 40

    /// A number below `count` of which small ones are much more frequent.
    private static func skewed(_ count: Int, _ random: inout SeededGenerator) -> Int {
        let share = Double.random(in: 0..<1, using: &random)
        return Int(Double(count) * share * share * share * share)
    }

    private static func thing(
        _ id: Int64, of count: Int64, _ random: inout SeededGenerator
    ) -> ObjectContent {
        func words(_ random: inout SeededGenerator) -> String {
            (0..<5).map { _ in "w\(skewed(300, &random))" }.joined(separator: " ")
        }
        return [
            "id": .value(.int(id)), "skew": .value(.int(Int64(skewed(500, &random)))),
            "even": .value(.int(Int64.random(in: 0..<200, using: &random))),
            "rank": .value(.double(.random(in: 0..<100, using: &random))),
            // Grow with the objects.
            "age": .value(.int(id * 40 / count)), "n": .value(.int(id * 4000 / count)),
            "flag": .value(.bool(Int.random(in: 0..<10, using: &random) == 0)),
            "note": .value(.string(words(&random))),
            "place": .embedded([
                "coordinates": .values([
                    .double(Double(skewed(100, &random))),
                    .double(.random(in: -50..<50, using: &random)),
                ])
            ]),
            "group": .value(
                .link(className: "Group", key: .int(Int64(skewed(Int(groupCount), &random))))),
        ]
    }
}
