import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// Streams of several queries of which one is not valid any more, and then is again.
@Suite("a query of a stream that is not valid any more")
struct EndedQueryTests {
    private typealias Client = QueryStreamClient

    private static let extra =
        #"{"primaryKey":"id","properties":{"id":"int","name":"string?"}}"#

    private static func putClass(_ server: ChangesServer) {
        let reply = server.send("PUT", "/v1/schema/classes/Extra", extra)
        #expect(reply.status == 201, "\(reply.text)")
    }

    private static func dropClass(_ server: ChangesServer) {
        let reply = server.send("DELETE", "/v1/schema/classes/Extra?allowDataLoss=true")
        #expect(reply.status < 300, "\(reply.text)")
    }

    private static func put(_ id: Int, _ server: ChangesServer) {
        let reply = server.send("PUT", "/v1/classes/Extra/objects/\(id)", "{}")
        #expect(reply.status == 201, "\(reply.text)")
    }

    /// A stream with queries of a class that comes and goes, one of them a live list.
    private static func client(_ server: ChangesServer) -> QueryStreamClient {
        let page = "/v1/classes/Extra/objects"
        var list = Client.Query(
            #"{"class":"Extra","sort":"-id","limit":5}"#, page: page,
            [("sort", "-id")])
        list.isList = true
        let client = Client(
            server,
            [
                "open": .tasks("done == false"), "list": list,
                "extra": .init(#"{"class":"Extra"}"#, page: page),
            ])
        client.endable = ["extra", "list"]
        return client
    }

    @Test("ends alone while the others go on, and begins again with a reset when its class is made")
    func schema() throws {
        let server = try Tasks.server()
        Self.putClass(server)
        Self.put(1, server)
        server.task(1, #"{"rank":9}"#)
        let client = Self.client(server)
        client.open()
        client.follow(to: "\(server.store.version)")
        client.expectResults()
        Self.dropClass(server)
        // An id comes only when all have ended that do.
        client.follow(to: server.task(2, #"{"rank":9}"#))
        #expect(client.ended == ["extra", "list"])
        #expect(client.replicas["open"]?.objects.count == 2)
        server.task(1, #"{"rank":8}"#)
        client.follow(to: "\(server.store.version)")
        let resets = client.resets.count
        // Another change of the schema does not make it valid.
        let other = server.send("PUT", "/v1/schema/classes/Other", Self.extra)
        #expect(other.status == 201)
        Self.putClass(server)
        client.follow("extra", hasEnded: false)
        client.follow("list", hasEnded: false)
        Self.put(7, server)
        client.follow(to: "\(server.store.version)")
        client.expectResults()
        #expect(
            Set(client.resets.dropFirst(resets)) == [
                "extra: schema-changed", "list: schema-changed",
            ])
        Self.put(8, server)
        client.follow(to: "\(server.store.version)")
        client.expectResults()
        #expect(client.resets.count == resets + 2)
        // What has an id from then on is told with it.
        client.cut()
        Self.put(9, server)
        client.open()
        client.follow(to: "\(server.store.version)")
        client.expectResults()
        #expect(!client.resets.dropFirst(resets + 2).contains { $0.hasPrefix("extra") })
    }

    @Test(
        "ends where a connection is opened, and begins with a reset where it is valid again at the next one"
    )
    func reopened() throws {
        let server = try Tasks.server()
        Self.putClass(server)
        Self.put(1, server)
        let client = Self.client(server)
        client.open()
        client.follow(to: "\(server.store.version)")
        client.cut()
        Self.dropClass(server)
        client.open()
        client.follow(to: server.task(1, #"{"rank":9}"#))
        #expect(client.ended == ["extra", "list"])
        client.cut()
        Self.putClass(server)
        Self.put(2, server)
        client.open()
        client.follow(to: server.task(2, #"{"rank":9}"#))
        #expect(client.ended.isEmpty)
        client.expectResults()
    }

    @Test("is replaced and removed by PATCH")
    func patched() throws {
        let server = try Tasks.server()
        Self.putClass(server)
        let client = Self.client(server)
        client.open()
        client.follow(to: "\(server.store.version)")
        Self.dropClass(server)
        client.follow(to: server.task(1, #"{"rank":9}"#))
        client.patch(["extra": .tasks("rank > 5"), "list": nil])
        client.follow(to: server.task(2, #"{"rank":9}"#))
        client.expectResults()
        #expect(client.ended.isEmpty && client.replicas["extra"]?.objects.count == 2)
        // Nothing is told of what has their names no more.
        Self.putClass(server)
        Self.put(1, server)
        client.follow(to: server.task(3, #"{"rank":9}"#))
        client.expectResults()
    }

    // MARK: Users

    /// Countries are known to the verified alone.
    private static let unknown = TaskWorld.document.replacing(
        #""public":{"for":"anyone","classes":{"Country":{"read":true}}},"#, with: "")
    private static let known = unknown.replacing(
        #""Person":{"read":"id == $user.id"}"#,
        with: #""Country":{"read":true},"Person":{"read":"id == $user.id"}"#)

    /// How a user comes to know no countries, and to know them again.
    private static let changes = [
        [
            ("PUT", "access", known), ("PUT", "access", unknown),
            ("PUT", "access", known),
        ],
        [
            ("PATCH", "classes/Person/objects/ann", #"{"verified":true}"#),
            ("PATCH", "classes/Person/objects/ann", #"{"verified":false}"#),
            ("PATCH", "classes/Person/objects/ann", #"{"verified":true}"#),
        ],
    ]

    /// Takes events until there is one of each of some names, each of a query.
    private func events(
        _ stream: ChangesClient?, to last: [(name: String, query: String)]
    ) -> [ChangesClient.Event] {
        var found: [ChangesClient.Event] = []
        while !last.allSatisfy({ wanted in
            found.contains {
                $0.name == wanted.name && $0.json["query"]?.string == wanted.query
            }
        }), let event = stream?.next() { found.append(event) }
        return found
    }

    @Test(
        "of a user ends alone behind a reset, and is reset when they know its class again",
        arguments: [0, 1])
    func user(way: Int) throws {
        let world = try TaskWorld()
        let steps = Self.changes[way]
        func make(_ step: (String, String, String)) {
            let reply = world.server.send(step.0, "/v1/" + step.1, step.2)
            #expect(reply.status == 200, "\(reply.text)")
        }
        make(("PUT", "access", Self.unknown))
        make(steps[0])
        let made = world.server.send(
            "POST", "/v1/streams",
            #"{"queries":{"countries":{"class":"Country"},"tasks":{"class":"Task"}}}"#,
            as: world.ann)
        let target = try #require(made.headers["location"], "\(made.text)")
        var stream: ChangesClient? = world.server.follow(
            target + "?since=start", as: world.ann)
        let begun = events(stream, to: [("upToDate", "tasks"), ("upToDate", "countries")])
        #expect(begun.contains { $0.data.contains("France") })
        make(steps[1])
        let lost = events(stream, to: [("upToDate", "tasks"), ("error", "countries")])
        let told = lost.filter { $0.json["query"]?.string == "countries" }
        #expect(told.map(\.name) == ["reset", "error"], "\(lost)")
        #expect(told.first?.json["reason"]?.string == "access-changed")
        #expect(told.last?.json["code"]?.string == "unknown-class")
        #expect(!lost.contains { $0.data.contains("France") })
        world.server.send("PATCH", "/v1/classes/Country/objects/fr", #"{"name":"Francia"}"#)
        world.server.send("PATCH", "/v1/classes/Task/objects/2", #"{"title":"tea"}"#)
        let change = try #require(stream?.nextEvent())
        #expect(change.changes == ["update 2"] && change.id != nil, "\(change)")
        make(steps[2])
        let found = events(stream, to: [("upToDate", "tasks"), ("upToDate", "countries")])
        let again = found.filter {
            $0.json["query"]?.string == "countries" || $0.data.contains("Francia")
        }
        #expect(again.map(\.name) == ["reset", "snapshot", "upToDate"], "\(found)")
        #expect(again.first?.json["reason"]?.string == "access-changed")
        world.server.send("PATCH", "/v1/classes/Country/objects/fr", #"{"name":"Gallia"}"#)
        let last = try #require(stream?.nextEvent())
        #expect(last.changes == ["update fr"] && last.id != nil, "\(last)")
        // Under the view that the stream was made for, the id is one that its user goes on from.
        if way == 0 { return }
        stream = nil
        repeat {
            stream = world.server.follow(target, as: world.ann, from: last.id)
        } while stream?.status == 409
        let resumed = events(stream, to: [("upToDate", "tasks"), ("upToDate", "countries")])
        #expect(!resumed.contains { $0.name == "reset" }, "\(resumed)")
    }
}
