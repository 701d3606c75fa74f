import HoldfastQuery
import Testing

@Suite("Words and forms of other query languages")
struct ForeignSyntaxTests {
    private func fault(_ text: String) -> QueryError? {
        do {
            _ = try CompiledQuery.compile(text: text, rootClass: 0, schema: World.schema)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "a text that takes the place of the faulty one is the hint",
        arguments: [
            ("name ILIKE 'a*'", "LIKE[c]"), ("name STARTSWITH 'A'", "BEGINSWITH"),
            ("name starts_with 'A'", "BEGINSWITH"), ("name eq 'Ann'", "=="), ("age gt 5", ">"),
            ("age == 1 AND age $gte 5", ">="), ("name === 'Ann'", "=="), ("age !== 5", "!="),
            ("age > 1 & age < 5", "&&"), ("age > 1 | age < 5", "||"), ("name == ?", "$0"),
            ("name: 'Ann'", "=="), ("name ?= 'Ann'", "=="), ("name == :name", "$0"),
            ("name == %@", "$0"), ("%K == 5", "$K0"),
            (" * ", "TRUEPREDICATE"), ("WHERE name == 'Ann'", "name == 'Ann'"),
            ("SELECT name FROM Person WHERE age > 5", "age > 5"), ("active", "active == true"),
            ("NOT active", "active == true"), ("(active) AND age > 5", "active == true"),
            ("(age > 5 OR friend.active)", "friend.active == true"), ("active == 1", "true"),
            ("active != 0", "false"), ("name == 5", "'5'"), ("name CONTAINS true", "'true'"),
            ("name IN ('Ann')", "{'Ann'}"), ("age IN 5", "{5}"), ("ints.count > 1", "@count"),
            ("names.Count > 1", "@count"), ("name.length > 1", "@count"),
            ("friends.count > 1", "@count"),
            ("ints.max > 1", "@max"), ("friends.max.age > 1", "@max"), ("name == ‘Ann’", "'Ann'"),
            ("name == “Ann”", "'Ann'"),
        ])
    func hints(text: String, hint: String) throws {
        let error = try #require(fault(text), "\(text)")
        #expect(error.hint == hint, "\(text): \(error)")
    }

    @Test(
        "a form that has to change elsewhere too is at the end of the message",
        arguments: [
            ("LOWER(name) == 'ann'", "name ==[c] 'text'"),
            ("friend.name.toLowerCase() == 'ann'", "friend.name ==[c] 'text'"),
            ("name.contains('n')", "write name CONTAINS 'n'"),
            ("friend.name.hasPrefix(\"A\")", "write friend.name BEGINSWITH \"A\""),
            ("startswith(name, 'A')", "write name BEGINSWITH 'A'"),
            ("name.equals($0)", "write name == $0"),
            ("COUNT(ints) > 3", "write ints.@count"), ("friends.count() > 3", "friends.@count"),
            ("MAX(ints) > 3", "write ints.@max"), ("friends.max(age) > 3", "friends.@max.age"),
            ("AVG(friends.age) > 3", "write friends.@avg.age"),
            ("friend.ints.max() > 3", "write friend.ints.@max"),
            ("born > date('2026-06-30')", "write 2026-06-30T00:00:00Z"),
            ("born > ISODate('2026-06-30T10:00:00Z')", "write 2026-06-30T10:00:00Z"),
            ("born > date('yesterday')", "the present time now()"),
            ("name == 'O''Brien'", "written \\'"), ("name == \"a\"\"b\"", "written \\\""),
            ("age > 1,000,000 AND age < 5", "write 1000000 without"),
            ("age > 1_000", "write 1000 without"),
            (#"{"name":"Ann"}"#, "a filter is not JSON"),
            (#"{"name" : {"$in": ["Ann"]}}"#, "a filter is not JSON"),
            ("{name: 'Ann', active: true}", "a filter is not JSON"),
            ("name == /A.*/", "write name MATCHES 'A.*'"), (#"name == /A\d/"#, #"MATCHES 'A\\d'"#),
            ("SELECT * FROM Person", "only the condition"),
            ("friend->name == 'Ann'", "write friend.name"),
            ("age > 5 AND friend->friend->age > 5", "write friend.friend.age"),
            ("friend/name == 'Ann'", "write friend.name"),
            ("name NOT IN {'Ann'}", "write NOT name IN"),
            ("friend.name NOT LIKE 'A*'", "write NOT friend.name LIKE"),
            ("name == 'Ann';", "without ';'"), ("name || 'x'", "|| is OR between"),
            ("age > 5 ORDER BY name desc", "SORT(name DESC)"),
            ("age > 5 SORT name", "SORT(name ASC)"),
            ("age > 5 XOR age < 9", "(A OR B) AND NOT (A AND B)"),
            ("name == ‘Ann Lee’", "straight quotes"),
            ("home near [1, 2]", "geoWithin"), ("name REGEXP 'A'", "MATCHES"),
        ])
    func forms(text: String, form: String) throws {
        let error = try #require(fault(text), "\(text)")
        #expect(error.message.contains(form), "\(text): \(error)")
        #expect(error.hint == nil, "\(text): \(error)")
    }

    @Test(
        "a form that would not work is not advised",
        arguments: [
            "name == 'a' eq", "age", "NOT name", "active 5", "friends.active",
            "name.max > 1", "names.max > 1", "friends.max > 1", "COUNT(*) > 3",
            "name.contains('a', 'b')", "name.contains(['a'])", "MAX(age, score) > 1", "{1, 2} x",
            "age > 1,00", "unknown", "((",
            "friend?.name == 'Ann'", "age IN {1,000", "1 / friend == 2",
            "name == le Mans",
        ])
    func noAdvice(text: String) throws {
        let error = try #require(fault(text), "\(text)")
        #expect(!error.message.contains("write"), "\(text): \(error)")
        #expect(error.hint == nil, "\(text): \(error)")
    }

    @Test("advice quotes no long text, and costs no stack")
    func long() throws {
        let name = String(repeating: "n", count: 100_000)
        for text in ["\(name).contains('x')", "\(name)->\(name) == 1", "WHERE \(name) == 1", name] {
            let error = try #require(fault(text))
            #expect(error.hint == nil && error.message.utf8.count < 1000)
        }
        let nested = String(repeating: "count(", count: 100_000)
        #expect(fault(nested)?.kind == .syntax)
    }
}
