import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// Writes of a user to objects of which they see a part, each beside what the administrator reads afterwards.
@Suite("Writes of users to objects that have hidden parts")
struct HiddenPartTests {
    /// A store with a schema, an access document and objects, and a user.
    private struct World {
        let server: RuledServer
        let ann: RuledServer.Key

        /// - `classes`: The schema's classes, as JSON.
        /// - `rules`: The entries for classes of the only role of the access document.
        /// - `roles`: Its roles, where there are several.
        init(
            _ classes: String, rules: String = "", roles: String? = nil,
            memoryByteCountMax: Int? = nil, _ objects: [(target: String, body: String)] = []
        ) throws {
            server = try RuledServer(classes: []) {
                if let memoryByteCountMax { $0.limits.queryMemoryByteCountMax = memoryByteCountMax }
            }
            ann = server.user("ann")
            let roles = roles ?? "{\"m\":{\"classes\":{\(rules)}}}"
            let steps =
                [("PUT", "schema", "{\"classes\":[\(classes)]}")]
                + objects.map { ("POST", "classes/\($0.target)/objects", $0.body) }
                + [("PUT", "access", "{\"roles\":\(roles)}")]
            for (method, target, body) in steps {
                let reply = server.send(method, "/v1/\(target)", body)
                #expect(reply.status < 300, "\(target): \(reply.text)")
            }
        }

        /// A JSON patch of ann's.
        func patch(_ target: String, _ operations: String) -> HTTPClient.Reply {
            server.send(
                "PATCH", "/v1/classes/\(target)", operations, as: ann,
                type: "application/json-patch+json")
        }

        func send(
            _ method: String, _ target: String, _ body: String? = nil,
            type: String = "application/json"
        ) -> HTTPClient.Reply {
            server.send(method, "/v1/" + target, body, as: ann, type: type)
        }

        /// A property of object 1 as the administrator reads it.
        func stored(_ name: String, _ property: String) -> QueryJSON {
            QueryJSON(
                server.send("GET", "/v1/classes/\(name)/objects/1?fields=\(property)").text)?[
                    property] ?? .null
        }
    }

    private static let thing =
        #"{"name":"T","primaryKey":"id","properties":{"id":"int","owner":"string"}}"#
    private static let seenThings = #""T":{"read":"owner == $user.id"}"#

    private static func things(_ count: Int, hidden: Set<Int>) -> String {
        let rows = (0..<count).map {
            "{\"id\":\($0),\"owner\":\"\(hidden.contains($0) ? "bob" : "ann")\"}"
        }
        return "[\(rows.joined(separator: ","))]"
    }

    private static func link(_ id: Int) -> String { "{\"$link\":{\"class\":\"T\",\"id\":\(id)}}" }

    @Test(
        "several edits of a list in one patch are edits of what is seen, however long it is",
        arguments: [40, 9_000])
    func severalEdits(count: Int) throws {
        let links = (0..<count).map { "\($0)" }.joined(separator: ",")
        let mixed = (0..<count).map { Self.link($0) }.joined(separator: ",")
        let entries = (0..<count).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
        let world = try World(
            Self.thing
                + #",{"name":"L","primaryKey":"id","properties":{"id":"int","links":"T[]","free":"mixed[]","map":"T{}"}}"#,
            rules: Self.seenThings + #","L":{"read":true,"update":true}"#,
            [
                ("T", Self.things(count, hidden: [0, 3])),
                (
                    "L",
                    "{\"id\":1,\"links\":[\(links)],\"free\":[\(mixed)],\"map\":{\(entries)}}"
                ),
            ])
        let remove = #"{"op":"remove","path":"/links/0"}"#
        var reply = world.patch("L/objects/1", "[\(remove),\(remove)]")
        #expect(reply.status < 300, "\(reply.text)")
        #expect(world.stored("L", "links").elements.prefix(3).map(\.int) == [0, 3, 4])
        reply = world.patch(
            "L/objects/1",
            #"[{"op":"add","path":"/free/0","value":"new"},{"op":"remove","path":"/free/0"}]"#)
        #expect(reply.status < 300, "\(reply.text)")
        #expect(world.stored("L", "free").elements.count == count)
        #expect(world.stored("L", "free").elements.first?.text == Self.link(0))
        reply = world.patch(
            "L/objects/1",
            #"[{"op":"replace","path":"/map/k1","value":2},{"op":"remove","path":"/map/k2"}]"#)
        #expect(reply.status < 300, "\(reply.text)")
        let map = world.stored("L", "map")
        #expect(map["k0"]?.int == 0 && map["k1"]?.int == 2 && map["k2"] == nil)
        #expect(map["k3"]?.int == 3 && map.names.count == count - 1)
    }

    @Test("a link that is hidden within an element of a set stays when others come and go")
    func withinSet() throws {
        let world = try World(
            Self.thing
                + #",{"name":"O","primaryKey":"id","properties":{"id":"int","m":"mixed<>"}}"#,
            rules: Self.seenThings + #","O":{"read":true,"update":true}"#,
            [
                ("T", Self.things(2, hidden: [0, 1])),
                (
                    "O",
                    "{\"id\":1,\"m\":[5,{\"a\":\(Self.link(0))},{\"a\":\(Self.link(1))},[\(Self.link(0)),7],\(Self.link(1))]}"
                ),
            ])
        let elements = "classes/O/objects/1/properties/m/elements"
        #expect(world.send("POST", elements, "\"x\"").status == 201)
        let texts = Set(world.stored("O", "m").elements.map(\.text))
        let kept = ["{\"a\":\(Self.link(0))}", "{\"a\":\(Self.link(1))}", "[\(Self.link(0)),7]"]
        #expect(texts == Set(kept + ["5", "\"x\"", Self.link(1)]))
        // What is taken away is so with all that it hides.
        let reply = world.send("PATCH", "classes/O/objects/1", #"{"m":[5,[7]]}"#)
        #expect(reply.status == 200, "\(reply.text)")
        let rest = Set(world.stored("O", "m").elements.map(\.text))
        #expect(rest == ["5", "[\(Self.link(0)),7]", Self.link(1)])
    }

    @Test(
        "an object is stated as a whole, or tested, behind another edit as well as alone",
        arguments: [
            #"{"op":"replace","path":"","value":{"id":1,"name":"b"}}"#,
            #"{"op":"test","path":"","value":{"id":1,"name":"b"}}"#,
        ], [#""default":7"#, #""required":true"#])
    func wholeBehindEdit(edit: String, how: String) throws {
        let world = try World(
            #"{"name":"X","primaryKey":"id","properties":{"id":"int","name":"string","secret":{"type":"int",\#(how)}}}"#,
            rules: #""X":{"read":true,"update":true,"properties":{"secret":"none"}}"#,
            [("X", #"{"id":1,"name":"a","secret":3}"#)])
        let reply = world.patch(
            "X/objects/1", "[{\"op\":\"replace\",\"path\":\"/name\",\"value\":\"b\"},\(edit)]")
        #expect(reply.status < 300, "\(reply.text)")
        #expect(world.stored("X", "secret") == .int(3) && world.stored("X", "name").string == "b")
    }

    @Test("what was read of an object with a required link to an unknown class is written back")
    func requiredUnknown() throws {
        let world = try World(
            #"""
            {"name":"Secret","primaryKey":"id","properties":{"id":"int"}},
            {"name":"Part","kind":"embedded","properties":{"n":"string","boss":{"type":"object","class":"Secret","required":true}}},
            {"name":"C","primaryKey":"id","properties":{"id":"int","name":"string","parts":"Part[]",
              "boss":{"type":"object","class":"Secret","required":true}}}
            """#,
            rules: #""C":{"read":true,"update":true}"#,
            [
                ("Secret", #"{"id":1}"#),
                (
                    "C",
                    #"{"id":1,"name":"x","boss":1,"parts":[{"n":"a","boss":1},{"n":"b","boss":null}]}"#
                ),
            ])
        let target = "classes/C/objects/1"
        let read = world.send("GET", target)
        #expect(!read.text.contains("boss"))
        for (method, path, body) in [
            ("PUT", target, read.text), ("PATCH", target, read.text),
            ("POST", target + "/properties/parts/elements", #"{"n":"c"}"#),
        ] {
            let reply = world.send(method, path, body)
            #expect(reply.status < 300, "\(method): \(reply.text)")
        }
        #expect(world.stored("C", "boss").int == 1)
        let parts = world.stored("C", "parts").elements
        #expect(parts.map { $0["boss"]?.int } == [1, nil, nil] && parts.count == 3)
        // Who may make such objects has to know what they link to.
        let made = world.server.send(
            "PUT", "/v1/access",
            #"{"roles":{"m":{"classes":{"C":{"read":true,"create":true}}}}}"#)
        #expect(made.status == 422 && made.text.contains("boss"), "\(made.text)")
        let partly = world.server.send(
            "PUT", "/v1/access",
            #"{"roles":{"m":{"classes":{"C":{"read":true,"create":true}}},"n":{"when":"$user.id == 'bob'","classes":{"Secret":{"read":true}}}}}"#
        )
        #expect(partly.status == 200, "\(partly.text)")
        let refused = world.send("POST", "classes/C/objects", #"{"id":2,"name":"y"}"#)
        #expect(refused.status == 403 && !refused.text.contains("boss"), "\(refused.text)")
    }

    @Test("a transaction learns nothing of its new objects that it has not stated and may not read")
    func hiddenDefault() throws {
        let world = try World(
            #"""
            {"name":"Inv","primaryKey":"id","properties":{"id":"int","owner":"string","note":"string?",
              "code":{"type":"string","default":"secret"}}}
            """#,
            roles: #"""
                {"own":{"classes":{"Inv":{"read":"owner == $user.id"}}},
                 "m":{"classes":{"Inv":{"read":true,"create":true,"update":true,"properties":{"code":"none"}}}}}
                """#)
        func post(_ owner: String, _ edit: String) -> HTTPClient.Reply {
            let operations = [
                #"{"op":"create","class":"Inv","ref":"a","id":1,"value":{"owner":"\#(owner)"}}"#,
                #"{"op":"patch","class":"Inv","id":1,"value":[\#(edit)]}"#,
            ]
            return world.send(
                "POST", "transactions", "{\"operations\":[\(operations.joined(separator: ","))]}")
        }
        let tested = post("bob", #"{"op":"test","path":"/code","value":"secret"}"#)
        #expect(tested.text.contains("test-failed"), "\(tested.text)")
        let copied = post("bob", #"{"op":"copy","from":"/code","path":"/note"}"#)
        #expect(!copied.text.contains("secret"), "\(copied.text)")
        #expect(world.stored("Inv", "note") == .null)
        world.server.send("DELETE", "/v1/classes/Inv/objects/1")
        let own = post("ann", #"{"op":"copy","from":"/code","path":"/note"}"#)
        #expect(own.status == 200, "\(own.text)")
        #expect(world.stored("Inv", "note").string == "secret")
    }

    @Test("a unique value of an object that a deletion changes is no news of an unknown class")
    func unknownUnique() throws {
        let world = try World(
            Self.thing
                + #",{"name":"Secret","primaryKey":"id","properties":{"id":"int","u":{"type":"mixed","unique":true}}}"#,
            rules: #""T":{"read":true,"delete":true}"#,
            [
                ("T", #"{"id":1,"owner":"ann"}"#),
                ("Secret", "{\"id\":2,\"u\":[\(Self.link(1)),1]}"),
                ("Secret", #"{"id":3,"u":[1]}"#),
            ])
        let reply = world.send("DELETE", "classes/T/objects/1")
        #expect(reply.status == 409 && !reply.text.contains("Secret"), "\(reply.text)")
    }

    @Test("an element that is named by its position is that one among others that look alike")
    func alike() throws {
        func world() throws -> World {
            try World(
                Self.thing
                    + #",{"name":"E","kind":"embedded","properties":{"n":"string","t":"T"}},{"name":"I","primaryKey":"id","properties":{"id":"int","items":"E[]"}}"#,
                rules: Self.seenThings + #","I":{"read":true,"update":true}"#,
                [
                    ("T", Self.things(12, hidden: [10, 11])),
                    ("I", #"{"id":1,"items":[{"n":"x","t":10},{"n":"x","t":11}]}"#),
                ])
        }
        func links(_ world: World) -> [Int64?] {
            world.stored("I", "items").elements.map { $0["t"]?.int }
        }
        let elements = "classes/I/objects/1/properties/items/elements"
        var changed = try world()
        #expect(changed.send("DELETE", elements + "/0").status < 300)
        #expect(links(changed) == [11])
        changed = try world()
        #expect(changed.send("POST", elements + "?at=0", #"{"n":"x"}"#).status < 300)
        #expect(links(changed) == [nil, 10, 11])
        changed = try world()
        #expect(
            changed.patch(
                "I/objects/1",
                #"[{"op":"remove","path":"/items/0"},{"op":"add","path":"/items/1","value":{"n":"x"}},{"op":"replace","path":"/items/0/n","value":"y"}]"#
            ).status < 300)
        // What is put in as it was taken out is the same element, at another place.
        #expect(links(changed) == [11, 10])
    }

    @Test(
        "how much was shown of objects does not end a change of many, as it tells of what they hide"
    )
    func manyCopies() throws {
        let world = try World(
            #"{"name":"O","primaryKey":"id","properties":{"id":"int","name":"string","text":"string","hid":"string?"}}"#,
            rules: #""O":{"read":true,"update":true,"properties":{"hid":"none"}}"#,
            memoryByteCountMax: 1 << 20,
            [("O", Self.rows(60, text: String(repeating: "x", count: 20_000)))])
        let merges = (1...60).map { "{\"id\":\($0),\"name\":\"c\"}" }
        let operations = (1...60).map {
            "{\"op\":\"merge\",\"class\":\"O\",\"id\":\($0),\"value\":{\"name\":\"d\"}}"
        }
        for (method, target, body) in [
            ("PATCH", "classes/O/objects?filter=name%20!=%20'b'", #"{"name":"b"}"#),
            ("POST", "classes/O/objects?mode=merge", "[\(merges.joined(separator: ","))]"),
            ("POST", "transactions", "{\"operations\":[\(operations.joined(separator: ","))]}"),
        ] {
            let reply = world.send(method, target, body)
            #expect(reply.status < 300, "\(target): \(reply.text)")
        }
        #expect(world.stored("O", "name").string == "d")
    }

    private static func rows(_ count: Int, text: String) -> String {
        let rows = (1...count).map { "{\"id\":\($0),\"name\":\"a\",\"text\":\"\(text)\"}" }
        return "[\(rows.joined(separator: ","))]"
    }
}
