import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// The access document beside changes of the schema, and what of it is refused.
@Suite("The access document and the schema")
struct AccessSchemaTests {
    private static let classes = [
        #"{"name":"Pub","primaryKey":"id","properties":{"id":"int","t":"string"}}"#,
        #"{"name":"Priv","primaryKey":"id","properties":{"id":"int","t":"string"}}"#,
        #"{"name":"D","primaryKey":"id","properties":{"id":"int","owner":{"type":"string","mapTo":"o"},"reviewer":"string","secret":"string?","n":"int"}}"#,
    ]

    private static func server(_ roles: String) throws -> RuledServer {
        let server = try RuledServer(classes: [])
        #expect(put(server, classes).status == 200)
        for (name, body) in [
            ("Pub", #"{"id":1,"t":"public"}"#), ("Priv", #"{"id":1,"t":"hidden"}"#),
            ("D", #"{"id":1,"owner":"ann","reviewer":"bob","secret":"s","n":1}"#),
        ] {
            #expect(server.send("POST", "/v1/classes/\(name)/objects", body).status == 201)
        }
        let set = server.send("PUT", "/v1/access", "{\"roles\":\(roles)}")
        #expect(set.status == 200, "\(set.text)")
        return server
    }

    private static func put(
        _ server: RuledServer, _ classes: [String], renames: String = "{}"
    ) -> HTTPClient.Reply {
        server.send(
            "PUT", "/v1/schema?allowDataLoss=true",
            "{\"classes\":[\(classes.joined(separator: ","))],\"renames\":\(renames)}")
    }

    @Test(
        "a name of the document never becomes another thing's",
        arguments: [
            (
                #"{"m":{"classes":{"Pub":{"read":true}}}}"#, [classes[0], classes[2]],
                #"{"Priv":"Pub"}"#
            ),
            (
                #"{"m":{"classes":{"Pub":{"read":true},"Priv":{"read":"t == $user.id"},"D":{"read":true}}}}"#,
                [classes[0], classes[2]], #"{"Priv":"Pub"}"#
            ),
            (
                #"{"m":{"classes":{"D":{"read":"owner == $user.id"}}}}"#,
                [
                    classes[0], classes[1],
                    #"{"name":"D","primaryKey":"id","properties":{"id":"int","owner":"string","secret":"string?","n":"int"}}"#,
                ], #"{"D.reviewer":"D.owner"}"#
            ),
            (
                #"{"m":{"classes":{"D":{"read":"o == $user.id"}}}}"#,
                [
                    classes[0], classes[1],
                    #"{"name":"D","primaryKey":"id","properties":{"id":"int","owner":"string","reviewer":{"type":"string","mapTo":"o"},"secret":"string?","n":"int"}}"#,
                ], "{}"
            ),
            (
                #"{"m":{"classes":{"D":{"read":true,"properties":{"secret":"none","reviewer":"read"}}}}}"#,
                [
                    classes[0], classes[1],
                    #"{"name":"D","primaryKey":"id","properties":{"id":"int","owner":"string","reviewer":"string?","n":"int"}}"#,
                ], #"{"D.secret":"D.reviewer"}"#
            ),
            // Under another type, too.
            (
                #"{"m":{"classes":{"D":{"read":"owner == 'ann'"}}}}"#,
                [
                    classes[0], classes[1],
                    #"{"name":"D","primaryKey":"id","properties":{"id":"int","owner":"mixed","secret":"string?","n":"int"}}"#,
                ], #"{"D.reviewer":"D.owner"}"#
            ),
            // Two names of one rule that change places.
            (
                #"{"m":{"classes":{"D":{"read":"o == 'ann' AND reviewer != 'ann'"}}}}"#,
                [
                    classes[0], classes[1],
                    #"{"name":"D","primaryKey":"id","properties":{"id":"int","owner":{"type":"string","mapTo":"reviewer"},"r":{"type":"string","mapTo":"o"},"secret":"string?","n":"int"}}"#,
                ], #"{"D.reviewer":"D.r"}"#
            ),
            // What was called so is called otherwise.
            (
                #"{"m":{"classes":{"D":{"read":"o == 'ann'"}}}}"#,
                [
                    classes[0], classes[1],
                    #"{"name":"D","primaryKey":"id","properties":{"id":"int","boss":"string","owner":{"type":"string","mapTo":"o"},"reviewer":"string","secret":"string?","n":"int"}}"#,
                ], #"{"D.owner":"D.boss"}"#
            ),
        ])
    func otherThing(roles: String, classes: [String], renames: String) throws {
        let server = try Self.server(roles)
        let before = server.send("GET", "/v1/access").text
        let reply = Self.put(server, classes, renames: renames)
        #expect(reply.status == 409 && reply.text.contains("access-in-use"), "\(reply.text)")
        #expect(server.send("GET", "/v1/access").text == before)
        #expect(
            !server.get("/v1/classes/Pub/objects", as: server.user("ann")).text.contains("hidden"))
    }

    @Test(
        "another key of users, of a link's class, or another property behind an inverse link is refused",
        arguments: [
            ("id", "key", "owner", #""read":"name == $user.object.name""#),
            ("id", "key", "owner", #""read":"link == $user.id""#),
            ("id", "key", "owner", #""read":"@links.T.link.name == 'ann'""#),
            ("key", "id", "other", #""read":"@links.T.owner.name == 'ann'""#),
            ("key", "id", "other", #""read":"back.name == 'ann'""#),
        ])
    func otherKey(key: String, other: String, linked: String, rules: String) throws {
        let server = try RuledServer(classes: [])
        func classes(_ key: String, _ first: String, _ second: String) -> [String] {
            [
                #"{"name":"T","primaryKey":"\#(key)","properties":{"id":"string","key":"string","name":"string","link":"T?","\#(first)":"T?","\#(second)":"T?","back":{"type":"linkingObjects","class":"T","property":"owner"}}}"#
            ]
        }
        let made = Self.put(server, classes(key, "owner", "other"))
        #expect(made.status == 200, "\(made.text)")
        let set = server.send(
            "PUT", "/v1/access", #"{"users":"T","roles":{"m":{"classes":{"T":{\#(rules)}}}}}"#)
        #expect(set.status == 200, "\(set.text)")
        let isSwapped = linked == "other"
        let reply = Self.put(
            server,
            isSwapped ? classes(key, "owner", "more") : classes(other, "owner", "other"),
            renames: isSwapped ? #"{"T.other":"T.owner"}"# : "{}")
        #expect(reply.status == 409 && reply.text.contains("access-in-use"), "\(reply.text)")
    }

    @Test(
        "renames with another type, and of what is counted and what holds embedded objects, are no other things"
    )
    func renamedApart() throws {
        let server = try RuledServer(classes: [])
        func classes(_ name: String, _ part: String, _ type: String) -> [String] {
            [
                #"{"name":"\#(name)","primaryKey":"id","properties":{"id":"int","\#(part)":"Part?","n":"\#(type)","next":"\#(name)?"}}"#,
                #"{"name":"Part","kind":"embedded","properties":{"size":"int","holder":{"type":"linkingObjects","class":"\#(name)","property":"\#(part)"}}}"#,
            ]
        }
        let made = Self.put(server, classes("T", "part", "int"))
        #expect(made.status == 200, "\(made.text)")
        let set = server.send(
            "PUT", "/v1/access",
            #"{"roles":{"m":{"classes":{"T":{"read":"next.@links.@count < 3 AND part.size < 9 AND part.holder.n < 5 AND @links.T.next.n < 7 AND n < 6"}}}}}"#
        )
        #expect(set.status == 200, "\(set.text)")
        let reply = Self.put(
            server, classes("U", "piece", "double"),
            renames: #"{"T":"U","T.part":"U.piece"}"#)
        #expect(reply.status == 200, "\(reply.text)")
        #expect(
            server.send("GET", "/v1/access").text.contains(
                "next.@links.@count < 3 AND piece.size < 9 AND piece.holder.n < 5 AND @links.U.next.n < 7"
            ))
    }

    @Test("renames, other types and new classes leave what the document says")
    func same() throws {
        let server = try Self.server(
            #"{"m":{"classes":{"*":{"read":true},"D":{"read":"o == $user.id AND n < 5 AND $user.id != 'x'","properties":{"secret":"none"}},"Priv":{}}}}"#
        )
        let reply = Self.put(
            server,
            [
                #"{"name":"Open","primaryKey":"id","properties":{"id":"int","t":"string"}}"#,
                #"{"name":"Closed","primaryKey":"id","properties":{"id":"int","t":"string"}}"#,
                #"{"name":"D","primaryKey":"id","properties":{"id":"int","who":{"type":"string","mapTo":"o"},"reviewer":"string","hush":"string?","n":"double"}}"#,
                #"{"name":"More","primaryKey":"id","properties":{"id":"int","t":"string"}}"#,
            ], renames: #"{"Pub":"Open","Priv":"Closed","D.owner":"D.who","D.secret":"D.hush"}"#)
        #expect(reply.status == 200, "\(reply.text)")
        let ann = server.user("ann")
        #expect(server.get("/v1/classes/Open/objects/1", as: ann).text.contains("public"))
        #expect(server.get("/v1/classes/Closed/objects/1", as: ann).status == 404)
        #expect(server.get("/v1/classes/More/objects", as: ann).status == 200)
        let own = server.get("/v1/classes/D/objects/1", as: ann)
        #expect(own.status == 200 && !own.text.contains("hush"), "\(own.text)")
    }

    @Test(
        "another name, a class that comes and a property that is not shown reset no stream of a user"
    )
    func streams() throws {
        let server = try RuledServer(classes: [])
        func put(
            _ other: String, _ more: String = "", _ last: [String] = [], renames: String = "{}"
        ) {
            let reply = Self.put(
                server,
                [
                    #"{"name":"Task","primaryKey":"id","properties":{"id":"int","owner":"string?","n":"int"\#(more)}}"#,
                    #"{"name":"\#(other)","primaryKey":"id","properties":{"id":"int","owner":"string?"}}"#,
                ] + last, renames: renames)
            #expect(reply.status == 200, "\(reply.text)")
        }
        put("Old")
        server.send("PUT", "/v1/projections/Card", #"{"class":"Task","properties":{"number":"n"}}"#)
        let set = server.send(
            "PUT", "/v1/access",
            #"{"roles":{"all":{"classes":{"*":{"read":"owner == $user.id"}}},"old":{"classes":{"Old":{"read":"id == 1"}}}}}"#
        )
        #expect(set.status == 200, "\(set.text)")
        server.send("PUT", "/v1/classes/Task/objects/1", #"{"owner":"ann"}"#)
        let ann = server.user("ann")
        let targets = [
            "/v1/classes/Task/changes?fields=id,n&", "/v1/projections/Card/changes?",
            "/v1/classes/Task/changes?keyPaths=n&fields=n&filter=n%20%3E%3D%200&",
            "/v1/classes/Task/changes?",
        ]
        let cursors = targets.map {
            QueryJSON(server.get($0 + "since=now", as: ann).text)?["cursor"]?.string ?? ""
        }
        let streams = targets.map { server.follow($0 + "since=now", as: ann) }
        for stream in streams { #expect(stream.nextEvent().name == "hello") }
        let more = [
            #"{"name":"More","primaryKey":"id","properties":{"id":"int","owner":"string?"}}"#
        ]
        var number = 0
        /// Makes a change that the streams of some targets report without a reset.
        func expectTold(_ targets: Range<Int>) {
            number += 1
            server.send("PATCH", "/v1/classes/Task/objects/1", "{\"n\":\(number)}")
            for index in targets {
                let events = streams[index].events(to: "change")
                #expect(!events.contains { $0.name == "reset" }, "\(number) \(index): \(events)")
            }
        }
        func status(_ index: Int) -> Int {
            server.get(targets[index] + "since=" + cursors[index], as: ann).status
        }
        expectTold(0..<4)
        put("New", renames: #"{"Old":"New"}"#)
        expectTold(0..<4)
        put("New", "", more)
        expectTold(0..<4)
        #expect((0..<4).map(status) == [200, 200, 200, 200])
        put("New", #","more":"int?""#, more)
        expectTold(0..<3)
        #expect((0..<4).map(status) == [200, 200, 200, 410])
        // The change before may have come in a catch-up, which ended with an event of its own.
        #expect(streams[3].events(to: "reset").last?.name == "reset")
    }

    /// A change of the schema below, and the streams of a user that it resets.
    struct Reset: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// The parts of ``streamClasses`` that are others, and what takes their place.
        var parts: [(String, String)]
        /// The streams that are reset, by their positions.
        var reset: Set<Int>
        /// The streams that are not valid any more.
        var ended: Set<Int> = []
        /// The streams that cannot be resumed, since the change log's values of what rules read cannot be read any more.
        var forgotten: Set<Int> = []
        var code = "schema-changed"
    }

    private static let streamClasses = [
        #"{"name":"Person","primaryKey":"id","properties":{"id":"string","team":"string?","extra":"string?"}}"#,
        #"{"name":"Team","primaryKey":"id","properties":{"id":"string","boss":"string","extra":"string?"}}"#,
        #"{"name":"Place","kind":"embedded","properties":{"city":"string","zip":"string","n":"int"}}"#,
        #"{"name":"Task","primaryKey":"id","properties":{"id":"int","owner":"string?","team":"Team?","n":"int","note":"string?","place":"Place?"}}"#,
    ]

    private static let streamTargets = [
        "/v1/classes/Task/changes?fields=id,n&", "/v1/classes/Task/changes?",
        "/v1/classes/Team/changes?fields=id&", "/v1/classes/Task/changes?fields=id,note&",
        "/v1/classes/Task/changes?fields=id,place.n&",
        "/v1/classes/Task/changes?fields=id&filter=n%20%3E%3D%200&",
        "/v1/classes/Task/objects/1/changes?fields=id,n&",
    ]

    @Test(
        "a property that changes resets the streams of a user that show it, and those whose rules read it",
        arguments: [
            Reset(
                testDescription: "a dropped property", parts: [(#","note":"string?""#, "")],
                reset: [1], ended: [3]),
            Reset(
                testDescription: "a dropped property that is not shown",
                parts: [(#""boss":"string","extra":"string?""#, #""boss":"string""#)], reset: []),
            Reset(
                testDescription: "a dropped property of the user's object that no rule reads",
                parts: [(#""team":"string?","extra":"string?""#, #""team":"string?""#)], reset: []),
            Reset(
                testDescription: "another type of what a rule reads behind a link",
                parts: [(#""boss":"string""#, #""boss":"mixed""#)], reset: [0, 1, 3, 4, 5, 6]),
            Reset(
                testDescription: "another type of what a rule reads of the object",
                parts: [(#""owner":"string?""#, #""owner":"mixed""#)], reset: [0, 1, 3, 4, 5, 6]),
            Reset(
                testDescription: "another type of what a rule reads of the user's object",
                parts: [(#""team":"string?""#, #""team":"string""#)],
                reset: [0, 1, 2, 3, 4, 5, 6], code: "access-changed"),
            Reset(
                testDescription: "another type of what is shown, or filtered by",
                parts: [(#""n":"int","note""#, #""n":"double","note""#)], reset: [0, 1, 5, 6]),
            Reset(
                testDescription:
                    "a dropped property of embedded objects of which a rule reads another one",
                parts: [(#""zip":"string","#, "")], reset: [1], forgotten: [0, 3, 4, 5]),
        ])
    func resets(change: Reset) throws {
        let server = try RuledServer(classes: [])
        #expect(Self.put(server, Self.streamClasses).status == 200)
        let set = server.send(
            "PUT", "/v1/access",
            """
            {"users":"Person","roles":{
              "own":{"classes":{"Task":{"read":"owner == $user.id"}}},
              "boss":{"classes":{"Task":{"read":"team.boss == $user.id"},"Team":{"read":"id == $user.object.team"}}},
              "near":{"classes":{"Task":{"read":"place.city == 'Rome'"}}}}}
            """)
        #expect(set.status == 200, "\(set.text)")
        func write(_ method: String, _ target: String, _ body: String? = nil) {
            let reply = server.send(method, "/v1/classes/" + target, body)
            #expect(reply.status < 300, "\(reply.text)")
        }
        write("PUT", "Person/objects/ann", #"{"team":"a"}"#)
        write("PUT", "Team/objects/a", #"{"boss":"ann"}"#)
        write("PUT", "Team/objects/b", #"{"boss":"bob"}"#)
        write("PUT", "Task/objects/1", #"{"owner":"ann","note":"x"}"#)
        write("PUT", "Task/objects/2", #"{"team":"a"}"#)
        write("PUT", "Task/objects/3", #"{"team":"b"}"#)
        write("PUT", "Task/objects/4", #"{"place":{"city":"Rome","zip":"z"}}"#)
        write("PUT", "Task/objects/5", #"{"place":{"city":"Ulm","zip":"z"}}"#)
        let ann = server.user("ann")
        let indices = Self.streamTargets.indices.filter { !change.ended.contains($0) }
        let cursors = Self.streamTargets.map {
            QueryJSON(server.get($0 + "since=now", as: ann).text)?["cursor"]?.string ?? ""
        }
        let streams = indices.map {
            server.follow(Self.streamTargets[$0] + "since=now", as: ann)
        }
        for stream in streams { #expect(stream.nextEvent().name == "hello") }
        // What comes into sight and goes out of it before the change, and what stays hidden.
        write("PATCH", "Task/objects/5", #"{"place":{"city":"Bonn","zip":"y"}}"#)
        write("PATCH", "Task/objects/4", #"{"place":{"city":"Ulm","zip":"y"}}"#)
        write("PATCH", "Task/objects/3", #"{"owner":"ann"}"#)
        write("PATCH", "Task/objects/2", #"{"team":"b"}"#)
        for (index, stream) in zip(indices, streams)
        where !Self.streamTargets[index].contains("/Team/")
            && !Self.streamTargets[index].contains("objects")
        {
            while let event = stream.next(), !event.changes.contains("leave 2") {}
        }
        let classes = change.parts.reduce(Self.streamClasses) { classes, part in
            classes.map { $0.replacing(part.0, with: part.1) }
        }
        #expect(classes != Self.streamClasses)
        let reply = Self.put(server, classes)
        #expect(reply.status == 200, "\(reply.text)")
        write("PATCH", "Task/objects/1", #"{"n":7}"#)
        write("PATCH", "Team/objects/a", #"{"boss":"ann"}"#)
        for (index, stream) in zip(indices, streams) {
            let target = Self.streamTargets[index]
            let page = server.get(target + "since=" + cursors[index], as: ann)
            if change.reset.contains(index) {
                #expect(
                    page.status == 410 && page.text.contains(change.code),
                    "\(target): \(page.text)")
                let reset = stream.events(to: "reset").last
                #expect(
                    reset?.data.contains(change.code) ?? false,
                    "\(target): \(reset.map { "\($0)" } ?? "")")
                continue
            }
            if change.forgotten.contains(index) {
                #expect(
                    page.status == 410 && page.text.contains("access-changed"),
                    "\(target): \(page.text)")
            } else {
                #expect(page.status == 200, "\(target): \(page.text)")
                let told = (QueryJSON(page.text)?["changes"]?.elements ?? []).map {
                    "\($0["op"]?.string ?? "") \($0["id"]?.int ?? 0)"
                }
                let expected =
                    target.contains("/Team/")
                    ? []
                    : target.contains("objects")
                        ? ["update 1"]
                        : ["leave 4", "update 3", "leave 2", "update 1"]
                #expect(told == expected, "\(target): \(page.text)")
            }
            if target.contains("/Team/") { continue }
            var events: [ChangesClient.Event] = []
            while !events.contains(where: { $0.changes.contains("update 1") }),
                let event = stream.next()
            {
                events.append(event)
            }
            #expect(events.filter { $0.name == "reset" } == [], "\(target)")
        }
        #expect(!server.get("/v1/classes/Task/objects", as: ann).text.contains("Bonn"))
    }

    @Test("an import of a whole store takes no schema in which the document does not hold")
    func imported() throws {
        let server = try RuledServer(classes: [])
        let rules = #"{"roles":{"r":{"classes":{"*":{"read":"owner == $user.id"}}}}}"#
        #expect(server.send("PUT", "/v1/access", rules).status == 200)
        let header =
            #"{"holdfast":1,"schema":{"revision":1,"classes":[{"name":"T","properties":{"owner":"string"}},{"name":"U","properties":{"n":"int"}}]},"projections":[]}"#
        let reply = server.send("POST", "/v1/import", header, type: "application/x-ndjson")
        #expect(reply.status == 409 && reply.text.contains("access-in-use"), "\(reply.text)")
        #expect(server.send("GET", "/v1/schema").text.contains(#""classes":[]"#))
    }

    @Test("a document is bounded by its rules, and so are its warnings; a right is stated once")
    func bounds() throws {
        let server = try Self.server(#"{"m":{"classes":{"D":{"read":true}}}}"#)
        func put(_ roles: String) -> HTTPClient.Reply {
            server.send("PUT", "/v1/access?dryRun=true", "{\"roles\":{\(roles)}}")
        }
        func many(_ count: Int, _ classes: String) -> String {
            (0..<count).map { "\"r\($0)\":{\"classes\":{\(classes)}}" }.joined(separator: ",")
        }
        let large = put(many(4_000, #""*":{"read":true}"#))
        #expect(large.status == 422 && large.text.contains("10000 are allowed"), "\(large.text)")
        let warned = put(many(300, #""D":{"read":"reviewer == $user.id"}"#))
        let warnings = QueryJSON(warned.text)?["warnings"]?.elements.count
        #expect(warned.status == 200 && warnings == 100, "\(warnings ?? 0)")
        let twice = put(
            #""m":{"classes":{"D":{"read":true,"properties":{"owner":"none","o":"read"}}}}"#)
        #expect(twice.status == 422 && twice.text.contains("right already"), "\(twice.text)")
    }

    @Test("explanations tell no right to what is hidden, nor to change a key")
    func explained() throws {
        let server = try Self.server(
            #"{"r":{"classes":{"D":{"read":true,"properties":{"secret":"none"}}}},"w":{"classes":{"D":{"update":true}}}}"#
        )
        let reply = server.send(
            "POST", "/v1/access/explain", #"{"user":"ann","class":"D","key":1}"#)
        let rights = QueryJSON(reply.text)?["properties"]
        #expect(
            rights?["secret"]?.string == "none" && rights?["n"]?.string == "write", "\(reply.text)")
        #expect(rights?["id"]?.string == "read")
    }

    @Test(
        "a document that does not hold behind a program's change of the schema allows users nothing, until it is set again"
    )
    func brokenByProgram() throws {
        let document = #"{"m":{"classes":{"D":{"read":"owner == $user.id"},"Pub":{"read":true}}}}"#
        let server = try Self.server(document)
        let ann = server.user("ann")
        let (own, all) = ("/v1/classes/D/objects/1", "/v1/classes/Pub/objects")
        #expect(server.get(own, as: ann).status == 200)
        // As the Swift library does it, which is above rules.
        try server.store.setSchema(
            [
                ObjectClass(
                    name: "D", primaryKey: "id",
                    properties: [Schemas.property("id", .int), Schemas.property("n", .int)]),
                ObjectClass(
                    name: "Pub", primaryKey: "id",
                    properties: [Schemas.property("id", .int), Schemas.property("t", .string)]),
            ], allowsDataLoss: true)
        for target in [own, all] {
            let refused = server.get(target, as: ann)
            #expect(refused.status == 404, "\(refused.text)")
            #expect(server.get(target, as: .admin).status == 200)
        }
        let shown = server.get("/v1/access", as: .admin)
        #expect(shown.status == 200 && shown.text.contains("owner"), "\(shown.text)")
        let set = server.send(
            "PUT", "/v1/access", #"{"roles":{"m":{"classes":{"D":{"read":"n == 1"}}}}}"#)
        #expect(set.status == 200, "\(set.text)")
        #expect(server.get(own, as: ann).status == 200)
    }
}
