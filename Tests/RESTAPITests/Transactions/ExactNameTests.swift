import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// Names that look alike but have different bytes: an accent that is part of its letter or follows it, and the kelvin sign beside K.
@Suite("Names of clients are told apart by their bytes")
struct ExactNameTests {
    private static let composed = "caf\u{E9}"
    private static let decomposed = "cafe\u{301}"

    private static func server(_ schema: String) throws -> RuledServer {
        let server = try RuledServer(classes: [])
        let put = server.send("PUT", "/v1/schema", schema)
        #expect(put.status == 200, "\(put.text)")
        return server
    }

    private static let things = """
        {"classes":[{"name":"Thing","primaryKey":"id","properties":{"id":"string","next":"Thing","counts":"int?{}",
          "kind":{"type":"string?","enum":["\(composed)","\(decomposed)"]},"code":{"type":"string?","unique":true}}}]}
        """

    @Test(
        "two operations of a transaction may have refs of the two forms, and each leads to its own object"
    )
    func references() throws {
        let server = try Self.server(Self.things)
        let (a, b) = (Self.composed, Self.decomposed)
        let reply = server.send(
            "POST", "/v1/transactions",
            """
            {"operations":[
              {"op":"create","class":"Thing","ref":"\(a)","value":{"id":"1","next":{"$ref":"\(b)"}}},
              {"op":"create","class":"Thing","ref":"\(b)","value":{"id":"2","next":{"$ref":"\(a)"}}}]}
            """)
        #expect(reply.status == 200, "\(reply.text)")
        for (id, next) in [("1", "2"), ("2", "1")] {
            let text = server.send("GET", "/v1/classes/Thing/objects/\(id)").text
            #expect(QueryJSON(text)?["next"] == .string(next), "\(text)")
        }
        let unknown = server.send(
            "POST", "/v1/transactions",
            "{\"operations\":[{\"op\":\"create\",\"class\":\"Thing\",\"ref\":\"\(a)\",\"value\":{\"id\":\"3\",\"next\":{\"$ref\":\"\(b)\"}}}]}"
        )
        #expect(unknown.status == 422 && unknown.text.contains("unknown-ref"), "\(unknown.text)")
    }

    @Test("classes, properties, projections and renamings in the two forms are two")
    func schema() throws {
        let (a, b) = (Self.composed, Self.decomposed)
        let server = try Self.server(
            """
            {"classes":[
              {"name":"\(a)","primaryKey":"\(a)","properties":{"\(a)":"int","\(b)":"string?","up":"\(b)"}},
              {"name":"\(b)","primaryKey":"id","properties":{"id":"int",
                "back":{"type":"linkingObjects","class":"\(a)","property":"up"}}}]}
            """)
        func path(_ name: String) -> String { "/v1/classes/" + RuleRequest.escaped(name) }
        func send(_ method: String, _ path: String, _ body: String? = nil) -> HTTPClient.Reply {
            server.send(method, path, body)
        }
        #expect(send("POST", path(b) + "/objects", #"{"id":7}"#).status == 201)
        let made = send("POST", path(a) + "/objects", "{\"\(a)\":1,\"\(b)\":\"x\",\"up\":7}")
        #expect(made.status == 201, "\(made.text)")
        #expect(send("GET", path(a) + "/objects/1").status == 200)
        #expect(send("GET", path(b) + "/objects/1").status == 404)
        let back = send("GET", path(b) + "/objects/7?fields=back")
        #expect(back.text.contains("[1]"), "\(back.text)")
        for (name, other) in [(a + "1", b), (b + "1", a)] {
            let put = send(
                "PUT", "/v1/projections/" + RuleRequest.escaped(name),
                "{\"class\":\"\(a)\",\"properties\":{\"\(other)\":\"\(other)\"}}")
            #expect(put.status == 201, "\(put.text)")
        }
        let shown = send("GET", "/v1/projections/" + RuleRequest.escaped(a + "1") + "/objects/1")
        #expect(shown.text == "{\"\(b)\":\"x\"}", "\(shown.text)")
        let filtered = send(
            "GET", path(a) + "/objects?filter=" + RuleRequest.escaped("\(b) == 'x' AND \(a) == 1"))
        #expect(filtered.text.contains("\"x\""), "\(filtered.text)")
        // Only one of the two is deleted.
        #expect(send("DELETE", path(a) + "?allowDataLoss=true").status >= 400)
        let dropped = send("DELETE", "/v1/projections/" + RuleRequest.escaped(b + "1"))
        #expect(dropped.status == 204 || dropped.status == 200, "\(dropped.text)")
        #expect(send("GET", "/v1/projections/" + RuleRequest.escaped(a + "1")).status == 200)
    }

    @Test(
        "queries of a stream, keys of a map, cases of an enum, unique texts and columns in the two forms are two"
    )
    func others() throws {
        let server = try Self.server(Self.things)
        let (a, b) = (Self.composed, Self.decomposed)
        let made = server.send(
            "POST", "/v1/classes/Thing/objects",
            """
            [{"id":"\(a)","counts":{"\(a)":1,"\(b)":2},"kind":"\(a)","code":"\(a)"},
             {"id":"\(b)","counts":{},"kind":"\(b)","code":"\(b)"}]
            """)
        #expect(made.status == 201, "\(made.text)")
        let page = server.send(
            "GET", "/v1/classes/Thing/objects?filter=" + RuleRequest.escaped("kind == '\(b)'"))
        #expect(QueryJSON(page.text)?["objects"]?.elements.count == 1, "\(page.text)")
        let stream = server.send(
            "POST", "/v1/streams",
            "{\"queries\":{\"\(a)\":{\"class\":\"Thing\"},\"\(b)\":{\"class\":\"Thing\"}}}")
        #expect(stream.status == 201, "\(stream.text)")
        let id = QueryJSON(stream.text)?["id"]?.string ?? ""
        let patched = server.send("PATCH", "/v1/streams/\(id)", "{\"queries\":{\"\(a)\":null}}")
        #expect(patched.status < 300, "\(patched.text)")
        let left = server.send(
            "GET", "/v1/streams/\(id)/changes?since=now", headers: [("Prefer", "wait=0")])
        #expect(!left.text.contains("\"\(a)\""))
        let imported = server.send(
            "POST",
            "/v1/classes/Thing/import?mode=merge&map=" + RuleRequest.escaped("\(a)=id")
                + "&map=" + RuleRequest.escaped("\(b)=code"), "\(a),\(b)\nx,y\n", type: "text/csv")
        #expect(imported.text.contains("\"imported\":1"), "\(imported.text)")
    }

    @Test("a claim, and a class that a token is for, is the one of its bytes")
    func access() throws {
        let (a, b) = (Self.composed, Self.decomposed)
        let server = try Self.server(
            "{\"classes\":[{\"name\":\"\(a)\",\"primaryKey\":\"id\",\"properties\":{\"id\":\"int\"}},{\"name\":\"\(b)\",\"primaryKey\":\"id\",\"properties\":{\"id\":\"int\"}}]}"
        )
        let put = server.send(
            "PUT", "/v1/access",
            "{\"roles\":{\"r\":{\"when\":\"$user['\(a)'] == 1\",\"classes\":{\"\(a)\":{\"read\":true}}}}}"
        )
        #expect(put.status == 200, "\(put.text)")
        func status(_ asker: RuledServer.Key, _ name: String) -> Int {
            server.get("/v1/classes/\(RuleRequest.escaped(name))/objects", as: asker).status
        }
        let (ann, bob) = (
            server.user("ann", claims: "{\"\(a)\":1}"), server.user("bob", claims: "{\"\(b)\":1}")
        )
        #expect(status(ann, a) == 200 && status(ann, b) == 404)
        #expect(status(bob, a) == 404)
        let made = server.send(
            "POST", "/v1/tokens", "{\"name\":\"t\",\"right\":\"read\",\"classes\":[\"\(b)\"]}")
        let token = RuledServer.Key.token(
            QueryJSON(made.text)?["token"]?.string ?? "")
        #expect(status(token, b) == 200 && status(token, a) == 404, "\(made.text)")
    }
}
