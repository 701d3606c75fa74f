import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// An inverse link that is hidden on some objects, though what is behind it may be read: task 1 leads to task 2, of which ann may not read `before`
/// until it is done.
@Suite("Inverse links, and what rules hide of them")
struct HiddenInverseLinkTests {
    private static let document = """
        {"roles":{
          "member":{"classes":{"Task":{"read":"list.owner == $user.id","properties":{"before":"none"}}}},
          "reader":{"classes":{"Task":{"read":"done == true"},"Record":{"read":true}}}}}
        """

    private static func world() throws -> TaskWorld {
        let world = try TaskWorld()
        #expect(world.server.send("PUT", "/v1/access", document).status == 200)
        world.server.send("PATCH", "/v1/classes/Task/objects/1", #"{"next":2}"#)
        return world
    }

    @Test(
        "leads nowhere in a filter, an order or a figure",
        arguments: [
            ("filter=before.@count > 0", [Int64]()), ("filter=before.@count == 0", [2, 1]),
            ("filter=ANY before.rank == 1", []), ("filter=before.@sum.rank == 1", []),
            ("filter=ANY before == 1", []), ("filter=next.before.@count > 0", []),
            ("filter=ANY next.before.title == 'bread'", []),
            ("filter=SUBQUERY(before, $b, $b.rank == 1).@count == 1", []),
            ("filter=NONE before.rank == 1", [2, 1]),
            ("sort=-before.@count,id", [1, 2]), ("sort=-before.@max.rank,id", [1, 2]),
            // By the link itself, which is not hidden.
            ("filter=@links.Task.next.@count > 0", [2]),
        ])
    func probes(query: String, expected: [Int64]) throws {
        let world = try Self.world()
        let parts = query.split(separator: "=", maxSplits: 1)
        let target = "/v1/classes/Task/objects?\(parts[0])=\(RuleRequest.escaped(String(parts[1])))"
        #expect(world.keys(target) == expected, "\(world.get(target).text)")
    }

    @Test("shows as much as a hidden list in fields, groups and projections")
    func shown() throws {
        let world = try Self.world()
        let projection =
            #"{"class":"Task","properties":{"id":"id","n":"before.@count","top":"before.@max.rank"}}"#
        #expect(world.server.send("PUT", "/v1/projections/Behind", projection).status < 300)
        for (target, expected) in [
            ("classes/Task/objects/2?fields=before,before.@count", #"{"before.@count":0}"#),
            ("classes/Task/objects/2?fields=before.title", "{}"),
            ("classes/Task/objects/1?fields=next.before.@count", #"{"next":{"before.@count":0}}"#),
            ("projections/Behind/objects/2", #"{"id":2,"n":0,"top":null}"#),
            (
                "classes/Task/aggregate?op=count,sum(before.@count)&by=before.@count",
                #"{"groups":[{"by":{"before.@count":0},"count":2,"sum(before.@count)":0}]}"#
            ),
        ] {
            let reply = world.get("/v1/\(target)")
            #expect(reply.status == 200 && reply.text == expected, "\(target): \(reply.text)")
        }
    }

    @Test("is told of as it comes into sight and goes, and of nothing while it is hidden")
    func told() throws {
        let world = try Self.world()
        let target = "/v1/classes/Task/changes?since=start&fields=id,before.@count"
        let stream = world.server.follow(target, as: world.ann)
        _ = stream.events(to: "upToDate")
        func patch(_ id: Int, _ body: String) {
            world.server.send("PATCH", "/v1/classes/Task/objects/\(id)", body)
        }
        // Not told: a link more to what is hidden.
        patch(3, #"{"next":2}"#)
        patch(2, #"{"done":true}"#)
        let shown = stream.nextEvent()
        #expect(shown.changes == ["update 2"], "\(shown.data)")
        #expect(shown.data.contains(#""before.@count":1"#), "\(shown.data)")
        patch(2, #"{"done":false}"#)
        let hidden = stream.nextEvent()
        #expect(hidden.changes == ["update 2"], "\(hidden.data)")
        #expect(hidden.data.contains(#""before.@count":0"#), "\(hidden.data)")
    }

    @Test("what is shown of an owner is its link alone where all that is asked for is hidden")
    func owner() throws {
        let server = try RuledServer(classes: [])
        let schema = """
            {"classes":[
              {"name":"Port","primaryKey":"id","properties":{"id":"string",
                "calls":{"type":"linkingObjects","class":"Call","property":"port"}}},
              {"name":"Call","kind":"embedded","properties":{"day":"int","port":"Port"}},
              {"name":"Ship","primaryKey":"id","properties":{"id":"int","captain":"string","flag":"string?","calls":"Call[]"}}]}
            """
        #expect(server.send("PUT", "/v1/schema", schema).status == 200)
        let document = """
            {"roles":{
              "all":{"classes":{"Port":{"read":true},"Ship":{"read":true,"properties":{"flag":"none"}}}},
              "captain":{"classes":{"Ship":{"read":"captain == $user.id"}}}}}
            """
        #expect(server.send("PUT", "/v1/access", document).status == 200)
        server.send("PUT", "/v1/classes/Port/objects/b", "{}")
        server.send(
            "PUT", "/v1/classes/Ship/objects/1",
            #"{"captain":"bob","flag":"no","calls":[{"day":1,"port":"b"}]}"#)
        let ann = server.user("ann")
        let link = #"{"$link":{"class":"Ship","id":1}"#
        for (names, owner) in [
            ("calls.$owner.flag", link + "}"), ("calls.$owner", link + "}"),
            ("calls.$owner.flag,calls.$owner.captain", link + #","captain":"bob"}"#),
        ] {
            let reply = server.send(
                "GET", "/v1/classes/Port/objects/b?fields=\(names)", nil, as: ann)
            #expect(reply.text == "{\"calls\":[{\"$owner\":\(owner)}]}", "\(names)")
        }
    }
}
