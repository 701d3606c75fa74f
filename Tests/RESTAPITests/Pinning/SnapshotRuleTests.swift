import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// What a user reads of a version that is pinned while the schema, and the rules with it, become others.
@Suite("Snapshots of users, and changes of the schema")
struct SnapshotRuleTests {
    private static let classes = """
        {"name":"Doc","primaryKey":"id","properties":{"id":"int","owner":"string","salary":"int?","note":"string?"}},
        {"name":"Pub","primaryKey":"id","properties":{"id":"int","text":"string"}},
        {"name":"Secret","primaryKey":"id","properties":{"id":"int","text":"string"}}
        """
    private static let document = """
        {"roles":{"m":{"classes":{"*":{"read":true},"Doc":{"read":"owner == $user.id","properties":{"salary":"none"}},"Secret":{}}}}}
        """

    private let server: RuledServer
    private let ann: RuledServer.Key
    /// The snapshot that ann has.
    private let snapshot: String

    init() throws {
        server = try RuledServer(classes: [])
        ann = server.user("ann")
        for (method, target, body) in [
            ("PUT", "schema", "{\"classes\":[\(Self.classes)]}"),
            (
                "POST", "classes/Doc/objects",
                #"[{"id":1,"owner":"ann","salary":9,"note":"a"},{"id":2,"owner":"bob","note":"b"}]"#
            ),
            ("POST", "classes/Pub/objects", #"{"id":1,"text":"public"}"#),
            ("POST", "classes/Secret/objects", #"{"id":1,"text":"hidden"}"#),
            ("PUT", "access", Self.document),
        ] {
            let reply = server.send(method, "/v1/\(target)", body)
            #expect(reply.status < 300, "\(reply.text)")
        }
        let made = server.get("/v1/classes/Doc/objects?snapshot=new", as: ann)
        snapshot = try #require(made.headers["holdfast-snapshot"], "\(made.text)")
    }

    private func pinned(_ target: String) -> HTTPClient.Reply {
        server.get("/v1/classes/\(target)?snapshot=\(snapshot)", as: ann)
    }

    /// Gives the store another schema.
    private func set(_ classes: String, renames: String = "{}") {
        let reply = server.send(
            "PUT", "/v1/schema?allowDataLoss=true",
            "{\"classes\":[\(classes)],\"renames\":\(renames)}")
        #expect(reply.status == 200, "\(reply.text)")
    }

    @Test(
        "show what the rules say of the same classes and properties, whatever they are called by now"
    )
    func renamed() throws {
        set(
            """
            {"name":"Paper","primaryKey":"id","properties":{"id":"int","who":"string","pay":"int?","note":"string?"}},
            {"name":"Open","primaryKey":"id","properties":{"id":"int","text":"string"}},
            {"name":"Closed","primaryKey":"id","properties":{"id":"int","text":"string"}},
            {"name":"New","primaryKey":"id","properties":{"id":"int"}}
            """,
            renames:
                #"{"Doc":"Paper","Doc.owner":"Paper.who","Doc.salary":"Paper.pay","Pub":"Open","Secret":"Closed"}"#
        )
        let rules =
            #"{"roles":{"m":{"classes":{"*":{"read":true},"Paper":{"read":"who == $user.id","properties":{"pay":"none"}},"Closed":{"create":true},"New":{"read":"id > 1"}}}}}"#
        #expect(server.send("PUT", "/v1/access", rules).status == 200)
        let own = pinned("Doc/objects")
        #expect(own.text.contains(#"{"id":1,"owner":"ann","note":"a"}"#), "\(own.text)")
        #expect(!own.text.contains("bob") && !own.text.contains("salary"))
        #expect(pinned("Pub/objects/1").text.contains("public"))
        // Who may make objects of a class knows its name, but nothing is made in a version that was.
        #expect(server.get("/v1/classes/Closed/objects", as: ann).status == 200)
        #expect(pinned("Secret/objects/1").text.contains("unknown-class"))
    }

    @Test("show nothing of what has gone since, of which no rule says anything")
    func dropped() throws {
        func put(_ more: String) {
            let rules =
                "{\"roles\":{\"m\":{\"classes\":{\"*\":{\"read\":true},\"Doc\":{\"read\":\"owner == $user.id\"}}}\(more)}}"
            #expect(server.send("PUT", "/v1/access", rules).status == 200)
        }
        put("")
        set(
            #"{"name":"Doc","primaryKey":"id","properties":{"id":"int","owner":"string","note":"string?"}},{"name":"Pub","primaryKey":"id","properties":{"id":"int","text":"string"}}"#
        )
        put(#","none":{"classes":{}}"#)
        let own = pinned("Doc/objects/1")
        #expect(own.text == #"{"id":1,"owner":"ann","note":"a"}"#, "\(own.text)")
        #expect(pinned("Pub/objects/1").status == 200)
        #expect(pinned("Secret/objects/1").text.contains("unknown-class"))
    }

    @Test("don't end for rights to write, and say the same whatever was asked before")
    func written() throws {
        let rules = Self.document.replacing(
            #""Secret":{}"#, with: #""Secret":{},"Pub":{"read":true,"create":true,"update":true}"#)
        #expect(server.send("PUT", "/v1/access", rules).status == 200)
        #expect(pinned("Pub/objects/1").text == #"{"id":1,"text":"public"}"#)
        set(
            Self.classes.replacing(
                #"{"name":"Pub","primaryKey":"id","properties":{"id":"int","text":"string"}}"#,
                with: #"{"name":"Pub","primaryKey":"id","properties":{"id":"int"}}"#))
        for _ in 0..<2 {
            #expect(pinned("Pub/objects/1").text == #"{"id":1}"#)
            #expect(server.get("/v1/classes/Pub/objects/1", as: ann).status == 200)
        }
    }

    @Test("end where a name is another thing's by now, or a rule reads what was not there")
    func otherNames() throws {
        set(
            Self.classes.replacing(#","note":"string?""#, with: "").replacing(
                #""salary":"int?""#, with: #""note":"int?""#),
            renames: #"{"Doc.salary":"Doc.note"}"#)
        #expect(server.get("/v1/classes/Pub/objects/1", as: ann).status == 200)
        for target in ["Doc/objects/1", "Pub/objects/1"] {
            let reply = pinned(target)
            #expect(reply.status == 410 && reply.text.contains("snapshot-ended"), "\(reply.text)")
        }
    }

    @Test("end where a rule reads what was not there")
    func laterRule() throws {
        set(Self.classes.replacing(#""note":"#, with: #""shared":"bool","note":"#))
        #expect(pinned("Doc/objects/1").status == 200)
        let rules = Self.document.replacing("owner == $user.id", with: "shared == true")
        #expect(server.send("PUT", "/v1/access", rules).status == 200)
        let reply = pinned("Doc/objects/1")
        #expect(reply.status == 410 && reply.text.contains("snapshot-ended"), "\(reply.text)")
        #expect(server.get("/v1/classes/Doc/objects/1", as: ann).status == 404)
    }
}
