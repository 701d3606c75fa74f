import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// Changes of the schema that make a rule impossible, or a link lead to an unknown class: the new schema reads and shows less than the
/// former one, and a stream has to begin again although it depends on no changed part any more.
@Suite("Changes of the schema that take something out of a user's view")
struct LostVisibilityTests {
    private static let classes = [
        #"{"name":"Person","primaryKey":"id","properties":{"id":"string"}}"#,
        #"{"name":"Box","primaryKey":"id","properties":{"id":"int","owner":"string?"}}"#,
        #"{"name":"Safe","primaryKey":"id","properties":{"id":"int"}}"#,
        #"{"name":"Entry","kind":"embedded","properties":{"x":"int?","user":"string?"}}"#,
        #"{"name":"Item","primaryKey":"id","properties":{"id":"int","owner":"string?","entries":"Entry[]","box":"Box?","title":"string?"}}"#,
    ]
    private static let access = """
        {"users":"Person","roles":{
          "member":{"classes":{"Person":{"read":"id == $user.id"},"Box":{"read":"owner == $user.id"},
            "Item":{"read":"owner == $user.id OR ANY entries.user == $user.id"}}},
          "all":{"classes":{"Item":{"read":"title == 'x'"}}}}}
        """

    struct Change: CustomTestStringConvertible {
        let testDescription: String
        let from: String
        let to: String
        let code: String
        /// Whether a stream that shows the title alone begins again, too.
        let resetsTitles: Bool
    }

    @Test(
        "streams begin again, and hold what their user reads then",
        arguments: [
            Change(
                testDescription: "a rule compares a text of the user with ints now",
                from: #""user":"string?""#, to: #""user":"int""#, code: "access-changed",
                resetsTitles: true),
            Change(
                testDescription: "the rule of the class that a link leads to does so",
                from: #""id":"int","owner":"string?"}"#, to: #""id":"int","owner":"int"}"#,
                code: "access-changed", resetsTitles: true),
            Change(
                testDescription: "a link leads to a class that the user does not know",
                from: #""box":"Box?""#, to: #""box":"Safe?""#, code: "schema-changed",
                resetsTitles: false),
        ])
    func lost(change: Change) throws {
        let server = try RuledServer(classes: [])
        func put(_ classes: [String]) {
            let reply = server.send(
                "PUT", "/v1/schema?allowDataLoss=true",
                "{\"classes\":[\(classes.joined(separator: ","))]}")
            #expect(reply.status == 200, "\(reply.text)")
        }
        put(Self.classes)
        for (path, body) in [
            ("Person/objects", #"{"id":"ann"}"#), ("Box/objects", #"{"id":1,"owner":"ann"}"#),
            (
                "Item/objects",
                #"[{"id":1,"owner":"ann","box":1},{"id":2,"entries":[{"user":"ann"}]},{"id":3,"title":"x"}]"#
            ),
        ] {
            #expect(server.send("POST", "/v1/classes/" + path, body).status == 201)
        }
        #expect(server.send("PUT", "/v1/access", Self.access).status == 200)
        let ann = server.user("ann")
        let targets = ["", "fields=title&"].map { "/v1/classes/Item/changes?" + $0 }
        let cursors = targets.map {
            QueryJSON(server.get($0 + "since=now", as: ann).text)?["cursor"]?.string ?? ""
        }
        let streams = targets.map { server.follow($0 + "since=now", as: ann) }
        for stream in streams { #expect(stream.nextEvent().name == "hello") }
        let after = Self.classes.map { $0.replacing(change.from, with: change.to) }
        #expect(after != Self.classes)
        put(after)
        for (index, isReset) in [true, change.resetsTitles].enumerated() {
            let page = server.get(targets[index] + "since=" + cursors[index], as: ann)
            if isReset {
                #expect(page.status == 410 && page.text.contains(change.code), "\(page.text)")
                let reset = streams[index].events(to: "reset").last
                #expect(reset?.data.contains(change.code) ?? false)
                let snapshot = streams[index].events(to: "snapshot").last
                let shown = server.get(
                    targets[index].replacing("changes", with: "objects"), as: ann)
                #expect(
                    snapshot?.json["objects"]?.elements.map { $0["object"] }
                        == QueryJSON(shown.text)?["objects"]?.elements)
            } else {
                #expect(page.status == 200, "\(page.text)")
            }
        }
    }

    @Test("a stream of one object ends when keys have another type")
    func keys() throws {
        let server = try RuledServer(classes: [])
        func put(_ type: String) {
            let reply = server.send(
                "PUT", "/v1/schema?allowDataLoss=true",
                #"{"classes":[{"name":"Item","primaryKey":"id","properties":{"id":"\#(type)"}}]}"#)
            #expect(reply.status == 200, "\(reply.text)")
        }
        put("int")
        #expect(server.send("POST", "/v1/classes/Item/objects", #"{"id":8}"#).status == 201)
        let stream = server.follow("/v1/classes/Item/objects/8/changes", as: .admin)
        #expect(stream.nextEvent().name == "hello")
        put("string")
        let end = stream.events(to: "error").last
        #expect(end?.data.contains("wrong-key-type") ?? false)
    }

    @Test("a 412 within a transaction has no tag of a version that never is")
    func tags() throws {
        let server = try RuledServer(classes: [])
        let put = server.send(
            "PUT", "/v1/schema", "{\"classes\":[\(Self.classes.joined(separator: ","))]}")
        #expect(put.status == 200)
        let made = server.send("POST", "/v1/classes/Safe/objects", #"{"id":1}"#)
        let box = server.send("POST", "/v1/classes/Box/objects", #"{"id":1,"owner":"ann"}"#)
        #expect(made.status == 201 && box.status == 201)
        let stale = (made.headers["etag"] ?? "").filter { $0 != "\"" }
        func send(_ first: String) -> HTTPClient.Reply {
            server.send(
                "POST", "/v1/transactions",
                "{\"operations\":[\(first){\"op\":\"patch\",\"class\":\"Box\",\"id\":1,\"ifMatch\":\"\(stale)\",\"value\":{}}]}"
            )
        }
        let plain = send("")
        #expect(plain.status == 412 && plain.text.contains(#""owner":"ann""#), "\(plain.text)")
        let changed = send(
            #"{"op":"patch","class":"Box","id":1,"value":{"owner":"bob"}},"#)
        #expect(changed.status == 412 && !changed.text.contains("current\""), "\(changed.text)")
        #expect(changed.headers["etag"] == nil)
    }
}
