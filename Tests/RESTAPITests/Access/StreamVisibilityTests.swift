import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// Streams of a user who comes to see what they did not, or knows no more what they followed.
@Suite("Streams of a user, and what comes into sight and goes")
struct StreamVisibilityTests {
    /// A class whose objects embedded ones link to, which are held by one that a rule hides.
    private static let held = [
        ("Tag", #"{"primaryKey":"id","properties":{"id":"int","name":"string?"}}"#),
        ("Mark", #"{"kind":"embedded","properties":{"tag":"Tag","note":"string?"}}"#),
        ("Frame", #"{"kind":"embedded","properties":{"marks":"Mark[]"}}"#),
        (
            "Page",
            #"{"primaryKey":"id","properties":{"id":"int","open":"bool","list":"List","frame":"Frame"}}"#
        ),
        (
            "Tag",
            #"{"primaryKey":"id","properties":{"id":"int","name":"string?","marks":{"type":"linkingObjects","class":"Mark","property":"tag"}}}"#
        ),
    ]

    @Test(
        "what embedded objects that link here hold is told of as what holds them comes and goes",
        arguments: [
            ("open == true", "Page/objects/1", #"{"open":true}"#, #"{"open":false}"#),
            (
                "ANY list.members == $user.id", "List/objects/2", #"{"members":["ann"]}"#,
                #"{"members":[]}"#
            ),
        ])
    func held(rule: String, target: String, shown: String, hidden: String) throws {
        let world = try TaskWorld()
        for (name, body) in Self.held {
            let reply = world.server.send("PUT", "/v1/schema/classes/\(name)", body)
            #expect(reply.status < 300, "\(name): \(reply.text)")
        }
        let document =
            "{\"users\":\"Person\",\"roles\":{\"member\":{\"classes\":{\"Tag\":{\"read\":true},\"Page\":{\"read\":\"\(rule)\"}}}}}"
        #expect(world.server.send("PUT", "/v1/access", document).status == 200)
        for (name, body) in [
            ("Tag/objects/1", #"{"name":"red"}"#),
            (
                "Page/objects/1",
                #"{"open":false,"list":2,"frame":{"marks":[{"tag":1,"note":"here"}]}}"#
            ),
        ] {
            #expect(world.server.send("PUT", "/v1/classes/\(name)", body).status == 201)
        }
        let counted = world.server.follow(
            "/v1/classes/Tag/changes?since=start&filter=marks.@count%20%3E%200", as: world.ann)
        let noted = world.server.follow(
            "/v1/classes/Tag/changes?since=start&filter=ANY%20marks.note%20==%20'here'",
            as: world.ann)
        let listed = world.server.follow(
            "/v1/classes/Tag/changes?since=start&fields=id,marks.note", as: world.ann)
        for stream in [counted, noted, listed] { _ = stream.events(to: "upToDate") }
        world.server.send("PATCH", "/v1/classes/\(target)", shown)
        #expect(counted.nextEvent().changes == ["enter 1"])
        #expect(noted.nextEvent().changes == ["enter 1"])
        let told = listed.nextEvent()
        #expect(told.changes == ["update 1"] && told.data.contains("here"), "\(told.data)")
        world.server.send("PATCH", "/v1/classes/\(target)", hidden)
        #expect(counted.nextEvent().changes == ["leave 1"])
        #expect(noted.nextEvent().changes == ["leave 1"])
        let last = listed.nextEvent()
        #expect(last.changes == ["update 1"] && !last.data.contains("here"), "\(last.data)")
    }

    @Test(
        "what its user no longer knows is reset, and ends with the fault of whoever asks for it",
        arguments: [
            "classes/Task/changes?since=start", "classes/Task/changes?since=start&sort=rank",
            "classes/Task/objects/1/changes?since=start",
            "classes/Task/objects/1/properties/title/changes",
            "classes/Task/aggregate/changes", "classes/Task/sections/changes?by=title",
            "projections/Short/changes?since=start",
        ])
    func unknown(target: String) throws {
        let world = try TaskWorld()
        let target = "/v1/" + target
        let stream = world.server.follow(target, as: world.ann)
        #expect(stream.nextEvent().name == "hello")
        world.server.send("PUT", "/v1/access", #"{"users":"Person","roles":{}}"#)
        let last = stream.events(to: "error").suffix(2)
        #expect(last.first?.name == "reset", "\(last)")
        #expect(last.first?.json["reason"]?.string == "access-changed", "\(last)")
        let code = try #require(last.last?.json["code"]?.string, "\(last)")
        #expect(stream.next() == nil)
        let again = world.get(target, [("Accept", "text/event-stream")])
        #expect(again.status >= 400 && again.text.contains(code), "\(code): \(again.text)")
    }

    @Test("a user's stream has ids that are a minVersion, and a version is no cursor of theirs")
    func idsAndVersions() throws {
        let world = try TaskWorld()
        let path = "/v1/classes/Task/"
        let id = try #require(
            world.server.follow(path + "changes?since=start", as: world.ann)
                .events(to: "upToDate").last?.id)
        #expect(id.contains("_"))
        let read = world.get(path + "objects?minVersion=\(id)")
        #expect(read.status == 200, "\(read.text)")
        let version = try #require(read.headers["holdfast-version"])
        let all = world.server.get(
            path + "changes?since=\(version)", as: .admin, [("Accept", "application/json")])
        #expect(all.status == 200, "\(all.text)")
        let own = world.get(path + "changes?since=\(version)", [("Accept", "application/json")])
        #expect(own.status == 410 && own.text.contains("access-changed"), "\(own.text)")
        #expect(own.text.contains("not a user's cursor") && own.text.contains("since=start"))
    }

    /// What is asked for behind a cursor, a change of what is seen behind a link, and the objects that are told of.
    private static let visibilities = [
        ("Task/changes?keyPaths=title", "List/objects/2", #"{"members":["ann"]}"#, ["3"]),
        (
            "Task/changes?keyPaths=title&fields=id,next.title", "List/objects/2",
            #"{"members":["ann"]}"#, ["3"]
        ),
        ("Task/changes?keyPaths=next", "List/objects/2", #"{"members":["ann"]}"#, ["1", "3"]),
        ("List/changes", "Person/objects/ann", #"{"name":"Kim"}"#, []),
        ("List/changes?fields=owner", "Person/objects/ann", #"{"name":"Kim"}"#, []),
        ("List/changes?fields=owner.name", "Person/objects/ann", #"{"name":"Kim"}"#, ["1"]),
    ]

    @Test(
        "what comes into sight behind a link is a change where it is shown, and counts",
        arguments: visibilities)
    func behindLink(target: String, object: String, change: String, told: [String]) throws {
        let world = try TaskWorld()
        let document = TaskWorld.document.replacing(
            #""Person":{"read":"id == $user.id"}"#,
            with: #""Person":{"read":true,"properties":{"name":"none"}}"#
        ).replacing(
            #""editor":"#,
            with: #""known":{"classes":{"Person":{"read":"name == 'Kim'"}}},"editor":"#)
        #expect(world.server.send("PUT", "/v1/access", document).status == 200)
        let path = "/v1/classes/" + target + (target.contains("?") ? "&" : "?") + "since="
        let cursor = try #require(QueryJSON(world.get(path + "now").text)?["cursor"]?.string)
        let stream = world.server.follow(path + cursor, as: world.ann)
        _ = stream.events(to: "upToDate")
        #expect(world.server.send("PATCH", "/v1/classes/" + object, change).status == 200)
        let page = world.get(path + cursor)
        let changes = QueryJSON(page.text)?["changes"]?.elements ?? []
        #expect(changes.compactMap { $0["id"]?.text }.sorted() == told, "\(page.text)")
        world.server.send("PUT", "/v1/classes/List/objects/9", #"{"owner":"ann","title":"last"}"#)
        world.server.send("PUT", "/v1/classes/Task/objects/9", #"{"list":9,"title":"last"}"#)
        var live: [String] = []
        repeat { live += stream.nextEvent().changes } while !live.contains("enter 9")
        #expect(live.filter { $0 != "enter 9" }.map { String($0.suffix(1)) }.sorted() == told)
    }

    /// What hides the secrets of tasks up to a rank.
    private static let secretBelow =
        #"{"roles":{"low":{"classes":{"Task":{"read":true,"properties":{"secret":"none"}}}},"high":{"classes":{"Task":{"read":"rank > 5"}}}}}"#

    @Test(
        "a value that becomes hidden is told to be, also where it is null",
        arguments: [
            "projections/Whole", "classes/Task", "classes/Task?fields=id,secret&keyPaths=secret",
        ],
        ["null", "\"gold\""])
    func hiddenValue(target: String, value: String) throws {
        let world = try TaskWorld()
        let server = world.server
        #expect(server.send("PUT", "/v1/access", Self.secretBelow).status == 200)
        server.send("PATCH", "/v1/classes/Task/objects/2", "{\"rank\":9,\"secret\":\(value)}")
        let parts = target.split(separator: "?")
        let path = "/v1/\(parts[0])/changes?\(parts.count > 1 ? parts[1] + "&" : "")since="
        let known = server.follow(path + "start", as: world.ann)
        let cursor = try #require(known.events(to: "upToDate").last?.id)
        server.send("PATCH", "/v1/classes/Task/objects/2", #"{"rank":0}"#)
        let live = known.nextEvent().json["changes"]?.elements.first
        let page = QueryJSON(world.get(path + cursor).text)?["changes"]?.elements.first
        for change in [live, page] {
            let object = change?["object"]
            #expect(
                object != nil && object?["secret"] == nil && object?["hint"] == nil,
                "\(change as Any)")
        }
    }

    @Test(
        "a property is told to be gone where another object comes under the key that hides it",
        arguments: [0, 9])
    func otherUnderKey(rank: Int) throws {
        let world = try TaskWorld()
        let server = world.server
        #expect(server.send("PUT", "/v1/access", Self.secretBelow).status == 200)
        server.send("PATCH", "/v1/classes/Task/objects/1", #"{"rank":9}"#)
        let stream = server.follow(
            "/v1/classes/Task/objects/1/properties/secret/changes?since=start", as: world.ann)
        #expect(stream.events(to: "upToDate").contains { $0.data.contains("treasure") })
        let steps = [
            #"{"op":"delete","class":"Task","id":1}"#,
            #"{"op":"create","class":"Task","id":1,"value":{"title":"new","rank":\#(rank),"secret":"new"}}"#,
        ]
        let reply = server.send(
            "POST", "/v1/transactions", "{\"operations\":[\(steps.joined(separator: ","))]}")
        #expect(reply.status == 200, "\(reply.text)")
        let first = stream.nextEvent().json
        #expect(first["op"]?.string == (rank == 0 ? "delete" : "enter"), "\(first)")
        server.send("PATCH", "/v1/classes/Task/objects/1", #"{"rank":8,"secret":"last"}"#)
        let last = stream.nextEvent().json
        #expect(last["op"]?.string == (rank == 0 ? "enter" : "update"), "\(last)")
        #expect(last["value"]?.string == "last", "\(last)")
    }

    @Test(
        "one of several queries that is looked up again under another schema names nothing that went before the stream's id",
        arguments: [false, true])
    func behindID(byNewQuery: Bool) throws {
        let world = try TaskWorld()
        let server = world.server
        let body =
            #"{"queries":{"top":{"class":"Task","filter":"rank > 5"},"lists":{"class":"List"}}}"#
        let made = QueryJSON(server.send("POST", "/v1/streams", body, as: world.ann).text)
        let target = "/v1/streams/\(made?["id"]?.string ?? "")"
        let stream = server.follow(target + "?since=start", as: world.ann)
        var told: [ChangesClient.Event] = []
        while told.count(where: { $0.name == "upToDate" }) < 2 { told.append(stream.nextEvent()) }
        // Ann sees it, and it is in no result.
        #expect(server.send("DELETE", "/v1/classes/Task/objects/2").status == 204)
        if byNewQuery {
            let more = #"{"queries":{"people":{"class":"Person"}}}"#
            #expect(server.send("PATCH", target, more, as: world.ann).status == 200)
            #expect(stream.events(to: "upToDate").last?.id != nil)
        } else {
            server.send("PATCH", "/v1/classes/List/objects/1", #"{"title":"one"}"#)
            let first = stream.nextEvent()
            #expect(first.changes == ["update 1"] && first.id != nil, "\(first)")
        }
        // Another schema, which leaves ann what she has.
        let added = server.send(
            "PUT", "/v1/schema/classes/Extra", #"{"properties":{"n":"int"}}"#)
        #expect(added.status == 201, "\(added.text)")
        server.send("PATCH", "/v1/classes/List/objects/1", #"{"title":"two"}"#)
        told = []
        repeat { told.append(stream.nextEvent()) } while told.last?.data.contains("two") == false
        #expect(told.flatMap(\.changes) == ["update 1"], "\(told)")
    }

    @Test(
        "a catch-up that takes more memory than a query may begins again with a snapshot",
        arguments: [64 << 10, 256 << 20])
    func tooMuchToJudge(memoryByteCountMax: Int) throws {
        let world = try TaskWorld { $0.limits.queryMemoryByteCountMax = memoryByteCountMax }
        func set(_ members: [String], of lists: ClosedRange<Int>) {
            let steps = lists.map {
                #"{"op":"patch","class":"List","id":\#($0),"value":{"members":\#(members)}}"#
            }
            let reply = world.server.send(
                "POST", "/v1/transactions", "{\"operations\":[\(steps.joined(separator: ","))]}")
            #expect(reply.status == 200, "\(reply.text)")
        }
        let lists = 11...30
        for list in lists {
            world.server.send("PUT", "/v1/classes/List/objects/\(list)", #"{"owner":"bob"}"#)
            world.server.send("PUT", "/v1/classes/Task/objects/\(list)", #"{"list":\#(list)}"#)
        }
        let many = Array(repeating: "bob", count: 1000)
        set(many + ["ann"], of: lists)
        let target = "/v1/classes/Task/changes?fields=id&since="
        let known = world.server.follow(target + "start", as: world.ann).events(to: "upToDate")
        let cursor = try #require(known.last?.id)
        let list = world.server.follow(
            "/v1/classes/Task/changes?sort=id&fields=id", as: world.ann)
        _ = list.events(to: "upToDate")
        set(many, of: lists)
        let told = list.nextEvent()
        #expect(["reset", "change"].contains(told.name), "\(told)")
        let page = world.get(target + cursor)
        let poll = world.get(target + cursor, [("Prefer", "wait=5")])
        let again = world.server.follow(target + cursor, as: world.ann).events(to: "upToDate")
        if memoryByteCountMax > 1 << 20 {
            #expect(page.status == 200 && poll.status == 200, "\(page.text) \(poll.text)")
            let left = again.flatMap(\.changes).sorted()
            #expect(left == lists.map { "leave \($0)" }, "\(again)")
            return
        }
        for reply in [page, poll] {
            #expect(reply.status == 410 && reply.text.contains("access-changed"), "\(reply.text)")
        }
        let reset = again.first { $0.name == "reset" }
        #expect(reset?.json["reason"]?.string == "fell-behind", "\(again)")
        let shown = again.filter { $0.name == "snapshot" }
            .flatMap { $0.json["objects"]?.elements.compactMap { $0["id"]?.int } ?? [] }
        #expect(shown.sorted() == [1, 2], "\(again)")
    }
}
