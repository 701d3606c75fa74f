import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

@Suite("Changes through projections, for users")
struct UserProjectionTests {
    private static let document = """
        {"users":"Person","roles":{"member":{"classes":{
          "List":{"read":"owner == $user.id","update":"owner == $user.id","properties":{"owner":"read"}},
          "Task":{"read":"list.owner == $user.id","update":{"before":"done == false","after":"list.owner == $user.id"},
            "properties":{"secret":"none","rank":"read"}}}}}}
        """

    private static func world() throws -> TaskWorld {
        let world = try TaskWorld()
        for (name, body) in [
            ("Ranked", #"{"class":"Task","properties":{"rank":"rank","of":"list.title"}}"#),
            ("Where", #"{"class":"Place","properties":{"kind":"type"}}"#),
        ] {
            let put = world.server.send("PUT", "/v1/projections/\(name)", body)
            #expect(put.status == 201, "\(put.text)")
        }
        let put = world.server.send("PUT", "/v1/access", document)
        #expect(put.status == 200, "\(put.text)")
        return world
    }

    /// Sends a patch as ann.
    private static func send(
        _ world: TaskWorld, _ target: String, _ body: String,
        type: String = "application/json", headers: [(String, String)] = []
    ) -> HTTPClient.Reply {
        let reply = world.server.send(
            target == "transactions" ? "POST" : "PATCH", "/v1/" + target, body, as: world.ann,
            type: type, headers: headers)
        for word in ["treasure", "gold", "secret"] {
            #expect(!reply.text.contains(word), "\(target): \(reply.text)")
        }
        return reply
    }

    private static func stored(_ world: TaskWorld, _ target: String) -> QueryJSON? {
        QueryJSON(world.server.send("GET", "/v1/classes/" + target).text)
    }

    private let json = "application/json-patch+json"

    @Test("change what they see, and are shown no more of it")
    func change() throws {
        let world = try Self.world()
        let reply = Self.send(world, "projections/Short/objects/1", #"{"what":"loaf"}"#)
        #expect(
            reply.status == 200 && reply.text == #"{"what":"loaf","then":null}"#,
            "\(reply.text)")
        let task = Self.stored(world, "Task/objects/1")
        #expect(task?["title"]?.string == "loaf" && task?["next"]?.int == 3)
        #expect(task?["secret"]?.string == "treasure")
        let byKey = Self.send(world, "projections/Short/object?key=1", #"{"what":"bun"}"#)
        #expect(byKey.status == 200, "\(byKey.text)")
        func once() -> HTTPClient.Reply {
            Self.send(
                world, "projections/Short/objects/1", #"{"what":"roll"}"#,
                headers: [("Idempotency-Key", "one")])
        }
        #expect(once().text == #"{"what":"roll","then":null}"#)
        let again = once()
        #expect(again.status == 204 && again.headers["etag"] == nil, "\(again.text)")
    }

    @Test("find nothing behind a link to what they do not see, as behind none")
    func hiddenLink() throws {
        let world = try Self.world()
        for (body, type) in [
            (#"{"then":"x"}"#, "application/json"),
            (#"[{"op":"replace","path":"/then","value":"x"}]"#, json),
            (#"[{"op":"test","path":"/then","value":"treasure"}]"#, json),
        ] {
            let replies = [1, 2].map {
                world.server.send(
                    "PATCH", "/v1/projections/Short/objects/\($0)", body, as: world.ann,
                    type: type)
            }
            #expect(replies.map(\.status) == [422, 422], "\(replies.map(\.text))")
            #expect(replies[0].text == replies[1].text)
            #expect(replies[0].text.contains("null-on-path"), "\(replies[0].text)")
        }
        #expect(Self.stored(world, "Task/objects/3")?["title"]?.string == "treasure")
    }

    @Test("are refused what no role lets them do with each object on the way")
    func rights() throws {
        let world = try Self.world()
        for (target, body) in [
            ("Task/objects/1", #"{"next":2}"#), ("Task/objects/2", #"{"done":true}"#),
        ] {
            #expect(world.server.send("PATCH", "/v1/classes/" + target, body).status == 200)
        }
        let done = Self.send(world, "projections/Short/objects/1", #"{"what":"x","then":"y"}"#)
        #expect(done.status == 403 && done.text.contains("not-allowed"), "\(done.text)")
        #expect(Self.stored(world, "Task/objects/1")?["title"]?.string == "bread")
        let ranked = Self.send(world, "projections/Ranked/objects/1", #"{"rank":9}"#)
        #expect(ranked.status == 403 && ranked.text.contains("'rank'"), "\(ranked.text)")
        let list = Self.send(world, "projections/Ranked/objects/1", #"{"of":"mine"}"#)
        #expect(list.status == 200 && list.text.contains("mine"), "\(list.text)")
        #expect(Self.stored(world, "List/objects/1")?["title"]?.string == "mine")
        let open = world.server.send(
            "PATCH", "/v1/classes/Task/objects/2", #"{"done":false}"#)
        #expect(open.status == 200)
        let then = Self.send(
            world, "projections/Short/objects/1",
            #"[{"op":"replace","path":"/then","value":"y"}]"#, type: json)
        #expect(then.status == 200 && then.text.contains(#""then":"y""#), "\(then.text)")
    }

    @Test("know no projection that shows what they do not know, and no object that they do not see")
    func unknown() throws {
        let world = try Self.world()
        for name in ["Whole", "Codes", "Shorts"] {
            let reply = Self.send(world, "projections/\(name)/objects/1", #"{"what":"x"}"#)
            #expect(
                reply.status == 404 && reply.text.contains("unknown-projection"), "\(reply.text)")
            #expect(!reply.text.contains("Codes\"") && !reply.text.contains("Whole\""))
        }
        for key in [3, 99] {
            let reply = Self.send(world, "projections/Short/objects/\(key)", #"{"what":"x"}"#)
            #expect(
                reply.status == 404 && reply.text.contains("object-not-found"), "\(reply.text)")
        }
        let stale = Self.send(
            world, "projections/Short/objects/1", #"{"what":"x"}"#,
            headers: [("If-Match", #""1-1""#)])
        #expect(stale.status == 412, "\(stale.text)")
    }

    @Test("change the embedded object of a property")
    func property() throws {
        let world = try Self.world()
        func patch(_ key: Int) -> HTTPClient.Reply {
            Self.send(
                world, "classes/Task/objects/\(key)/properties/place?projection=Where",
                #"{"kind":"Spot"}"#)
        }
        #expect(patch(3).status == 404)
        #expect(patch(2).text.contains("null-on-path"))
        let place = world.server.send(
            "PATCH", "/v1/classes/Task/objects/2",
            #"{"place":{"type":"Point","coordinates":[1,2]}}"#)
        #expect(place.status == 200)
        let reply = patch(2)
        #expect(reply.status == 200 && reply.text == #"{"value":{"kind":"Spot"}}"#, "\(reply.text)")
        let done = world.server.send("PATCH", "/v1/classes/Task/objects/2", #"{"done":true}"#)
        #expect(done.status == 200)
        #expect(patch(2).status == 200, "states what is there")
        #expect(
            Self.send(
                world, "classes/Task/objects/2/properties/place?projection=Where",
                #"{"kind":"Other"}"#
            ).status == 403)
    }

    @Test("change in a transaction what they see through a projection")
    func transaction() throws {
        let world = try Self.world()
        func patch(_ value: String) -> HTTPClient.Reply {
            Self.send(
                world, "transactions",
                #"{"operations":[{"op":"patch","projection":"Short","id":1,"value":\#(value)}]}"#)
        }
        let reply = patch(#"{"what":"loaf"}"#)
        #expect(
            reply.status == 200
                && reply.text.contains(#"{"what":"loaf","then":null}"#), "\(reply.text)")
        #expect(patch(#"{"then":"x"}"#).text.contains("null-on-path"))
    }

    @Test("name the operation of a transaction that is not allowed")
    func refusedOperation() throws {
        let world = try Self.world()
        let reply = Self.send(
            world, "transactions",
            #"{"operations":[{"op":"patch","projection":"Ranked","id":1,"value":{"rank":9}}]}"#)
        #expect(
            reply.status == 403 && reply.text.contains(#""pointer":"/operations/0""#),
            "\(reply.text)")
    }
}
