import ObjectModel
import RESTAPI
import TestSupport
import Testing

@Suite("streams of properties")
struct PropertyStreamTests {
    static let schema = Schema(classes: [
        ObjectClass(
            name: "Item", primaryKey: "id",
            properties: [
                Schemas.property("id", .int), Schemas.property("note", .int),
                Schemas.list("list", .int, optional: true), Schemas.list("friends", of: "Dog"),
                Schemas.set("words", .string), Schemas.set("dogs", of: "Dog"),
                Property(name: "map", type: .map(.scalar(.string))),
                Property(name: "pets", type: .map(.object("Dog")), isOptional: true),
                Property(name: "parts", type: .list(.object("Part"))),
                Schemas.property("any", .mixed), Schemas.list("anys", .mixed),
                Schemas.link("best", "Dog"),
            ]),
        ObjectClass(
            name: "Dog", primaryKey: "name",
            properties: [
                Schemas.property("name", .string), Schemas.property("age", .int),
                Property(
                    name: "owners", type: .linkingObjects(className: "Item", property: "friends")),
            ]),
        ObjectClass(
            name: "Part", kind: .embedded,
            properties: [Schemas.property("size", .int), Schemas.list("marks", .int)]),
    ])
    private static let item = "/v1/classes/Item/objects/1"

    private static func server(_ options: RESTOptions = RESTOptions()) throws -> ChangesServer {
        let server = ChangesServer(try TestServer(.memory, schema: schema, options: options))
        for name in ["a", "b", "c", "d"] {
            server.send("PUT", "/v1/classes/Dog/objects/\(name)", #"{"age":1}"#)
        }
        return server
    }

    private static func patch(_ server: ChangesServer, _ operations: String) -> String {
        let reply = server.send(
            "PATCH", item, "[\(operations)]",
            headers: [("Content-Type", "application/json-patch+json")])
        #expect(reply.status == 200, "\(reply.text)")
        return reply.headers["holdfast-version"] ?? ""
    }

    private static func properties(_ name: String) -> String { "\(item)/properties/\(name)" }

    @Test("a list's change has indices before and after, and the new elements")
    func list() throws {
        let server = try Self.server()
        server.send("PUT", Self.item, #"{"list":[10,11,12,13,14],"note":1}"#)
        let stream = server.events(Self.properties("list") + "/changes", [("since", "start")])
        let events = stream.events(to: "upToDate")
        #expect(events.map(\.name) == ["hello", "reset", "snapshot", "upToDate"])
        #expect(events[1].id == "start" && events[2].data == #"{"elements":[10,11,12,13,14]}"#)
        // Another property is no concern of the list.
        server.send("PATCH", Self.item, #"{"note":2}"#)
        let version = Self.patch(
            server,
            #"{"op":"remove","path":"/list/1"},{"op":"replace","path":"/list/2","value":33},{"op":"add","path":"/list/0","value":9}"#
        )
        let change = stream.nextEvent()
        #expect(change.name == "change" && change.id == version)
        #expect(
            change.data
                == #"{"version":"\#(version)","op":"update","deletions":[1],"insertions":[0],"modifications":[3],"values":[{"index":0,"value":9},{"index":3,"value":33}]}"#
        )
        let gone = server.delete(Self.item)
        #expect(stream.nextEvent().data == #"{"version":"\#(gone)","op":"delete"}"#)
        server.send("PUT", Self.item, #"{"list":[]}"#)
        let back = stream.nextEvent()
        #expect(back.json["op"]?.string == "enter" && back.json["elements"] == .array([]))
        server.send("PATCH", Self.item, #"{"list":[1]}"#)
        #expect(stream.nextEvent().json["insertions"] == .array([.int(0)]))
    }

    @Test("a set's and a map's changes are told by value and key, links by what they lead to")
    func keyed() throws {
        let server = try Self.server()
        server.send(
            "PUT", Self.item,
            #"{"words":["x","y"],"dogs":["a","b"],"map":{"k":"1","l":"2"},"pets":{"p":"a"},"friends":["a","b","a"]}"#
        )
        let clients = ["words", "dogs", "map", "pets", "friends"].map {
            PropertyClient(server, Self.properties($0), key: $0 == "dogs" ? "name" : nil)
        }
        for client in clients {
            client.connect()
            client.expectContent()
        }
        let first = Self.patch(
            server,
            #"{"op":"replace","path":"/words","value":["y","z"]},{"op":"replace","path":"/dogs","value":["b","c"]},{"op":"replace","path":"/map/k","value":"3"},{"op":"remove","path":"/map/l"},{"op":"add","path":"/pets/q","value":"b"},{"op":"remove","path":"/friends/0"}"#
        )
        let told = clients.map { $0.next().data }
        let head = #"{"version":"\#(first)","op":"update","#
        #expect(told[0] == head + #""removed":["x"],"inserted":["z"],"modified":[]}"#)
        #expect(
            told[1] == head
                + #""removed":["a"],"inserted":["c"],"modified":[],"entries":[{"key":"c","value":{"name":"c","age":1}}]}"#
        )
        #expect(
            told[2] == head
                + #""removed":["l"],"inserted":[],"modified":["k"],"entries":[{"key":"k","value":"3"}]}"#
        )
        #expect(
            told[4] == head + #""deletions":[0],"insertions":[],"modifications":[],"values":[]}"#)
        for client in clients { client.expectContent("changed") }
        // What a link leads to has changed.
        server.send("PATCH", "/v1/classes/Dog/objects/b", #"{"age":7}"#)
        for client in clients where !client.path.hasSuffix("words") && !client.path.hasSuffix("map")
        {
            #expect(client.next().json["op"]?.string == "update")
            client.expectContent("linked")
        }
        // It goes: its links go with it.
        server.send("DELETE", "/v1/classes/Dog/objects/b")
        for client in clients where !client.path.hasSuffix("words") && !client.path.hasSuffix("map")
        {
            client.next()
            client.expectContent("deleted")
        }
    }

    @Test("what is inside a mixed value is followed by a path, and goes and comes")
    func mixed() throws {
        let server = try Self.server()
        server.send("PUT", Self.item, #"{"any":{"a":[1,2,3],"m":{"x":1}},"anys":[5,[6,7]]}"#)
        let clients = [("any", ""), ("any", "/a"), ("any", "/m"), ("anys", ""), ("anys", "/1")]
            .map { name, path in
                PropertyClient(
                    server, Self.properties(name), path.isEmpty ? [] : [("path", path)])
            }
        for client in clients {
            client.connect()
            client.expectContent()
        }
        _ = Self.patch(
            server,
            #"{"op":"add","path":"/any/a/1","value":9},{"op":"add","path":"/any/m/y","value":2},{"op":"add","path":"/anys/1/0","value":4}"#
        )
        #expect(
            clients[1].next().json["insertions"] == .array([.int(1)])
                && clients[2].next().json["inserted"] == .array([.string("y")]))
        for client in [clients[0], clients[3], clients[4]] { client.next() }
        for client in clients { client.expectContent("changed") }
        _ = Self.patch(
            server,
            #"{"op":"replace","path":"/any","value":{"a":"text"}},{"op":"replace","path":"/anys","value":[1]}"#
        )
        let ops = clients.map { $0.next().json["op"]?.string ?? "" }
        #expect(ops == ["update", "update", "delete", "update", "delete"])
        for client in clients { client.expectContent("replaced") }
        _ = Self.patch(server, #"{"op":"replace","path":"/any","value":{"m":{}}}"#)
        #expect(clients[0].next().json["op"]?.string == "update")
        #expect(clients[1].next().json["op"]?.string == "delete")
        #expect(clients[2].next().json["op"]?.string == "enter")
        for client in clients { client.expectContent("again") }
    }

    @Test("what came and went inside a mixed value while a client was away is told")
    func mixedAway() throws {
        let server = try Self.server()
        server.send("PUT", Self.item, #"{"any":[5]}"#)
        let client = PropertyClient(server, Self.properties("any"), [("path", "/0")])
        client.connect()
        client.expectContent("at first")
        for body in ["[]", "[6]", "7", "[[8]]", "[]"] {
            client.cut()
            server.send("PATCH", Self.item, #"{"any":\#(body)}"#)
            client.connect()
            client.expectContent(body)
            client.cut()
            server.send("DELETE", Self.item)
            server.send("PUT", Self.item, #"{"any":\#(body)}"#)
            client.connect()
            client.expectContent("again \(body)")
        }
        #expect(client.resets == ["start"])
    }

    @Test(
        "a cut client resumes with the splices of a list behind what it has applied, and with no snapshot"
    )
    func resumes() throws {
        let server = try Self.server()
        let all = (0..<12_000).map { "\($0)" }.joined(separator: ",")
        server.send("PUT", Self.item, #"{"list":[\#(all)]}"#)
        let client = PropertyClient(server, Self.properties("list"))
        client.connect()
        client.expectContent()
        client.cut()
        for round in 0..<5 {
            for index in 0..<3 {
                _ = Self.patch(
                    server,
                    #"{"op":"add","path":"/list/\#(700 * index)","value":\#(round)},{"op":"remove","path":"/list/11000"}"#
                )
            }
            // The first time it is cut behind the change, the second time before.
            client.connect(eventCountMax: round % 2 == 0 ? 2 : 1)
            client.cut()
        }
        client.connect()
        client.expectContent()
        #expect(client.resets == ["start"])
    }

    @Test("a long list whose snapshot is told in pieces is right, whatever is written meanwhile")
    func pieces() throws {
        var options = RESTOptions()
        options.limits.streamQueueByteCountMax = 4 << 10
        let server = try Self.server(options)
        let all = (0..<150_000).map { "\(1_000_000_000 + $0)" }.joined(separator: ",")
        server.send("PUT", Self.item, #"{"list":[\#(all)]}"#)
        let client = PropertyClient(server, Self.properties("list"))
        client.connect(eventCountMax: 3)
        var version = ""
        for index in 0..<40 {
            version = Self.patch(
                server,
                #"{"op":"add","path":"/list/\#(index)","value":7},{"op":"remove","path":"/list/\#(3 * index + 5)"}"#
            )
            if index % 4 == 0 { client.next() }
        }
        client.follow(to: version)
        client.expectContent()
        #expect(client.resets == ["start"])
    }

    /// Changes of an object within an interval, the first of which is told at once, and the event that the others make.
    struct Interval: Sendable, CustomTestStringConvertible {
        let property: String
        var path = ""
        let changes: [String]
        let told: String

        var testDescription: String { property + path + " " + told }
    }

    static let intervals = [
        Interval(
            property: "list",
            changes: [
                #"{"list":[10,11,12,13,14]}"#, #"[{"op":"remove","path":"/list/1"}]"#,
                #"[{"op":"add","path":"/list/0","value":9}]"#,
                #"[{"op":"replace","path":"/list/0","value":8}]"#,
                #"[{"op":"replace","path":"/list/2","value":33}]"#,
            ],
            told:
                #""op":"update","deletions":[1],"insertions":[0],"modifications":[2],"values":[{"index":0,"value":8},{"index":2,"value":33}]}"#
        ),
        Interval(
            property: "list",
            changes: [
                #"{"list":[1,2]}"#, #"[{"op":"add","path":"/list/1","value":9}]"#,
                #"[{"op":"remove","path":"/list/1"}]"#, #"{"list":[1,2,3]}"#,
            ],
            told:
                #""op":"update","deletions":[],"insertions":[2],"modifications":[],"values":[{"index":2,"value":3}]}"#
        ),
        Interval(
            property: "words",
            changes: [
                #"{"words":["x","y"]}"#, #"{"words":["y","z"]}"#, #"{"words":["x","y"]}"#,
                #"{"words":["x","w"]}"#,
            ], told: #""op":"update","removed":["y"],"inserted":["w"],"modified":[]}"#),
        Interval(
            property: "dogs",
            changes: [
                #"{"dogs":["a","b","d"]}"#, #"{"dogs":["b","c","d"]}"#, #"{"dogs":["a","b","d"]}"#,
                #"{"dogs":["a","b"]}"#, "DELETE d",
            ],
            told:
                #""op":"update","removed":["d"],"inserted":[],"modified":["a"],"entries":[{"key":"a","value":{"name":"a","age":1}}]}"#
        ),
        Interval(
            property: "map",
            changes: [
                #"{"map":{"k":"1","l":"2"}}"#, #"{"map":{"k":"3","m":"4"}}"#,
                #"{"map":{"l":null,"m":null,"":"5"}}"#,
            ],
            told:
                #""op":"update","removed":["l"],"inserted":[""],"modified":["k"],"entries":[{"key":"","value":"5"},{"key":"k","value":"3"}]}"#
        ),
        Interval(
            property: "note", changes: [#"{"note":1}"#, #"{"note":2}"#, #"{"note":3}"#],
            told: #""op":"update","value":3}"#),
        Interval(
            property: "list", changes: [#"{"list":[1]}"#, #"{"list":[1,2]}"#, "DELETE"],
            told: #""op":"delete"}"#),
        Interval(
            property: "list",
            changes: [#"{"list":[1]}"#, "DELETE", #"{"list":[3]}"#, #"{"list":[3,4]}"#],
            told: #""op":"enter","elements":[3,4]}"#),
        Interval(
            property: "any", path: "/a",
            changes: [
                #"{"any":{"a":[1]}}"#, #"[{"op":"add","path":"/any/a/0","value":9}]"#,
                #"[{"op":"add","path":"/any/a/2","value":8}]"#,
            ],
            told:
                #""op":"update","deletions":[],"insertions":[0,2],"modifications":[],"values":[{"index":0,"value":9},{"index":2,"value":8}]}"#
        ),
        Interval(
            property: "any", path: "/a",
            changes: [
                #"{"any":{"a":[1]}}"#, #"{"any":{"a":2}}"#, #"{"any":5}"#, #"{"any":{"a":[3]}}"#,
            ], told: #""op":"enter","value":[3]}"#),
    ]

    @Test("what happens within an interval is one event", arguments: intervals)
    func interval(row: Interval) throws {
        let server = try Self.server()
        server.send("PUT", Self.item, #"{"any":{"a":0}}"#)
        let parameters =
            [("interval", "10000")] + (row.path.isEmpty ? [] : [("path", row.path)])
        let path = Self.properties(row.property) + "/changes"
        let stream = server.events(path, parameters + [("since", "start")])
        _ = stream.events(to: "upToDate")
        for (position, change) in row.changes.enumerated() {
            switch change.first {
            case "[": _ = Self.patch(server, String(change.dropFirst().dropLast()))
            case "{":
                let isThere = server.send("GET", Self.item).status == 200
                server.send(isThere ? "PATCH" : "PUT", Self.item, change)
            default:
                let dog = change.split(separator: " ").dropFirst().first
                _ = server.delete(dog.map { "/v1/classes/Dog/objects/\($0)" } ?? Self.item)
            }
            if position == 0 { #expect(stream.nextEvent().name == "change") }
        }
        // Whoever joins knows everything, so the others have to.
        let second = server.events(path, parameters)
        #expect(second.nextEvent().name == "hello")
        let event = stream.nextEvent()
        #expect(event.data == #"{"version":"\#(event.id ?? "")",\#(row.told)"#)
        #expect(event.id == "\(server.store.version)")
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        var target: String
        var query = ""
        var accept = "text/event-stream"
        var status: Int
        var code: String
        var testDescription: String { "\(target)\(query) \(accept)" }
    }

    @Test(
        "what can't be followed is refused",
        arguments: [
            Refusal(target: "Item/objects/1/properties/lst", status: 404, code: "unknown-property"),
            Refusal(target: "Nobody/objects/1/properties/list", status: 404, code: "unknown-class"),
            Refusal(
                target: "Dog/objects/a/properties/owners", status: 404,
                code: "inverse-link-not-followed"),
            Refusal(
                target: "Item/objects/1/properties/list", accept: "application/json", status: 406,
                code: "not-acceptable"),
            Refusal(target: "Item/objects/x/properties/list", status: 400, code: "wrong-key-type"),
            Refusal(
                target: "Item/objects/1/properties/list", query: "?interval=9", status: 400,
                code: "10 to 10000"),
        ])
    func refused(refusal: Refusal) throws {
        let server = try Self.server()
        APIScenario(
            "GET", "/v1/classes/\(refusal.target)/changes\(refusal.query)",
            headers: [("Accept", refusal.accept)], status: refusal.status, contains: [refusal.code]
        ).check(on: server.server)
    }

    @Test("a path that is no pointer, or goes into what is no mixed value, is refused")
    func badPaths() throws {
        let server = try Self.server()
        for (property, path, status) in [("any", "x", 400), ("list", "/0", 404)] {
            APIScenario(
                "GET",
                target(Self.properties(property) + "/changes", [("path", path)]),
                headers: [("Accept", "text/event-stream")], status: status
            ).check(on: server.server)
        }
    }

    /// What the streams are asked for beside the property.
    static let forms = [[], ["interval"]]

    @Test(
        "random changes: what clients that are cut and resume hold is what a GET shows",
        arguments: forms)
    func random(form: [String]) throws {
        let parameters = form.contains("interval") ? [("interval", "10")] : []
        var random = SeededGenerator(seed: SeededGenerator.testSeed("streams of properties"))
        let server = try Self.server()
        var world = PropertyWorld(server.server, random)
        server.send("PUT", Self.item, "{}")
        let clients =
            ["list", "friends", "words", "dogs", "map", "pets", "parts", "any", "anys", "best"].map
        {
            PropertyClient(
                server, Self.properties($0), parameters, key: $0 == "dogs" ? "name" : nil)
        } + [PropertyClient(server, Self.properties("any"), parameters + [("path", "/0")])]
        for round in 0..<SeededGenerator.scaled(60) {
            for _ in 0..<Int.random(in: 0...4, using: &random) { world.step() }
            for client in clients {
                switch Int.random(in: 0...5, using: &random) {
                case 0: client.cut()
                case 1: client.connect(eventCountMax: Int.random(in: 1...3, using: &random))
                case 2:
                    client.connect(eventCountMax: 2)
                    client.cut()
                case 3:
                    client.connect()
                    client.expectContent("round \(round), connected")
                default: break
                }
            }
            for _ in 0..<Int.random(in: 1...3, using: &random) { world.step() }
            let version = world.touch()
            for client in clients {
                if client.live == nil { client.connect() } else { client.follow(to: version) }
                client.expectContent("round \(round)")
            }
        }
    }
}
