import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// What somebody tries who wants to know by streams of what rules hide, and what they are told.
@Suite("Attempts to follow what rules hide")
struct StreamAttackTests {
    private static let tasks = "/v1/classes/Task"

    private static func escaped(_ text: String) -> String { RuleRequest.escaped(text) }

    /// The keys of the objects that a page of a stream begins with.
    private static func keys(_ world: TaskWorld, _ filter: String) -> [Int64]? {
        let reply = world.get("\(tasks)/changes?since=start&filter=\(escaped(filter))")
        return QueryJSON(reply.text)?["objects"]?.elements.compactMap { $0["id"]?.int }
    }

    @Test(
        "a filter says of hidden objects what it says of none",
        arguments: [
            ("next.title == 'treasure'", [Int64]()), ("next != null", []),
            ("next == null", [2, 1]), ("next == 3", []),
            ("ANY others.title == 'treasure'", []), ("others.@count == 2", []), ("id == 3", []),
            ("before.@count > 0", []), ("@links.@count > 1", []), ("free.title == 'treasure'", []),
            ("title TEXT 'treasure'", []), ("rank >= 0", [2, 1]), ("list.title == 'treasure'", []),
        ])
    func probes(filter: String, expected: [Int64]) throws {
        let world = try TaskWorld()
        #expect(Self.keys(world, filter)?.sorted() == expected.sorted())
        let stream = world.server.follow(
            "\(Self.tasks)/changes?since=start&filter=\(Self.escaped(filter))", as: world.ann)
        let told = stream.events(to: "upToDate").flatMap { $0.json["objects"]?.elements ?? [] }
        #expect(told.compactMap { $0["id"]?.int }.sorted() == expected.sorted())
        #expect(told.allSatisfy { $0["object"]?["secret"] == nil })
    }

    @Test("names that are hidden everywhere are unknown")
    func names() throws {
        let world = try TaskWorld()
        for (hidden, strange) in [
            (
                "\(Self.tasks)/changes?filter=\(Self.escaped("secret == 'gold'"))",
                "\(Self.tasks)/changes?filter=\(Self.escaped("secrat == 'gold'"))"
            ),
            ("\(Self.tasks)/changes?fields=secret", "\(Self.tasks)/changes?fields=secrat"),
            ("/v1/classes/Record/changes", "/v1/classes/Recard/changes"),
            ("/v1/classes/Record/objects/1/changes", "/v1/classes/Recard/objects/1/changes"),
        ] {
            let (one, other) = (world.get(hidden), world.get(strange))
            #expect(one.status == other.status && one.status >= 400, "\(hidden): \(one.text)")
            #expect(
                one.text.replacing("secret", with: "secrat").replacing("Record", with: "Recard")
                    == other.text)
        }
    }

    @Test("nothing is told of changes of hidden objects and values, and what is told names none")
    func live() throws {
        let world = try TaskWorld()
        let server = world.server
        let stream = server.follow("\(Self.tasks)/changes?old=true", as: world.ann)
        let one = server.follow("\(Self.tasks)/objects/3/changes", as: world.ann)
        #expect(stream.nextEvent().name == "hello" && one.nextEvent().name == "hello")
        server.send("PATCH", "\(Self.tasks)/objects/3", #"{"title":"more"}"#)
        server.send("PATCH", "\(Self.tasks)/objects/1", #"{"secret":"more"}"#)
        server.send("PATCH", "\(Self.tasks)/objects/1", #"{"next":null}"#)
        server.send("DELETE", "\(Self.tasks)/objects/3")
        server.send("PUT", "\(Self.tasks)/objects/3", #"{"list":2,"title":"again"}"#)
        server.send("PATCH", "\(Self.tasks)/objects/1", #"{"secret":"most","title":"rolls"}"#)
        let told = stream.nextEvent()
        #expect(told.changes == ["update 1"], "\(told.data)")
        let change = told.json["changes"]?.elements.first
        #expect(change?["changed"]?.elements == [.string("title")])
        #expect(change?["old"]?.names == ["title"] && change?["object"]?["secret"] == nil)
        // It comes into sight, and goes out of it, by what it links to.
        server.send("PATCH", "/v1/classes/List/objects/2", #"{"members":["ann"]}"#)
        #expect(stream.nextEvent().changes == ["enter 3"])
        #expect(one.nextEvent().changes == ["enter 3"])
        server.send("PATCH", "/v1/classes/List/objects/2", #"{"members":[]}"#)
        #expect(stream.nextEvent().changes == ["leave 3"])
        #expect(one.nextEvent().changes == ["leave 3"])
    }

    @Test("a catch-up names no object that its user could not read")
    func catchUp() throws {
        let world = try TaskWorld()
        let server = world.server
        let cursor = QueryJSON(world.get("\(Self.tasks)/changes").text)?["cursor"]?.string ?? ""
        server.send("PATCH", "\(Self.tasks)/objects/3", #"{"title":"more"}"#)
        server.send("PATCH", "\(Self.tasks)/objects/2", #"{"title":"cream"}"#)
        let page = world.get("\(Self.tasks)/changes?since=\(cursor)")
        let changes = QueryJSON(page.text)?["changes"]?.elements ?? []
        #expect(changes.compactMap { $0["id"]?.int } == [2], "\(page.text)")
        // What the log keeps of it says that it could not be read.
        server.send("DELETE", "\(Self.tasks)/objects/3")
        let gone = world.get("\(Self.tasks)/changes?since=\(cursor)")
        let left = QueryJSON(gone.text)?["changes"]?.elements ?? []
        #expect(left.compactMap { $0["id"]?.int } == [2], "\(gone.text)")
        // Nor when its list was another, and of one that could the name is told.
        server.send("PUT", "\(Self.tasks)/objects/4", #"{"list":2,"title":"treasure"}"#)
        server.send("PATCH", "/v1/classes/List/objects/2", #"{"title":"more"}"#)
        server.send("DELETE", "/v1/classes/List/objects/2")
        server.send("DELETE", "\(Self.tasks)/objects/1")
        server.send("DELETE", "\(Self.tasks)/objects/4")
        let events = server.follow("\(Self.tasks)/changes", as: world.ann, from: cursor)
            .events(to: "upToDate")
        #expect(events.flatMap(\.changes).sorted() == ["delete 1", "update 2"], "\(events)")
    }

    @Test("a catch-up tells of a list with hidden links when what is shown of it has changed")
    func hiddenLinks() throws {
        let world = try TaskWorld()
        // The hidden one goes, comes back, and the shown one goes.
        for (list, isSeen) in [("[2]", false), ("[3,2]", false), ("[3]", true)] {
            let cursor = QueryJSON(world.get("\(Self.tasks)/changes").text)?["cursor"]?.string ?? ""
            world.server.send("PATCH", "\(Self.tasks)/objects/1", "{\"others\":\(list)}")
            let page = world.get("\(Self.tasks)/changes?since=\(cursor)").text
            let changes = QueryJSON(page)?["changes"]?.elements ?? []
            #expect(changes.compactMap { $0["id"]?.int } == (isSeen ? [1] : []), "\(page)")
            #expect(changes.allSatisfy { $0["changed"]?.elements == [.string("others")] })
        }
    }

    @Test("a page of many changes has a cursor that counts none that are hidden")
    func pages() throws {
        let world = try TaskWorld()
        let server = world.server
        var cursor = QueryJSON(world.get("\(Self.tasks)/changes").text)?["cursor"]?.string ?? ""
        let operations = (0..<9).map {
            #"{"op":"put","class":"Task","id":\#(100 + $0),"value":{"list":\#(1 + $0 % 2),"title":"a","rank":1}}"#
        }
        let done = server.send(
            "POST", "/v1/transactions", "{\"operations\":[\(operations.joined(separator: ","))]}")
        #expect(done.status == 200, "\(done.text)")
        var (keys, parts): ([Int64], Int) = ([], 0)
        for _ in 0..<20 {
            let page = QueryJSON(world.get("\(Self.tasks)/changes?limit=2&since=\(cursor)").text)
            keys += (page?["changes"]?.elements ?? []).compactMap { $0["id"]?.int }
            cursor = page?["cursor"]?.string ?? ""
            let pieces = cursor.split(separator: ".")
            if pieces.count > 1 {
                parts += 1
                #expect(pieces.count == 2 && pieces[1].count >= 70, "\(cursor)")
                #expect(
                    server.get("\(Self.tasks)/changes?since=\(cursor)", as: world.bob).status
                        == 410)
            }
            if page?["upToDate"]?.bool ?? true { break }
        }
        #expect(keys.sorted() == [100, 102, 104, 106, 108] && parts > 1, "\(keys)")
        let plain = cursor.split(separator: "_").first ?? ""
        for forged in ["\(plain).9.0.0_x", cursor.replacing("_", with: ".9.0.0_")] {
            #expect(world.get("\(Self.tasks)/changes?since=\(forged)").status >= 400, "\(forged)")
        }
    }

    @Test("what was deleted out of sight has left, as what stays there has")
    func deletedOutOfVisibility() throws {
        let world = try TaskWorld()
        let cursor = QueryJSON(world.get("\(Self.tasks)/changes").text)?["cursor"]?.string ?? ""
        world.server.send("PATCH", "\(Self.tasks)/objects/1", #"{"list":2}"#)
        world.server.send("DELETE", "\(Self.tasks)/objects/1")
        world.server.send("DELETE", "\(Self.tasks)/objects/2")
        let page = world.get("\(Self.tasks)/changes?since=\(cursor)")
        let changes = QueryJSON(page.text)?["changes"]?.elements ?? []
        let told = changes.map { "\($0["op"]?.string ?? "") \($0["id"]?.int ?? 0)" }
        #expect(Set(told) == ["leave 1", "delete 2"], "\(page.text)")
    }

    @Test(
        "the deletion of what links from mixed values and embedded objects lead to is not told where its class is never seen",
        arguments: [
            (#""any":{"$link":{"class":"Secret","id":"s"}}"#, ""),
            (#""e":{"sec":"s"}"#, ""), (#""sec":"s""#, ""),
            (#""sec":"s""#, #","Secret":{"create":true}"#),
            (#""e":{"sec":"s"}"#, #","Secret":{"create":true}"#),
            (#""any":{"$link":{"class":"Secret","id":"s"}}"#, #","Secret":{"read":"id == 'zz'"}"#),
        ])
    func deletedUnseen(link: String, rules: String) throws {
        let server = try RuledServer(classes: [])
        server.send(
            "PUT", "/v1/schema",
            """
            {"classes":[{"name":"Secret","primaryKey":"id","properties":{"id":"string"}},
              {"name":"E","kind":"embedded","properties":{"x":"int","sec":"Secret"}},
              {"name":"Doc","primaryKey":"id","properties":{"id":"int","any":"mixed","e":"E","sec":"Secret","n":"int[]"}}]}
            """)
        server.send("PUT", "/v1/classes/Secret/objects/s", "{}")
        server.send("PUT", "/v1/classes/Doc/objects/1", "{\(link)}")
        let document = #"{"roles":{"m":{"classes":{"Doc":{"read":true}\#(rules)}}}}"#
        #expect(server.send("PUT", "/v1/access", document).status == 200)
        let (ann, target) = (server.user("ann"), "/v1/classes/Doc/changes")
        let cursor = QueryJSON(server.get(target, as: ann).text)?["cursor"]?.string ?? ""
        #expect(server.send("DELETE", "/v1/classes/Secret/objects/s").status == 204)
        let page = server.get(target + "?since=\(cursor)", as: ann)
        #expect(QueryJSON(page.text)?["changes"]?.elements.isEmpty == true, "\(page.text)")
        let stream = server.follow(target, as: ann, from: cursor)
        #expect(stream.events(to: "upToDate").map(\.name) == ["hello", "upToDate"])
    }

    @Test("a cursor of somebody else, and a forged one, begin again")
    func cursors() throws {
        let world = try TaskWorld()
        let server = world.server
        func cursor(_ asker: RuledServer.Key) -> String {
            QueryJSON(server.get("\(Self.tasks)/changes", as: asker).text)?["cursor"]?.string
                ?? ""
        }
        let own = cursor(world.ann)
        let plain = cursor(.admin)
        #expect(own.hasPrefix(plain + "_"))
        // The own view at a version of which nobody was told: what came before may never have been seen.
        let dash = try #require(plain.lastIndex(of: "-"))
        let version = try #require(UInt64(plain[plain.index(after: dash)...]))
        let earlier = plain[...dash] + "\(version - 1)" + own.dropFirst(plain.count)
        for (cursor, asker) in [
            (String(earlier), world.ann),
            (plain, world.ann), (cursor(world.bob), world.ann), (own, .admin),
            (plain + "_0", world.ann),
        ] {
            let page = server.get("\(Self.tasks)/changes?since=\(cursor)", as: asker)
            #expect(page.status == 410 && QueryJSON(page.text)?["code"]?.string == "access-changed")
            let events = server.follow("\(Self.tasks)/changes", as: asker, from: cursor)
            #expect(events.nextEvent().name == "hello")
            let reset = events.nextEvent()
            #expect(reset.json["reason"]?.string == "access-changed", "\(reset)")
        }
        for text in [plain + "_", plain + "_" + "A", own + "x" + own, "now_1"] {
            #expect(world.get("\(Self.tasks)/changes?since=\(text)").status == 400)
        }
        let again = server.follow("\(Self.tasks)/changes", as: world.ann, from: own)
        #expect(again.events(to: "upToDate").map(\.name) == ["hello", "upToDate"])
    }

    @Test("a poll waits for what its user sees change")
    func poll() throws {
        let world = try TaskWorld()
        let cursor = QueryJSON(world.get("\(Self.tasks)/changes").text)?["cursor"]?.string ?? ""
        let waiting = world.server.poll("\(Self.tasks)/changes?since=\(cursor)", as: world.ann)
        for round in 0..<5 {
            world.server.send("PATCH", "\(Self.tasks)/objects/3", "{\"rank\":\(round)}")
        }
        world.server.send("PATCH", "\(Self.tasks)/objects/2", #"{"title":"cream"}"#)
        let changes = QueryJSON(waiting.finish().text)?["changes"]?.elements ?? []
        #expect(changes.compactMap { $0["id"]?.int } == [2])
    }

    @Test("a stream begins again when another document is set, as what follows it does")
    func document() throws {
        let world = try TaskWorld()
        let server = world.server
        let stream = server.follow("\(Self.tasks)/changes?since=start", as: world.ann)
        let cursor = stream.events(to: "upToDate").last?.id
        let document = TaskWorld.document.replacing(
            "\"list.owner == $user.id OR ANY list.members == $user.id\"", with: "\"rank == 1\"")
        #expect(server.send("PUT", "/v1/access", document).status == 200)
        server.send("PATCH", "\(Self.tasks)/objects/2", #"{"title":"cream"}"#)
        let next = stream.events(to: "upToDate")
        #expect(next.map(\.name) == ["reset", "snapshot", "upToDate"], "\(next)")
        #expect(next.first?.json["reason"]?.string == "access-changed")
        #expect(next[1].json["objects"]?.elements.compactMap { $0["id"]?.int } == [1])
        server.send("PATCH", "\(Self.tasks)/objects/1", #"{"title":"rolls"}"#)
        #expect(stream.nextEvent().changes == ["update 1"])
        let events = server.follow("\(Self.tasks)/changes", as: world.ann, from: cursor)
            .events(to: "upToDate")
        #expect(events.map(\.name) == ["hello", "reset", "snapshot", "upToDate"])
        #expect(events[1].json["reason"]?.string == "access-changed")
        let shown = events[2].json["objects"]?.elements.compactMap { $0["id"]?.int }
        #expect(shown == [1])
    }

    private static let document = """
        {"users":"Person","roles":{
          "first":{"classes":{"Task":{"read":"rank == 1"}}},
          "verified":{"when":"$user.object.verified == true","classes":{"Task":{"read":"rank > 0"}}}}}
        """

    private static let forms = [
        "classes/Task/changes?x", "classes/Task/objects/2/changes?x",
        "classes/Task/changes?sort=rank", "classes/Task/changes?expand=others",
        "classes/Task/changes?interval=50", "classes/Task/aggregate/changes?op=count",
        "classes/Task/sections/changes?by=title", "projections/Own/changes?x",
        "classes/Task/objects/2/properties/title/changes?x",
        "classes/Task/objects/2/properties/others/changes?x", "streams",
    ]

    /// The target of a stream of ann's.
    private static func target(_ form: String, _ world: TaskWorld) -> String {
        guard form == "streams" else {
            return "/v1/\(form)&since=start".replacing("?x&", with: "?")
        }
        let made = world.server.send(
            "POST", "/v1/streams",
            #"{"queries":{"all":{"class":"Task"},"top":{"class":"Task","sort":"-rank"}}}"#,
            as: world.ann)
        return "/v1/streams/\(QueryJSON(made.text)?["id"]?.string ?? "")?since=start"
    }

    /// A poll of ann's that waits for what comes next; nil where the form has none.
    private static func poll(
        _ form: String, _ target: String, _ world: TaskWorld
    ) -> HTTPClient? {
        guard form.hasSuffix("?x"), !form.contains("properties") else { return nil }
        let page = target.replacing("since=start", with: "since=now")
        let cursor = QueryJSON(world.get(page).text)?["cursor"]?.string ?? ""
        return world.server.poll(
            page.replacing("since=now", with: "since=\(cursor)"), as: world.ann)
    }

    @Test(
        "a stream of each form begins again when its user's object or the document decides otherwise, and a poll is answered",
        arguments: forms)
    func beneath(form: String) throws {
        let world = try TaskWorld()
        let server = world.server
        server.send(
            "PUT", "/v1/projections/Own",
            #"{"class":"Task","properties":{"id":"id","what":"title"}}"#)
        server.send("PATCH", "/v1/classes/Person/objects/ann", #"{"verified":true}"#)
        #expect(server.send("PUT", "/v1/access", Self.document).status == 200)
        let target = Self.target(form, world)
        func change(_ cause: Int) {
            if cause == 0 {
                server.send("PATCH", "/v1/classes/Person/objects/ann", #"{"verified":false}"#)
            } else {
                let other = Self.document.replacing("rank == 1", with: "rank == 2")
                #expect(server.send("PUT", "/v1/access", other).status == 200)
            }
        }
        for cause in 0..<2 {
            let stream = server.follow(target, as: world.ann)
            #expect(stream.status == 200, "\(target)")
            let begin = stream.nextEvent()
            #expect(begin.name == "hello")
            _ = stream.nextEvent()
            let poll = Self.poll(form, target, world)
            change(cause)
            var event = stream.nextEvent()
            if form.contains("aggregate") {
                // Of which each event is the whole.
                #expect(event.json["count"]?.int == 1, "\(event)")
                server.send(
                    "PATCH", "/v1/classes/Person/objects/ann", #"{"verified":true}"#)
                #expect(stream.nextEvent().json["count"]?.int == 2)
                return
            }
            for _ in 0..<10 where event.json["reason"]?.string != "access-changed" {
                event = stream.nextEvent()
            }
            #expect(event.name == "reset", "\(target), \(cause): \(event)")
            if let reply = poll?.finish() { #expect(reply.status == 410, "\(reply.text)") }
        }
    }

    @Test(
        "a stream of each form, and a poll, end when something else is claimed of their user, and when they are blocked",
        arguments: forms)
    func ended(form: String) throws {
        let world = try TaskWorld()
        let server = world.server
        server.send(
            "PUT", "/v1/projections/Own",
            #"{"class":"Task","properties":{"id":"id","what":"title"}}"#)
        for (method, cause, body) in [
            ("PATCH", "/v1/tokens/userann", #"{"claims":{"groups":["editor"]}}"#),
            ("PATCH", "/v1/tokens/userann", #"{"claims":{}}"#),
            ("PUT", "/v1/access/users/ann", #"{"blocked":true}"#),
        ] {
            let target = Self.target(form, world)
            let stream = server.follow(target, as: world.ann)
            #expect(stream.nextEvent().name == "hello", "\(target)")
            let poll = Self.poll(form, target, world)
            #expect(server.send(method, cause, body).status == 200)
            // What comes is of the former view, whichever that was.
            let events = stream.events(to: "error")
            #expect(events.last?.json["code"]?.string == "access-ended", "\(target)")
            let isEditor = body == #"{"claims":{}}"#
            #expect(isEditor || !events.contains { $0.data.contains("treasure") }, "\(events)")
            if let reply = poll?.finish() {
                #expect(reply.status >= 400 && !reply.text.contains("treasure"), "\(reply.text)")
            }
        }
        #expect(world.get("\(Self.tasks)/changes").status == 401)
    }

    @Test("a ticket is its user's, and opens what that may follow")
    func tickets() throws {
        let world = try TaskWorld()
        let server = world.server
        func ticket(_ url: String) -> String {
            let reply = server.send(
                "POST", "/v1/tickets", "{\"url\":\(quoted(url))}", as: world.ann)
            return QueryJSON(reply.text)?["ticket"]?.string ?? reply.text
        }
        let url = "\(Self.tasks)/changes?since=start"
        let stream = server.follow(url + "&ticket=\(ticket(url))", as: .nobody)
        let told = stream.events(to: "upToDate").flatMap { $0.json["objects"]?.elements ?? [] }
        #expect(told.compactMap { $0["id"]?.int }.sorted() == [1, 2])
        let refused = server.follow("/v1/changes?ticket=\(ticket("/v1/changes"))", as: .nobody)
        #expect(refused.status == 403)
    }
}
