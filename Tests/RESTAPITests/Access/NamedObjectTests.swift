import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// Streams where an object is deleted that a rule or a filter compares links with.
@Suite("Who follows a condition that names an object, when that is deleted")
struct NamedObjectTests {
    /// Who asks, of what, and what has to leave.
    struct Case: Sendable, CustomTestStringConvertible {
        let isUser: Bool
        let target: String
        let leaving: [String]
        var testDescription: String { "\(isUser ? "a user" : "an admin") \(target)" }
    }

    private static let cases =
        [
            Case(isUser: true, target: "Task/changes", leaving: ["leave 1", "leave 2"]),
            Case(isUser: true, target: "List/changes", leaving: ["leave 1"]),
        ]
        + [
            ("Task", "list.owner == 'ann'", ["leave 1", "leave 2"]),
            ("List", "owner == 'ann'", ["leave 1"]),
            ("List", "owner IN {'ann', 'zed'}", ["leave 1"]),
            ("List", "ANY members == 'ann'", ["leave 1"]),
            ("List", "ANY members IN {'zed', 'ann'}", ["leave 1"]),
            ("Task", "ANY list.members == 'ann'", ["leave 1", "leave 2"]),
            ("Task", "SUBQUERY(others, $o, $o.list.owner == 'ann').@count > 0", ["leave 1"]),
        ].map { name, filter, leaving in
            Case(
                isUser: false, target: "\(name)/changes?filter=" + RuleRequest.escaped(filter),
                leaving: leaving)
        }

    /// What happens to the object, after which nothing links to it any more.
    private static let deletions = [
        #"[{"op":"delete","class":"Person","id":"ann"}]"#,
        #"[{"op":"delete","class":"Person","id":"ann"},{"op":"create","class":"Person","id":"ann","value":{"name":"Ann"}}]"#,
    ]

    @Test("what was among the results leaves, in pages and on streams", arguments: cases, deletions)
    func leaves(_ one: Case, deletion: String) throws {
        let world = try TaskWorld()
        let asker = one.isUser ? world.ann : .admin
        world.server.send("PATCH", "/v1/classes/List/objects/1", #"{"members":["ann"]}"#)
        let target = "/v1/classes/" + one.target + (one.target.contains("?") ? "&" : "?")
        let start = world.server.get(target + "since=now", as: asker)
        let cursor = try #require(QueryJSON(start.text)?["cursor"]?.string, "\(start.text)")
        let reply = world.server.send("POST", "/v1/transactions", "{\"operations\":\(deletion)}")
        #expect(reply.status == 200, "\(reply.text)")
        let page = world.server.get(target + "since=\(cursor)", as: asker)
        let told = QueryJSON(page.text)?["changes"]?.elements.map {
            "\($0["op"]?.string ?? "") \($0["id"]?.text ?? "")"
        }
        #expect(told?.sorted() == one.leaving, "\(page.text)")
        let stream = world.server.follow(target, as: asker, from: cursor)
        let changes = stream.events(to: "upToDate").flatMap(\.changes)
        #expect(changes.sorted() == one.leaving)
    }

    @Test("a live stream follows the key, whichever object has it", arguments: cases)
    func live(_ one: Case) throws {
        let world = try TaskWorld()
        let asker = one.isUser ? world.ann : .admin
        world.server.send("PATCH", "/v1/classes/List/objects/1", #"{"members":["ann"]}"#)
        let target = "/v1/classes/" + one.target + (one.target.contains("?") ? "&" : "?")
        let stream = world.server.follow(target + "since=now", as: asker)
        #expect(stream.nextEvent().name == "hello")
        func changes() -> [String] {
            var all: [String] = []
            while all.count < one.leaving.count, !stream.isEnded {
                let event = stream.nextEvent()
                if event.name == "change" { all += event.changes }
            }
            return all.sorted()
        }
        let person = "/v1/classes/Person/objects/ann"
        #expect(world.server.send("DELETE", person).status == 204)
        #expect(changes() == one.leaving)
        #expect(world.server.send("PUT", person, "{}").status == 201)
        let owned = world.server.send(
            "PATCH", "/v1/classes/List/objects/1", #"{"owner":"ann","members":["ann"]}"#)
        #expect(owned.status == 200)
        // A user whose own object has come is looked at again, and told as whoever was away.
        let back = changes().map { one.isUser ? $0.replacing("update", with: "enter") : $0 }
        #expect(back == one.leaving.map { $0.replacing("leave", with: "enter") })
    }

    @Test("a mixed value whose link led to a deleted object of a class without rules is named")
    func mixed() throws {
        let world = try TaskWorld()
        let target = "/v1/classes/Task/objects/2"
        let link = #"{"free":{"$link":{"class":"Country","id":"fr"}}}"#
        #expect(world.server.send("PATCH", target, link).status == 200)
        let changes = "/v1/classes/Task/changes?since="
        let cursor = QueryJSON(world.get(changes + "now").text)?["cursor"]?.string ?? ""
        #expect(world.server.send("DELETE", "/v1/classes/Country/objects/fr").status == 204)
        let page = world.get(changes + cursor)
        let told = QueryJSON(page.text)?["changes"]?.elements ?? []
        #expect(told.map { $0["id"]?.int } == [2], "\(page.text)")
        #expect(told.first?["changed"] == .array([.string("free")]), "\(page.text)")
    }
}
