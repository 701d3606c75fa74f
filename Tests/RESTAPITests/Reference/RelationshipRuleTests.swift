import HoldfastObjectModel
import HoldfastObjectSupport
import Testing
import HoldfastTestSupport

/// The rules of the reference's sections on relationships, over HTTP. Links in `mixed` have their tests
/// beside its own.
@Suite("Relationships of the reference")
struct RelationshipRuleTests {
    let server: TestServer

    private static let schema = #"""
        {"classes":[
          {"name":"User","primaryKey":"id","properties":{
            "id":"string","best":"User?","follows":"User[]","knows":"User<>","roles":"User{}",
            "card":"Card?","cards":"Card[]","wallets":"Card{}",
            "bestOf":{"type":"linkingObjects","class":"User","property":"best"},
            "followers":{"type":"linkingObjects","class":"User","property":"follows"},
            "knownBy":{"type":"linkingObjects","class":"User","property":"knows"},
            "rolesOf":{"type":"linkingObjects","class":"User","property":"roles"},
            "guaranteed":{"type":"linkingObjects","class":"Card","property":"guarantor"}}},
          {"name":"Card","kind":"embedded","properties":{
            "number":"int","guarantor":"User?","spare":"Card?"}}]}
        """#

    private let users = "/v1/classes/User/objects"

    init() throws {
        server = try TestServer(.lmdb, schema: Schema())
        APIScenario("PUT", "/v1/schema", Self.schema, status: 200).check(on: server)
    }

    private func get(_ id: String, _ fields: String, _ texts: String...) {
        APIScenario("GET", users + "/\(id)?fields=\(fields)", status: 200, contains: texts).check(
            on: server)
    }

    /// Checks whose cards name a user as their guarantor, an owner for each card.
    private func guarantees(_ id: String, of owners: [String]) {
        let reply = server.send("GET", users + "/\(id)?fields=guaranteed")
        let found = reply.text.matches(of: /"\$owner":{"\$link":{"class":"User","id":"([a-z]+)"}}/)
        #expect(found.map { String($0.1) } == owners, "\(reply.text)")
    }

    @Test("an object links to itself, by every shape, and finds itself")
    func selfLinks() throws {
        APIScenario(
            "PUT", users + "/a",
            #"{"best":"a","follows":["a","a"],"knows":["a"],"roles":{"me":"a"},"card":{"number":1,"guarantor":"a"}}"#,
            status: 201
        ).check(on: server)
        get(
            "a", "bestOf,followers,knownBy,rolesOf", #""bestOf":["a"]"#, #""knownBy":["a"]"#,
            #""rolesOf":["a"]"#)
        guarantees("a", of: ["a"])
        APIScenario("DELETE", users + "/a", status: 204).check(on: server)
        #expect(try server.store.findings() == [])
    }

    @Test("objects link in circles, made in one request and undone by deletions")
    func cycles() throws {
        APIScenario(
            "POST", users,
            #"[{"id":"a","best":"b","follows":["c"]},{"id":"b","best":"c","knows":["a","b"]},{"id":"c","best":"a","roles":{"x":"a"}}]"#,
            status: 201
        ).check(on: server)
        get("a", "bestOf,knownBy,rolesOf", #""bestOf":["c"]"#, #""knownBy":["b"]"#)
        APIScenario("DELETE", users + "/a", status: 204).check(on: server)
        get("b", "best,knows,bestOf", #""best":"c""#, #""knows":["b"]"#, #""bestOf":[]"#)
        get(
            "c", "best,roles,followers", #""best":null"#, #""roles":{"x":null}"#, #""followers":[]"#
        )
        #expect(try server.store.findings() == [])
    }

    @Test("an object stands in a list as often as it was put there, and is linked as often")
    func duplicates() throws {
        server.send("PUT", users + "/b", "{}")
        APIScenario(
            "PUT", users + "/a", #"{"follows":["b","a","b","b"],"knows":["b","b"]}"#, status: 201,
            contains: [#""follows":["b","a","b","b"],"knows":["b"]"#]
        ).check(on: server)
        for (filter, count) in [
            ("followers.@count == 3", 1), ("followers.@count == 1", 1), ("knownBy.@count == 1", 1),
            ("@links.@count == 4", 1), ("@links.User.follows.@count == 3", 1),
        ] {
            let encoded = filter.replacingSpaces()
            APIScenario(
                "GET", users + "?count=exact&filter=\(encoded)", status: 200,
                contains: [#""count":\#(count)"#]
            ).check(on: server)
        }
        APIScenario("DELETE", users + "/b", status: 204).check(on: server)
        get(
            "a", "follows,knows,followers", #""follows":["a"]"#, #""knows":[]"#,
            #""followers":["a"]"#)
        #expect(try server.store.findings() == [])
    }

    @Test("links follow their targets' deletion: null, or gone from lists and sets, null in maps")
    func deletion() throws {
        for id in ["x", "y"] { server.send("PUT", users + "/\(id)", "{}") }
        let put = APIScenario(
            "PUT", users + "/a",
            #"{"best":"x","follows":["x","y","x"],"knows":["x","y"],"roles":{"p":"x","q":"y"},"card":{"number":1,"guarantor":"x"},"cards":[{"number":2,"guarantor":"x"}],"wallets":{"w":{"number":3,"guarantor":"x"}}}"#,
            status: 201
        ).check(on: server)
        APIScenario("DELETE", users + "/x", status: 204).check(on: server)
        let reply = APIScenario(
            "GET", users + "/a", status: 200,
            contains: [
                #""best":null,"follows":["y"],"knows":["y"],"roles":{"p":null,"q":"y"}"#,
                #""card":{"number":1,"guarantor":null"#, #""cards":[{"number":2,"guarantor":null"#,
                #""wallets":{"w":{"number":3,"guarantor":null"#,
            ]
        ).check(on: server)
        // It is a change of the object that held the links.
        #expect(reply.headers["etag"] != put.headers["etag"])
        // A new object of the same key is another one.
        server.send("PUT", users + "/x", "{}")
        get("a", "best,follows", #""best":null"#, #""follows":["y"]"#)
        #expect(try server.store.findings() == [])
    }

    @Test("setting a link to null deletes no object, unless that is embedded")
    func setToNull() throws {
        server.send("PUT", users + "/b", "{}")
        server.send("PUT", users + "/a", #"{"best":"b","card":{"number":1,"guarantor":"b"}}"#)
        APIScenario(
            "PATCH", users + "/a", #"{"best":null,"card":null}"#, status: 200,
            contains: [#""best":null"#, #""card":null"#]
        ).check(on: server)
        get("b", "id,bestOf,guaranteed", #""bestOf":[]"#, #""guaranteed":[]"#)
        #expect(try server.store.findings() == [])
    }

    @Test("embedded objects go with their owner, and with what overwrites them")
    func embedded() throws {
        for id in ["x", "y", "z"] { server.send("PUT", users + "/\(id)", "{}") }
        server.send(
            "PUT", users + "/a",
            #"{"card":{"number":1,"guarantor":"x","spare":{"number":2,"guarantor":"y"}},"cards":[{"number":3,"guarantor":"z"},{"number":4,"guarantor":"z"}]}"#
        )
        guarantees("y", of: ["a"])
        guarantees("z", of: ["a", "a"])
        // A merge patch goes into it; a whole object takes its place.
        APIScenario(
            "PATCH", users + "/a", #"{"card":{"number":7}}"#, status: 200,
            contains: [#""card":{"number":7,"guarantor":"x","spare":{"number":2,"guarantor":"y""#]
        ).check(on: server)
        APIScenario(
            "PUT", users + "/a", #"{"card":{"number":8},"cards":[{"number":9,"guarantor":"z"}]}"#,
            status: 200,
            contains: [#""card":{"number":8,"guarantor":null,"spare":null}"#]
        ).check(on: server)
        guarantees("x", of: [])
        guarantees("y", of: [])
        guarantees("z", of: ["a"])
        APIScenario("DELETE", users + "/a", status: 204).check(on: server)
        guarantees("z", of: [])
        #expect(try server.store.findings() == [])
    }

    @Test("an embedded object has exactly one owner: it can't be named, shared, read or kept alone")
    func oneOwner() throws {
        server.send("PUT", users + "/a", #"{"card":{"number":1}}"#)
        for (method, path, body) in [
            ("GET", "/v1/classes/Card/objects", nil),
            ("POST", "/v1/classes/Card/objects", #"{"number":1}"#),
            ("GET", "/v1/classes/Card/objects/1", nil),
            ("DELETE", "/v1/classes/Card/objects/1", nil),
        ] as [(String, String, String?)] {
            let reply = server.send(method, path, body)
            #expect([404, 405].contains(reply.status), "\(method) \(path): \(reply.text)")
            #expect(reply.text.contains("embedded"), "\(reply.text)")
        }
        for card in ["1", #"{"$link":{"class":"Card","id":1}}"#, #""1""#] {
            APIScenario("PUT", users + "/b", "{\"card\":\(card)}", status: 422).check(on: server)
        }
        // A copy is an object of its own.
        server.send("PUT", users + "/b", #"{"card":{"number":1}}"#)
        server.send("PATCH", users + "/b", #"{"card":{"number":2}}"#)
        get("a", "card", #"{"number":1"#)
    }

    @Test("inverse links can't be written")
    func readOnly() {
        APIScenario(
            "PUT", users + "/a", #"{"followers":[]}"#, status: 422,
            contains: ["inverse-link-read-only", #""pointer":"/followers""#]
        ).check(on: server)
    }
}

extension String {
    fileprivate func replacingSpaces() -> String {
        split(separator: " ", omittingEmptySubsequences: false).joined(separator: "%20")
            .split(separator: "=", omittingEmptySubsequences: false).joined(separator: "%3D")
    }
}
