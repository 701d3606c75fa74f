import HoldfastObjectModel
import HoldfastQuery
import Testing

@Suite("Evaluation")
struct EvaluationTests {
    /// 1 Ann(30, friend 2, friends 2 3, ints 1 2), 2 Bob(40, friend 3, friends -, ints 3 3),
    /// 3 Cléo(null age, no friend, friends 1, ints null), 4 nameless (50).
    let world: World

    init() {
        let (a, b, c, d) = (Person(1), Person(2), Person(3), Person(4))
        a.name = "Ann"
        a.age = 30
        a.score = 1.5
        a.active = true
        a.born = Timestamp(seconds: 0, nanoseconds: 5)
        a.uid = UUID128(high: 1, low: 2)
        a.oid = ObjectID(high: 1, low: 2)
        a.blob = [1, 2, 3]
        a.home = Address(city: "Rome", zip: 100, owner: b)
        a.places = [Address(city: "Oslo", zip: 1), Address(city: nil, zip: 2)]
        a.friend = b
        a.friends = [b, c]
        a.ints = [1, 2]
        a.names = ["x", "yy"]
        a.tags = ["red", "blue"]
        b.name = "Bob"
        b.age = 40
        b.score = .nan
        b.active = false
        b.friend = c
        b.ints = [3, 3]
        b.names = [nil, "Bob"]
        b.crew = [a, d]
        c.name = "Cléo"
        c.score = -0.0
        c.friends = [a]
        c.ints = [nil]
        c.home = Address()
        d.age = 50
        d.score = 9_007_199_254_740_992
        world = World(
            people: [a, b, c, d],
            dogs: [Dog("Rex", master: a), Dog("Ali", master: a), Dog("Zoe", master: nil)])
    }

    @Test(
        "comparisons, logic and precedence",
        arguments: [
            ("age == 30", [1]), ("age = 30", [1]), ("30 == age", [1]), ("age != 30", [2, 3, 4]),
            ("age <> 30", [2, 3, 4]), ("age < 40", [1]), ("age <= 40", [1, 2]),
            ("age =< 40", [1, 2]),
            ("age > 40", [4]), ("40 < age", [4]), ("age >= 40", [2, 4]), ("age => 40", [2, 4]),
            ("age == '30'", [1]), ("age == 30.0", [1]), ("age == 30.5", []),
            ("age != 30.5", [1, 2, 3, 4]),
            ("age < 30.5", [1]), ("age >= 30.5", [2, 4]), ("age < 1e300", [1, 2, 4]),
            ("age > -1e300 and age < 45", [1, 2]), ("age BETWEEN {30, 40}", [1, 2]),
            ("age between {40, 30}", []), ("age == 30 or age == 40 and name == 'Ann'", [1]),
            ("(age == 30 or age == 40) and name == 'Bob'", [2]),
            ("!age == 30 && name == 'Bob'", [2]),
            ("NOT (age == 30)", [2, 3, 4]), ("not not age == 30", [1]), ("((age) == ((30)))", [1]),
            ("TRUEPREDICATE", [1, 2, 3, 4]), ("falsepredicate || age == 30", [1]),
            ("active == true", [1]), ("active < true", [2]), ("active != false", [1, 3, 4]),
            ("born == T0:5", [1]), ("born > 1970-1-1@0:0:0", [1]), ("born < T0:5", []),
            ("uid == uuid(00000000-0000-0001-0000-000000000002)", [1]),
            ("uid < uuid(00000000-0000-0001-0000-000000000003)", [1]),
            ("oid == oid(000000000000000100000002)", [1]),
            ("oid > oid(000000000000000100000001)", [1]),
            ("blob == binary(B64\"AQID\")", [1]), ("blob BEGINSWITH bin(B64'AQI=')", [1]),
            ("age == 0x1e", [1]), ("_id IN {1, 3}", [1, 3]), ("_id in {}", []),
            ("age IN {30, null, 'x', 2.5}", [1, 3]), ("age==30OR _id==2", [1, 2]),
        ] as [(String, [Int64])])
    func comparisons(text: String, expected: [Int64]) throws {
        #expect(try world.ids(text) == expected)
    }

    @Test(
        "numbers compare exactly and NaN sorts below them",
        arguments: [
            ("score == 1.5", [1]), ("score == NaN", [2]), ("score != NaN", [1, 3, 4]),
            ("score < 0", [2]), ("score <= 0", [2, 3]), ("score == 0", [3]), ("score == -0.0", [3]),
            ("score == 9007199254740993", []), ("score < 9007199254740993", [1, 2, 3, 4]),
            ("score >= 9007199254740993", []), ("score > 9007199254740991", [4]),
            ("score == inf", []), ("score < inf", [1, 2, 3, 4]), ("age > score", [1, 2]),
            ("score < age", [1, 2]), ("score == age", []), ("age <= score", [4]),
        ] as [(String, [Int64])])
    func numbers(text: String, expected: [Int64]) throws {
        #expect(try world.ids(text) == expected)
    }

    @Test(
        "null rules",
        arguments: [
            ("name == null", [4]), ("name != nil", [1, 2, 3]), ("name != 'Bob'", [1, 3, 4]),
            ("age < null", []), ("age > null", []), ("age <= null", [3]), ("age >= null", [3]),
            ("null <= age", [3]), ("friend.name == null", [3, 4]),
            ("friend.name != 'Bob'", [2, 3, 4]),
            ("friend != null && friend.name != 'Bob'", [2]), ("_id == null", []),
            ("name CONTAINS null", [1, 2, 3, 4]), ("name BEGINSWITH null", [1, 2, 3, 4]),
            ("name ENDSWITH[c] null", [1, 2, 3, 4]), ("blob CONTAINS null", [1, 2, 3, 4]),
            ("blob CONTAINS[c] null", [1, 2, 3, 4]), ("name LIKE null", [4]),
            ("null CONTAINS name", []), ("null LIKE name", [4]), ("null BEGINSWITH name", []),
            ("name CONTAINS ''", [1, 2, 3]), ("name CONTAINS 'zzz'", []),
            ("home == null", [2, 4]), ("home.city == null", [2, 3, 4]), ("name ==[c] null", [4]),
            ("'xBoby' CONTAINS name", [2, 4]), ("'Bob' LIKE name", [2]),
            ("friend == null", [3, 4]),
            ("name >= null", [4]), ("age IN {null}", [3]),
        ] as [(String, [Int64])])
    func nulls(text: String, expected: [Int64]) throws {
        #expect(try world.ids(text) == expected)
    }

    @Test(
        "string operators, with and without case",
        arguments: [
            ("name BEGINSWITH 'B'", [2]), ("name BEGINSWITH[c] 'b'", [2]),
            ("name ENDSWITH 'b'", [2]),
            ("name ENDSWITH[c] 'ÉO'", [3]), ("name CONTAINS 'n'", [1]),
            ("name CONTAINS[c] 'LÉ'", [3]),
            ("name CONTAINS[c] 'LE'", []), ("name ==[c] 'ann'", [1]),
            ("name !=[c] 'ann'", [2, 3, 4]),
            ("name IN[c] {'ANN', 'cLÉO'}", [1, 3]), ("name LIKE '?o*'", [2]),
            ("name LIKE 'Cl?o'", [3]),
            ("name LIKE[c] '*N'", [1]), ("name LIKE 'Bo'", []), ("name LIKE '*'", [1, 2, 3]),
            ("name LIKE '**b**'", [2]), ("name LIKE ''", []), ("name like 'Bob?'", []),
            ("name < 'Bob'", [1]), ("name >= 'Bob'", [2, 3]),
        ] as [(String, [Int64])])
    func strings(text: String, expected: [Int64]) throws {
        #expect(try world.ids(text) == expected)
    }

    @Test(
        "quantifiers over lists, sets and inverse links",
        arguments: [
            ("ints == 1", [1]), ("ANY ints == 1", [1]), ("SOME ints > 2", [2]),
            ("ALL ints == 3", [2, 4]),
            ("NONE ints == 3", [1, 3, 4]), ("ANY ints == null", [3]),
            ("ALL ints != null", [1, 2, 4]),
            ("1 IN ints", [1]), ("ints.@count == 2", [1, 2]), ("ints.@size == 0", [4]),
            ("ints[SIZE] == 1", [3]), ("ints[0] == 3", [2]), ("ints[LAST] == 2", [1]),
            ("ints[FIRST] == null", [3, 4]), ("ints[5] == null", [1, 2, 3, 4]),
            ("ints[*] == 3", [2]),
            ("tags == 'red'", [1]), ("tags CONTAINS 'lu'", [1]), ("names.length == 2", [1]),
            ("names.LENGTH == 0", [2]), ("ALL names.length > 0", [1, 3, 4]),
            ("friends.age == 40", [1]), ("ALL friends.age == 40", [2, 4]),
            ("NONE friends.age == 40", [2, 3, 4]), ("friends.@count == 2", [1]),
            ("friend.@count == 1", [1, 2]),
            ("friend.friends.@count == 0", [1, 3, 4]), ("friends.friends.@count == 1", [1]),
            ("friends.friends.@count == 2", [3]),
            ("friends[0].name == 'Bob'", [1]), ("friends[7].name == null", [1, 2, 3, 4]),
            ("places.city == 'Oslo'", [1]), ("places.@count == 2", [1]),
            ("places[1].zip == 2", [1]),
            ("home.owner.name == 'Bob'", [1]), ("fans.name == 'Ann'", [2]),
            ("fans.@count == 1", [2, 3]),
            ("@links.Person.friends.name == 'Ann'", [2, 3]),
            ("@links.Person.friends.@count == 1", [1, 2, 3]),
            ("@links.@count == 0", []), ("@links.Dog.master.name == 'Rex'", [1]),
            ("@links.Dog.master.@count == 2", [1]),
            ("friend.@links.Person.friend.@count == 1", [1, 2]),
            ("crew.name == 'Ann'", [2]), ("ALL crew.age >= 30", [1, 2, 3, 4]),
            ("name.@count == 5", [3]), ("name.@size == 3", [1, 2]), ("blob.@size == 3", [1]),
            ("@links.Address.owner.@count == 1", [2]), ("ALL names BETWEEN {'x', 'z'}", [1, 3, 4]),
        ] as [(String, [Int64])])
    func quantifiers(text: String, expected: [Int64]) throws {
        #expect(try world.ids(text) == expected)
    }

    @Test(
        "lists compared with lists",
        arguments: [
            ("ints == {1, 2}", [1]), ("ints == {2, 1}", []), ("ints == {}", [4]),
            ("ints != {1, 2}", [2, 3, 4]),
            ("ints != {1, 3}", [3, 4]), ("ints != {2, 1}", [1, 2, 3, 4]), ("{1, 2} IN ints", [1]),
            ("ANY ints == {1, 2}", [1]), ("ALL ints == {1, 2}", [1, 4]),
            ("ints == ANY {2, 7}", [1]),
            ("ALL ints IN {3}", [2, 4]), ("NONE ints IN {3}", [1, 3, 4]),
            ("ALL {} IN ALL ints", [1, 2, 3, 4]),
            ("{} IN ALL ints", []), ("ALL {1, 2} IN ints", [1]), ("{3} IN ALL ints", [2, 4]),
            ("tags == {'blue', 'red'}", [1]), ("ints < {2, 3}", [1]), ("ints <= {3, 3}", [1, 2]),
            ("{3, 4} > ints", [1]), ("_id IN {1, 2} and _id IN {2, 3}", [2]),
            ("ints == {null}", [3]),
            ("friends.name == {'Bob', 'Cléo'}", [1]), ("names CONTAINS {'x', 'y'}", [1]),
            ("age == {30, 40}", [1, 2]), ("age != {30, 40}", [1, 2, 3, 4]),
            ("age != ALL {30, 40}", [3, 4]),
            ("age IN NONE {30}", [2, 3, 4]), ("friends.ints == 3", [1]),
            ("ALL friends.ints == 3", [1, 2, 4]),
            ("ALL friends.ints == 1", [2, 4]), ("friends.ints == {3, 3}", [1]),
            ("friends.ints.@count == 2", [1, 3]),
            ("NONE friends.ints == 3", [1, 2, 3, 4]), ("friends.names.length == 3", [1]),
        ] as [(String, [Int64])])
    func lists(text: String, expected: [Int64]) throws {
        #expect(try world.ids(text) == expected)
    }

    @Test(
        "objects are compared by identity; one that does not exist equals nothing",
        arguments: [
            ("friend == obj('Person', 2)", [1]), ("friend != obj('Person', 2)", [2, 3, 4]),
            ("friend == obj('Person', 99)", []), ("friend != obj('Person', 99)", [1, 2, 3, 4]),
            ("friends == obj('Person', 1)", [3]), ("ALL friends == obj('Person', 1)", [2, 3, 4]),
            ("friend IN {obj('Person', 2), obj('Person', 3)}", [1, 2]),
            ("friends == {obj('Person', 2), obj('Person', 3)}", [1]),
            ("@links.Dog.master == obj('Dog', 'Rex')", [1]), ("friend IN friends", [1]),
            ("friend == friend.friend", [3, 4]), ("fans == obj('Person', 1)", [2]),
        ] as [(String, [Int64])])
    func objects(text: String, expected: [Int64]) throws {
        #expect(try world.ids(text) == expected)
    }

    @Test("arguments stand for values and lists; plain text adapts to the type beside it")
    func arguments() throws {
        #expect(
            try world.ids("age == $0 and name == $1", [.init(.int(30)), .init(text: "Ann")]) == [1])
        #expect(
            try world.ids("age IN $0", [.init(.list([.int(30), .string("40"), .bool(true)]))]) == [
                1, 2,
            ])
        #expect(try world.ids("_id IN NONE $0", [.init(.list([.int(1), .int(2)]))]) == [3, 4])
        #expect(try world.ids("ALL $0 IN ints", [.init(.list([.int(1), .int(2)]))]) == [1])
        #expect(try world.ids("age BETWEEN $0", [.init(.list([.int(30), .int(40)]))]) == [1, 2])
        #expect(try world.ids("born == $0", [.init(text: "1970-01-01T00:00:00.000000005Z")]) == [1])
        #expect(
            try world.ids("uid == $0", [.init(text: "00000000-0000-0001-0000-000000000002")]) == [1]
        )
        #expect(try world.ids("oid == $0", [.init(text: "000000000000000100000002")]) == [1])
        #expect(try world.ids("blob == $0", [.init(text: "AQID")]) == [1])
        #expect(try world.ids("$K0 == 30", [.init(text: "age")]) == [1])
        #expect(try world.ids("ANY $K0 == 40", [.init(text: "friends.age")]) == [1])
        #expect(try world.ids("ints[$0] == 2", [.init(.int(1))]) == [1])
        #expect(try world.ids("friend == obj('Person', $0)", [.init(text: "2")]) == [1])
        #expect(
            try world.ids("friend == $0", [.init(.link(className: "Person", key: .int(2)))]) == [1])
    }

    @Test("a filter on values calls them self")
    func values() throws {
        func matches(_ text: String, _ type: ScalarType, _ bytes: [UInt8]?) throws -> Bool {
            let query = try CompiledQuery.compile(
                text: text, root: .values(type), schema: World.schema)
            let matcher = query.predicate.makeMatcher(World.schema)
            guard let bytes else { return matcher.matches(value: nil) }
            return bytes.withUnsafeBytes { matcher.matches(value: $0) }
        }
        #expect(try matches("self BEGINSWITH 'a'", .string, Array("abc".utf8)))
        #expect(try !matches("self BEGINSWITH 'b'", .string, Array("abc".utf8)))
        #expect(try matches("self == ''", .string, []))
        #expect(try !matches("self == ''", .string, nil))
        #expect(try matches("self == null OR self.@count > 3", .string, nil))
        #expect(try matches("self.@count == 3 && NOT self == 'b'", .string, Array("abc".utf8)))
        #expect(try matches("self IN {1, 5}", .int, [5, 0, 0, 0, 0, 0, 0, 0]))
        #expect(try matches("{1, 5} == self", .int, [5, 0, 0, 0, 0, 0, 0, 0]))
        #expect(throws: QueryError.self) { try matches("name == 'a'", .string, nil) }
    }

    @Test("tens of thousands of terms neither overflow the stack nor compare one by one")
    func longChains() throws {
        let terms = (0..<50_000).map { "_id == \($0 * 7)" }
        #expect(try world.ids(terms.joined(separator: " OR ") + " OR age == 30") == [1])
        #expect(
            try world.ids(terms.map { "NOT (\($0))" }.joined(separator: " AND ")) == [1, 2, 3, 4])
        #expect(
            try world.ids(
                String(repeating: "(", count: 500) + "age == 30"
                    + String(repeating: ")", count: 500)) == [1])
        #expect(try world.ids(String(repeating: "!", count: 500) + "age == 30") == [1])
    }
}
