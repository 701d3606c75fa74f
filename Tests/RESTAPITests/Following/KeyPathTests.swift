import HoldfastObjectModel
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

/// `keyPaths` and `old`: what a stream tells of objects that stay in its result.
@Suite("Key paths of a stream")
struct KeyPathTests {
    private static let path = "/v1/classes/Task/changes"

    private static func server() throws -> ChangesServer {
        let server = try Tasks.server()
        server.person("bob", #"{"age":60}"#)
        server.person("ann", #"{"age":30,"boss":"bob"}"#)
        server.person("cy", #"{"age":30}"#)
        server.person("dee", #"{"age":60}"#)
        server.task(2, #"{"title":"b"}"#)
        server.task(8, #"{"title":"b"}"#)
        server.task(
            1, #"{"title":"a","owner":"ann","parts":[2],"place":{"city":"Oslo","host":"ann"}}"#)
        return server
    }

    private static func patch(_ server: ChangesServer, _ target: String, _ body: String) {
        let reply = server.send("PATCH", "/v1/classes/\(target)", body)
        #expect(reply.status == 200, "\(target) \(body) \(reply.text)")
    }

    /// A change of an object: its path below the classes, and a patch.
    struct Change: Sendable {
        let target: String
        let body: String

        init(_ target: String, _ body: String) {
            self.target = target.replacing("/", with: "/objects/")
            self.body = body
        }
    }

    /// Key paths, changes that they are silent about, then one that they tell, and its `changed`.
    struct Row: Sendable, CustomTestStringConvertible {
        let keyPaths: String
        let silent: [Change]
        let told: Change
        let changed: [String]

        var testDescription: String { "\(keyPaths): \(told)" }
    }

    static let rows = [
        Row(
            keyPaths: "title",
            silent: [
                Change("Task/1", #"{"rank":9,"done":true}"#), Change("Task/1", #"{"owner":"cy"}"#),
                Change("Person/cy", #"{"age":31}"#),
            ], told: Change("Task/1", #"{"title":"c","rank":10}"#), changed: ["title"]),
        Row(
            keyPaths: "rank,owner",
            silent: [Change("Task/1", #"{"title":"c"}"#), Change("Person/ann", #"{"age":31}"#)],
            told: Change("Task/1", #"{"owner":null,"rank":3}"#), changed: ["rank", "owner"]),
        Row(
            keyPaths: "owner.age",
            silent: [
                Change("Task/1", #"{"title":"c"}"#), Change("Person/ann", #"{"boss":"cy"}"#),
                Change("Person/cy", #"{"boss":"bob"}"#),
                // Another one of the same age.
                Change("Task/1", #"{"owner":"cy"}"#), Change("Person/ann", #"{"age":1}"#),
            ], told: Change("Person/cy", #"{"age":31}"#), changed: ["owner"]),
        Row(
            keyPaths: "owner,owner.age", silent: [Change("Person/ann", #"{"boss":"cy"}"#)],
            told: Change("Task/1", #"{"owner":"cy"}"#), changed: ["owner"]),
        Row(
            keyPaths: "owner.age,owner", silent: [Change("Person/ann", #"{"boss":"cy"}"#)],
            told: Change("Person/ann", #"{"age":31}"#), changed: ["owner"]),
        Row(
            keyPaths: "*,owner.age", silent: [Change("Person/ann", #"{"boss":"cy"}"#)],
            told: Change("Task/1", #"{"owner":"cy"}"#), changed: ["owner"]),
        Row(
            keyPaths: "owner.boss.age,owner.*", silent: [Change("Person/bob", #"{"boss":"cy"}"#)],
            told: Change("Person/ann", #"{"boss":"dee"}"#), changed: ["owner"]),
        Row(
            keyPaths: "parts,parts.title", silent: [Change("Task/2", #"{"rank":5}"#)],
            told: Change("Task/1", #"{"parts":[8]}"#), changed: ["parts"]),
        Row(
            keyPaths: "partOf.title,partOf", silent: [Change("Task/1", #"{"rank":5}"#)],
            told: Change("Task/1", #"{"parts":[1,2]}"#), changed: ["partOf"]),
        Row(
            keyPaths: "place.host.age,place", silent: [Change("Person/ann", #"{"boss":null}"#)],
            told: Change("Task/1", #"{"place":{"city":"Oslo","host":"cy"}}"#), changed: ["place"]),
        Row(
            keyPaths: "place,place.host.age", silent: [Change("Person/ann", #"{"boss":null}"#)],
            told: Change("Task/1", #"{"place":{"city":"Bern"}}"#), changed: ["place"]),
        Row(
            keyPaths: "owner.age", silent: [],
            told: Change("Task/1", #"{"owner":"bob"}"#), changed: ["owner"]),
        Row(
            keyPaths: "owner.*",
            silent: [Change("Task/1", #"{"title":"c"}"#), Change("Person/bob", #"{"age":1}"#)],
            told: Change("Person/ann", #"{"boss":"cy"}"#), changed: ["owner"]),
        Row(
            keyPaths: "place.city",
            silent: [
                Change("Task/1", #"{"place":{"host":"bob"}}"#),
                Change("Task/1", #"{"place":{"city":"Oslo","host":"cy"}}"#),
            ], told: Change("Task/1", #"{"place":{"city":"Bern"}}"#), changed: ["place"]),
        Row(
            keyPaths: "place.host.age",
            silent: [
                Change("Task/1", #"{"place":{"city":"Bern"}}"#),
                Change("Person/ann", #"{"boss":null}"#),
            ], told: Change("Person/ann", #"{"age":31}"#), changed: ["place"]),
        Row(
            keyPaths: "*", silent: [Change("Person/ann", #"{"age":31}"#)],
            told: Change("Task/1", #"{"rank":3}"#), changed: ["rank"]),
        Row(
            keyPaths: "parts",
            silent: [Change("Task/2", #"{"title":"c"}"#), Change("Task/1", #"{"title":"c"}"#)],
            told: Change("Task/1", #"{"parts":[]}"#), changed: ["parts"]),
        Row(
            keyPaths: "parts.title", silent: [Change("Task/2", #"{"rank":5}"#)],
            told: Change("Task/2", #"{"title":"c"}"#), changed: ["parts"]),
        Row(
            keyPaths: "partOf", silent: [Change("Task/2", #"{"title":"c"}"#)],
            told: Change("Task/2", #"{"parts":[1]}"#), changed: ["partOf"]),
    ]

    @Test("are all that it tells changes of", arguments: rows)
    func told(row: Row) throws {
        let server = try Self.server()
        let parameters = [
            ("filter", "id == 1"), ("expand", "owner"), ("keyPaths", row.keyPaths),
        ]
        // The same query without key paths, which is told everything.
        let everything = server.events(Self.path, parameters.dropLast())
        let stream = server.events(Self.path, parameters)
        #expect(everything.nextEvent().name == "hello")
        #expect(stream.nextEvent().name == "hello")
        for change in row.silent { Self.patch(server, change.target, change.body) }
        Self.patch(server, row.told.target, row.told.body)
        let event = stream.nextEvent()
        #expect(event.id == "\(server.store.version)", "\(event.data)")
        #expect(event.changes == ["update 1"])
        let changed = event.json["changes"]?.elements.first?["changed"]
        #expect(changed == .array(row.changed.map { .string($0) }), "\(event.data)")
        if row.keyPaths == "title" { #expect(everything.nextEvent().changes == ["update 1"]) }
    }

    @Test("leave what enters, leaves and is deleted told")
    func moves() throws {
        let server = try Self.server()
        let stream = server.events(
            Self.path, [("filter", "done == false AND owner.age < 50"), ("keyPaths", "title")])
        #expect(stream.nextEvent().name == "hello")
        for (target, body, moves) in [
            ("Task/objects/1", #"{"done":true}"#, "leave 1"),
            ("Task/objects/1", #"{"done":false}"#, "enter 1"),
            ("Person/objects/ann", #"{"age":51}"#, "leave 1"),
            ("Person/objects/ann", #"{"age":49}"#, "enter 1"),
        ] {
            // What the filter reads is told only where it decides.
            Self.patch(server, "Person/objects/ann", #"{"age":48}"#)
            Self.patch(server, target, body)
            #expect(stream.nextEvent().changes == [moves])
        }
        _ = server.delete("/v1/classes/Task/objects/1")
        #expect(stream.nextEvent().changes == ["delete 1"])
    }

    @Test("hold in pages and long polls")
    func pages() throws {
        let server = try Self.server()
        func page(_ since: String, _ keyPaths: String) -> QueryJSON {
            let reply = server.send(
                "GET", Self.path + "?since=\(since)&keyPaths=\(keyPaths)&filter=id+==+1")
            #expect(reply.status == 200, "\(reply.text)")
            return QueryJSON(reply.text) ?? .null
        }
        let start = "\(server.store.version)"
        Self.patch(server, "Task/objects/1", #"{"rank":5}"#)
        Self.patch(server, "Person/objects/ann", #"{"age":31}"#)
        #expect(page(start, "title")["changes"]?.elements.isEmpty == true)
        #expect(page(start, "rank")["changes"]?.elements.count == 1)
        #expect(page(start, "owner.age")["changes"]?.elements.count == 1)
        #expect(page(start, "owner.boss")["changes"]?.elements.isEmpty == true)
    }

    @Test(
        "that fields show count: of an object that is named beside a path through it all that it has",
        arguments: [
            ("owner.boss", 0), ("owner", 0), ("owner.$id,owner.boss", 0), ("owner.@count", 0),
            ("owner,owner.boss", 1), ("owner.boss,owner", 1), ("owner,owner.$id", 1),
            ("owner.age", 1), ("owner.*", 1), ("owner.$version", 1),
        ])
    func fields(fields: String, count: Int) throws {
        let server = try Self.server()
        let start = "\(server.store.version)"
        Self.patch(server, "Person/objects/ann", #"{"age":31}"#)
        let target = "?since=\(start)&fields=\(fields)&filter=id+==+1"
        let page = QueryJSON(server.send("GET", Self.path + target).text)
        #expect(page?["changes"]?.elements.count == count, "\(page?.text ?? "")")
        if count == 1 {
            let owner = page?["changes"]?.elements.first?["object"]?["owner"]
            let isShown = owner?["age"] == .int(31) || owner?["$version"] != nil
            #expect(isShown || fields.hasSuffix("*") && owner != nil)
        }
    }

    @Test("of a projection are projected names")
    func projected() throws {
        let test = try Projections.server()
        Projections.people(test)
        let server = ChangesServer(test)
        let path = "/v1/projections/PersonCard/changes"
        let stream = server.events(path, [("keyPaths", "first,bossCity"), ("old", "true")])
        #expect(stream.nextEvent().name == "hello")
        Self.patch(server, "Person/objects/1", #"{"home":{"city":"Bari"},"lastName":"x"}"#)
        Self.patch(server, "Person/objects/1", #"{"firstName":"Anna","home":{"city":"Graz"}}"#)
        let change = stream.nextEvent().json["changes"]?.elements.first
        #expect(change?["changed"] == .array([.string("first")]))
        #expect(change?["old"] == QueryJSON(#"{"first":"Ann"}"#))
        #expect(change?["object"]?["homeCity"]?.string == "Graz")
        for keyPaths in ["firstName", "first.x", "$id", ""] {
            let refused = server.send("GET", path + "?keyPaths=\(keyPaths)")
            #expect(refused.status == 400 && refused.text.contains("keyPaths"), "\(refused.text)")
        }
    }

    @Test(
        "that name nothing are refused",
        arguments: [
            ("titel", #""hint":"title""#), ("owner.agee", #""hint":"age""#),
            ("title.x", "no objects"),
            ("$id", "leave"), ("owner.$version", "leave"), ("", "a name is missing"),
            ("owner..age", "a name is missing"), ("*.age", "no property"), ("title,", "missing"),
        ])
    func faults(keyPaths: String, part: String) throws {
        let server = try Self.server()
        for mode in ["application/json", "text/event-stream"] {
            let reply = server.send(
                "GET", Self.path + "?keyPaths=\(keyPaths)", headers: [("Accept", mode)])
            #expect(reply.status == 400, "\(reply.text)")
            #expect(reply.text.contains(part), "\(reply.text)")
            #expect(reply.text.contains(#""parameter":"keyPaths""#), "\(reply.text)")
        }
    }

    @Test(
        "a stream whose expand leads nowhere is refused",
        arguments: ["*", ".", "$id", "", "owner.*"])
    func expand(paths: String) throws {
        let server = try Self.server()
        #expect(server.send("GET", Self.path + "?expand=\(paths)").status == 400)
    }

    @Test("old has the values of what changed, in the shape of the objects")
    func old() throws {
        let server = try Self.server()
        func follow(_ path: String, _ parameters: [(String, String)] = []) -> ChangesClient {
            let stream = server.events(path, parameters + [("old", "true")])
            #expect(stream.nextEvent().name == "hello")
            return stream
        }
        let plain = follow(Self.path)
        let shown = follow(Self.path, [("fields", "rank,owner.age")])
        let store = follow("/v1/changes")
        let silent = server.events(Self.path, [("old", "false")])
        #expect(silent.nextEvent().name == "hello")
        func old(_ stream: ChangesClient) -> QueryJSON? {
            let event = stream.nextEvent()
            #expect(event.changes == ["update 1"], "\(event.data)")
            return event.json["changes"]?.elements.first?["old"]
        }
        Self.patch(server, "Task/objects/1", #"{"title":"c","owner":"cy","rank":7}"#)
        let first = QueryJSON(#"{"title":"a","rank":0,"owner":"ann"}"#)
        #expect(old(plain) == first)
        #expect(old(store) == first)
        #expect(old(shown) == QueryJSON(#"{"rank":0,"owner":{"age":30}}"#))
        #expect(old(silent) == nil)
        // Of another object, and nothing where nothing of it is shown.
        Self.patch(server, "Person/objects/cy", #"{"age":31}"#)
        #expect(old(shown) == QueryJSON(#"{"owner":{"age":30}}"#))
        Self.patch(server, "Task/objects/1", #"{"title":"d"}"#)
        #expect(old(shown) == QueryJSON("{}"))
        Self.patch(server, "Task/objects/1", #"{"owner":null}"#)
        #expect(old(shown) == QueryJSON(#"{"owner":{"age":31}}"#))
        Self.patch(server, "Task/objects/1", #"{"owner":"ann"}"#)
        #expect(old(shown) == QueryJSON(#"{"owner":null}"#))
        // What enters has no before.
        server.task(3, #"{"title":"x"}"#)
        let entered = shown.nextEvent()
        #expect(entered.changes == ["enter 3"] && !entered.data.contains(#""old""#))
        #expect(server.send("GET", Self.path + "?old=yes").status == 400)
    }

    @Test("what is shown beside the key paths is shown anew when its class has another shape")
    func shownClass() throws {
        let server = try Self.server()
        let stream = server.events(
            Self.path, [("keyPaths", "title"), ("expand", "owner"), ("filter", "id == 1")])
        #expect(stream.nextEvent().name == "hello")
        var schema = Tasks.schema
        let index = try #require(schema.classes.firstIndex { $0.name == "Person" })
        schema.classes[index].properties.append(
            Property(name: "size", type: .single(.scalar(.int)), isOptional: true))
        try TestServer.put(schema, in: server.store)
        let reset = stream.nextEvent()
        #expect(reset.name == "reset" && reset.data == #"{"reason":"schema-changed"}"#, "\(reset)")
        #expect(stream.nextEvent().data.contains(#""size":null"#))
    }

    @Test("a stream whose key paths lead to more than can be compared ends, and the others go on")
    func tooSlow() throws {
        var options = RESTOptions()
        options.limits.queryTimeSecondsMax = 2
        let server = try Tasks.server(options)
        for id in 0..<10 { server.task(id, "{}") }
        for id in 0..<10 { server.task(id, #"{"parts":[0,1,2,3,4,5,6,7,8,9]}"#) }
        let path = String(repeating: "parts.", count: 9) + "title"
        let slow = server.events(Self.path, [("keyPaths", path)])
        let other = server.events(Self.path, [("keyPaths", "title")])
        for stream in [slow, other] { #expect(stream.nextEvent().name == "hello") }
        server.task(3, #"{"title":"c"}"#)
        #expect(other.nextEvent().changes == ["update 3"])
        let end = slow.nextEvent()
        #expect(end.name == "error" && end.json["code"]?.string == "query-too-slow", "\(end)")
        #expect(slow.next() == nil)
    }
}
