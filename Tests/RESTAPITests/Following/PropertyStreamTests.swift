import HoldfastObjectModel
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
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
                Schemas.link("mate", "Dog"),
                Property(
                    name: "owners", type: .linkingObjects(className: "Item", property: "friends")),
            ]),
        ObjectClass(
            name: "Part", kind: .embedded,
            properties: [
                Schemas.property("size", .int), Schemas.list("marks", .int),
                Schemas.link("maker", "Dog"),
            ]),
    ])
    private static let projections = [
        ("Pair", #"{"class":"Dog","properties":{"called":"name","mateAge":"mate.age"}}"#),
        (
            "Pet",
            #"{"class":"Dog","properties":{"called":"name","years":"age","mate":{"path":"mate","projection":"Pair"},"fans":"owners"}}"#
        ),
        ("Piece", #"{"class":"Part","properties":{"size":"size","age":"maker.age"}}"#),
    ]
    static let item = "/v1/classes/Item/objects/1"

    static func server(_ options: RESTOptions = RESTOptions()) throws -> ChangesServer {
        let server = ChangesServer(try TestServer(.memory, schema: schema, options: options))
        for name in ["a", "b", "c", "d"] {
            server.send("PUT", "/v1/classes/Dog/objects/\(name)", #"{"age":1}"#)
        }
        for (name, definition) in projections {
            let reply = server.send("PUT", "/v1/projections/\(name)", definition)
            #expect(reply.status < 300, "\(reply.text)")
        }
        return server
    }

    static func patch(_ server: ChangesServer, _ operations: String) -> String {
        let reply = server.send(
            "PATCH", item, "[\(operations)]",
            headers: [("Content-Type", "application/json-patch+json")])
        #expect(reply.status == 200, "\(reply.text)")
        return reply.headers["holdfast-version"] ?? ""
    }

    static func properties(_ name: String) -> String { "\(item)/properties/\(name)" }

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
                + #""removed":["a"],"inserted":["c"],"modified":[],"entries":[{"key":"c","value":{"name":"c","age":1,"mate":null}}]}"#
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

    struct Refusal: Sendable, CustomTestStringConvertible {
        var target: String
        var query = ""
        var accept = "text/event-stream"
        var status: Int
        var code: String

        init(target: String, accept: String = "text/event-stream", status: Int, code: String) {
            self.target = target
            self.accept = accept
            self.status = status
            self.code = code
        }

        /// A faulty parameter of a property of an object.
        init(_ property: String, _ code: String) {
            let parts = property.split(separator: "?")
            self.init(
                target: "Item/objects/1/properties/\(parts[0])", status: 400, code: code)
            query = "?\(parts[1])"
        }

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
            Refusal("list?interval=9", "10 to 10000"),
            Refusal("list?fields=name", "leave 'fields' out"),
            Refusal("best?expand=mate", "leave 'expand' out"),
            Refusal("any?path=/a&fields=name", "leave 'fields' out"),
            Refusal("friends?fields=nam", "unknown-property"),
            Refusal("friends?projection=Pair&expand=mate", "excludes 'expand'"),
            Refusal("friends?projection=Pair&fields=name", "unknown-property"),
            Refusal("friends?projection=Nobody", "unknown-projection"),
            Refusal("friends?projection=Piece", "has no objects"),
            Refusal("list?projection=Pair", "has no objects"),
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
}
