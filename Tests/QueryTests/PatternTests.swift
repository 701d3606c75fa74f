import HoldfastObjectModel
import HoldfastQuery
import HoldfastRows
import Synchronization
import Testing

/// MATCHES and TEXT, evaluated on rows.
@Suite("Regular expressions and words")
struct PatternTests {
    /// 1 Ann, 2 Bob Böll, 3 Cléo's café, 4 the lazy dog, 5 nameless, 6 empty.
    let world: World

    init() {
        var people: [Person] = []
        let names = ["Ann", "Bob Böll", "Cléo's café", "the LAZY dog", nil, ""]
        for (place, name) in names.enumerated() {
            let person = Person(Int64(place + 1))
            person.name = name
            people.append(person)
        }
        people[0].names = ["first note", "Second"]
        people[1].names = [nil, "note 2"]
        people[0].friend = people[3]
        people[1].friends = [people[0], people[3]]
        world = World(people: people, dogs: [Dog("Rex", master: people[0])])
    }

    @Test(
        "MATCHES fits the whole value",
        arguments: [
            ("name MATCHES 'A.n'", [1]), ("name MATCHES 'A'", []),
            ("name matches '.*o.*'", [2, 3, 4]),
            ("name MATCHES ''", [6]), ("name MATCHES '.*'", [1, 2, 3, 4, 6]),
            ("name MATCHES 'ann'", []), ("name MATCHES[c] 'ann'", [1]),
            ("name MATCHES[c] '.*lazy.*'", [4]), ("name MATCHES[d] 'Bob Boll'", [2]),
            ("name MATCHES[d] 'Bob Böll'", [2]), ("name MATCHES[cd] 'BOB BÖLL'", [2]),
            ("name MATCHES 'Bob B.ll'", [2]), ("name MATCHES '\\\\p{Lu}\\\\p{Ll}+'", [1]),
            ("name MATCHES '(\\\\w)\\\\w*\\\\s\\\\1.*' ", [2]),
            ("name MATCHES[c] '(\\\\w)\\\\w*\\\\s\\\\1.*' ", [2]),
            ("NOT name MATCHES 'A.*'", [2, 3, 4, 5, 6]), ("friend.name MATCHES 'the.*'", [1]),
            ("ANY names MATCHES '.*note.*'", [1, 2]),
            ("ALL names MATCHES '.*note.*'", [3, 4, 5, 6]),
            ("NONE names MATCHES '.*note.*'", [3, 4, 5, 6]),
            ("ANY friends.name MATCHES 'A..'", [2]),
            ("name MATCHES 'Ann' OR name MATCHES '.*dog'", [1, 4]),
        ] as [(String, [Int64])])
    func matches(text: String, expected: [Int64]) throws {
        #expect(try world.ids(text) == expected)
    }

    @Test("a regular expression can be an argument")
    func argument() throws {
        #expect(try world.ids("name MATCHES $0", [QueryArgument(.string("A.*"))]) == [1])
        #expect(try world.ids("name TEXT $0", [QueryArgument(.string("lazy"))]) == [4])
    }

    @Test(
        "TEXT finds words",
        arguments: [
            ("name TEXT 'lazy'", [4]), ("name text 'LAZY dog'", [4]), ("name TEXT 'laz'", []),
            ("name TEXT 'laz*'", [4]), ("name TEXT 'boll'", [2]), ("name TEXT 'BÖLL'", [2]),
            ("name TEXT 'cafe'", [3]), ("name TEXT \"cleo's\"", [3]), ("name TEXT 'cleo'", []),
            ("name TEXT 'the -lazy'", []), ("name TEXT '-lazy'", [1, 2, 3, 5, 6]),
            ("name TEXT 'lazy-dog'", [4]), ("name TEXT 'lazy, dog!'", [4]),
            ("NOT name TEXT 'lazy'", [1, 2, 3, 5, 6]), ("friend.name TEXT 'dog'", [1]),
            ("ANY names TEXT 'note'", [1, 2]), ("ANY names TEXT 'note -first'", [2]),
            ("ANY friends.name TEXT 'dog'", [2]), ("name TEXT 'lazy' AND name TEXT 'd*'", [4]),
        ] as [(String, [Int64])])
    func words(text: String, expected: [Int64]) throws {
        #expect(try world.ids(text) == expected)
    }

    @Test(
        "what is no regular expression, no search or stands wrong is refused with its column",
        arguments: [
            ("name MATCHES '('", QueryError.Kind.syntax, 14, "parenthesis"),
            ("name MATCHES '[a'", .syntax, 14, "bracket"),
            ("name MATCHES 'a{3,1}'", .syntax, 14, "interval"),
            ("name MATCHES '\\\\p{Nope}'", .syntax, 14, "property"),
            ("age == 1 AND name MATCHES '*'", .syntax, 27, "regular expression"),
            ("name MATCHES 5", .type, 6, "string"), ("name MATCHES null", .type, 14, "quotes"),
            ("name MATCHES {'a'}", .type, 14, "one text"), ("age MATCHES 'a'", .type, 5, "string"),
            ("name MATCHES friend.name", .type, 14, "quotes"),
            ("'a' MATCHES name", .type, 1, "left"),
            ("blob MATCHES bin('a')", .type, 6, "binary"), ("name MATCHES", .syntax, 13, "end"),
            ("name TEXT ''", .syntax, 11, "no words"), ("name TEXT 'a -A'", .syntax, 11, "'a'"),
            ("name TEXT[c] 'a'", .syntax, 10, "[c]"), ("age TEXT 'a'", .type, 5, "string"),
            ("name TEXT null", .type, 11, "words"), ("blob TEXT bin('a')", .type, 6, "string"),
            ("'a' TEXT name", .type, 1, "left"), ("name TEXT 'x' LIKE 'y'", .syntax, 15, "LIKE"),
        ])
    func refused(text: String, kind: QueryError.Kind, column: Int, part: String) throws {
        let error = try #require(throws: QueryError.self) { try world.ids(text) }
        #expect(error.kind == kind)
        #expect(error.column == column)
        #expect(error.message.contains(part), "\(error.message)")
    }

    @Test("a regular expression has a limit of length")
    func length() throws {
        let longest = String(repeating: "a", count: 16 << 10)
        #expect(try world.ids("name MATCHES '\(longest)'") == [])
        let error = try #require(throws: QueryError.self) {
            try world.ids("name MATCHES '\(longest)a'")
        }
        #expect(error.kind == .limit)
    }

    @Test("many and deep expressions and searches work, or are refused by a limit")
    func many() throws {
        for (part, name) in [("name MATCHES 'x'", "||"), ("name TEXT 'x'", "||")] {
            let most = Array(repeating: part, count: 1000).joined(separator: name)
            #expect(try world.ids(most) == [])
            let error = try #require(throws: QueryError.self) { try world.ids("\(most)||\(part)") }
            #expect(error.kind == .limit)
        }
        for (open, close) in [("(", ")"), ("(?:", ")*"), ("(?=", ")"), ("(?<=", ")"), ("[", "]")] {
            let deep =
                String(repeating: open, count: 3000) + "x" + String(repeating: close, count: 3000)
            // Understood or refused, it does not end the process.
            #expect((try? world.ids("name MATCHES '\(deep)'")) ?? [] == [], "\(open)")
        }
        let wide = String(repeating: "w ", count: 400_000)
        #expect(throws: QueryError.self) { try world.ids("name TEXT '\(wide)'") }
    }

    private func failure(_ pattern: String, on name: String, deadline: UInt64 = .max) throws
        -> EvaluationFailure?
    {
        let person = Person(1)
        person.name = name
        let world = World(people: [person], dogs: [])
        let query = try CompiledQuery.compile(
            text: "name MATCHES '\(pattern)'", rootClass: 0, schema: World.schema)
        let matcher = query.predicate.makeMatcher(World.schema)
        let budget = Budget(until: deadline)
        matcher.limit(by: budget)
        let row = try #require(world.row(classIndex: 0, key: person.key))
        #expect(!matcher.matches(row: row, key: person.key, source: world))
        let failure = budget.failure
        // What was given up stays so: nothing runs any more.
        if failure != nil { #expect(!matcher.matches(row: row, key: person.key, source: world)) }
        return failure
    }

    @Test("a regular expression that takes too long, or needs too much memory, is given up")
    func limits() throws {
        let evil = String(repeating: "a", count: 60)
        #expect(try failure("(a+)+b", on: evil) == .pattern)
        #expect(try failure("(a+)+b", on: evil, deadline: 0) == .time)
        #expect(try failure("b", on: evil, deadline: 0) == .time, "however short it is")
        #expect(try failure("b", on: evil) == nil)
        #expect(try failure("(a|b)*c", on: String(repeating: "a", count: 1 << 20)) == .pattern)
    }

    /// A time slice that ends after the given number of checks.
    private final class CountedTurn: TimeSlice {
        private let left: Atomic<Int>
        init(_ count: Int) { left = Atomic(count) }
        func mayContinue() -> Bool { left.wrappingSubtract(1, ordering: .relaxed).newValue > 0 }
        var isAlone: Bool { true }
    }

    @Test("a regular expression gives up its turn while it is tried on one value")
    func turns() throws {
        let person = Person(1)
        person.name = String(repeating: "a", count: 60)
        let world = World(people: [person], dogs: [])
        let query = try CompiledQuery.compile(
            text: "name MATCHES '(a+)+b'", rootClass: 0, schema: World.schema)
        let matcher = query.predicate.makeMatcher(World.schema)
        let budget = Budget()
        budget.timeSlice = CountedTurn(5)
        matcher.limit(by: budget)
        let row = try #require(world.row(classIndex: 0, key: person.key))
        #expect(!matcher.matches(row: row, key: person.key, source: world))
        // The client's departure ends it, long before the value has taken too much time.
        #expect(budget.failure == .time)
        #expect(budget.lookCount == 5)
    }

    @Test(
        "classes of characters that take long to compile are few, where case does not count above all"
    )
    func classes() throws {
        func count(_ part: String, _ count: Int) -> String {
            String(repeating: part, count: count)
        }
        #expect(try world.ids("name MATCHES[c] '\(count("[^\\\\p{Lu}]", 15))'") == [])
        #expect(try world.ids("name MATCHES '\(count("[^\\\\p{Lu}]", 1000))'") == [])
        #expect(try world.ids("name MATCHES[c] '\(count("[a-z]\\\\d", 1000))'") == [])
        let one = "name MATCHES[c] '\(count("[^\\\\p{Lu}]", 10))'"
        for text in [
            "name MATCHES[c] '\(count("[^\\\\p{Lu}]", 17))'",
            "name MATCHES '(?i)\(count("\\\\p{L}", 33))'",
            "name MATCHES '\(count("\\\\p{L}", 3201))'", "\(one) OR \(one)",
        ] {
            let error = try #require(throws: QueryError.self) { try world.ids(text) }
            #expect(error.kind == .limit && error.message.contains("classes of characters"))
        }
    }

    @Test("'matches' and 'text' stay names of properties")
    func names() throws {
        #expect(throws: QueryError.self) { try world.ids("matches == 1") }
        let error = try #require(throws: QueryError.self) { try world.ids("matches MATCHES 'a'") }
        #expect(error.message.contains("no property 'matches'"))
        let text = try #require(throws: QueryError.self) { try world.ids("text TEXT 'a'") }
        #expect(text.message.contains("no property 'text'"))
    }
}
