import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastTestSupport
import Testing

@Suite("elements inside mixed values")
struct MixedElementTests {
    let server: TestServer
    private static let box = MixedServer.box

    /// One request of a story: method, what follows `…/properties/`, body, status, texts of the reply.
    private typealias Step = (String, String, String?, Int, [String])

    init() throws {
        server = try MixedServer.open()
        server.send(
            "PUT", Self.box,
            #"{"item":{"a":[1,{"b":[2]}],"n":null},"list":[[1,[2]],{"k":{}},7],"map":{"m":[0],"x/y":{"p":1},"":[5]},"set":[[1]],"part":{"list":[[1]]}}"#
        )
    }

    private func tell(_ steps: [Step], _ location: SourceLocation = #_sourceLocation) {
        for (method, target, body, status, texts) in steps {
            APIScenario(
                method, Self.box + "/properties/" + target, body, status: status, contains: texts
            ).check(on: server, location)
        }
    }

    @Test("elements of collections of mixed values are changed like others")
    func ownElements() {
        let rex = MixedServer.dog("rex")
        tell([
            ("POST", "list/elements", rex, 201, [#","list":[[1,[2]],{"k":{}},7,\#(rex)]"#]),
            (
                "PUT", "list/elements/2", "[\(rex),null]", 200,
                [#"{"k":{}},[\#(rex),null],\#(rex)]"#]
            ),
            ("GET", "list/elements/2", nil, 200, ["{\"value\":[\(rex),null]}"]),
            ("DELETE", "list/elements?value=[1,[2]]", nil, 200, [#","list":[{"k":{}},"#]),
            ("POST", "list/elements?at=0", "null", 201, [#","list":[null,{"k":{}},"#]),
            ("PUT", "map/elements/z", rex, 201, [#""z":\#(rex)"#]),
            ("PUT", "map/elements/z", "null", 200, [#""z":null"#]),
            ("POST", "set/elements", "[\(rex)]", 201, [#""set":[[1],[\#(rex)]]"#]),
            ("POST", "set/elements", "[1.0]", 200, [#""set":[[1],[\#(rex)]]"#]),
            ("DELETE", "set/elements?value=[1.0]", nil, 200, [#""set":[[\#(rex)]]"#]),
            ("POST", "list/elements", MixedServer.dog("no"), 422, [#""pointer":"""#]),
            ("PUT", "map/elements/q", "[\(MixedServer.dog("no"))]", 422, [#""pointer":"/0""#]),
            ("PUT", "list/elements/0", #"{"$date":"x"}"#, 422, [#""pointer":"/$date""#]),
        ])
    }

    @Test("what is inside a value is read, put, inserted and removed by its way")
    func inside() {
        tell([
            ("GET", "item/elements/a", nil, 200, [#"{"value":[1,{"b":[2]}]}"#]),
            ("GET", "item/elements/a/1/b/0", nil, 200, [#"{"value":2}"#]),
            ("GET", "item/elements/n", nil, 200, [#"{"value":null}"#]),
            ("GET", "item/elements?key=%22a%22", nil, 200, [#"{"value":[1"#]),
            ("GET", "list/elements/0/1/0", nil, 200, [#"{"value":2}"#]),
            ("GET", "map/elements/x%2Fy/p", nil, 200, [#"{"value":1}"#]),
            ("GET", "set/elements/0/0", nil, 200, [#"{"value":1}"#]),
            ("GET", "item/elements/a/2", nil, 404, ["element-not-found"]),
            ("GET", "item/elements/a/x", nil, 404, ["element-not-found"]),
            ("GET", "item/elements/a/0/0", nil, 404, ["no-elements"]),
            ("GET", "item/elements/n/0", nil, 404, ["no-elements"]),
            ("GET", "count/elements/0/0", nil, 404, ["no-elements"]),
            ("GET", "parts/elements/0/any", nil, 404, ["no-elements"]),
            ("PUT", "item/elements/a/1/b/0", #"{"c":[]}"#, 200, [#"{"b":[{"c":[]}]}"#]),
            ("POST", "item/elements/a/1/b/0/c", "1", 201, [#"{"b":[{"c":[1]}]}"#]),
            ("POST", "item/elements/a/1/b/0/c?at=0", "0", 201, [#"{"c":[0,1]}"#]),
            ("POST", "item/elements/a/1/b/0/c?at=3", "0", 422, ["position-out-of-range"]),
            ("PUT", "item/elements/a/1/aa", "true", 201, [#"{"aa":true,"b":[{"c":[0,1]}]}"#]),
            ("PUT", "item/elements/a/9", "true", 404, ["element-not-found"]),
            ("PUT", "item/elements/a/1/$x", "true", 422, ["%24"]),
            ("PUT", "item/elements/a/1/b/no/d", "1", 404, ["element-not-found"]),
            ("POST", "item/elements/a/1", "1", 405, ["element-method-not-allowed"]),
            ("POST", "item/elements", "1", 405, ["element-method-not-allowed"]),
            ("POST", "item/elements/n", "1", 404, ["no-elements"]),
            (
                "DELETE", "item/elements/a/1/b", nil, 200,
                [#""item":{"a":[1,{"aa":true}],"n":null}"#]
            ),
            ("DELETE", "item/elements/a/1/b", nil, 404, ["element-not-found"]),
            ("DELETE", "item/elements/a/0", nil, 200, [#""a":[{"aa":true}]"#]),
            ("PUT", "item/elements/new", "[]", 201, [#""n":null,"new":[]"#]),
            (
                "POST", "list/elements/0/1", #"{"q":1}"#, 201,
                [#""list":[[1,[2,{"q":1}]],{"k":{}},7]"#]
            ),
            ("PUT", "list/elements/1/k/l", "8", 201, [#"{"k":{"l":8}}"#]),
            ("PUT", "list/elements/9/k", "8", 404, ["element-not-found"]),
            ("DELETE", "list/elements/0/0", nil, 200, [#""list":[[[2,{"q":1}]],"#]),
            ("POST", "map/elements/m?at=0", "null", 201, [#""m":[null,0]"#]),
            ("PUT", "map/elements/x%2Fy/p", "2", 200, [#""x/y":{"p":2}"#]),
            ("DELETE", "map/elements/m/1", nil, 200, [#""m":[null]"#]),
            ("PUT", "set/elements/0/0", "2", 405, ["set"]),
            ("PUT", "list/elements/x/0", "2", 400, ["invalid-position"]),
            ("DELETE", "item/elements?value=1", nil, 400, ["key"]),
        ])
        server.send("PUT", Self.box, #"{"item":[1]}"#)
        tell([
            ("POST", "item/elements", "2", 201, [#""item":[1,2]"#]),
            ("POST", "item/elements?at=0", "0", 201, [#""item":[0,1,2]"#]),
            ("DELETE", "item/elements/1", nil, 200, [#""item":[0,2]"#]),
        ])
    }

    @Test(
        "a new element's place is told, preconditions hold, and what changes nothing is no change")
    func replies() {
        let path = Self.box + "/properties/item/elements/a"
        let added = server.send("POST", path, "3")
        #expect(added.headers["location"] == path + "/2")
        let put = server.send("PUT", Self.box + "/properties/list/elements/1/k/l%20m", "3")
        #expect(put.headers["location"] == Self.box + "/properties/list/elements/1/k/l%20m")
        let etag = put.headers["etag"] ?? ""
        let same = server.send("PUT", path + "/2", "3")
        #expect(same.status == 200 && same.headers["etag"] == etag, "\(same.text)")
        APIScenario(
            "PUT", path + "/2", "4", headers: [("If-Match", added.headers["etag"] ?? "")],
            status: 412
        ).check(on: server)
        APIScenario("PUT", path + "/2", "4", headers: [("If-Match", etag)], status: 200)
            .check(on: server)
        APIScenario(
            "PUT", "/v1/classes/Box/objects/no/properties/item/elements/a", "4", status: 404
        )
        .check(on: server)
    }

    @Test("links inside values are checked, counted and told with their places")
    func links() throws {
        let (rex, no) = (MixedServer.dog("rex"), MixedServer.dog("no"))
        tell([
            ("PUT", "item/elements/a/0", "[1,\(no)]", 422, [#""pointer":"/1""#]),
            ("POST", "list/elements/0/1", #"{"k":\#(no)}"#, 422, [#""pointer":"/k""#]),
            ("PUT", "map/elements/m/0", no, 422, [#""pointer":"""#]),
            ("PUT", "item/elements/a/0", #"{"k":[\#(rex)]}"#, 200, [rex]),
            ("POST", "list/elements/0/1", rex, 201, [rex]),
            ("PUT", "map/elements/m/0", rex, 200, [rex]),
        ])
        APIScenario(
            "GET", "/v1/classes/Dog/objects?filter=@links.@count==3&fields=name", status: 200,
            contains: [#"[{"name":"rex"}]"#]
        ).check(on: server)
        server.send("DELETE", "/v1/classes/Dog/objects/rex")
        APIScenario(
            "GET", Self.box, status: 200,
            contains: [
                #""a":[{"k":[]},"#, #""list":[[1,[2]],"#,
                #""m":[null]"#.replacing("null", with: ""),
            ]
        ).check(on: server)
        let findings = try StoreCheck.run(server.store).findings
        #expect(findings.isEmpty, "\(findings)")
    }

    @Test("100 levels count from the property, however deep the path goes")
    func depth() {
        server.send("PUT", Self.box, #"{"item":\#(MixedServer.nested(60))}"#)
        let path = "item/elements" + String(repeating: "/0", count: 59)
        tell([
            ("POST", path, MixedServer.nested(41), 422, ["too-deep"]),
            ("POST", path, MixedServer.nested(40), 201, [MixedServer.nested(100)]),
            ("PUT", path + "/0", MixedServer.nested(41), 422, ["too-deep"]),
            ("PUT", path + "/0", MixedServer.nested(40), 200, [MixedServer.nested(100)]),
        ])
    }
}
