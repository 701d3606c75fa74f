import HoldfastQuery
import Testing

@Suite("SUBQUERY")
struct SubqueryTests {
    let world: LanguageWorld

    init() throws { world = try LanguageWorld() }

    @Test("counts the objects that satisfy a condition")
    func counts() throws {
        world.check([
            ("SUBQUERY(friends, $f, $f.n > 5).@count == 2", [4]),
            ("SUBQUERY(friends, $f, $f.n > 5).@count == 1", [1, 3]),
            ("0 == SUBQUERY(friends, $x-1, $x-1.n > 5).@size", [2, 5]),
            ("SUBQUERY(friends, $f, n > 5 AND $f.name == 'Bob').@count > 0", [1, 4]),
            ("subquery(fans, $p, $p.n == 10).@count == 1", [2]),
            ("SUBQUERY(@links.Box.node, $b, $b.n > 0).@count == 2", [1]),
            ("SUBQUERY(@links.Box.nodes, $b, $b.n == 1).@count == 2", [1]),
            ("SUBQUERY(friend.friends, $f, $f.n == 10).@count == 1", [2, 4]),
            ("SUBQUERY(places, $p, $p.zip < 3).@count == 2", [1]),
            ("SUBQUERY(pets, $p, $p.n == 20).@count == 1", [1]),
            ("SUBQUERY(friends.friends, $p, TRUEPREDICATE).@count == 7", [4]),
            ("SUBQUERY(friends, $f, $f.n > 5).@count + 1 == 3", [4]),
            ("friends.@count == SUBQUERY(friends, $f, TRUEPREDICATE).@count", [1, 2, 3, 4, 5]),
            ("SUBQUERY(friends, $f, $f.friend == obj('Node', 2)).@count > 0", [3, 4]),
            ("SUBQUERY(friends, $f, ALL $f.ints > 0).@count == 2", [1]),
            ("SUBQUERY(friends, $f, $f.ints.@sum == 5 OR $f.n + 1 == 11).@count == 2", [4]),
        ])
        #expect(
            try world.ids(
                "SUBQUERY(friends, $f, $f.n > $0).@count == $1",
                [
                    .init(.int(5)), .init(.int(2)),
                ]) == [4])
    }

    @Test("subqueries nest, and stand within AND, OR and NOT")
    func nesting() {
        world.check([
            (
                "SUBQUERY(friends, $f, SUBQUERY($f.friends, $g, $g.n == 10).@count > 0).@count > 0",
                [1, 4]
            ),
            (
                "SUBQUERY(friends, $f, SUBQUERY(friends, $g, n == 10).@count > 0).@count > 0",
                [1, 4]
            ),
            (
                "NOT (SUBQUERY(friends, $f, $f.n > 5).@count > 0) AND n == 0 OR SUBQUERY(fans, $f, "
                    + "TRUEPREDICATE).@count == 1 AND n == 20", [2, 5]
            ),
            ("SUBQUERY(friends, $f, $f.d == NaN).@count == 1 OR n == 0", [1, 4, 5]),
            (
                "SUBQUERY(@links.Box.node, $x, SUBQUERY($x.nodes, $y, SUBQUERY($y.friends, $z, "
                    + "$z.name == 'Dan').@count == 1).@count == 1).@count == 1", [1]
            ),
        ])
    }

    @Test("faults name the property, the variable and the column")
    func faults() throws {
        try world.check(faults: [
            (
                "SUBQUERY(d, $x, $x.n == 1).@count > 0",
                "A subquery must operate on a list property, but 'd' is type 'double'", 10
            ),
            (
                "SUBQUERY(friend, $x, $x.n == 1).@count > 0",
                "A subquery must operate on a list property, but 'friend' is type 'link'", 10
            ),
            (
                "SUBQUERY(ints, $x, $x.n == 1).@count > 0",
                "A subquery can not operate on a list of primitive values (property 'ints')", 10
            ),
            (
                "SUBQUERY(friends, $x, SUBQUERY($x.friends, $x, $x.n == 1).@count > 0).@count > 0",
                "Unable to create a subquery expression with variable '$x' since an identical "
                    + "variable already exists in this context", 44
            ),
            (
                "SUBQUERY(friends, x, n == 1).@count > 0",
                "Invalid predicate: 'SUBQUERY(friends, x, n == 1).@count > 0': The subquery variable "
                    + "'x' is invalid. The variable must start with '$' and cannot be empty; for "
                    + "example '$x'.", 19
            ),
            ("SUBQUERY(friends, $, n == 1).@count > 0", "Invalid predicate", 19),
            ("SUBQUERY(friends, $x, $x.zz == 1).@count > 0", "'Node' has no property 'zz'", 26),
            ("SUBQUERY(friends, $x, $y.n == 1).@count > 0", "There is no variable '$y' here", 23),
            (
                "SUBQUERY(friends, $x, SUBQUERY($x.friends, $y, $x.n == 1).@count > 0).@count > 0",
                "The variable '$x' belongs to an outer subquery", 48
            ),
            ("SUBQUERY(friends, $x, $x == 1).@count > 0", "The variable '$x' stands for", 23),
            ("SUBQUERY(friends, $x, $x.n == 1) > 0", "Invalid predicate", 34),
            ("SUBQUERY(friends, $x, $x.n == 1).@sum > 0", "Invalid predicate", 34),
            ("SUBQUERY(friends, $x, $x.n).@count > 0", "Invalid predicate", 27),
            ("ANY SUBQUERY(friends, $x, n == 1).@count > 0", "Invalid predicate", 5),
        ])
    }

    @Test("nesting is bounded")
    func limit() throws {
        func text(_ depth: Int) -> String {
            let open = (0..<depth).map { "SUBQUERY(friends, $v\($0), " }.joined()
            return open + "n == 1" + String(repeating: ").@count > 0", count: depth)
        }
        #expect(try world.fault(text(99)) == nil)
        #expect(try world.fault(text(501))?.kind == .limit)
    }
}
