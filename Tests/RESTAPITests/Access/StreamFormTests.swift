import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// The forms of streams, followed by a user who sees a part of the store.
@Suite("Streams of a user, in each form")
struct StreamFormTests {
    private static let task = "/v1/classes/Task/objects"

    /// Changes what ann does not see.
    private static func changeHidden(_ world: TaskWorld) {
        let server = world.server
        server.send("PATCH", "\(task)/3", #"{"title":"more","rank":9}"#)
        server.send("PATCH", "\(task)/1", #"{"secret":"more"}"#)
        server.send("PUT", "\(task)/4", #"{"list":2,"title":"milk","rank":8}"#)
        server.send("PATCH", "\(task)/1", #"{"others":[3,4,2]}"#)
        server.send("DELETE", "\(task)/4")
    }

    /// Lets ann see list 2, or no more.
    private static func share(_ world: TaskWorld, _ isShared: Bool) {
        world.server.send(
            "PATCH", "/v1/classes/List/objects/2", "{\"members\":[\(isShared ? "\"ann\"" : "")]}")
    }

    private static func ids(_ events: [ChangesClient.Event]) -> [Int64] {
        events.flatMap { $0.json["objects"]?.elements ?? [] }.compactMap { $0["id"]?.int }.sorted()
    }

    @Test(
        "a projection of an object's own properties shows what its user sees, and is told of when that changes"
    )
    func projection() throws {
        let world = try TaskWorld()
        world.server.send(
            "PUT", "/v1/projections/Own", #"{"class":"Task","properties":{"what":"title"}}"#)
        let target = "/v1/projections/Own/changes?since=start"
        let stream = world.server.follow(target, as: world.ann)
        #expect(Self.ids(stream.events(to: "upToDate")) == [1, 2])
        Self.changeHidden(world)
        world.server.send("PATCH", "\(Self.task)/1", #"{"title":"rolls"}"#)
        #expect(stream.nextEvent().changes == ["update 1"])
        Self.share(world, true)
        #expect(stream.nextEvent().changes == ["enter 3"])
        Self.share(world, false)
        #expect(stream.nextEvent().changes == ["leave 3"])
        let one = world.server.follow(
            "/v1/projections/Own/objects/3/changes?since=start", as: world.ann)
        #expect(one.events(to: "upToDate").map(\.name) == ["hello", "reset", "upToDate"])
        #expect(world.get("/v1/projections/Whole/changes").status == 404)
    }

    /// Follows tasks in a shape as ann, who is told of what she sees of other objects.
    private static func followOthers(
        _ world: TaskWorld, _ target: String
    ) throws -> ChangesClient {
        let stream = world.server.follow(target, as: world.ann)
        #expect(ids(stream.events(to: "upToDate")) == [1, 2], "\(target)")
        return stream
    }

    @Test(
        "other objects are shown as far as their user sees them, and told of when that changes",
        arguments: [
            "classes/Task/changes?since=start&expand=next,others",
            "classes/Task/changes?since=start&fields=id,next.title,others.title",
            "classes/Task/changes?since=start&fields=id,next.title,others.title&keyPaths=next.title,others.title",
        ])
    func others(target: String) throws {
        let world = try TaskWorld()
        let stream = try Self.followOthers(world, "/v1/" + target)
        Self.changeHidden(world)
        Self.share(world, true)
        let shared = stream.nextEvent()
        #expect(shared.changes.sorted() == ["enter 3", "update 1"], "\(shared.data)")
        #expect(shared.data.contains("more") && !shared.data.contains("gold"))
        world.server.send("PATCH", "\(Self.task)/3", #"{"title":"most"}"#)
        let both = stream.nextEvent()
        #expect(both.changes.sorted().contains("update 1"), "\(both.data)")
        Self.share(world, false)
        #expect(stream.nextEvent().changes.sorted() == ["leave 3", "update 1"])
        world.server.send("PATCH", "\(Self.task)/3", #"{"title":"less"}"#)
        world.server.send("PATCH", "\(Self.task)/2", #"{"title":"cream"}"#)
        let seen = stream.nextEvent()
        #expect(seen.changes.contains("update 1") && !seen.data.contains("less"), "\(seen.data)")
    }

    @Test(
        "inverse links show those that their user sees",
        arguments: [
            "classes/Task/changes?since=start&fields=id,before",
            "projections/Back/changes?since=start",
        ])
    func inverse(target: String) throws {
        let world = try TaskWorld()
        world.server.send(
            "PUT", "/v1/projections/Back",
            #"{"class":"Task","properties":{"id":"id","before":"before"}}"#)
        let stream = try Self.followOthers(world, "/v1/" + target)
        world.server.send("PATCH", "\(Self.task)/3", #"{"next":2}"#)
        Self.changeHidden(world)
        world.server.send("PATCH", "\(Self.task)/1", #"{"next":2}"#)
        let linked = stream.nextEvent()
        // Where the link itself counts, who has it is told of, too.
        let isOfClass = target.hasPrefix("classes")
        #expect(
            linked.changes.sorted() == (isOfClass ? ["update 1", "update 2"] : ["update 2"]),
            "\(linked.data)")
        #expect(linked.data.contains(#""object":{"id":2,"before":[1]}"#), "\(linked.data)")
        Self.share(world, true)
        #expect(stream.nextEvent().changes.contains("update 2"))
    }

    @Test("a projection that shows other objects is followed as its user sees them")
    func projectedOthers() throws {
        let world = try TaskWorld()
        let stream = try Self.followOthers(world, "/v1/projections/Short/changes?since=start")
        Self.changeHidden(world)
        Self.share(world, true)
        let shared = stream.nextEvent()
        #expect(shared.changes.sorted() == ["enter 3", "update 1"], "\(shared.data)")
        Self.share(world, false)
        #expect(stream.nextEvent().changes.sorted() == ["leave 3", "update 1"])
    }

    @Test("what comes into sight by a property without a name is told")
    func unknownProperty() throws {
        let world = try TaskWorld()
        let document = world.server.send(
            "PUT", "/v1/access",
            #"{"roles":{"all":{"classes":{"Task":{"read":"secret == 'open'","properties":{"secret":"none"}}}}}}"#
        )
        #expect(document.status == 200, "\(document.text)")
        let target = "/v1/classes/Task/changes?fields=id,title"
        let cursor = QueryJSON(world.get(target).text)?["cursor"]?.string ?? ""
        world.server.send("PATCH", "\(Self.task)/1", #"{"secret":"open"}"#)
        let page = world.get(target + "&since=\(cursor)").text
        let changes = QueryJSON(page)?["changes"]?.elements ?? []
        #expect(changes.compactMap { $0["id"]?.int } == [1], "\(page)")
        #expect(changes.allSatisfy { $0["changed"]?.elements == [] }, "\(page)")
    }

    @Test("a position in a list counts the elements that its user sees")
    func positions() throws {
        let world = try TaskWorld()
        let filter = RuleRequest.escaped("others[0].title == 'cream'")
        let target = "/v1/classes/Task/changes?fields=id&filter=\(filter)"
        let cursor = QueryJSON(world.get(target).text)?["cursor"]?.string ?? ""
        let stream = world.server.follow(target, as: world.ann)
        #expect(stream.nextEvent().name == "hello")
        // The hidden one stands before it.
        world.server.send("PATCH", "\(Self.task)/1", #"{"others":[3,2]}"#)
        world.server.send("PATCH", "\(Self.task)/2", #"{"title":"cream"}"#)
        #expect(stream.nextEvent().changes == ["enter 1"])
        let page = QueryJSON(world.get(target + "&since=\(cursor)").text)
        #expect(page?["changes"]?.elements.compactMap { $0["id"]?.int } == [1])
    }

    @Test("what was missed of others is told as far as they are seen")
    func missedOthers() throws {
        let world = try TaskWorld()
        let target = "/v1/classes/Task/changes?expand=next"
        func page(_ cursor: String?) -> (HTTPClient.Reply, QueryJSON?) {
            let reply = world.get(target + "&since=\(cursor ?? "now")")
            return (reply, QueryJSON(reply.text))
        }
        let cursor = page(nil).1?["cursor"]?.string
        world.server.send("PATCH", "\(Self.task)/3", #"{"title":"more"}"#)
        let (reply, missed) = page(cursor)
        #expect(missed?["changes"]?.elements.isEmpty == true, "\(reply.text)")
        Self.share(world, true)
        let later = page(nil).1?["cursor"]?.string
        world.server.send("PATCH", "\(Self.task)/3", #"{"title":"most"}"#)
        let changes = page(later).1?["changes"]?.elements ?? []
        #expect(changes.compactMap { $0["id"]?.int }.sorted() == [1, 3])
    }

    @Test(
        "pages tell of what has gone when they are read that it has left, and of nothing else",
        arguments: [false, true])
    func gone(isAdmin: Bool) throws {
        let world = try TaskWorld()
        let asker = isAdmin ? .admin : world.ann
        func page(_ cursor: String) -> QueryJSON? {
            let filter = RuleRequest.escaped("list.owner == 'ann' AND id < 4")
            let target = "/v1/classes/Task/changes?limit=1&filter=\(filter)&since=\(cursor)"
            return QueryJSON(world.server.get(target, as: asker).text)
        }
        var cursor = page("now")?["cursor"]?.string ?? ""
        Self.changeHidden(world)
        world.server.send("PATCH", "\(Self.task)/1", #"{"list":2}"#)
        world.server.send("DELETE", "\(Self.task)/1")
        world.server.send("PATCH", "/v1/classes/List/objects/1", #"{"owner":"bob"}"#)
        world.server.send("DELETE", "\(Self.task)/2")
        var told: [String] = []
        for _ in 0..<20 {
            let page = page(cursor)
            let changes = page?["changes"]?.elements ?? []
            told += changes.map { "\($0["op"]?.string ?? "") \($0["id"]?.int ?? 0)" }
            cursor = page?["cursor"]?.string ?? ""
            if page?["upToDate"]?.bool ?? true { break }
        }
        // Who does not see that they are deleted learns that they have left.
        #expect(told == (isAdmin ? ["delete 1", "delete 2"] : ["leave 1", "leave 2"]))
    }

    @Test(
        "a set of mixed values is followed by who sees a part, also when what it links to changes")
    func mixedSet() throws {
        let server = try RuledServer(classes: [])
        server.send(
            "PUT", "/v1/schema",
            """
            {"classes":[{"name":"Doc","primaryKey":"id","properties":{"id":"int","t":"string","s":"mixed<>"}},
              {"name":"Other","primaryKey":"id","properties":{"id":"int"}}]}
            """)
        server.send(
            "PUT", "/v1/access",
            #"{"roles":{"m":{"classes":{"Doc":{"read":true,"create":true,"update":true}}}}}"#)
        let (ann, doc) = (server.user("ann"), "/v1/classes/Doc/objects/1")
        let own = #"{"$link":{"class":"Doc","id":1}}"#
        server.send("PUT", doc, "{\"s\":[\(own)]}", as: ann)
        let stream = server.follow("\(doc)/properties/s/changes", as: ann)
        #expect(stream.nextEvent().name == "hello")
        server.send("PATCH", doc, "{\"s\":[\(own),7]}", as: ann)
        let event = stream.nextEvent()
        #expect(event.json["inserted"]?.elements == [.int(7)], "\(event.data)")
        server.send("PATCH", doc, "{\"s\":[8],\"t\":\"x\"}", as: ann)
        #expect(stream.nextEvent().json["inserted"]?.elements == [.int(8)])
    }

    @Test("the elements of a property are those that its user sees")
    func property() throws {
        let world = try TaskWorld()
        let target = "\(Self.task)/1/properties/others/changes?since=start&fields=id,title"
        let stream = world.server.follow(target, as: world.ann)
        let begin = stream.events(to: "upToDate")
        #expect(Self.ids(begin) == [2], "\(begin)")
        Self.changeHidden(world)
        world.server.send("PATCH", "\(Self.task)/2", #"{"secret":"more"}"#)
        world.server.send("PATCH", "\(Self.task)/2", #"{"title":"cream"}"#)
        let change = stream.nextEvent()
        #expect(change.json["modifications"] == .array([.int(0)]), "\(change.data)")
        #expect(change.json["insertions"] == .array([]) || change.json["insertions"] == nil)
        Self.share(world, true)
        let shared = stream.nextEvent()
        #expect(shared.json["insertions"] == .array([.int(0)]), "\(shared.data)")
        world.server.send("PATCH", "\(Self.task)/1", #"{"others":[2,3]}"#)
        #expect(stream.nextEvent().name == "change")
        Self.share(world, false)
        let unshared = stream.nextEvent()
        #expect(unshared.json["deletions"] == .array([.int(1)]), "\(unshared.data)")
        // What its object is out of sight with is gone.
        world.server.send("PATCH", "\(Self.task)/1", #"{"list":2}"#)
        #expect(stream.nextEvent().json["op"]?.string == "delete")
        world.server.send("PATCH", "\(Self.task)/1", #"{"others":[]}"#)
        world.server.send("PATCH", "\(Self.task)/1", #"{"list":1}"#)
        #expect(stream.nextEvent().json["op"]?.string == "enter")
        // Where it was missed, it begins again.
        let cursor = begin.last?.id
        let again = world.server.follow(target, as: world.ann, from: cursor)
        #expect(again.events(to: "upToDate").map(\.name).contains("reset"))
        #expect(
            world.server.follow("\(Self.task)/1/properties/secret/changes", as: world.ann).status
                == 404)
        let strange = world.server.follow(
            "\(Self.task)/3/properties/title/changes?since=start", as: world.ann)
        #expect(strange.events(to: "upToDate").map(\.name) == ["hello", "reset", "upToDate"])
    }

    @Test("a single link is told as its user sees it")
    func single() throws {
        let world = try TaskWorld()
        let stream = world.server.follow(
            "\(Self.task)/1/properties/next/changes?since=start", as: world.ann)
        let begin = stream.events(to: "upToDate")
        #expect(begin.contains { $0.json["value"] == .null }, "\(begin)")
        Self.changeHidden(world)
        world.server.send("PATCH", "\(Self.task)/1", #"{"next":4}"#)
        world.server.send("PATCH", "\(Self.task)/1", #"{"next":3}"#)
        Self.share(world, true)
        let shared = stream.nextEvent()
        #expect(shared.data.contains("3"), "\(shared.data)")
        Self.share(world, false)
        #expect(stream.nextEvent().json["value"] == .null)
    }

    @Test("what was missed names no property that may hold what is hidden")
    func missed() throws {
        let world = try TaskWorld()
        let since = QueryJSON(world.get("/v1/classes/Task/changes?since=now").text)?["cursor"]?
            .string
        world.server.send("PATCH", "\(Self.task)/1", #"{"next":null,"others":[2],"title":"rolls"}"#)
        let page = world.get("/v1/classes/Task/changes?since=\(since ?? "")")
        let change = QueryJSON(page.text)?["changes"]?.elements.first
        #expect(change?["changed"]?.elements == [.string("title")], "\(page.text)")
    }

    @Test("figures are of what its user sees")
    func aggregate() throws {
        let world = try TaskWorld()
        let stream = world.server.follow(
            "/v1/classes/Task/aggregate/changes?op=count,max(rank)", as: world.ann)
        let first = stream.events(to: "value").last
        #expect(first?.json["count"]?.int == 2 && first?.json["max(rank)"]?.int == 2)
        Self.changeHidden(world)
        world.server.send("PATCH", "\(Self.task)/1", #"{"rank":5}"#)
        #expect(stream.nextEvent().json["max(rank)"]?.int == 5)
        Self.share(world, true)
        let shared = stream.nextEvent()
        #expect(
            shared.json["count"]?.int == 3 && shared.json["max(rank)"]?.int == 9, "\(shared.data)")
        Self.share(world, false)
        #expect(stream.nextEvent().json["count"]?.int == 2)
    }

    @Test("sections are of what its user sees")
    func sections() throws {
        let world = try TaskWorld()
        let stream = world.server.follow(
            "/v1/classes/Task/sections/changes?by=title&objects=5", as: world.ann)
        let begin = stream.events(to: "upToDate")
        let sections = begin.flatMap { $0.json["sections"]?.elements ?? [] }
        #expect(sections.compactMap { $0["key"]?.string } == ["bread", "milk"])
        Self.changeHidden(world)
        world.server.send("PATCH", "\(Self.task)/1", #"{"title":"milk"}"#)
        let change = stream.nextEvent()
        #expect(change.changes == ["update 1"], "\(change.data)")
        Self.share(world, true)
        // The first one links to it.
        #expect(stream.nextEvent().changes.sorted() == ["enter 3", "update 1"])
        Self.share(world, false)
        #expect(stream.nextEvent().changes.sorted() == ["leave 3", "update 1"])
    }

    @Test(
        "where only what has no name is hidden, objects are told of as they are stored, without it")
    func unnamed() throws {
        let world = try TaskWorld()
        let server = world.server
        let rule = "code == $user.id OR code == 'open'"
        server.send(
            "PUT", "/v1/access",
            "{\"roles\":{\"all\":{\"classes\":{\"Record\":{\"read\":\"\(rule)\"}}}}}")
        let record = "/v1/classes/Record/objects/2"
        server.send("PUT", record, #"{"code":"ann","task":1}"#)
        let stream = server.follow("/v1/classes/Record/changes?since=start&old=true", as: world.ann)
        #expect(Self.ids(stream.events(to: "upToDate")) == [2])
        server.send("PATCH", record, #"{"task":2}"#)
        for (body, change, isNamed) in [
            (#"{"code":"open","task":3}"#, "update 2", true),
            (#"{"code":"bob"}"#, "leave 2", false),
            (#"{"task":1}"#, "", false), (#"{"code":"ann","task":2}"#, "enter 2", false),
        ] {
            server.send("PATCH", record, body)
            if change.isEmpty { continue }
            let event = stream.nextEvent()
            #expect(event.changes == [change], "\(event.data)")
            #expect(!event.data.contains("task"), "\(event.data)")
            #expect(event.data.contains(#""changed":["code"]"#) == isNamed, "\(event.data)")
        }
        server.send("DELETE", record)
        #expect(stream.nextEvent().changes == ["delete 2"])
    }

    @Test("several queries are told together, and belong to their user")
    func queries() throws {
        let world = try TaskWorld()
        let server = world.server
        let body =
            #"{"queries":{"all":{"class":"Task"},"top":{"class":"Task","sort":"-rank"},"lists":{"class":"List"}}}"#
        let made = QueryJSON(server.send("POST", "/v1/streams", body, as: world.ann).text)
        let target = "/v1/streams/\(made?["id"]?.string ?? "")"
        for (method, body) in [("DELETE", String?.none), ("PATCH", #"{"queries":{"all":null}}"#)] {
            #expect(server.send(method, target, body, as: world.bob).status == 404)
        }
        #expect(server.follow(target, as: world.bob).status == 404)
        let stream = server.follow(target + "?since=start", as: world.ann)
        var told: [ChangesClient.Event] = []
        while told.count(where: { $0.name == "upToDate" }) < 3 { told.append(stream.nextEvent()) }
        #expect(Self.ids(told) == [1, 1, 1, 2, 2])
        Self.changeHidden(world)
        Self.share(world, true)
        let shared = stream.nextEvent()
        #expect(
            shared.changes.filter { $0.hasPrefix("enter") || $0.hasPrefix("leave") }.sorted()
                == ["enter 2", "enter 3", "enter 3"], "\(shared.data)")
        #expect(shared.id?.contains("_") == true)
        Self.share(world, false)
        #expect(
            stream.nextEvent().changes.filter { $0.hasPrefix("leave") }.sorted()
                == ["leave 2", "leave 3", "leave 3"])
        #expect(server.send("DELETE", target, as: world.ann).status == 204)
        let unknown = server.send(
            "POST", "/v1/streams", #"{"queries":{"codes":{"class":"Record"}}}"#, as: world.ann)
        #expect(unknown.status == 404 || unknown.status == 422, "\(unknown.text)")
    }
}
