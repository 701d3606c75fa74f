import HoldfastBytes
import HoldfastObjectModel
@testable import HoldfastQuery
import HoldfastRows
import Testing

@Suite("Planning")
struct PlanningTests {
    private let schema = World.schema

    private func compile(_ text: String) throws -> CompiledQuery {
        try CompiledQuery.compile(text: text, rootClass: 0, schema: schema)
    }

    private func member(_ name: String) throws -> Int {
        try #require(schema.classes[0].names.position(of: name))
    }

    @Test("an equality is one exact range that holds one value")
    func equality() throws {
        let constraints = try compile("age == 5").predicate.constraints
        #expect(constraints.count == 1)
        #expect(constraints[0].member == (try member("age")))
        #expect(constraints[0].isExact)
        #expect(constraints[0].values == [.int(5)].compactMap { OrderedKey($0) })
    }

    @Test("IN and ORs of equalities become sorted values, each once")
    func values() throws {
        for text in ["age IN {3, 1, 3}", "age == 3 or age == 1 or age IN {3}", "{1, 3} == age"] {
            let constraints = try compile(text).predicate.constraints
            #expect(constraints.count == 1)
            #expect(constraints[0].values == [.int(1), .int(3)].compactMap { OrderedKey($0) })
            #expect(constraints[0].isExact)
        }
    }

    @Test("conjuncts on one property are intersected, others stay as the residual")
    func intersection() throws {
        let query = try compile("age > 3 and age <= 7 and name CONTAINS 'x' and age BETWEEN {5, 9}")
        let constraint = try #require(query.predicate.constraints.first)
        #expect(constraint.ranges.count == 1)
        #expect(constraint.ranges[0].lower == OrderedKey(.int(5))?.bytes)
        #expect(
            constraint.residual(of: query.predicate) == (try compile("name CONTAINS 'x'").predicate)
        )
        let contradiction = try compile("age > 7 and age < 3").predicate.constraints
        #expect(contradiction.count == 1 && contradiction[0].ranges.isEmpty)
        #expect(try compile("age < null").predicate.constraints[0].ranges.isEmpty)
    }

    @Test(
        "what no index serves gives no constraint",
        arguments: [
            "name ==[c] 'a'", "name CONTAINS 'a'", "name BEGINSWITH null",
            "friend.age == 5", "ints == 5",
            "age == 5 or name == 'a'", "NOT name CONTAINS 'a'", "age == score", "TRUEPREDICATE",
            "name ENDSWITH 'a'", "name LIKE '*a'", "NOT (age == 5 and name == 'a')",
        ])
    func none(text: String) throws {
        #expect(try compile(text).predicate.constraints.isEmpty)
    }

    @Test(
        "what is excluded leaves the ranges around it, null among them",
        arguments: [
            "age != 5", "NOT age == 5", "age != ALL {5}", "age == NONE {5}", "NOT age IN {5}",
        ])
    func exclusion(text: String) throws {
        let constraints = try compile(text).predicate.constraints
        let five = try #require(OrderedKey(.int(5)))
        let six = try #require(OrderedKey(.int(6)))
        #expect(constraints.count == 1 && constraints[0].isExact)
        #expect(
            constraints[0].ranges == [
                .init(lower: [0], upper: five.bytes), .init(lower: six.bytes, upper: [2]),
            ])
        #expect(try compile("age != null").predicate.constraints[0].values == nil)
        #expect(
            try compile("NOT age != null").predicate.constraints[0].values
                == [OrderedKey(bytes: [0])])
    }

    @Test("LIKE is a prefix up to its first wildcard, and says everything where only that follows")
    func patterns() throws {
        func constraint(_ pattern: String) throws -> IndexConstraint {
            try #require(
                try compile("name LIKE '\(pattern)'").predicate.constraints.first)
        }
        let prefix = try #require(
            try compile("name BEGINSWITH 'ab'").predicate.constraints.first)
        for pattern in ["ab*", "ab**"] {
            #expect(try constraint(pattern).ranges == prefix.ranges)
            #expect(try constraint(pattern).isExact)
        }
        for pattern in ["ab?", "ab*c", "ab?*"] {
            #expect(try constraint(pattern).ranges == prefix.ranges)
            #expect(try !constraint(pattern).isExact)
        }
        #expect(try constraint("ab").values == [.string("ab")].compactMap { OrderedKey($0) })
        #expect(try constraint("*").ranges == [.init(lower: [1], upper: [2])])
    }

    @Test("a path through a link is a condition on its far side, where null doesn't satisfy it")
    func links() throws {
        func constraint(_ text: String) throws -> LinkConstraint? {
            guard case .comparison(let comparison) = try compile(text).predicate else { return nil }
            return comparison.linkConstraint(schema)
        }
        let friend = try #require(try constraint("friend.friend.age == 5"))
        #expect(friend.isExact && friend.steps.map(\.kind) == [.link])
        #expect(friend.far == .matching(try compile("friend.age == 5").predicate))
        #expect(try constraint("ANY friends.age == null")?.isExact == true)
        #expect(try constraint("ANY friends.friend.age == null")?.isExact == false)
        #expect(try constraint("home.owner.age == 5")?.steps.map(\.kind) == [.embedded, .link])
        #expect(try constraint("home.owner.age == 5")?.isExact == false)
        #expect(try constraint("friends[0].age == 5")?.isExact == false)
        #expect(try constraint("fans.name == 'a'")?.steps.map(\.kind) == [.inverse])
        for text in [
            "friend.age == null", "friend.age != 5", "ALL friends.age == 5",
            "NONE friends.age == 5",
            "friends.friends.@count == 0", "age == 5", "home.city == 'a'", "friend.age == age",
            "friends.age == {1, 2}",
        ] {
            #expect(try constraint(text) == nil, "\(text)")
        }
    }

    @Test("long texts are looked up by what stands in their keys and checked again")
    func longTexts() throws {
        let long = String(repeating: "x", count: 500)
        let equal = try compile("name == '\(long)'").predicate.constraints
        #expect(equal.count == 1 && !equal[0].isExact)
        #expect(equal[0].values == [OrderedKey(.string(long)) ?? OrderedKey(bytes: [])])
        let short = try compile("name BEGINSWITH 'ab'").predicate.constraints
        #expect(
            short[0].isExact && short[0].ranges == [.init(lower: [1, 97, 98], upper: [1, 97, 99])])
    }

    @Test("dependencies name each property read and the way to it")
    func dependencies() throws {
        let query = try compile("friend.home.city == 'x' and @links.Dog.master.name == 'Rex'")
        let found = query.predicate.dependencies(schema)
        #expect(
            found.contains {
                $0.classIndex == 0 && $0.path.isEmpty
                    && $0.member == schema.classes[0].names.position(of: "friend")
            })
        #expect(
            found.contains {
                $0.classIndex == 0 && $0.path.count == 1
                    && $0.member == schema.classes[0].names.position(of: "home")
            })
        #expect(
            found.contains {
                $0.classIndex == 1 && $0.path.count == 2
                    && $0.member == schema.classes[1].names.position(of: "city")
            })
        #expect(
            found.contains {
                $0.classIndex == 2 && $0.path.map(\.kind) == [.inverse]
                    && $0.member == schema.classes[2].names.position(of: "master")
            })
        #expect(
            found.contains {
                $0.classIndex == 2 && $0.path.map(\.kind) == [.inverse]
                    && $0.member == schema.classes[2].names.position(of: "name")
            })
        #expect(found.count == 5)
        let incoming = try compile("@links.@count > 0").predicate.dependencies(schema)
        #expect(incoming.count == 5)
    }

    @Test("sort lists and paths are checked with the column in their own text")
    func parameters() throws {
        let keys = try SortKey.parse(
            list: "-age,home.city,friends.@count", root: .objects(classIndex: 0), schema: schema)
        #expect(keys.map(\.isAscending) == [false, true, true])
        #expect(
            keys
                == (try compile("TRUEPREDICATE SORT(age DESC, home.city ASC, friends.@count ASC)")
                    .sort))
        func column(_ list: String) -> Int? {
            do {
                _ = try SortKey.parse(list: list, root: .objects(classIndex: 0), schema: schema)
                return nil
            } catch { return error.column }
        }
        #expect(column("age,home.cty") == 10)
        #expect(column("age,friends.name") == 5)
        #expect(column("age,,name") == 5)
        #expect(column("") == 1)
        #expect(column("-friend") == 2)
        let path = try ValuePath(dotted: "home.owner.fans", rootClass: 0, schema: schema)
        #expect(path.steps.map(\.kind) == [.embedded, .link])
        for (list, dotted) in [("friends.@count", "friends.@count"), ("home.@count", "home.@size")]
        {
            let key = try SortKey.parse(
                list: list, root: .objects(classIndex: 0), schema: schema)
            #expect(
                try ValuePath(dotted: dotted, rootClass: 0, schema: schema) == key.first?.path)
        }
        for dotted in ["home.@type", "@links.@count", "friends.@count.name", "friends[0]"] {
            #expect(throws: QueryError.self) {
                try ValuePath(dotted: dotted, rootClass: 0, schema: schema)
            }
        }
    }

    @Test("lists of paths take positions and keys in brackets, as SORT does")
    func brackets() throws {
        let schema = World.compile(
            Schema(classes: [
                ObjectClass(
                    name: "Trip",
                    properties: [
                        Property(name: "costs", type: .map(.scalar(.double))),
                        Property(name: "days", type: .list(.scalar(.int))),
                        Property(name: "extra", type: .single(.scalar(.mixed))),
                        Property(name: "next", type: .single(.object("Trip")), isOptional: true),
                    ])
            ]))
        for path in [
            "costs['food']", "costs[\"a b's\"]", "days[0]", "days[FIRST]", "days[LAST]",
            "next.next.costs['x]y']", "extra['a'][1]", "next.extra[0]['b'].c", "days[SIZE]",
            "next.days[12]",
        ] {
            let sorted = try CompiledQuery.compile(
                text: "TRUEPREDICATE SORT(\(path) DESC)", rootClass: 0, schema: schema
            ).sort
            #expect(
                try SortKey.parse(list: "-\(path)", root: .objects(classIndex: 0), schema: schema)
                    == sorted,
                "\(path)")
        }
        func column(_ list: String) -> Int? {
            do {
                _ = try SortKey.parse(list: list, root: .objects(classIndex: 0), schema: schema)
                return nil
            } catch { return error.column }
        }
        #expect(column("costs[food]") == 6)
        #expect(column("-costs['food'") == 7)
        #expect(column("costs['food']x") == 14)
        #expect(column("costs[]") == 6)
        #expect(column("costs['") == 6)
        #expect(column("days[-1]") == 5)
        #expect(column("days[99999999999999999999]") == 5)
        #expect(column("costs['a'],[0]") == 12)
        #expect(column("costs[0]") == 6)
        #expect(column("days['a']") == 5)
    }

    @Test("suffixes keep their order; consecutive SORTs merge, the later one first")
    func suffixes() throws {
        let query = try compile(
            "TRUEPREDICATE SORT(age ASC) SORT(name DESC) DISTINCT(friend) LIMIT(5) LIMIT(3)")
        #expect(query.isPlain)
        #expect(query.sort.map(\.isAscending) == [false, true])
        #expect(query.distinct.count == 1)
        #expect(query.limit == 3)
        #expect(!(try compile("TRUEPREDICATE LIMIT(5) SORT(age ASC)").isPlain))
    }

    @Test("distinct leaves out objects with a null link on the way")
    func distinct() throws {
        let (a, b, c) = (Person(1), Person(2), Person(3))
        a.friend = b
        c.home = Address(city: nil)
        let world = World(people: [a, b, c])
        func takesPart(_ list: String, _ person: Person) throws -> Bool {
            let keys = try SortKey.parse(
                list: list, clause: "distinct", root: .objects(classIndex: 0), schema: schema)
            let row = try #require(world.row(classIndex: 0, key: person.key))
            return SortEvaluator(keys, schema: schema).appendDistinct(
                row: row, key: person.key, source: world, to: ByteBuffer())
        }
        #expect(
            try takesPart("friend", a) && takesPart("friend.name", a) && takesPart("home.city", c))
        #expect(
            try !takesPart("friend", b) && !takesPart("friend.name", b)
                && !takesPart("home.city", a))
        #expect(try takesPart("age", a))
    }

    @Test("values of a collection are sorted as self")
    func subjects() throws {
        let keys = try SortKey.parse(list: "-self", root: .values(.string), schema: schema)
        let evaluator = SortEvaluator(keys, schema: schema)
        let (a, b) = (ByteBuffer(), ByteBuffer())
        Array("a".utf8).withUnsafeBytes { _ = evaluator.append(value: $0, to: a) }
        Array("b".utf8).withUnsafeBytes { _ = evaluator.append(value: $0, to: b) }
        #expect(b.array.lexicographicallyPrecedes(a.array))
    }
}
