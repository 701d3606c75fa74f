import HoldfastObjectModel
import HoldfastQuery
import Testing

@Suite("Paths of the language")
struct LanguagePathTests {
    let world: LanguageWorld

    init() throws { world = try LanguageWorld() }

    @Test("positions of lists and keys of maps; what is missing is null")
    func positions() throws {
        world.check([
            ("friends[1].n == null", [1, 2, 3, 5]), ("friends[LAST].n == -7", [4]),
            ("friends[FIRST].n == 20", [1]), ("friends[first].n == 10", [3, 4]),
            ("ints[9] == null", [1, 2, 3, 4, 5]), ("friends[*].n == 20", [1, 4]),
            ("ints[*] == 5", [2]), ("ints[SIZE] == 3", [1]), ("ints.@size == 3", [1]),
            ("marks['a'] == 1", [1]), ("marks.a == 1", [1]), ("marks[\"b\"] == 2.5", [1]),
            ("marks['zz'] == null", [1, 2, 3, 4, 5]), ("marks[*] > 2", [1]),
            ("marks.@values > 2", [1]), ("words.@keys == {'Bar', 'Foo'}", [1]),
            ("words.@keys ENDSWITH 'oo'", [1]), ("pets.x.n == 20", [1]), ("pets['x'].n == 20", [1]),
            ("pets.@values.n == 20", [1]), ("pets.n == 20", [1]), ("spots.s.zip == 5", [4]),
            ("spots['s'].@count == 1", [4]), ("pets.x == obj('Node', 2)", [1]),
            ("places[1].zip == 2", [1]), ("pets.x.friends.@count == 0", [1, 2, 3, 4, 5]),
        ])
        #expect(try world.ids("ints[$0] == 2", [.init(.int(1))]) == [1])
        #expect(try world.ids("marks[$0] == 2.5", [.init(.string("b"))]) == [1])
        #expect(
            try world.ids("$K0 == $K1", [.init(text: "ints[0]"), .init(text: "codes.@min")]) == [
                1, 3, 5,
            ])
        try world.check(faults: [
            ("codes[0] == 1", "Property 'Node.codes' is a set", 6),
            ("marks[0] == 1", "Property 'Node.marks' is not a list", 6),
            ("friend[0].n == 1", "Property 'Node.friend' is not a list", 7),
            ("ints[0][0] == 1", "Only Property of type 'any' can have nested collections", 8),
            ("friends.@count.n == 1", "Invalid predicate", 15),
            ("n.@count == 1", "Operation '@size' is not supported on property of type 'int'", 3),
            ("b.@size == 1", "Operation '@size' is not supported on property of type 'bool'", 3),
            ("n.x == 1", "Property 'Node.n' has no property 'x'", 3),
            ("ints.x == 1", "Property 'Node.ints' has no property 'x'", 6),
        ])
    }

    @Test("backlinks stand anywhere an object stands, those of embedded objects too")
    func backlinks() throws {
        world.check([
            ("@links.Box.nodes.@count == 2", [1]), ("fans.@count == 1", [2, 3, 4]),
            ("friends.@links.Box.node.n == 2", [3, 4]), ("@links.@count == 10", [1]),
            ("friends.@links.@count == 10", [1, 3]), ("fans.friends.n == 20", [2, 4]),
            ("@links.Node.friend.name == 'Ann'", [2]), ("@links.Place.keeper.zip == null", [1]),
            ("@links.Place.keeper.zip == 9", [2]), ("@links.Place.keeper.@count == 1", [1, 2]),
            ("friends.@links.Place.keeper.zip == 9", [1, 4]),
            ("@links.Place.keeper.@max.zip == 9", [2]),
            ("SUBQUERY(@links.Place.keeper, $p, $p.zip == 9).@count == 1", [2]),
            ("@links.Place.keeper.keeper.name == 'Bob'", [2]),
        ])
        try world.check(faults: [
            (
                "@links.Box.n == 1",
                "No property 'n' found in type 'Box' which links to type 'Node'",
                12
            ),
            (
                "@links.Bx.n == 1", "No property 'n' found in type 'Bx' which links to type 'Node'",
                8
            ),
            ("@links == 1", "'@links' is followed by a class", 1),
            ("@links.@max.n == 1", "'@links' is followed by a class", 1),
            ("@links.Box == 1", "'@links' is followed by a class", 1),
            ("n.@links.Box.node.n == 1", "Property 'Node.n' has no property '@links'", 10),
            ("@links.Place.keeper == 1", "An embedded object compares with null only", 21),
        ])
        #expect(try world.fault("@links.Bx.n == 1")?.hint == "Box")
    }

    @Test("a null among the values of a map of objects is found like any other value")
    func nullsInMaps() throws {
        try world.put(5, ["pets": .entries(["x": .value(.null)])])
        try world.put(
            2, ["pets": .entries(["x": .value(.null), "y": .value(LanguageWorld.node(1))])])
        try world.put(3, ["spots": .entries(["s": .value(.null)])])
        world.check([
            ("ANY pets.@values == null", [2, 5]), ("ANY pets.@values == {null}", [2, 5]),
            ("ANY pets == null", [2, 5]), ("SOME pets[*] == nil", [2, 5]),
            ("null IN ANY pets", [2, 5]),
            ("ALL pets.@values == null", [3, 4, 5]), ("NONE pets.@values == null", [1, 3, 4]),
            ("ANY pets.@values != null", [1, 2]), ("ALL pets != null", [1, 3, 4]),
            ("ANY friend.pets.@values == null", [1]), ("ANY friends.pets == null", [1, 4]),
            ("ANY spots.@values == null", [3]),
            ("ANY spots.@values != null", [4]),
        ])
        for text in [
            "friends == null", "pets == null", "ANY crew != null", "ANY places == null",
            "ANY fans == null",
        ] {
            let fault = try world.fault(text)
            #expect(fault?.message.hasPrefix("Cannot compare linklist") ?? false, "\(text)")
        }
    }

    @Test("names map to stored ones; .length counts the bytes of each element")
    func names() {
        world.check([
            ("stored_size == 3", [1]), ("size == 3", [1]), ("friends.stored_size == 3", [3, 4]),
            ("SUBQUERY(friends, $f, $f.stored_size == 3).@count == 1", [3, 4]),
            ("TRUEPREDICATE SORT(stored_size DESC, id ASC)", [1, 2, 3, 4, 5]),
            ("names.length == 3", [1, 4]), ("ANY names.LENGTH == 0", [4]),
            ("blobs.length == 2", [1]),
            ("friends.names.length == 3", [3, 4]), ("name.@count == 3", [1, 2, 4, 5]),
            ("data.@size == 3", [1]), ("friend.@count == 1", [1, 2, 4]),
            ("home.@count == 1", [1, 3]),
        ])
    }

    @Test("words of the language name properties where the page says so")
    func keywords() throws {
        let names = [
            "beginswith", "endswith", "contains", "like", "between", "in", "text", "sort",
            "distinct", "limit", "asc", "desc", "binary", "first", "last", "size", "matches",
            "Any", "Not", "True", "BEGINSWITH", "ascending", "bin", "LIKE", "length", "a-b",
        ]
        let schema = World.compile(
            Schema(classes: [
                ObjectClass(
                    name: "Word",
                    properties: names.map {
                        Property(name: $0, type: .single(.scalar(.string)), isOptional: true)
                    } + [Property(name: "next", type: .single(.object("Word")), isOptional: true)])
            ]))
        for name in names {
            for text in [
                "\(name) == 'x'", "'x' == \(name)", "\(name) CONTAINS \(name)",
                "next.\(name) like 'x' AND \(name) in {'a'} SORT(\(name) asc) LIMIT(1)",
                "(\(name) == null) or not \(name) beginswith 'x' DISTINCT(next.\(name))",
            ] {
                #expect(throws: Never.self, "\(text)") {
                    try CompiledQuery.compile(text: text, rootClass: 0, schema: schema)
                }
            }
        }
    }
}
