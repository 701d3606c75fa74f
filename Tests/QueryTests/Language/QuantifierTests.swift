import HoldfastObjectModel
import HoldfastQuery
import Testing

@Suite("Quantifiers and lists")
struct QuantifierTests {
    let world: LanguageWorld

    init() throws { world = try LanguageWorld() }

    @Test("two lists without a quantifier are compared element by element, IN included")
    func ordered() {
        world.check([
            ("ints == {1, 2, 3}", [1]), ("ints == {3, 2, 1}", []), ("ints == {}", [3, 5]),
            ("{1, 2, 3} IN ints", [1]), ("{20, null} IN friends.n", [1]),
            ("friends.n == {20, null}", [1]), ("friends.n != {20, null}", [2, 3, 4, 5]),
            ("friends.n != {10, 10}", [1, 2, 3, 4, 5]), ("friends.n != {20, 5}", [2, 3, 4, 5]),
            ("ints < {2, 3, 4}", [1]), ("ints <= {1, 3, 3}", [1]), ("{0, 1, 2} < ints", [1]),
            ("names CONTAINS {'a', 'b'}", [1]), ("friends.n == friend.friends.n", [4, 5]),
            ("codes == {1, 3}", [1]), ("names ==[c] {'A', 'BBB'}", [1]),
            ("marks == {1, 2.5}", [1]), ("friends == {obj('Node', 1)}", [3]),
        ])
    }

    @Test("with a quantifier on either side each element is compared with each")
    func quantified() throws {
        world.check([
            ("{} IN ALL ints", []), ("ALL {} IN ALL ints", [1, 2, 3, 4, 5]),
            ("ANY ints == {}", []), ("ALL ints == {}", [3, 5]),
            ("NONE ints == {}", [1, 2, 3, 4, 5]),
            ("ANY ints IN {1, 5}", [1, 2]), ("ints IN ANY {1, 5}", [1, 2]),
            ("ALL ints IN {1, 2, 3}", [1, 3, 5]), ("NONE ints IN {1}", [2, 3, 4, 5]),
            ("ALL ints > NONE {5, 6}", [1, 2, 3, 4, 5]), ("ALL {1, 3} IN ints", [1]),
            ("ANY ints == ALL {5, 5}", [2]), ("SOME ints == 5", [2]), ("some {5, 6} IN ints", [2]),
            ("n IN ALL {10}", [1]), ("n IN {}", []), ("ANY friends.n == ANY friend.friends.n", [4]),
            ("n != ALL {10, 20}", [3, 4, 5]), ("n == NONE {10, 20}", [3, 4, 5]),
        ])
        #expect(
            try world.ids("id IN NONE $0", [.init(.list([.int(1), .int(2)]))]) == [3, 4, 5])
        #expect(try world.ids("ANY $0 == n", [.init(.list([.int(10), .null]))]) == [1, 3])
    }

    @Test("collections behind a to-many path are compared one at a time")
    func oneAtATime() {
        world.check([
            ("friends.ints == {1, 2, 3}", [3, 4]), ("ALL friends.ints == 5", [1, 2, 4, 5]),
            ("friends.ints == {}", [1, 2, 4, 5]), ("ALL friends.names == 'a'", [1, 2, 4, 5]),
            ("ALL friends.words['Foo'] == 'x'", [2, 3, 4, 5]),
            ("NONE friends.words['Foo'] == 'x'", [1, 2, 4, 5]),
            ("friends.words['Foo'] == {'x'}", [3, 4]),
            ("friends.words.@keys == {'Bar', 'Foo'}", [3, 4]),
            ("ALL friends.marks > 0.5", [1, 2, 3, 4, 5]), ("2 IN friends.ints", [3, 4]),
            ("ALL friends.ints[0] == 1", [2, 3, 5]),
        ])
    }

    @Test("objects behind a to-many path flatten into one list")
    func flattened() {
        world.check([
            ("ALL friends.name == 'Ann'", [2, 3, 5]), ("ALL friends.friend.name == 'Cid'", [2, 5]),
            ("NONE friends.friends.name == 'Dan'", [1, 2, 3, 5]),
            ("ALL friends.friends.name == 'Ann'", [1, 2, 5]),
        ])
    }

    @Test("BETWEEN takes two bounds, of lists with ALL")
    func between() throws {
        world.check([
            ("n BETWEEN {0, 10}", [1, 5]), ("n between {10, 0}", []),
            ("ALL ints BETWEEN {1, 5}", [1, 2, 3, 5]), ("friend.n BETWEEN {20, 20}", [1]),
            ("name BETWEEN {'Ann', 'Bob'}", [1, 2]), ("at BETWEEN {T100:0, T150:0}", [1]),
            ("mix BETWEEN {4, 6.5}", [1]), ("ints.@max BETWEEN {3, 4}", [1, 4]),
            ("n BETWEEN {null, null}", [3]),
        ])
        let only = "Only 'ALL' supported for operator 'BETWEEN' when applied to lists."
        try world.check(faults: [
            ("ints BETWEEN {1, 2}", only, 1), ("ANY ints BETWEEN {1, 2}", only, 1),
            ("NONE friends.n BETWEEN {1, 2}", only, 1),
            ("n BETWEEN {1}", "Operator 'BETWEEN' requires list with 2 elements.", 11),
            ("n BETWEEN {1, 2, 3}", "Operator 'BETWEEN' requires list with 2 elements.", 11),
            ("n BETWEEN {}", "Operator 'BETWEEN' requires list with 2 elements.", 11),
        ])
        #expect(
            try world.fault("n BETWEEN $0", [.init(.int(1))])?.message.contains("2 elements")
                == true)
    }

    @Test("what is no list takes no quantifier")
    func faults() throws {
        try world.check(faults: [
            ("ALL n == 1", "The keypath following 'ALL' must contain a list", 1),
            ("SOME n == 1", "The keypath following 'ANY' must contain a list", 1),
            ("NONE friend.n == 1", "The keypath following 'NONE' must contain a list", 1),
            ("n IN 5.5", "The keypath following 'IN' must contain a list. Found '5.5'", 6),
            (
                "n IN friend.n", "The keypath following 'IN' must contain a list. Found 'friend.n'",
                6
            ),
            ("ANY 5.5 IN ints", "Invalid predicate", 5),
            (
                "ints == codes",
                "Ordered comparison between two primitive lists is not implemented yet ('ints' and "
                    + "'codes')", 6
            ),
            (
                "friends == null", "Cannot compare linklist ('friends') with NULL", 9
            ),
            ("null != fans", "Cannot compare linklist ('fans') with NULL", 6),
        ])
        #expect(
            try world.fault("ANY $0 == n", [.init(.int(1))])?.message
                == "ANY/ALL/NONE are only allowed on arguments which contain a list but '$0' is not a list."
        )
    }
}
