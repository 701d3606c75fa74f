import HoldfastQuery
import Testing

@Suite("Aggregates")
struct AggregateTests {
    let world: LanguageWorld

    init() throws { world = try LanguageWorld() }

    @Test("collections of values: nulls are left out, the sum of nothing is 0, the rest null")
    func collections() {
        world.check([
            ("ints.@min == 1", [1]), ("ints.@max == 3", [1]), ("ints.@sum == 0", [3, 5]),
            ("ints.@sum == 4", [4]), ("ints.@avg == 2", [1]), ("ints.@avg == null", [3, 5]),
            ("ints.@min == null", [3, 5]), ("doubles.@sum == 5.5", [1]),
            ("doubles.@avg == 2.75", [1]), ("doubles.@min == NaN", []), ("doubles.@max == 2", [2]),
            ("decimals.@sum == 3.10", [1]), ("decimals.@sum == 3", [4]),
            ("decimals.@min == 3", [4]), ("decimals.@avg == 1.55", [1]),
            ("dates.@min == T10:0", [1]), ("dates.@max == T20:0", [1]),
            ("floats.@max == 2.33", [1]),
            ("floats.@sum > 3.3", [1]), ("codes.@sum == 4", [1, 4]), ("marks.@max == 2.5", [1]),
            ("marks.@values.@sum == 3.5", [1]), ("marks[*].@sum == 3.5", [1]),
            ("ints.@max == ints.@min", [2, 3, 4, 5]), ("ints.@max - ints.@min == 2", [1]),
            ("friend.ints.@sum == 5", [1]), ("5 == friend.ints.@max", [1]),
        ])
    }

    @Test("mixed values: sums leave out what is no number, the least and greatest go by kind")
    func mixed() {
        world.check([
            ("anys.@sum == 7", [2]), ("anys.@sum == 0", [3, 4, 5]), ("anys.@max == '9'", [2]),
            ("anys.@min == 1", [2]), ("anys.@avg == 151.5", [1]), ("anySet.@max == 'hello'", [1]),
            ("anys.@avg == null", [3, 4, 5]), ("anyMap.@sum == 7", [4]),
        ])
    }

    @Test("NaN of every type counts as no value, and a sum that no int64 holds is none")
    func rule() throws {
        let greatest = Int64.max
        try world.put(
            5,
            [
                "ints": .values([.int(greatest), .int(1)]), "floats": .values([.float(.nan)]),
                "anys": .values([
                    .double(.nan), .float(.nan), LanguageWorld.decimal("NaN"), .double(2), .int(4),
                ]),
            ])
        world.check([
            ("doubles.@min == 2", [2]), ("doubles.@sum == 2", [2]), ("doubles.@avg == 2", [2]),
            ("floats.@min == null", [2, 3, 4, 5]), ("floats.@sum == 0", [2, 3, 4, 5]),
            ("floats.@avg == null", [2, 3, 4, 5]), ("friends.@sum.d == 0", [1, 2, 5]),
            ("friends.@min.d == 1.5", [3, 4]), ("anys.@min == 2", [5]), ("anys.@avg == 3", [5]),
            ("ints.@sum == null", [5]), ("ints.@sum > 0", [1, 2, 4]),
            ("ints.@sum != 6", [2, 3, 4, 5]),
            ("ints.@avg > 4e18", [5]), ("ints.@max == \(greatest)", [5]),
            ("ints.@sum + 1 == null", [5]),
            ("TRUEPREDICATE SORT(ints.@sum ASC, id ASC) LIMIT(2)", [5, 3]),
        ])
    }

    @Test("behind a null link a collection is empty: its count and sum are 0, the rest is null")
    func nullLinks() throws {
        world.check([
            ("friend.ints.@count == 0", [2, 3, 5]), ("friend.ints.@sum == 0", [2, 3, 5]),
            ("0 == friend.ints[SIZE]", [2, 3, 5]), ("friend.ints.@count < 1", [2, 3, 5]),
            ("friend.ints.@count == null", []), ("friend.ints.@sum != null", [1, 2, 3, 4, 5]),
            ("friend.ints.@avg == null", [2, 3, 5]), ("friend.ints.@min == null", [2, 3, 5]),
            ("friend.friend.ints.@count == 0", [1, 2, 3, 5]),
            ("friend.doubles.@sum == 0", [2, 3, 4, 5]),
            ("friend.decimals.@sum == 0", [1, 2, 3, 5]),
            ("friend.words.@count == 0", [1, 2, 3, 4, 5]),
            ("friend.anys.@count == 0", [2, 3, 4, 5]), ("friend.anys.@sum == 0", [2, 3, 4, 5]),
            ("friend.mix.@sum == 0", [1, 3, 5]), ("friend.mix.@count == null", [3, 5]),
            ("home.keeper.ints.@count == 0", [1, 2, 4, 5]),
            ("friend.ints.@count + 1 == 1", [2, 3, 5]), ("friend.ints.@sum == id - 3", [3]),
            ("friend.ints.@sum IN {0, 5}", [1, 2, 3, 5]),
            ("NOT friend.ints.@sum == 0", [1, 4]), ("friend.name.@count == null", [2, 3, 5]),
            ("TRUEPREDICATE SORT(friend.ints.@sum DESC, id ASC)", [1, 4, 2, 3, 5]),
            ("SUBQUERY(friends, $f, $f.friend.ints.@count == 0).@count == 2", [1, 4]),
        ])
    }

    @Test("a property of several objects gives one value of them all")
    func objects() {
        world.check([
            ("friends.@min.n == -7", [4]), ("friends.@max.n == 20", [1, 4]),
            ("friends.@sum.n == 10", [3]), ("friends.@sum.n == 0", [2, 5]),
            ("friends.@avg.n == 20", [1]), ("friends.@avg.n == null", [2, 5]),
            ("friends.@sum.n == 23", [4]), ("friends.friends.@sum.n == 10", [1]),
            ("friends.friend.@max.n == 20", [3, 4]), ("@links.Node.friend.@max.n == 10", [2]),
            ("fans.@max.n == 10", [2]), ("places.@sum.zip == 3", [1]), ("pets.@max.n == 20", [1]),
            ("pets.@values.@max.n == 20", [1]),
            ("spots.@max.zip == 5", [4]), ("friends.@max.size == 3", [3, 4]),
            ("friends.@min.mix == 'text'", [1]), ("friend.friends.@sum.n == 10", [2]),
        ])
    }

    @Test("each inner list gives a value of its own")
    func innerLists() {
        world.check([
            ("friends.ints.@min == 1", [3, 4]), ("ALL friends.ints.@min == 1", [2, 3, 5]),
            ("NONE friends.ints.@sum == 0", [2, 3, 5]), ("friends.ints.@min == null", [1, 4]),
        ])
    }

    @Test("results can be ordered and made distinct by aggregates and counts")
    func order() {
        world.check([
            ("TRUEPREDICATE SORT(ints.@sum DESC, id ASC)", [1, 2, 4, 3, 5]),
            ("TRUEPREDICATE SORT(friends.@max.n ASC, id DESC)", [5, 2, 3, 4, 1]),
            ("TRUEPREDICATE SORT(friends.@count DESC, id ASC)", [4, 1, 3, 2, 5]),
            ("TRUEPREDICATE SORT(marks['a'] DESC, id DESC)", [1, 5, 4, 3, 2]),
            ("TRUEPREDICATE SORT(decimals.@avg DESC, id ASC)", [4, 1, 2, 3, 5]),
        ])
    }

    @Test(
        "only a null link on the way leaves an object out of DISTINCT, not a value that is missing")
    func distinct() {
        world.check([
            ("TRUEPREDICATE DISTINCT(friend.name)", [1, 2, 4]),
            ("TRUEPREDICATE DISTINCT(ints[0])", [1, 2, 3]),
            ("TRUEPREDICATE DISTINCT(marks['a'])", [1, 2]),
            ("TRUEPREDICATE DISTINCT(names[LAST].@count)", [1, 2]),
            ("TRUEPREDICATE DISTINCT(friends.friend.@count)", [1, 2, 4]),
        ])
    }

    @Test("what has no such aggregate is refused")
    func faults() throws {
        let wrong = "Cannot use aggregate '.@min' for this type of property"
        try world.check(faults: [
            ("n.@min == 1", wrong, 3), ("names.@min == 1", wrong, 7),
            ("friends.@min == 1", wrong, 9),
            ("words.@min == 1", wrong, 7),
            ("dates.@sum == 1", "Cannot use aggregate '.@sum' for this type of property", 7),
            ("friends.n.@min == 1", wrong, 11),
            (
                "friends.@min.name == 'x'", "collection aggregate not supported for type 'string'",
                14
            ),
            ("friends.@avg.at == 1", "collection aggregate not supported for type 'timestamp'", 14),
            ("friends.@min.ints == 1", "collection aggregate not supported for type 'int'", 14),
            ("friends.@min.friend == 1", "collection aggregate not supported for type 'link'", 14),
            (
                "n.@min.id == 1",
                "Operation '.@min' cannot apply to property 'n' because it is not a list", 3
            ),
            (
                "ints.@min.n == 1",
                "Operation '.@min' cannot apply to property 'ints' because it is not a list", 6
            ),
            ("friend.@min.n == 1", "Operation '.@min' cannot apply to property 'friend'", 8),
            ("friends.@min.zz == 1", "'Node' has no property 'zz'", 14),
            ("friends.@min.n.id == 1", "Invalid predicate", 15),
            ("ints.@min[0] == 1", "Invalid predicate", 10),
            ("@links.@min == 1", "'@links' is followed by a class", 1),
            ("ints.@min == 'x'", "Unsupported comparison between type 'int' and type 'string'", 11),
        ])
    }
}
