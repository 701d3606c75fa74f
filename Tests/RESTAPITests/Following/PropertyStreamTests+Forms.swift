import HoldfastTestSupport
import Testing

/// In intervals, by projections, and with selections.
extension PropertyStreamTests {
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
                #""op":"update","removed":["d"],"inserted":[],"modified":["a"],"entries":[{"key":"a","value":{"name":"a","age":1,"mate":null}}]}"#
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

    @Test("elements that a projection shows change in what it shows, wherever that stands")
    func projected() throws {
        let server = try Self.server()
        server.send("PATCH", "/v1/classes/Dog/objects/b", #"{"mate":"c"}"#)
        server.send(
            "PUT", Self.item,
            #"{"friends":["a","b"],"dogs":["a","b"],"pets":{"k":"b"},"best":"b","parts":[{"size":1,"maker":"c"},{"size":2}]}"#
        )
        let clients = ["friends", "dogs", "pets", "best", "parts"].map {
            PropertyClient(
                server, Self.properties($0), [("projection", $0 == "parts" ? "Piece" : "Pair")],
                key: $0 == "dogs" ? "called" : nil)
        }
        for client in clients {
            client.connect()
            client.expectContent()
        }
        // Nothing of that is shown.
        server.send("PATCH", "/v1/classes/Dog/objects/a", #"{"age":2}"#)
        server.send("PATCH", "/v1/classes/Dog/objects/c", #"{"mate":"a"}"#)
        _ = Self.patch(server, #"{"op":"add","path":"/parts/0/marks/0","value":7}"#)
        let change = server.send("PATCH", "/v1/classes/Dog/objects/c", #"{"age":5}"#)
        let version = change.headers["holdfast-version"] ?? ""
        let head = #"{"version":"\#(version)","op":"update","#
        let b = #"{"called":"b","mateAge":5}"#
        let told = [
            #""deletions":[],"insertions":[],"modifications":[1],"values":[{"index":1,"value":\#(b)}]}"#,
            #""removed":[],"inserted":[],"modified":["b"],"entries":[{"key":"b","value":\#(b)}]}"#,
            #""removed":[],"inserted":[],"modified":["k"],"entries":[{"key":"k","value":\#(b)}]}"#,
            #""value":\#(b)}"#,
            #""deletions":[],"insertions":[],"modifications":[0],"values":[{"index":0,"value":{"size":1,"age":5}}]}"#,
        ]
        #expect(clients.map { $0.next().data } == told.map { head + $0 })
        for client in clients {
            client.expectContent("changed")
            client.cut()
        }
        server.send("PATCH", "/v1/classes/Dog/objects/c", #"{"age":6}"#)
        for client in clients {
            client.connect()
            client.expectContent("after a while")
        }
        #expect([clients[0], clients[3], clients[4]].allSatisfy { $0.resets == ["start"] })
        server.send(
            "PUT", "/v1/projections/Pair",
            #"{"class":"Dog","properties":{"called":"name","mateAge":"age"}}"#)
        for client in clients.dropLast() {
            while client.live != nil, client.next().name != "upToDate" {}
            client.expectContent("by another projection")
            #expect(client.resets.last == "schema-changed")
        }
    }

    @Test("a list is told what changes behind its elements where very many other objects show that")
    func hub() throws {
        let server = try Self.server()
        let others = (0..<10_100).map { #"{"name":"x\#($0)","mate":"a"}"# }.joined(separator: ",")
        #expect(server.send("POST", "/v1/classes/Dog/objects", "[\(others)]").status == 201)
        server.send("PUT", Self.item, #"{"friends":["x1","b","x2"]}"#)
        let client = PropertyClient(server, Self.properties("friends"), [("projection", "Pair")])
        client.connect()
        let change = server.send("PATCH", "/v1/classes/Dog/objects/a", #"{"age":9}"#)
        client.follow(to: change.headers["holdfast-version"] ?? "")
        client.expectContent("live")
        client.cut()
        server.send("PATCH", "/v1/classes/Dog/objects/a", #"{"age":10}"#)
        client.connect()
        client.expectContent("after a while")
    }

    /// What the streams are asked for beside the property.
    struct Form: Sendable, CustomTestStringConvertible {
        /// For what holds dogs.
        var dogs: [(String, String)] = []
        /// For what holds parts.
        var parts: [(String, String)] = []
        var hasInterval = false

        var testDescription: String { "\(dogs) \(hasInterval ? "in intervals" : "")" }

        func parameters(of property: String) -> [(String, String)] {
            let shape: [(String, String)] =
                switch property {
                case "friends", "dogs", "pets": dogs
                case "best": dogs.filter { $0.0 == "projection" }
                case "parts": parts
                default: []
                }
            return shape + (hasInterval ? [("interval", "10")] : [])
        }
    }

    static let forms = [
        Form(), Form(hasInterval: true),
        Form(dogs: [("projection", "Pet")], parts: [("projection", "Piece")]),
        Form(
            dogs: [("projection", "Pet"), ("fields", "called,mate,years")],
            parts: [("projection", "Piece")], hasInterval: true),
        Form(dogs: [("expand", "mate.mate")], parts: [("expand", "maker")]),
        Form(dogs: [("fields", "name,mate.age")], parts: [("fields", "size,maker.age")]),
    ]

    @Test(
        "random changes: what clients that are cut and resume hold is what a GET shows",
        arguments: forms)
    func random(form: Form) throws {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("streams of properties"))
        let server = try Self.server()
        var world = PropertyWorld(server.server, random)
        server.send("PUT", Self.item, "{}")
        let clients =
            ["list", "friends", "words", "dogs", "map", "pets", "parts", "any", "anys", "best"].map
        {
            let keyName = form.dogs.first?.0 == "projection" ? "called" : "name"
            return PropertyClient(
                server, Self.properties($0), form.parameters(of: $0),
                key: $0 == "dogs" ? keyName : nil)
        } + [
            PropertyClient(
                server, Self.properties("any"), form.parameters(of: "any") + [("path", "/0")])
        ]
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

    @Test(
        "what stands around embedded objects is refused, since nobody is told of it",
        arguments: ["fields=note,task.title", "expand=task"])
    func holder(selection: String) throws {
        let server = try GuardedServer(withTokens: false)
        let json = ("Content-Type", "application/json")
        for (method, target, body) in [
            (
                "PUT", "schema/classes/Mark",
                #"{"kind":"embedded","properties":{"note":"string?"}}"#
            ),
            (
                "PUT", "schema/classes/Task",
                #"{"primaryKey":"id","properties":{"id":"int","title":"string?","marks":"Mark[]"}}"#
            ),
            (
                "PUT", "schema/classes/Mark",
                #"{"kind":"embedded","properties":{"note":"string?","task":{"type":"linkingObjects","class":"Task","property":"marks"}}}"#
            ),
            ("PUT", "classes/Task/objects/1", #"{"title":"old","marks":[{"note":"n"}]}"#),
        ] {
            let reply = server.send(method, "/v1/" + target, [json], body: body)
            #expect(reply.status < 300, "\(reply.text)")
        }
        let reply = server.send(
            "GET", "/v1/classes/Task/objects/1/properties/marks/changes?since=start&\(selection)",
            [("Accept", "text/event-stream")])
        #expect(reply.status == 400 && reply.text.contains("invalid-parameter"), "\(reply.text)")
        #expect(reply.text.contains("leads to the object around"), "\(reply.text)")
    }
}
