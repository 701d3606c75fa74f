import HoldfastObjectModel
import HoldfastQuery
import Testing

@Suite("Rules")
struct RuleTests {
    private func rule(
        _ text: String, rootClass: Int? = 0, usersClass: Int? = 0
    ) throws -> Rule {
        try Rule(text, rootClass: rootClass, usersClass: usersClass, schema: World.schema)
    }

    private func filter(_ text: String, rootClass: Int = 0) throws -> Predicate {
        try CompiledQuery.compile(text: text, rootClass: rootClass, schema: World.schema).predicate
    }

    private func error(
        _ text: String, rootClass: Int? = 0, usersClass: Int? = 0
    ) throws -> QueryError {
        do throws(QueryError) {
            _ = try Rule(
                text, rootClass: rootClass, usersClass: usersClass, schema: World.schema)
        } catch {
            return error
        }
        throw NoError(text: text)
    }

    private struct NoError: Error {
        let text: String
    }

    @Test(
        "a rule for a user is the filter with what the user has in it",
        arguments: [
            ("friend == $user.id", "friend == 7"), ("_id == $user.id", "_id == 7"),
            ("name == $user.id", "name == '7'"), ("ANY friends == $user.id", "ANY friends == 7"),
            ("fans.name == $user.id", "fans.name == '7'"),
            ("name IN $user.groups", "name IN {'a', 'b'}"),
            ("ANY tags IN $user.groups AND age > 3", "ANY tags IN {'a', 'b'} AND age > 3"),
            ("age < $user.limit OR NOT active == true", "age < 5 OR NOT active == true"),
            ("score == $user.limit", "score == 5"),
            ("name == $user.org.unit", "name == 'sales'"),
            ("name == $user['https://example.com/role']", "name == 'boss'"),
            ("born >= $user.since", "born >= 2026-01-01T00:00:00Z"),
            (
                "SUBQUERY(friends, $x, $x.name == $user.id).@count > 0",
                "SUBQUERY(friends, $x, $x.name == '7').@count > 0"
            ),
        ])
    func bound(text: String, same: String) throws {
        let user = SampleUser(claims: [
            "groups": .many([.string("a"), .string("b")]), "limit": .one(.int(5)),
            "org/unit": .one(.string("sales")),
            "https://example.com/role": .one(.string("boss")),
            "since": .one(.string("2026-01-01T00:00:00Z")),
        ])
        #expect(try rule(text).predicate(for: user) == filter(same))
    }

    @Test(
        "a rule that names what the user lacks allows nothing as a whole",
        arguments: [
            "name == $user.absent", "NOT name == $user.absent", "age > 0 OR name == $user.absent",
            "name != $user.empty", "name == $user.list", "name IN $user.text", "age == $user.text",
            "NOT age == $user.half", "NOT name IN $user.listed", "active == $user.text",
            "NOT (name == 'x' AND age == $user.absent)", "NOT $user.absent == 1",
            "NOT 'x' IN $user.text", "NOT $user.text == 3", "name == $user.object.name",
            "NOT friend == $user.text",
        ])
    func lacking(text: String) throws {
        let user = SampleUser(claims: [
            "empty": .one(.null), "list": .many([.string("a")]), "text": .one(.string("x")),
            "half": .one(.double(1.5)), "listed": .many([.string("a"), .null]),
        ])
        #expect(try rule(text).predicate(for: user) == .constant(false))
    }

    @Test("two ids are never one key, however a number may be written")
    func oneSpelling() throws {
        let rule = try rule("friend == $user.id")
        #expect(rule.predicate(for: SampleUser(id: "07")) == .constant(false))
        #expect(rule.predicate(for: SampleUser(id: "+7")) == .constant(false))
        #expect(try rule.predicate(for: SampleUser(id: "7")) == filter("friend == 7"))
    }

    @Test(
        "a condition on the user alone is decided when the user is known",
        arguments: [
            ("'editor' IN $user.groups", true), ("'admin' IN $user.groups", false),
            ("NOT 'admin' IN $user.groups", true), ("ANY $user.groups BEGINSWITH 'ed'", true),
            ("ALL $user.groups BEGINSWITH 'ed'", false), ("NONE $user.groups == 'x'", true),
            ("'x' IN $user.flags", false), ("NOT 'x' IN $user.flags", true),
            ("NONE $user.flags == 'x'", true), ("ANY $user.flags == 'x'", false),
            ("ALL $user.flags == 'x'", true),
            ("$user.level >= 3", true), ("$user.level > 3.5", false), ("3 < $user.level", false),
            ("$user.id == '7'", true), ("$user.id != '7'", false),
            ("$user.mail ENDSWITH[c] '@X.org'", true),
            ("$user.mail LIKE '*@x.org' AND $user.level == 3", true),
            ("$user.object.active == true", true), ("$user.object.age > 40", true),
            ("$user.object.friend == 2", true), ("$user.object.friend.name == 'Bob'", true),
            ("'x' IN $user.object.tags", true), ("$user.object.tags.@count == 2", true),
            ("$user.object.born == null OR TRUEPREDICATE", false),
        ])
    func userAlone(text: String, holds: Bool) throws {
        let (ann, bob) = (Person(1), Person(2))
        bob.name = "Bob"
        ann.active = true
        ann.age = 41
        ann.friend = bob
        ann.tags = ["x", "y"]
        let user = SampleUser(
            claims: [
                "groups": .many([.string("editor"), .string("reader")]), "level": .one(.int(3)),
                "mail": .one(.string("ann@x.org")), "flags": .many([]),
            ], world: World(people: [ann, bob]), person: ann)
        if text.contains("null") {
            #expect(try error(text, rootClass: nil).message.contains("has no effect"))
        } else {
            let rule = try rule(text, rootClass: nil)
            #expect(rule.predicate(for: user) == .constant(holds))
            #expect(!rule.references.isEmpty)
        }
    }

    @Test("a rule compares with links and values of the user's object")
    func object() throws {
        let (ann, bob) = (Person(1), Person(2))
        ann.friend = bob
        ann.friends = [bob, ann]
        ann.name = "Ann"
        let user = SampleUser(world: World(people: [ann, bob]), person: ann)
        #expect(
            try rule("friend == $user.object.friend").predicate(for: user) == filter("friend == 2"))
        #expect(
            try rule("friend IN $user.object.friends").predicate(for: user)
                == filter("friend IN {2, 1}"))
        #expect(
            try rule("name == $user.object.name", rootClass: 2).predicate(for: user)
                == filter("name == 'Ann'", rootClass: 2))
    }

    @Test(
        "what no user can satisfy is refused with its column",
        arguments: [
            ("active == $user.id", "can't be compared with a value of type 'bool'", 11),
            ("name == $user", "'$user' is followed by 'id'", 9),
            ("friend == $user.object", "the object itself is compared by its key", 11),
            ("age == $user.object.name", "can't be compared with a value of type 'int'", 8),
            ("age == $user.object.nam", "'Person' has no property 'nam'", 21),
            ("name == $user.object.tags", "compare with IN", 9),
            ("name IN $user.object.name", "must contain a list", 9),
            ("name LIKE $user.id", "can't be a pattern", 6),
            ("name MATCHES $user.id", "can't be part", 6),
            ("age + $user.limit > 3", "not be part of a calculation", 5),
            ("$user.id == $user.object.name", "not with itself", 10),
            ("name == $user.id.x", "it has no members", 9),
            ("SUBQUERY(friends, $user, $user.age > 1).@count > 0", "another name", 19),
            ("age == $0", "A rule has no arguments", 8),
            ("age == 1 SORT(age ASC)", "A rule is only a condition", 1),
            ("born < now()", "State a date", 8),
        ])
    func refused(text: String, message: String, column: Int) throws {
        let error = try error(text)
        #expect(error.message.contains(message), "\(error)")
        #expect(error.column == column, "\(error)")
    }

    @Test("a condition on the user alone names no property, and no object where users have none")
    func refusedAlone() throws {
        #expect(try error("age > 3", rootClass: nil).message.contains("not a value of the user"))
        #expect(
            try error("$user.object.age > 3", rootClass: nil, usersClass: nil).message
                .contains("needs a class of users"))
    }

    @Test("a filter has no '$user', and is told of arguments")
    func ordinary() throws {
        do throws(QueryError) {
            _ = try CompiledQuery.compile(
                text: "name == $user.id", rootClass: 0, schema: World.schema)
            Issue.record("It was taken.")
        } catch {
            #expect(error.message.contains("only allowed in the rules of the access document"))
            #expect(error.hint == "$0" && error.column == 9)
        }
        // The variable of a subquery may have the name.
        #expect(throws: Never.self) {
            try CompiledQuery.compile(
                text: "SUBQUERY(friends, $user, $user.age > 1).@count > 0", rootClass: 0,
                schema: World.schema)
        }
    }

    @Test("a rename changes the names in a text and nothing else")
    func renames() throws {
        let renames = SchemaRenames([
            .init(old: .init("Person", "name"), new: .init("Person", "full name")),
            .init(old: .init("Person", "friend"), new: .init("Person", "mate")),
            .init(old: .init("Dog"), new: .init("Hound")),
            .init(old: .init("Dog", "master"), new: .init("Hound", "owner")),
        ])
        let text =
            "friend.name == 'name' AND @links.Dog.master.name == $user.object.name  OR friend == $user.name"
        #expect(
            try rule(text).text(after: renames)
                == "mate.full\\ name == 'name' AND @links.Hound.owner.name == $user.object.full\\ name"
                + "  OR mate == $user.name")
        let person = SchemaRenames([.init(old: .init("Person"), new: .init("Any Body"))])
        #expect(
            try rule(#"friend == obj("Person", 1) OR name == 'Person'"#).text(after: person)
                == "friend == obj('Any Body', 1) OR name == 'Person'")
        let word = SchemaRenames([.init(old: .init("Person", "age"), new: .init("Person", "any"))])
        #expect(throws: QueryError.self) { try rule("age == 1").text(after: word) }
    }
}
