@testable import HoldfastAccess
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows
import Testing

@testable import HoldfastStoreService

@Suite("The rules of an access document")
struct AccessRulesTests {
    private let world: AccessWorld

    init() throws { world = try AccessWorld() }

    private func faults(_ text: String) throws -> [RequestFault.Entry] {
        do throws(RequestFault) {
            _ = try world.rules(text)
            return []
        } catch {
            #expect(error.kind == .invalid && error.code == "invalid-access")
            return error.errors
        }
    }

    @Test(
        "are checked against the schema, with role, class, action and column in each error",
        arguments: [
            (#"{"users":"Persn","roles":{}}"#, "/users", "no class 'Persn'", nil, "Person"),
            (#"{"users":"Place","roles":{}}"#, "/users", "primary key is the user's id", nil, nil),
            (
                #"{"roles":{"a":{"when":"age > 3"}}}"#, "/roles/a/when",
                "Role 'a', when, column 1: 'age' is not a value of the user", 1, "$user.id"
            ),
            (
                #"{"roles":{"a":{"when":"$user.object.verified == true"}}}"#, "/roles/a/when",
                "needs a class of users", 1, nil
            ),
            (
                #"{"roles":{"a":{"classes":{"Lst":{"read":true}}}}}"#, "/roles/a/classes/Lst",
                "there is no such class", nil, "List"
            ),
            (
                #"{"roles":{"a":{"classes":{"Place":{"read":true}}}}}"#, "/roles/a/classes/Place",
                "it is embedded", nil, nil
            ),
            (
                #"{"roles":{"a":{"classes":{"List":{"read":"ownr == $user.id"}}}}}"#,
                "/roles/a/classes/List/read",
                "Role 'a', class 'List', read, column 1: 'List' has no property 'ownr'", 1, "owner"
            ),
            (
                #"{"roles":{"a":{"classes":{"Task":{"update":{"before":"done == 3","after":true}}}}}}"#,
                "/roles/a/classes/Task/update/before",
                "Role 'a', class 'Task', update, column 6: Unsupported comparison", 6, nil
            ),
            (
                #"{"roles":{"a":{"classes":{"Task":{"delete":"done == $user.id"}}}}}"#,
                "/roles/a/classes/Task/delete", "can't be compared with a value of type 'bool'", 9,
                nil
            ),
            (
                #"{"roles":{"a":{"classes":{"List":{"read":"owner == $0"}}}}}"#,
                "/roles/a/classes/List/read", "column 10: A rule has no arguments", 10, "$user.id"
            ),
            (
                #"{"roles":{"a":{"when":"$user.id IN $1"}}}"#, "/roles/a/when",
                "A rule has no arguments", 13, "$user.id"
            ),
            (
                #"{"roles":{"a":{"classes":{"List":{"properties":{"id":"none"}}}}}}"#,
                "/roles/a/classes/List/properties/id", "primary key, which can't be hidden", nil,
                "create"
            ),
            (
                #"{"roles":{"a":{"classes":{"List":{"properties":{"titel":"none"}}}}}}"#,
                "/roles/a/classes/List/properties/titel", "there is no property 'titel'", nil,
                "title"
            ),
            (
                #"{"roles":{"a":{"classes":{"List":{"create":true,"properties":{"title":"read"}}}}}}"#,
                "/roles/a/classes/List/properties/title",
                "their required property 'title' may not be set", nil, "create"
            ),
        ] as [(String, String, String, Int?, String?)])
    func checked(
        text: String, pointer: String, detail: String, column: Int?, hint: String?
    ) throws {
        let found = try faults(text)
        let entry = try #require(found.first, "\(text)")
        #expect(found.count == 1)
        #expect(
            entry.pointer == pointer && entry.column == column && entry.hint == hint, "\(entry)")
        #expect(entry.detail.contains(detail), "\(entry)")
    }

    @Test(
        "that name the user as other products do are told what the name is here",
        arguments: [
            "@request.auth.id = owner", "auth.uid() = owner", "request.auth.uid == owner",
            "owner == %%user.id", "owner == $uid", "title == current_user_id()",
            "title == X-Hasura-User-Id",
        ])
    func otherUsers(filter: String) throws {
        let found = try faults(#"{"roles":{"a":{"classes":{"List":{"read":"\#(filter)"}}}}}"#)
        #expect(found.map(\.hint) == ["$user.id"], "\(found)")
    }

    @Test(
        "that name the user without the sign are told the name with it",
        arguments: [
            ("owner == user.id", "$user.id"), ("user.id == owner", "$user.id"),
            ("title == 'ä' AND owner == user.id", "$user.id"),
            ("secret == user.object.name", "$user.object.name"), ("title == user.name", nil),
            ("title == user", "'user'"),
        ] as [(String, String?)])
    func userWithoutSign(filter: String, hint: String?) throws {
        let found = try faults(
            #"{"users":"Person","roles":{"a":{"classes":{"List":{"read":"\#(filter)"}}}}}"#)
        #expect(found.map(\.hint) == [hint], "\(found)")
    }

    @Test("tell all faults at once")
    func several() throws {
        let text =
            #"{"roles":{"a":{"when":"x == 1","classes":{"List":{"read":"(","create":"y == 1"}}}}}"#
        #expect(
            try faults(text).map(\.pointer) == [
                "/roles/a/when", "/roles/a/classes/List/read", "/roles/a/classes/List/create",
            ])
    }

    @Test("hold with a warning where a list looks at every object, or a user could take a role")
    func warnings() throws {
        func warned(_ text: String) throws -> [String] {
            try world.rules(text).warnings.map { "\($0.code) \($0.pointer ?? "")" }
        }
        func read(_ filter: String) -> String {
            #"{"roles":{"a":{"classes":{"List":{"read":"\#(filter)"}}}}}"#
        }
        #expect(try warned(read("owner == $user.id")) == [])
        #expect(try warned(read("ANY members == $user.id AND secret == 'x'")) == [])
        #expect(try warned(read("'editor' IN $user.groups")) == [])
        #expect(
            try warned(read("title == $user.id")) == ["no-index /roles/a/classes/List/read"])
        #expect(
            try warned(read("owner == $user.id OR secret == $user.id"))
                == ["no-index /roles/a/classes/List/read"])
        #expect(
            try warned(read("title ENDSWITH $user.id")) == ["no-index /roles/a/classes/List/read"])
        // By what a link leads to, as far as an index or inverse links serve that.
        let ofTask = { (filter: String) in
            #"{"roles":{"a":{"classes":{"Task":{"read":"\#(filter)"}}}}}"#
        }
        #expect(
            try warned(ofTask("list.owner == $user.id OR ANY list.members == $user.id")) == [])
        #expect(
            try warned(ofTask("ANY list.members.name == $user.id"))
                == ["no-index /roles/a/classes/Task/read"])
        let both = try world.rules(read("title == $user.id OR secret == $user.id")).warnings
        let detail = try #require(both.first?.detail)
        #expect(detail.contains("'List.title' with one of 'List.secret' would"), "\(detail)")
        let taken = { (right: String) in
            #"{"users":"Person","roles":{"a":{"when":"$user.object.verified == true"},"#
                + #""self":{"classes":{"Person":{"read":"id == $user.id","update":"id == $user.id","#
                + #""properties":{"verified":"\#(right)"}}}}}}"#
        }
        #expect(try warned(taken("write")) == ["own-object /roles/a/when"])
        #expect(try warned(taken("read")) == [])
        let behind = { (rules: String) in
            #"{"users":"Person","roles":{"a":{"when":"ANY $user.object.@links.List.owner.title == 'x'"},"b":{"classes":{"List":{"#
                + #""read":"owner == $user.id"\#(rules),"properties":{"owner":"read"}}}}}}"#
        }
        #expect(try warned(behind("")) == [])
        let update = #","update":"owner == $user.id""#
        #expect(try warned(behind(update)) == ["own-object /roles/a/when"])
        #expect(
            try warned(behind(#","create":true"#)) == ["own-object /roles/a/when"])
        let unread = { (more: String) in
            #"{"roles":{"a":{"classes":{"Task":{"create":true,"delete":true}}}\#(more)}}"#
        }
        #expect(try warned(unread("")) == ["no-read /roles/a/classes/Task/delete"])
        #expect(try warned(unread(#","b":{"classes":{"*":{"read":true}}}"#)) == [])
    }

    @Test("become what a user may do: roles that hold, with the user's values in their rules")
    func view() throws {
        let rules = try world.rules(
            #"{"roles":{"public":{"for":"anyone","classes":{"Person":{"read":true,"properties":{"age":"none"}}}},"#
                + #""member":{"classes":{"List":{"read":"owner == $user.id","create":"owner == $user.id"},"#
                + #""Person":{"read":"id == $user.id"}}},"#
                + #""editor":{"when":"'editor' IN $user.groups","classes":{"*":{"read":true},"Task":{"create":true}}}}}"#
        )
        let (person, list, task) = (
            world.index("Person"), world.index("List"), world.index("Task")
        )
        let nobody = rules.view(for: AccessWorld.User(), isUser: false)
        #expect(nobody.roles.map(\.name) == ["public"])
        #expect(ClassVisibility(roles: nobody.shown(person)).rule == nil)
        #expect(ClassVisibility(roles: nobody.shown(list)).rule == .constant(false))
        let ann = rules.view(for: AccessWorld.User(id: "ann"), isUser: true)
        #expect(ann.roles.map(\.name) == ["public", "member"])
        let own = try CompiledQuery.compile(
            text: "owner == 'ann'", rootClass: list, schema: world.store.catalog.rows
        ).predicate
        #expect(ClassVisibility(roles: ann.shown(list)).rule == own)
        #expect(ClassVisibility(roles: ann.shown(task)).rule == .constant(false))
        // On their own object everything is seen: the widest right of the roles that show it.
        #expect(ann.shown(person).map(\.hidden) == [MemberSet([3]), MemberSet()])
        let editor = AccessWorld.User(id: "bob", claims: ["groups": .many([.string("editor")])])
        let bob = rules.view(for: editor, isUser: true)
        #expect(bob.roles.map(\.name) == ["public", "member", "editor"])
        #expect(ClassVisibility(roles: bob.shown(list)).rule == nil)
        // A class's own entry stands in the place of the one for every class.
        #expect(ClassVisibility(roles: bob.shown(task)).rule == .constant(false))
        #expect(bob.roles[2].classes[task]?.writing.create == .constant(true))
        #expect(
            ann == rules.view(for: AccessWorld.User(id: "ann"), isUser: true) && ann != bob)
    }

    @Test("stay as the schema changes: a rename changes them, and what they name is not dropped")
    func schemaChanges() throws {
        let text =
            #"{"users":"Person","roles":{"a":{"when":"$user.object.verified == true","classes":{"List":{"read":"owner.name == $user.id OR title == 'owner'","#
            + #""properties":{"secret":"none"}}}}}}"#
        let control = try world.control(text)
        let renamed = AccessWorld.schema.replacing("\"secret\"", with: "\"hidden\"")
            .replacing("\"owner\"", with: "\"holder\"").replacing("Person", with: "Human")
            .replacing("\"name\":\"string?\"", with: "\"full name\":\"string?\"")
        try world.change(
            String(renamed.dropLast(1))
                + #","renames":{"Person":"Human","Person.name":"Human.full name","List.owner":"List.holder","List.secret":"List.hidden"}}"#
        )
        let stored = try #require(try control.document())
        #expect(stored.revision == 2)
        #expect(
            stored.document.text
                == #"{"users":"Human","roles":{"a":{"when":"$user.object.verified == true","classes":{"List":{"read":"holder.full\\ name == $user.id OR title == 'owner'","#
                + #""properties":{"hidden":"none"}}}}}}"#)
        #expect(try control.rules(for: world.store.catalog.rows)?.revision == 2)
        let before = world.store.catalog.schema.revision
        do throws(RequestFault) {
            try world.change(
                renamed.replacing(",\"verified\":\"bool\"", with: ""))
            Issue.record("It was dropped.")
        } catch {
            #expect(error.kind == .conflict && error.code == "access-in-use", "\(error)")
            #expect(error.errors.first?.pointer == "/roles/a/when")
        }
        #expect(world.store.catalog.schema.revision == before)
        // What no rule names goes.
        try world.change(renamed.replacing(",\"age\":\"int?\"", with: ""))
        #expect(try control.document()?.revision == 2)
    }

    @Test(
        "for every class follow a rename: all of them together, else the class with an entry of its own"
    )
    func renamesOfEveryClass() throws {
        let control = try world.control(
            #"{"roles":{"a":{"classes":{"Person":{},"*":{"read":"id == 1","properties":{"id":"read"}}}}}}"#
        )
        let one = AccessWorld.schema.replacing(
            #""Task","primaryKey":"id","properties":{"id""#,
            with: #""Task","primaryKey":"number","properties":{"number""#)
        try world.change(String(one.dropLast(1)) + #","renames":{"Task.id":"Task.number"}}"#)
        #expect(
            try control.document()?.document.text
                == #"{"roles":{"a":{"classes":{"Person":{},"*":{"read":"id == 1","properties":{"id":"read"}},"#
                + #""Task":{"read":"number == 1","properties":{"number":"read"}}}}}}"#)
        let other = try AccessWorld()
        let second = try other.control(
            #"{"roles":{"a":{"classes":{"Person":{},"*":{"read":"id == 1"}}}}}"#)
        let both = one.replacing(
            #""List","primaryKey":"id","properties":{"id""#,
            with: #""List","primaryKey":"number","properties":{"number""#)
        try other.change(
            String(both.dropLast(1))
                + #","renames":{"Task.id":"Task.number","List.id":"List.number"}}"#)
        #expect(
            try second.document()?.document.text
                == #"{"roles":{"a":{"classes":{"Person":{},"*":{"read":"number == 1"}}}}}"#)
    }

    @Test("are set from the revision that they were made from, and outlive the service")
    func revisions() throws {
        let control = try world.control(#"{"roles":{}}"#)
        #expect(control.hasDocument)
        let document = try AccessReader.read(text: #"{"roles":{"a":{"classes":{}}}}"#)
        do throws(RequestFault) {
            _ = try control.put(
                AccessReader.Stated(document, revision: 7), where: { _ in true })
            Issue.record("It was taken.")
        } catch {
            #expect(error.kind == .conflict && error.code == "access-revision")
        }
        do throws(RequestFault) {
            _ = try control.put(AccessReader.Stated(document), where: { $0 == 0 })
            Issue.record("It was taken.")
        } catch {
            #expect(error.kind == .preconditionFailed)
        }
        let stated = AccessReader.Stated(document, revision: 1)
        #expect(try control.preview(stated, where: { _ in true }).revision == 2)
        #expect(try control.document()?.revision == 1)
        #expect(try control.put(stated, where: { $0 == 1 }).revision == 2)
        // The same document again is no change.
        #expect(
            try control.put(AccessReader.Stated(document), where: { _ in true }).revision
                == 2)
        let other = AccessControl(world.store) { RequestFault($0) }
        let read = try other.document()?.document
        #expect(other.hasDocument && read == document)
        let empty = try AccessWorld()
        #expect(!AccessControl(empty.store) { RequestFault($0) }.hasDocument)
        // A document that can't be read allows nothing.
        empty.store.close()
        #expect(AccessControl(empty.store) { RequestFault($0) }.hasDocument)
    }

    @Test(
        "ask for what they learn of users in the order of the document, in each process and each time"
    )
    func referenceOrder() throws {
        let text =
            #"{"roles":{"a":{"when":"$user.on == true","classes":{"List":{"read":"title == $user.id OR secret == $user.boss OR title == $user.id"}}}}}"#
        // All at once, so that each has its own memory.
        let made = try (0..<100).map { _ in try world.rules(text) }
        for rules in made {
            #expect(rules.references == [.id, .claim(["boss"]), .claim(["on"])])
        }
    }
}
