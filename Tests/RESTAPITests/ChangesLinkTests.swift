import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("streams whose queries follow links")
struct ChangesLinkTests {
    private static let path = "/v1/classes/Task/changes"

    @Test("filters that follow links and inverse links are exact when the other side changes")
    func followsLinks() throws {
        let server = try Tasks.server()
        server.person("ann", #"{"age":30,"boss":"bob"}"#.replacing(#","boss":"bob""#, with: ""))
        server.person("bob", #"{"age":60}"#)
        server.task(1, #"{"owner":"ann"}"#)
        server.task(2, #"{"owner":"bob","parts":[1]}"#)
        server.task(3, "{}")
        func follow(_ path: String, _ filter: String) -> ChangesClient {
            let stream = server.events(path, [("filter", filter), ("fields", "$id")])
            #expect(stream.nextEvent().name == "hello", "\(stream.headers)")
            return stream
        }
        /// What enters or leaves next; updates in between are of the objects' own properties.
        func moves(_ stream: ChangesClient) -> [String] {
            while true {
                let changes = stream.nextEvent().changes.filter { !$0.hasPrefix("update") }
                if !changes.isEmpty || stream.isEnded { return changes.sorted() }
            }
        }
        let old = follow(Self.path, "owner.age > 40")
        let boss = follow(Self.path, "owner.boss.age > 50")
        let part = follow(Self.path, "ANY parts.owner.age > 40")
        let whole = follow(Self.path, "ANY partOf.owner.age > 50")
        let count = follow(Self.path, "partOf.@count > 0")
        let busy = follow("/v1/classes/Person/changes", "ANY tasks.rank > 5")
        let linked = follow("/v1/classes/Person/changes", "ANY @links.Task.owner.rank > 5")
        let counted = follow("/v1/classes/Person/changes", "tasks.@count == 2")
        let any = follow("/v1/classes/Person/changes", "@links.@count == 3")

        server.person("ann", #"{"age":50}"#)
        #expect(old.nextEvent().changes == ["enter 1"])
        #expect(part.nextEvent().changes == ["enter 2"])
        server.person("ann", #"{"age":51}"#)
        let update = old.nextEvent()
        #expect(update.changes == ["update 1"])
        #expect(update.json["changes"]?.elements.first?["changed"] == .array([.string("owner")]))
        #expect(part.nextEvent().changes == ["update 2"])
        server.person("ann", #"{"age":51,"boss":"bob"}"#)
        #expect(boss.nextEvent().changes == ["enter 1"])
        server.person("bob", #"{"age":40}"#)
        #expect(boss.nextEvent().changes == ["leave 1"])
        #expect(old.nextEvent().changes == ["leave 2"])
        #expect(whole.nextEvent().changes == ["leave 1"])
        server.person("bob", #"{"age":70}"#)
        #expect(boss.nextEvent().changes == ["enter 1"])
        #expect(old.nextEvent().changes == ["enter 2"])
        #expect(whole.nextEvent().changes == ["enter 1"])
        // The link itself goes.
        server.task(2, #"{"owner":"bob","parts":[3]}"#)
        #expect(whole.nextEvent().changes.sorted() == ["enter 3", "leave 1"])
        #expect(count.nextEvent().changes.sorted() == ["enter 3", "leave 1"])
        #expect(part.nextEvent().changes == ["leave 2"])
        // Inverse links.
        server.task(1, #"{"owner":"ann","rank":6}"#)
        #expect(busy.nextEvent().changes == ["enter ann"])
        #expect(linked.nextEvent().changes == ["enter ann"])
        server.task(1, #"{"owner":"ann","rank":7}"#)
        let reached = busy.nextEvent()
        #expect(reached.changes == ["update ann"])
        #expect(reached.json["changes"]?.elements.first?["changed"] == .array([.string("tasks")]))
        #expect(linked.nextEvent().changes == ["update ann"])
        server.task(3, #"{"owner":"ann"}"#)
        #expect(moves(counted) == ["enter ann"])
        #expect(moves(boss) == ["enter 3"])
        // A target is deleted: who held it has changed.
        _ = server.delete("/v1/classes/Person/objects/bob")
        #expect(moves(boss) == ["leave 1", "leave 3"])
        _ = server.delete("/v1/classes/Task/objects/1")
        #expect(moves(busy) == ["leave ann"])
        #expect(moves(linked) == ["leave ann"])
        #expect(moves(counted) == ["leave ann"])
        server.task(4, #"{"owner":"ann"}"#)
        server.task(5, #"{"owner":"ann"}"#)
        #expect(moves(any) == ["enter ann"])
    }

    @Test(
        "what a filter reaches by an inverse link without a property is an update that names none")
    func undeclaredInverse() throws {
        let server = try Tasks.server()
        server.task(1, "{}")
        server.task(2, #"{"next":1,"rank":6}"#)
        let stream = server.events(Self.path, [("filter", "ANY @links.Task.next.rank > 5")])
        #expect(stream.nextEvent().name == "hello")
        server.task(2, #"{"next":1,"rank":7}"#)
        let update = stream.nextEvent()
        #expect(update.changes == ["update 1"])
        #expect(update.json["changes"]?.elements.first?["changed"] == .array([]))
        server.task(2, #"{"rank":7}"#)
        #expect(stream.nextEvent().changes == ["leave 1"])
    }

    @Test("what expand and fields show of others counts as a change")
    func expands() throws {
        let server = try Tasks.server()
        server.person("bob", #"{"age":60}"#)
        server.person("ann", #"{"age":30,"boss":"bob"}"#)
        server.task(1, #"{"owner":"ann","place":{"city":"Rome","host":"bob"}}"#)
        func follow(_ path: String, _ parameters: [(String, String)]) -> ChangesClient {
            let stream = server.events(path, parameters)
            #expect(stream.nextEvent().name == "hello")
            return stream
        }
        let owner = follow(Self.path, [("expand", "owner")])
        let both = follow(Self.path, [("expand", "owner.boss")])
        let field = follow(Self.path, [("fields", "id,owner.boss.age")])
        let star = follow(Self.path, [("fields", "owner.*")])
        let host = follow(Self.path, [("expand", "place.host")])
        let tasks = follow("/v1/classes/Person/changes", [("fields", "name,tasks")])
        let shown = follow("/v1/classes/Person/changes", [("fields", "name"), ("expand", "tasks")])
        let plain = follow(Self.path, [])

        server.person("ann", #"{"age":31,"boss":"bob"}"#)
        let update = owner.nextEvent()
        #expect(update.changes == ["update 1"])
        #expect(update.json["changes"]?.elements.first?["object"]?["owner"]?["age"] == .int(31))
        #expect(
            both.nextEvent().changes == ["update 1"],
            "an object on the way of an expanded path is shown too")
        #expect(star.nextEvent().changes == ["update 1"])
        server.person("bob", #"{"age":61}"#)
        #expect(both.nextEvent().changes == ["update 1"])
        let aged = field.nextEvent()
        #expect(aged.changes == ["update 1"])
        #expect(
            aged.json["changes"]?.elements.first?["object"]
                == QueryJSON(#"{"id":1,"owner":{"boss":{"age":61}}}"#))
        #expect(host.nextEvent().changes == ["update 1"])
        #expect(
            shown.nextEvent().changes == ["update ann"]
                && shown.nextEvent().changes == ["update bob"])
        #expect(
            tasks.nextEvent().changes == ["update ann"]
                && tasks.nextEvent().changes == ["update bob"])
        server.task(1, #"{"owner":"bob","place":{"city":"Rome","host":"bob"},"title":"t"}"#)
        #expect(tasks.nextEvent().changes.sorted() == ["update ann", "update bob"])
        #expect(shown.nextEvent().changes.sorted() == ["update ann", "update bob"])
        server.task(1, #"{"owner":"bob","place":{"city":"Rome","host":"bob"},"title":"u"}"#)
        #expect(shown.nextEvent().changes == ["update bob"])
        // Without expand only the objects themselves count.
        #expect(
            plain.nextEvent().json["changes"]?.elements.first?["changed"]
                == .array([.string("title"), .string("owner")]))
        #expect(
            plain.nextEvent().json["changes"]?.elements.first?["changed"]
                == .array([.string("title")]))
    }
}
