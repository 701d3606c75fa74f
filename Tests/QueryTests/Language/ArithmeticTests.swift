import HoldfastObjectModel
import HoldfastQuery
import Testing

@Suite("Arithmetic")
struct ArithmeticTests {
    let world: LanguageWorld

    init() throws { world = try LanguageWorld() }

    @Test("operators bind as usual, beside numbers of every type")
    func operators() {
        world.check([
            ("n + 1 == 11", [1]), ("n+1 == 11", [1]), ("n - 1 == 9", [1]), ("n * 2 == 40", [2]),
            ("n / 3 == 3", [1]), ("n / 3 == -2", [4]), ("n * 1.5 == 15", [1]),
            ("n == -1 - 2 * 3", [4]), ("(n + 2) * 2 == 24", [1]), ("n == (1 + 1) * 5", [1]),
            ("n == (2+3)*2", [1]), ("n == 5 +5", [1]), ("n - 5 - 5 == 0", [1]),
            ("n / 2 / 5 == 1", [1]), ("((n) + (1)) == (11)", [1]), ("11 == n + 1", [1]),
            ("n + 1 > n", [1, 2, 4, 5]), ("n / 4.0 == 2.5", [1]), ("n / 4 == 2.5", []),
            ("e + 0.2 == 0.3", [1]), ("e * 2 == 5", [4]), ("d + n == 11.5", [1]),
            ("f + 0 == 2.33", [1]), ("n + friend.n == 30", [1]), ("friend.n + 5 == 25", [1]),
            ("n + 1 IN {11, 21}", [1, 2]), ("n + 1 BETWEEN {11, 21}", [1, 2]),
            ("n == 10 + 0 OR n == 20 + 0", [1, 2]), ("!(n + 1 == 11)", [2, 3, 4, 5]),
        ])
    }

    @Test("null, zero and infinities")
    func edges() throws {
        world.check([
            ("n + null == null", [1, 2, 3, 4, 5]), ("n + 1 == null", [3]),
            ("n + 1 != 11", [2, 3, 4, 5]), ("n == 1 + null", [3]), ("10 / n > 100", [5]),
            ("n / 0 < 0", [4]), ("d / 0 > 1e300", [1, 4]), ("n + n == n * 2", [1, 2, 3, 4, 5]),
            ("mix + 1 == 6", [1]), ("mix * 2 == null", [2, 3, 4, 5]),
            ("n + 9223372036854775807 < 0", []), ("n + 9223372036854775807 == null", [1, 2, 3]),
            ("n / -1 == 7", [4]),
            ("e / 0 > 1", [1, 2, 4]),
        ])
        #expect(try world.ids("n == $0 + 5", [.init(.int(5))]) == [1])
        #expect(try world.ids("n + $0 == 15", [.init(text: "5")]) == [1])
        #expect(try world.ids("n + '5' == 15") == [1])
        #expect(try world.fault("n + $0 == 15", [.init(text: "five")])?.kind == .type)
        #expect(try world.ids("n + $0 == 10.5", [.init(.double(0.5))]) == [1])
    }

    @Test("zero keeps its sign")
    func negativeZero() throws {
        try world.put(
            5,
            [
                "f": .value(.float(-0.0)), "d": .value(.double(-0.0)),
                "e": .value(LanguageWorld.decimal("-0")), "mix": .value(.double(-0.0)),
                "floats": .values([.float(-0.0)]),
            ])
        for name in ["f", "d", "e", "mix", "floats"] {
            #expect(try world.ids("id == 5 AND 1 / \(name) < 0") == [5], "\(name)")
        }
    }

    @Test("a list is calculated with element by element")
    func lists() throws {
        world.check([
            ("ints + 1 == 4", [1]), ("ALL ints + 1 > 1", [1, 2, 3, 5]),
            ("ANY {1, 2} + 8 == n", [1]), ("n IN {1, 2} * 10", [1, 2]), ("n IN ints * 4", [2]),
            ("friends.n * 2 == 40", [1, 4]), ("n + {0, 10} == 20", [1, 2]),
            ("ints + 1 == {2, 3, 4}", [1]), ("2 * NONE ints > 2", [3, 5]),
            ("ints + n == 25", [2]), ("ALL friends.ints + 0 == 5", [1, 2, 4, 5]),
        ])
        #expect(try world.ids("n IN $0 + 1", [.init(.list([.int(9), .int(1)]))]) == [1])
    }

    @Test("what is no number is refused")
    func faults() throws {
        try world.check(faults: [
            ("name + 1 == 2", "Cannot perform '+' operation on 'name' and '1'", 6),
            ("n * b == 1", "Cannot perform '*' operation on 'n' and 'b'", 3),
            ("'a' - 1 == n", "Cannot perform '-' operation on ''a'' and '1'", 5),
            ("ints + ints == 1", "Arithmetic between two lists is not possible", 6),
            ("1 + 2 == 3", "Cannot compare two constants", 7),
            ("n + == 1", "Invalid predicate: 'n + == 1': syntax error, unexpected '=='", 5),
            ("1-0 == n", "Invalid predicate", 2), ("n -5 == 0", "Invalid predicate", 3),
            ("n + 1", "Invalid predicate: 'n + 1': syntax error, unexpected end of query", 6),
            (
                "n == (1",
                "Invalid predicate: 'n == (1': syntax error, unexpected end of query, expected a comparison operator or ')'",
                8
            ),
            (
                "n IN (1, 2)",
                "Invalid predicate: 'n IN (1, 2)': syntax error, unexpected ',', expected ')' (a list is written in braces, such as {1, 2})",
                8
            ),
            (
                "n IN {n, 2}",
                "Invalid predicate: 'n IN {n, 2}': syntax error, unexpected 'n', expected a value (a list holds no properties)",
                7
            ),
            ("n + 1 CONTAINS 'a'", "Unsupported comparison", 7),
            ("n + (n == 1) == 2", "Invalid predicate", 5),
            ("ANY n + 1 == 2", "The keypath following 'ANY' must contain a list", 1),
            ("n IN n + 1", "The keypath following 'IN' must contain a list. Found 'n + 1'", 6),
        ])
    }

    @Test("operations one upon the other are bounded, those beside each other are not")
    func limits() throws {
        let within = "n" + String(repeating: " + 1", count: 200) + " == 210"
        #expect(try world.ids(within) == [1])
        let beyond = "n" + String(repeating: " + 1", count: 201) + " == 211"
        #expect(try world.fault(beyond)?.kind == .limit)
        let terms = (0..<20_000).map { "n + 1 == \($0)" }
        #expect(try world.ids(terms.joined(separator: " OR ")) == [1, 2, 5])
    }
}
