import HoldfastObjectModel
import HoldfastQuery
import Testing

@Suite("Errors")
struct QueryErrorTests {
    private func fault(
        _ text: String, _ arguments: [QueryArgument] = [], rootClass: Int = 0
    ) -> QueryError? {
        do {
            _ = try CompiledQuery.compile(
                text: text, arguments: arguments, rootClass: rootClass, schema: World.schema)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "syntax errors name the column",
        arguments: [
            ("", 1), ("  ", 3), ("age", 4), ("age ==", 7), ("age == 1 2", 10), ("((", 3),
            ("(age == 1", 10),
            ("age == 1)", 9), ("age -5", 5), ("age == 1-0", 9), ("SORT(age ASC)", 1),
            ("ANY 5.5 IN ints", 5),
            ("age < [c] 5", 7), ("age <[c] 5", 6), ("name == 'abc", 9), ("äöü == #", 8),
            ("age == 1 AND", 13),
            ("age == 1 OR OR age == 2", 13), ("LIMIT(5)", 1), ("age == 1 LIMIT(-5)", 16),
            ("age == 1 SORT(age)", 18),
            ("age == $-1", 8), ("ints == {1, age}", 13), ("ints[-1] == 0", 6), ("@count == 1", 1),
            ("a.@average == 1", 3),
            ("age == 1 DISTINCT()", 19), ("age BETWEEN 1", 13), ("age == (age == 1)", 8),
            ("friend.@count.x == 1", 14),
            ("age == 99999999999999999999", 8), ("not == 5", 5), ("True == true", 1),
        ])
    func syntax(text: String, column: Int) throws {
        let error = try #require(fault(text))
        #expect(error.column == column, "\(error)")
    }

    @Test(
        "errors have Realm's words",
        arguments: [
            ("agee == 1", "'Person' has no property 'agee'", 1),
            ("home.stret == 'x'", "'Address' has no property 'stret'", 6),
            ("name.x == 1", "Property 'Person.name' has no property 'x'", 6),
            (
                "age == 1 or name == 5",
                "Unsupported comparison between type 'string' and type 'int'", 18
            ),
            ("age == 'x'", "Unsupported comparison between type 'int' and type 'string'", 5),
            ("'x' == age", "Unsupported comparison between type 'string' and type 'int'", 5),
            ("active == 1", "Unsupported comparison between type 'bool' and type 'int'", 8),
            ("name == age", "Unsupported comparison between type 'string' and type 'int'", 6),
            ("1 == 2", "Cannot compare two constants", 3),
            ("{1} == {2}", "Cannot compare two constants", 5),
            ("age IN 5.5", "The keypath following 'IN' must contain a list. Found '5.5'", 8),
            ("age IN _id", "The keypath following 'IN' must contain a list. Found '_id'", 8),
            ("ALL age == 1", "The keypath following 'ALL' must contain a list", 1),
            ("SOME age == 1", "The keypath following 'ANY' must contain a list", 1),
            ("ints == names", "Unsupported comparison between type 'int' and type 'string'", 6),
            (
                "ints == ints",
                "Ordered comparison between two primitive lists is not implemented yet ('ints' and 'ints')",
                6
            ),
            (
                "friend > obj('Person', 1)",
                "Unsupported operator > in query. Only equal (==) and not equal (!=) are supported for this type.",
                8
            ),
            (
                "ints BETWEEN {1, 2}",
                "Only 'ALL' supported for operator 'BETWEEN' when applied to lists.", 1
            ),
            ("age BETWEEN {1}", "Operator 'BETWEEN' requires list with 2 elements.", 13),
            ("age.@count == 1", "Operation '@size' is not supported on property of type 'int'", 5),
            ("age == inf", "Infinity not supported for int", 8),
            ("age == nan", "NaN not supported for int", 8),
            ("name ==[c] age", "Unsupported comparison between type 'string' and type 'int'", 6),
            (
                "age ==[c] 5",
                "Unsupported comparison operator '=[c]' against type 'int', right side must be a string or binary type",
                5
            ),
            (
                "age CONTAINS 5",
                "Unsupported comparison operator 'contains' against type 'int', right side must be a string or binary type",
                5
            ),
            (
                "@links.Dog.name == 'x'",
                "No property 'name' found in type 'Dog' which links to type 'Person'", 12
            ),
            ("friend == obj('Persn', 1)", "Unknown object type 'Persn'", 11),
            ("ints[0][1] == 1", "Only Property of type 'any' can have nested collections", 8),
            (
                "age == 1 SORT(agee ASC)",
                "No property 'agee' found on object type 'Person' specified in 'sort' clause", 15
            ),
            (
                "age == 1 DISTINCT(agee)",
                "No property 'agee' found on object type 'Person' specified in 'distinct' clause",
                19
            ),
        ])
    func wording(text: String, message: String, column: Int) throws {
        let error = try #require(fault(text))
        #expect(error.message == message)
        #expect(error.column == column)
    }

    @Test(
        "arguments are checked",
        arguments: [
            (
                "age == $2", [Value.int(1)],
                "Request for argument at index 2 but only 1 argument is provided", 8
            ),
            ("age == $0", [], "Request for argument at index 0 but no arguments are provided", 8),
            (
                "age == $0", [.string("oe")], "Cannot compare argument $0 with value 'oe' to a int",
                8
            ),
            (
                "ANY $0 == age", [.int(1)],
                "ANY/ALL/NONE are only allowed on arguments which contain a list but '$0' is not a list.",
                5
            ),
            (
                "born == $0", [.string("yesterday")],
                "Cannot compare argument $0 with value 'yesterday' to a timestamp; a date is written "
                    + "2026-11-20T06:38:58Z", 9
            ),
        ] as [(String, [Value], String, Int)])
    func arguments(text: String, values: [Value], message: String, column: Int) throws {
        let error = try #require(fault(text, values.map { QueryArgument($0, isPlainText: true) }))
        #expect(error.message == message)
        #expect(error.column == column)
        #expect(error.kind == .argument)
    }

    @Test("unknown names come with the nearest known one")
    func hints() {
        #expect(fault("agee == 1")?.hint == "age")
        #expect(fault("Name == 'x'")?.hint == "name")
        #expect(fault("freind.name == 'x'")?.hint == "friend")
        #expect(fault("zzz == 'x'")?.hint == nil)
        #expect(fault("friend == obj('Persn', 1)")?.hint == "Person")
        #expect(fault("a.@cuont == 1")?.hint == "@count")
    }

    @Test("comparisons of links are refused where they make no sense")
    func links() {
        #expect(
            fault("friends == null")?.message.hasPrefix(
                "Cannot compare linklist ('friends') with NULL") == true)
        #expect(fault("friend == obj('Dog', 'x')")?.kind == .type)
        #expect(fault("friend == 5") == nil, "the key of a person")
        #expect(fault("friend == 'x'")?.kind == .type)
        #expect(fault("friend < 5")?.kind == .type)
        #expect(fault("home == 5")?.kind == .type)
        #expect(fault("friend == obj('Person', 'x')")?.kind == .type)
        #expect(fault("friend == obj('Address', 1)")?.kind == .type)
        #expect(fault("tags[0] == 'a'")?.kind == .type)
        #expect(fault("friend[0].age == 1")?.kind == .type)
        #expect(fault("friends['k'] == null")?.kind == .type)
        #expect(fault("friends.@keys == 'a'")?.kind == .type)
        #expect(fault("friends.@values == 'a'")?.kind == .type)
        #expect(fault("age == $K0")?.kind == .argument)
    }

    @Test("keywords can be property names where the page says so")
    func keywordNames() throws {
        #expect(fault("in == 1", rootClass: 2) == nil)
        #expect(fault("in IN {1}", rootClass: 2) == nil)
        #expect(fault(#"first\ name like 'x'"#, rootClass: 2) == nil)
        #expect(fault("matches == 1", rootClass: 2) == nil)
        #expect(
            fault("TRUEPREDICATE SORT(in DESC) DISTINCT(matches) LIMIT(3)", rootClass: 2) == nil)
        #expect(fault("sort == 1", rootClass: 2)?.kind == .unknownProperty)
        #expect(fault("null == 1", rootClass: 2)?.kind == .type)
    }

    @Test("nesting is bounded")
    func nesting() {
        for (open, close) in [("(", ")"), ("!", ""), ("NOT (", ")")] {
            let text =
                String(repeating: open, count: 501) + "age == 1"
                + String(repeating: close, count: 501)
            #expect(fault(text)?.kind == .limit)
        }
        #expect(fault(String(repeating: "(", count: 1_000_000))?.kind == .limit)
    }
}
