import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("plans of queries")
struct QueryPlanTests {
    private func explain(_ world: QueryWorld, _ members: String) throws -> QueryJSON {
        let page = try world.page("{\"explain\":true,\(members)}")
        let explain = page.json["explain"] ?? .null
        #expect(
            explain.names == [
                "entriesRead", "indexes", "plan", "rowsRead", "rowsReturned", "steps",
            ])
        #expect(explain["rowsReturned"]?.int == Int64(page.json["objects"]?.elements.count ?? -1))
        return explain
    }

    @Test(
        "each access path is used where it helps, and reads no more than it has to",
        arguments: EngineCase.all)
    func paths(engine: EngineCase) throws {
        var world = try QueryWorld(engine, seed: 7, count: 0)
        let count = 5000
        var bodies: [String] = []
        for id in 0..<count {
            bodies.append(
                "{\"id\":\(id),\"a\":\(id % 1000),\"ai\":\(id % 1000),\"si\":\"s\(id % 100)\",\"d\":\(id),\"di\":\(id),\"b\":\(id % 2 == 0),\"bi\":\(id % 2 == 0),\"best\":\(id % 500)}"
            )
        }
        try world.create(bodies)
        world.order = Array(0..<count)

        // Members, plan, indexes, the most rows and index entries that may be read.
        let cases: [(String, String, [String], Int, Int)] = [
            (#""filter":"id == 77""#, "primary key id, 1 value", ["id"], 1, 2),
            (
                #""filter":"id IN {5,6,7}""#, "primary key id, 3 values, then by object key",
                ["id"], 3, 6
            ),
            (
                #""filter":"id IN {5,6,7}","sort":"-id""#, "primary key id, 3 values, descending",
                ["id"], 3, 6
            ),
            (#""filter":"ai == 77""#, "index ai, 1 value", ["ai"], 5, 6),
            (
                #""filter":"ai == 77 AND a == 77","limit":2"#,
                "index ai, 1 value, each object tested", ["ai"], 3, 6
            ),
            (#""filter":"ai == 77","sort":"-d""#, "index ai, 1 value, then sorted", ["ai"], 5, 6),
            (#""filter":"ai == 4000000""#, "index ai, 1 value", ["ai"], 0, 1),
            (#""filter":"ai IN {3,5}""#, "index ai, 2 values, then by object key", ["ai"], 10, 12),
            (
                #""filter":"ai BETWEEN {3,5}""#, "index ai, 1 range, then by object key", ["ai"],
                16, 40
            ),
            (
                #""filter":"ai >= 990 AND ai < 992","sort":"ai""#, "index ai, 1 range", ["ai"], 11,
                14
            ),
            // So many that a scan finds three of them sooner.
            (
                #""filter":"si BEGINSWITH 's9'","limit":3"#,
                "scan of all objects, each object tested", [], 140, 140
            ),
            (
                #""filter":"si LIKE 's99*'","sort":"d""#, "index si, 1 range, then sorted", ["si"],
                50, 130
            ),
            (
                #""filter":"ai == 77 OR di == 5""#,
                "any of (index ai, 1 value), (index di, 1 value), then by object key",
                ["ai", "di"],
                6, 10
            ),
            (
                #""filter":"ai < 55 AND di < 250","sort":"d""#,
                "all of (index ai, 1 range), (index di, 1 range), then sorted", ["ai", "di"], 55,
                1300
            ),
            (
                #""filter":"best.ai == 7""#,
                "links best to Item by (index ai, 1 value), then by object key", ["ai"], 10, 60
            ),
            (
                #""filter":"best.best.di == 7""#,
                "links best to Item by (links best to Item by (index di, 1 value)), then by object key",
                ["di"], 100, 200
            ),
            (
                #""filter":"best == obj('Item', 9) AND b == true""#,
                "links best to what the query names, then by object key, each object tested", [],
                14, 40
            ),
            (
                #""filter":"ai != 5 AND ai != null","sort":"ai","limit":5"#, "index ai, 2 ranges",
                ["ai"], 6, 8
            ),
            // The entries of a value are read to its end, of which each of these has five.
            (#""sort":"-ai","limit":20"#, "index ai, 1 range, descending", ["ai"], 21, 26),
            (#""sort":"-bi","limit":20"#, "index bi, 1 range, descending", ["bi"], 21, 86),
            (#""sort":"di","limit":20"#, "index di, 1 range", ["di"], 21, 22),
            (
                #""filter":"a > 3","sort":"ai","limit":2"#, "index ai, 1 range, each object tested",
                ["ai"], 30, 30
            ),
            (#""sort":"-id","limit":5"#, "primary key id, 1 range, descending", ["id"], 6, 7),
            (
                #""filter":"ai == 1 AND ai == 2""#, "nothing: the conditions exclude each other",
                [], 0, 0
            ),
            (#""filter":"FALSEPREDICATE""#, "nothing: the conditions exclude each other", [], 0, 0),
            (#""filter":"ai IN {}""#, "nothing: the conditions exclude each other", [], 0, 0),
            (
                #""filter":"a == 5","limit":1"#, "scan of all objects, each object tested", [],
                1007, 0
            ),
            (#""limit":10"#, "scan of all objects", [], 11, 0),
            (#""sort":"d","limit":10"#, "scan of all objects, then sorted", [], 5001, 0),
        ]
        for (members, plan, indexes, rowsMax, entriesMax) in cases {
            let explain = try explain(world, "\"fields\":\"id\",\(members)")
            #expect(explain["plan"]?.string == plan, "\(members)")
            #expect(explain["indexes"]?.elements.compactMap(\.string) == indexes, "\(members)")
            let (rows, entries) = (
                explain["rowsRead"]?.int ?? -1, explain["entriesRead"]?.int ?? -1
            )
            #expect((0...rowsMax).contains(Int(rows)), "\(members): \(rows) rows read")
            #expect((0...entriesMax).contains(Int(entries)), "\(members): \(entries) entries read")
            let steps = explain["steps"]?.elements ?? []
            #expect(steps.compactMap { $0["name"]?.string } == ["plan", "objects"])
            #expect(
                steps.allSatisfy { $0["rows"]?.int != nil && ($0["microseconds"]?.int ?? -1) >= 0 })
        }
        // Deep pages read no more than the first, and IN merges its values.
        for (members, rowsMax, entriesMax) in [
            (#""sort":"-ai","limit":20"#, 21, 28), (#""sort":"-bi","limit":20"#, 21, 86),
            (#""filter":"bi IN {true,false}","limit":20"#, 21, 44),
            (#""filter":"bi == true","limit":20"#, 21, 22),
        ] {
            var cursor = ""
            for _ in 0..<40 {
                let page = try world.page(
                    "{\"explain\":true,\"fields\":\"id\",\(members)\(cursor)}")
                let explain = page.json["explain"] ?? .null
                #expect(
                    (explain["rowsRead"]?.int ?? .max) <= rowsMax
                        && (explain["entriesRead"]?.int ?? .max) <= entriesMax,
                    "\(members) \(explain)")
                cursor = ",\"cursor\":\"\(page.next ?? "")\""
            }
        }
        let counted = try explain(world, #""fields":"id","filter":"ai == 77","count":"exact""#)
        #expect(counted["rowsRead"]?.int == 5)
        #expect(
            counted["steps"]?.elements.map { $0["name"]?.string } == ["plan", "objects", "count"])
        #expect(counted["steps"]?.elements.last?["rows"]?.int == 5)
        // A count of a range looks at no row.
        let range = try explain(
            world, #""fields":"id","filter":"di >= 1000","limit":1,"count":"exact""#)
        #expect(range["steps"]?.elements.last?["rows"]?.int == 4000)
    }

    @Test("steps name the columns that they went by, and each plan that was given up")
    func steps() throws {
        let world = try QueryWorld(.memory, seed: 7, count: 0)
        let bodies = (0..<5000).map { "{\"id\":\($0),\"a\":\($0),\"ai\":\($0 % 2),\"d\":\($0)}" }
        try world.create(bodies)
        func names(_ explain: QueryJSON) -> [String] {
            explain["steps"]?.elements.compactMap { $0["name"]?.string } ?? []
        }
        let filter = #""filter":"a >= 4998 AND d > 0","sort":"-d","fields":"id""#
        #expect(names(try explain(world, filter)) == ["plan", "objects"])
        // Scans have the columns built.
        _ = try explain(world, filter)
        let byColumns = try explain(world, filter)
        #expect(byColumns["plan"]?.string == "scan by columns a, d, then sorted")
        #expect(names(byColumns) == ["plan", "objects by columns a, d"])
        let counted = try explain(world, filter + #","count":"exact""#)
        #expect(names(counted).last == "count by columns a, d")
        // A walk in the order of an index that finds nothing for long.
        try world.service.patchAll("Item", "{\"note\":1}")
        let given = try explain(world, #""filter":"note == 0","sort":"ai","limit":2"#)
        let walk = "index ai, 1 range, each object tested"
        let scan = "scan of all objects, then sorted, each object tested"
        #expect(given["plan"]?.string == walk + "; then " + scan)
        #expect(names(given) == ["plan", "given up: \(walk)", "objects"])
        let step = given["steps"]?.elements[1] ?? .null
        #expect((step["rows"]?.int ?? 0) > 0 && step["microseconds"]?.int != nil)
    }

    @Test("random queries give the same with and without indexes")
    func equivalence() throws {
        let seed = SeededGenerator.testSeed("plan equivalence")
        var world = try QueryWorld(.memory, seed: seed, count: 150)
        for round in 0..<SeededGenerator.scaled(150) {
            let first = world.randomFilter()
            let second = world.randomFilter()
            let sort = world.randomSort()
            let offset = first.arguments.count
            // The second filter's arguments come behind those of the first.
            var text = second.text
            for index in stride(from: second.arguments.count - 1, through: 0, by: -1) {
                text = text.replacing("$\(index)", with: "$\(index + offset)")
            }
            let isOr = Bool.random(using: &world.generator)
            let isNot = Int.random(in: 0..<4, using: &world.generator) == 0
            let whole = (isNot ? "NOT " : "") + "(\(first.text)) \(isOr ? "OR" : "AND") (\(text))"
            let matches: (QueryWorld.Item) -> Bool = { item in
                let left = first.matches(item) != isNot
                return isOr ? left || second.matches(item) : left && second.matches(item)
            }
            let expected = world.expected(sort, matches)
            let arguments = first.arguments + second.arguments
            for suffix in ["", "i"] {
                let page = try world.page(
                    (whole.replacing("#", with: suffix), arguments), sort, limit: 1000, cursor: nil)
                let note =
                    "seed \(seed) round \(round): \(whole) \(arguments) \(sort) with '\(suffix)'"
                #expect(page.ids == expected, "\(note)")
                if page.ids != expected { return }
            }
        }
    }
}
