import HoldfastBytes
import HoldfastObjectModel
import HoldfastQuery
import HoldfastRows
import Testing

@Suite("Mixed paths")
struct MixedPathTests {
    let world: LanguageWorld

    init() throws { world = try LanguageWorld() }

    @Test("positions and keys lead into values; what has another shape is no value")
    func steps() {
        world.check([
            ("mix.a[0].b == 7", [3]), ("mix.a[1].b == 'x'", [3]),
            ("mix['a'][FIRST]['b'] == 7", [3]), ("mix.a[LAST] == 3", [3]),
            ("mix.a[9] == null", [1, 2, 3, 4, 5]), ("mix.a[0].b == null", [1, 2, 4, 5]),
            ("mix[0] == 1", [4]), ("mix[1][1] == 'two'", [4]), ("mix[1][1][1] != null", []),
            ("mix.length == 1", [3]), ("anyMap['k'][1] == 2", [2]), ("anyMap.k == 7", [4]),
            ("anyMap.k[0] == 1", [2]), ("anys[0] + 1 == 4", [1]), ("mix[4] BEGINSWITH 'st'", [4]),
            ("mix CONTAINS 'ex'", [2]), ("mix.a[1].b LIKE '?'", [3]),
            ("mix[5].name == 'inner'", [4]),
            ("mix.a[0].b * 2 == 14", [3]), ("mix.a[0].b > 6.5", [3]), ("mix[1][0] IN ints", []),
            ("mix[B64\"YQ==\"][0].b == 7", [3]), ("mix.a[0].b == n + 17", []),
        ])
    }

    @Test("arguments stand for positions and keys")
    func arguments() throws {
        #expect(try world.ids("mix.a[$0].b == 7", [.init(.int(0))]) == [3])
        #expect(try world.ids("mix[$0][LAST] == 3", [.init(.string("a"))]) == [3])
        #expect(try world.ids("$K0 == $1", [.init(text: "mix.a[0].b"), .init(.int(7))]) == [3])
    }

    @Test("links within values are followed, whatever class they lead to")
    func links() throws {
        world.check([
            ("mix.link.name == 'Ann'", [3]), ("mix.link.friend.name == 'Bob'", [3]),
            ("mix[3].name == 'Bob'", [4]), ("mix.link.ints[1] == 2", [3]),
            ("mix.link.home.city == 'Rome'", [3]), ("mix.link.marks.b == 2.5", [3]),
            ("mix.link.friends[*].name == 'Bob'", [3]), ("mix.link.places[1].zip == 2", [3]),
            ("mix.link == obj('Node', 1)", [3]), ("mix[3] == obj('Node', 2)", [4]),
            ("mix.link.friend == obj('Node', 2)", [3]), ("anyMap.friend.name == 'Ann'", [4]),
            ("anyMap.friend.friend.name == 'Bob'", [4]), ("mix.link.e < 1", [3]),
            ("mix.link.at == T100:0", [3]), ("mix.link.mix == 5", [3]),
            ("mix.link == friends", [3]), ("mix.link.stored_size == 3", [3]),
        ])
        #expect(try world.keys("content.name == 'Bob'", of: "Box") == [.string("big")])
        #expect(try world.keys("content.friend.id == 3", of: "Box") == [.string("big")])
        #expect(try world.keys("content == node.friend", of: "Box") == [.string("big")])
        #expect(try world.keys("content != node", of: "Box").count == 2)
        #expect(try world.keys("node == content", of: "Box").isEmpty)
    }

    @Test("[*], @keys and @values stand for several values")
    func many() {
        world.check([
            ("mix[*] == 1", [3, 4]), ("mix.list[*] > 2", [3]),
            ("ALL mix.list[*] > 0", [1, 2, 3, 4, 5]), ("mix.list[*] == {1, 2, 3}", [3]),
            ("mix.list[*] != {1, 2, 4}", [1, 2, 4, 5]), ("mix.a[*].b == 7", [3]),
            ("mix.a[*].b == {7, 'x'}", [3]), ("mix.@keys == 'link'", [3]),
            ("mix[5].@keys == 'name'", [4]),
            ("mix.@keys == {'a', 'empty', 'length', 'link', 'list'}", [3]),
            ("anyMap.@keys == 'l'", [2]), ("mix.@values == 1", [3, 4]),
            ("mix.list[*] + 1 == 4", [3]), ("2 IN mix.list[*]", [3]),
            ("NONE mix.list[*] == 2", [1, 2, 4, 5]), ("anySet == {3, 300, 'hello'}", [1]),
            ("friends.mix == 5", [3, 4]), ("friends.mix.link.name == 'Ann'", [1, 4]),
        ])
    }

    @Test("collections within collections are compared one at a time")
    func groups() {
        world.check([
            ("mix[*][*] == {2, 'two'}", [4]), ("ANY mix[*][*] == 3", [3, 4]),
            ("mix[*][*] == {3}", [4]), ("ALL mix[*][*] > 0", [1, 2, 3, 4, 5]),
            ("ALL mix[*][*] == 3 AND NOT mix[*][*] == {}", [4]),
            ("friends.mix.list[*] == {1, 2, 3}", [1, 4]),
            ("friends.anys == {3, 'hello', 300}", [3, 4]),
        ])
    }

    @Test("sizes and aggregates within values")
    func counts() {
        world.check([
            ("mix.@count == 4", [2]), ("mix.@count == 5", [3]), ("mix.@count == 7", [4]),
            ("mix.@count == null", [1, 5]), ("mix.list.@size == 3", [3]), ("mix.a[SIZE] == 3", [3]),
            ("mix[1][SIZE] == 2", [4]), ("mix[4].@count == 3", [4]), ("anyMap.k.@count == 2", [2]),
            ("anys[1].@count == 5", [1]), ("anys.@count == 5", [2]),
            ("mix[*].@count == 3", [3, 4]),
            ("names[1].@count == 3", [1, 4]), ("names[0].@count == null", [2, 3, 4, 5]),
            ("words['Foo'].@count == 1", [1]), ("blobs[FIRST].@size == 2", [1]),
            ("mix.list.@sum == 6", [3]), ("mix.list.@avg == 2", [3]), ("mix.list.@max == 3", [3]),
            ("mix.empty.@min == null", [1, 2, 3, 4, 5]), ("mix[*].@sum == 3", [3, 4]),
            ("mix.link.ints.@sum == 6", [3]), ("mix.@sum == 0", [1, 2, 5]),
            ("anys.length == 5", [1]), ("ALL anys.Length > 0", [1, 3, 4, 5]),
        ])
    }

    @Test("@type asks for the kind of a value")
    func types() throws {
        world.check([
            ("mix.@type == 'int'", [1]), ("mix.@type == 'string'", [2]),
            ("mix.@type == 'object'", [3]), ("mix.@type == 'array'", [4]),
            ("mix.@type == 'null'", [5]), ("mix.@type == 'NUMERIC'", [1]),
            ("mix.@type == 'collection'", [3, 4]), ("mix.@type != 'collection'", [1, 2, 5]),
            ("'long' == mix.@type", [1]), ("mix.@type IN {'int', 'string'}", [1, 2]),
            ("mix.a.@type == 'list'", [3]), ("mix[*].@type == 'link'", [3, 4]),
            ("anys.@type == 'string'", [1, 2]), ("ALL anys.@type == 'int'", [3, 4, 5]),
            ("anys.@type == {'int', 'string', 'long'}", [1]), ("anys[*].@type == 'decimal'", [2]),
            ("mix.@type == anys[0].@type", [1, 5]), ("mix.link.name.@type == 'string'", [3]),
            ("mix.@type == 'int' OR mix.@type == 'string'", [1, 2]), ("mix.@type == null", [5]),
            ("NONE anys.@type == 'null'", [1, 3, 4, 5]), ("anyMap.@type == 'array'", [2]),
            ("mix.link.friends.@type == 'list'", [3]), ("mix.link.home.@type == 'object'", [3]),
            // Behind a null link there is null.
            ("friend.mix.@type == 'null'", [3, 5]), ("friend.mix.@type != 'null'", [1, 2, 4]),
            ("friend.mix.@type == mix.@type", [4, 5]),
        ])
        for name in [
            "null", "int", "integer", "int16", "int32", "int64", "short", "long", "byte", "char",
            "bool", "boolean", "string", "binary", "data", "bytearray", "byte[]", "bindata",
            "date", "timestamp", "datetimeoffset", "float", "double", "decimal", "decimal128",
            "objectid", "uuid", "guid", "link", "objectlink", "object", "dictionary", "array",
            "list", "numeric", "collection", "DateTimeOffset",
        ] {
            #expect(try world.fault("mix.@type == '\(name)'") == nil)
        }
    }

    @Test("objects can be ordered by what lies within values")
    func order() {
        world.check([
            ("TRUEPREDICATE SORT(mix.link.name DESC, id ASC)", [3, 1, 2, 4, 5]),
            ("TRUEPREDICATE SORT(mix[0] DESC, id ASC)", [4, 1, 2, 3, 5]),
            ("TRUEPREDICATE SORT(mix ASC)", [5, 1, 2, 4, 3]),
        ])
    }

    @Test("an element of a collection of mixed values is asked for as self")
    func values() throws {
        func matches(_ text: String, _ value: Value) throws -> Bool {
            let query = try CompiledQuery.compile(
                text: text, root: .values(.mixed), schema: World.schema)
            let matcher = query.predicate.makeMatcher(World.schema)
            if value == .null { return matcher.matches(value: nil) }
            let bytes = ByteBuffer(capacity: 64)
            MixedWriter(bytes).value(value)
            return matcher.matches(value: bytes.bytes)
        }
        let map = LanguageWorld.map([("a", .list([.int(1), .int(2)])), ("b", .int(3))])
        #expect(try matches("self.@type == 'int'", .int(1)))
        #expect(try matches("self.@type == 'null'", .null))
        #expect(try matches("self + 1 > 2", .double(1.5)))
        #expect(try matches("self.a[1] == 2 AND self.b == 3", map))
        #expect(try matches("self.a[*] == 2 && self.@count == 2", map))
        #expect(try matches("self.a[1] < self.b", map))
        #expect(try !matches("self.a[1] == self.b", map))
        #expect(try matches("self['a'].@sum == self.b", map))
        #expect(try matches("self == self", .string("x")))
    }

    @Test("@type of mixed values compares with the declared type of another property")
    func declaredTypes() throws {
        world.check([
            ("mix.@type == id.@type", [1]), ("id.@type == mix.@type", [1]),
            ("mix.@type != n.@type", [2, 3, 4, 5]), ("mix.@type == name.@type", [2]),
            ("mix.@type == home.@type", [3]), ("mix.link.@type == friend.@type", [3]),
            ("mix.link.@type == friends.@type", [3]), ("mix.link.@type == fans.@type", [3]),
            ("ANY anys.@type == ints.@type", [1, 2]), ("ALL anys.@type == id.@type", [3, 4, 5]),
            ("anys[1].@type == friend.name.@type", [1]),
        ])
        #expect(try world.ids("mix.@type == $K0", [.init(text: "id.@type")]) == [1])
        let constants = "Comparison between two constants is not supported"
        try world.check(faults: [
            ("n.@type == id.@type", constants, 3), ("n.@type == n", constants, 3),
            ("name == name.@type", constants, 14), ("ANY ints.@type == mix.@type", constants, 10),
            ("TRUEPREDICATE SORT(n.@type ASC)", constants, 22),
            ("n.@type + 1 == 2", "Cannot perform '+' operation on 'n.@type' and '1'", 9),
            ("mix.@type IN id.@type", "The keypath following 'IN' must contain a list", 14),
        ])
    }

    @Test(".length counts the bytes of strings and of data among mixed values")
    func lengths() throws {
        try world.put(5, ["anys": .values([.data([1, 2, 3, 4]), .int(7)])])
        world.check([
            ("anys.length == 4", [5]), ("ALL anys.length == 4", [3, 4, 5]),
            ("anys.length == {4}", [5]), ("anys.length == 5", [1]),
        ])
    }

    @Test("what no value can have is refused")
    func faults() throws {
        try world.check(faults: [
            ("n.@type == 'int'", "Comparison between two constants is not supported", 3),
            ("ints.@type == 'int'", "Comparison between two constants is not supported", 6),
            (
                "mix.@type == 'strng'",
                "Unable to parse the type attribute string 'strng', supported case insensitive "
                    + "values are: [array, binary, ", 14
            ),
            ("mix.@type == 5", "Unable to parse the type attribute string '5'", 14),
            ("mix.@type < 'int'", "Unsupported operator < in query.", 11),
            ("mix.@type CONTAINS 'int'", "Unsupported operator contains in query.", 11),
            (
                "mix.@type == n",
                "Unsupported comparison between type 'typeOfValue' and type 'int'", 11
            ),
            ("ANY mix == 1", "The keypath following 'ANY' must contain a list", 1),
            ("1 IN mix", "The keypath following 'IN' must contain a list. Found 'mix'", 6),
            ("ints[0][1] == 1", "Only Property of type 'any' can have nested collections", 8),
            ("mix.@links.Node.friend == 1", "Property 'Node.mix' has no property '@links'", 12),
            ("mix.@keys.x == 1", "Invalid predicate", 10),
            ("mix.@type.x == 1", "Invalid predicate", 10),
            ("anySet[0] == 1", "Property 'Node.anySet' is a set", 7),
            ("mix.@min.n == 1", "Operation '.@min' cannot apply to property", 5),
            ("mix.@type == 'int' SORT(mix.@type ASC)", "The 'sort' clause can't use '@type'.", 25),
            ("mix.@type ==[c] 'int'", "Unsupported comparison operator '=[c]'", 11),
            ("names[0].@min == 1", "Cannot use aggregate", 10),
        ])
        #expect(try world.fault("mix.@type == 'strng'")?.hint == "string")
        let deep = "mix" + String(repeating: "[0]", count: 200) + " == 1"
        #expect(try world.ids(deep).isEmpty)
        #expect(
            try world.fault("mix" + String(repeating: "[0]", count: 201) + " == 1")?.kind == .limit)
    }
}
