import HoldfastObjectModel
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// Cursors and snapshots of users: whose they are, and how long they are worth something.
@Suite("Cursors and snapshots of users")
struct ForeignCursorTests {
    private static let pages = [
        "/v1/classes/Task/objects?limit=1", "/v1/classes/Task/objects?limit=1&sort=-rank",
        "/v1/classes/Task/objects?limit=1&snapshot=new",
        "/v1/classes/Task/aggregate?by=title&op=count&limit=1",
        "/v1/classes/Task/sections?by=title&limit=1",
        "/v1/classes/List/objects/1/properties/tasks?limit=1",
        "/v1/projections/Short/objects?limit=1",
    ]

    private static func next(_ reply: HTTPClient.Reply) throws -> String {
        try #require(QueryJSON(reply.text)?["next"]?.string, "\(reply.text)")
    }

    private static func plain(_ target: String) -> String {
        target.replacing("&snapshot=new", with: "")
    }

    @Test("a cursor leads its user on, and nobody else", arguments: pages)
    func owner(target: String) throws {
        let world = try TaskWorld()
        #expect(
            world.server.send(
                "PUT", "/v1/classes/List/objects/1",
                #"{"owner":"ann","title":"ours","members":["bob"]}"#
            ).status == 200)
        let cursor = try Self.next(world.get(target))
        let goesOn = Self.plain(target) + "&cursor=\(cursor)"
        let second = world.get(goesOn)
        #expect(second.status == 200, "\(second.text)")
        #expect(world.server.get(goesOn, as: world.server.user("ann", name: "again")).status == 200)
        // Bob sees the same objects; his own cursor leads him on.
        for asker in [world.bob, .admin] {
            let reply = world.server.get(goesOn, as: asker)
            #expect([400, 410].contains(reply.status), "\(reply.text)")
        }
        if !target.contains("snapshot") {
            let whole = try Self.next(world.server.get(target, as: .admin))
            let foreign = world.get(target + "&cursor=\(whole)")
            #expect(foreign.status == 400 && foreign.text.contains("invalid-cursor"))
        }
    }

    @Test(
        "what a cursor says of its view is another number in every store, so that nobody guesses what it is made of"
    )
    func keyedFingerprint() throws {
        let marks = try (0..<2).map { _ in
            let world = try TaskWorld()
            let cursor = try Self.next(world.get("/v1/classes/Task/objects?limit=1"))
            let seal = try #require(cursor.split(separator: "~").last)
            return String(seal.prefix(10))
        }
        #expect(marks[0] != marks[1])
    }

    @Test("a cursor that was changed anywhere is refused")
    func forged() throws {
        let world = try TaskWorld()
        let target = "/v1/classes/Task/objects?limit=1"
        let cursor = try Self.next(world.get(target))
        for index in cursor.indices {
            var forged = cursor
            forged.replaceSubrange(index...index, with: cursor[index] == "A" ? "B" : "A")
            let reply = world.get(target + "&cursor=\(forged)")
            // The last character of base64 may have bits that nobody reads.
            if reply.status == 200 { #expect(index == cursor.indices.last) }
            #expect(reply.status == 400 || reply.status == 200, "\(reply.text)")
        }
        let plain = cursor.prefix { $0 != "~" }
        for part in [String(plain), plain + "~", "~" + cursor, cursor + "~"] {
            #expect(world.get(target + "&cursor=\(part)").status == 400, "\(part)")
        }
        let made = CursorForgery.change(String(plain), returned: 0, key: 2, sortBytes: [])
        let seal = cursor.dropFirst(plain.count)
        #expect(world.get(target + "&cursor=\(made ?? "")\(seal)").status == 400)
        #expect(world.get("/v1/classes/List/objects?limit=1&cursor=\(cursor)").status == 400)
    }

    @Test(
        "a cursor ends with what decided on the view: the document, the roles, and what rules read")
    func view() throws {
        let world = try TaskWorld()
        let target = "/v1/classes/Task/objects?limit=1"
        func isOver(_ cursor: String, as asker: RuledServer.Key? = nil) -> Bool {
            let reply = world.server.get(target + "&cursor=\(cursor)", as: asker ?? world.ann)
            return reply.status == 410 && reply.text.contains("cursor-expired")
        }
        var cursor = try Self.next(world.get(target))
        // Another claim that no rule reads decides on nothing.
        let other = world.server.user("ann", claims: #"{"age":7}"#, name: "other")
        #expect(!isOver(cursor, as: other))
        let editor = world.server.user("ann", claims: #"{"groups":["editor"]}"#, name: "editor")
        #expect(isOver(cursor, as: editor))
        // A role that the user's own object gives.
        let verified = world.server.send(
            "PATCH", "/v1/classes/Person/objects/ann", #"{"verified":true}"#)
        #expect(verified.status == 200)
        #expect(isOver(cursor))
        cursor = try Self.next(world.get(target))
        #expect(!isOver(cursor))
        let document = TaskWorld.document.replacing(#""editor":{"#, with: #""editors":{"#)
        #expect(world.server.send("PUT", "/v1/access", document).status == 200)
        #expect(isOver(cursor))
    }

    @Test("a snapshot is its user's, and shows its version by the rules of now")
    func snapshot() throws {
        let world = try TaskWorld()
        let reply = world.get("/v1/classes/Task/objects/1?snapshot=new")
        let id = try #require(reply.headers["holdfast-snapshot"], "\(reply.text)")
        let target = "/v1/classes/Task/objects/1?snapshot=\(id)"
        #expect(world.get(target).status == 200)
        for asker in [world.bob, .admin, .nobody] {
            let foreign = world.server.get(target, as: asker)
            #expect([404, 410].contains(foreign.status), "\(foreign.text)")
        }
        let hidden = world.get("/v1/classes/Task/objects/3?snapshot=\(id)")
        #expect(hidden.status == 404)
        let narrow = #"{"roles":{"a":{"classes":{"Task":{"read":"rank > 1"}}}}}"#
        #expect(world.server.send("PUT", "/v1/access", narrow).status == 200)
        #expect(world.get(target).status == 404)
        #expect(world.get("/v1/classes/Task/objects/2?snapshot=\(id)").status == 200)
    }

    @Test(
        "a user's version of an object is never known already: what is shown of it may be another's, or of other rules"
    )
    func tags() throws {
        let world = try TaskWorld()
        for path in ["2", "2/properties/title", "1/properties/others/elements/0"] {
            let target = "/v1/classes/Task/objects/" + path
            let tag = try #require(world.get(target).headers["etag"])
            let known = [("If-None-Match", tag)]
            #expect(world.get(target, known).status == 200)
            #expect(world.server.get(target, as: .admin, known).status == 304)
        }
    }
}
