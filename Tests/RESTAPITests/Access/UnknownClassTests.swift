import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// Maps of links to a class that is unknown to a user, so that the maps are unknown as well: maps of lists, and of boxes embedded in lists.
@Suite("Writes of who does not know the class that entries of maps link to")
struct UnknownClassTests {
    private static let list = "/v1/classes/List/objects/1"
    private static let all = "/v1/classes/List/objects"
    private static let vaults = """
        "vault":{"a":null,"b":"s1"},"box":{"label":"l","vault":{"a":null,"b":"s1"},"inner":{"n":1,"vault":{"a":null}}},\
        "boxes":[{"label":"x","vault":{"a":null},"inner":null},{"label":"y","vault":{"a":null,"b":"s1"},"inner":{"n":2,"vault":{"c":null}}}],\
        "boxed":{"k":{"label":"z","vault":{"a":null},"inner":null}}
        """

    /// A store in which ann may change lists, except for properties with a right.
    private static func world(
        _ rights: String
    ) throws -> (server: RuledServer, ann: RuledServer.Key) {
        let server = try RuledServer(classes: [])
        for (method, target, body) in [
            (
                "PUT", "/v1/schema",
                """
                {"classes":[
                  {"name":"List","primaryKey":"id","properties":{"id":"int","name":"string?","vault":"Secret{}","box":"Box",
                    "boxes":"Box[]","boxed":"Box{}"}},
                  {"name":"Box","kind":"embedded","properties":{"label":"string?","vault":"Secret{}","inner":"Inner"}},
                  {"name":"Inner","kind":"embedded","properties":{"n":"int","vault":"Secret{}"}},
                  {"name":"Secret","primaryKey":"id","properties":{"id":"string"}}]}
                """
            ),
            ("POST", "/v1/classes/Secret/objects", #"{"id":"s1"}"#),
            ("POST", all, "{\"id\":1,\"name\":\"n\",\(vaults)}"),
            (
                "PUT", "/v1/access",
                "{\"roles\":{\"member\":{\"classes\":{\"List\":{\"read\":true,\"create\":true,\"update\":true\(rights)}}}}}"
            ),
        ] {
            let reply = server.send(method, target, body)
            #expect(reply.status < 300, "\(reply.text)")
        }
        return (server, server.user("ann"))
    }

    @Test(
        "what she does not know stays whole, whatever she states of the rest",
        arguments: ["", #","properties":{"vault":"read"}"#, #","properties":{"vault":"create"}"#])
    func writes(rights: String) throws {
        let (server, ann) = try Self.world(rights)
        let seen = server.get(Self.list, as: ann)
        #expect(
            seen.text
                == #"{"id":1,"name":"n","box":{"label":"l","inner":{"n":1}},"boxes":[{"label":"x","inner":null},"#
                + #"{"label":"y","inner":{"n":2}}],"boxed":{"k":{"label":"z","inner":null}}}"#)
        var count = 0
        /// The object that she read, with another name.
        func renamed() -> String {
            count += 1
            return seen.text.replacing("\"name\":\"n\"", with: "\"name\":\"n\(count)\"")
        }
        let patch = "application/json-patch+json"
        let requests: [(String, String, (String) -> String, String)] = [
            ("PUT", Self.list, { $0 }, "application/json"),
            ("POST", Self.all + "?mode=replace", { $0 }, "application/json"),
            ("POST", Self.all + "?mode=merge", { $0 }, "application/json"),
            ("PATCH", Self.list, { $0 }, "application/json"),
            (
                "POST", "/v1/transactions",
                {
                    "{\"operations\":[{\"op\":\"put\",\"class\":\"List\",\"id\":1,\"value\":\($0)}]}"
                },
                "application/json"
            ),
            (
                "POST", "/v1/classes/List/import?mode=replace", { $0 + "\n" },
                "application/x-ndjson"
            ),
            (
                "PATCH", Self.list,
                {
                    "[{\"op\":\"test\",\"path\":\"/box\",\"value\":{\"label\":\"l\",\"inner\":{\"n\":1}}},"
                        + "{\"op\":\"test\",\"path\":\"/boxes/1\",\"value\":{\"label\":\"y\",\"inner\":{\"n\":2}}},"
                        + "{\"op\":\"replace\",\"path\":\"\",\"value\":\($0)},"
                        + "{\"op\":\"test\",\"path\":\"\",\"value\":\($0)}]"
                }, patch
            ),
            (
                "PATCH", Self.list,
                { _ in
                    #"[{"op":"replace","path":"/boxes","value":[{"label":"x","inner":null},{"label":"y","inner":{"n":2}}]}]"#
                }, patch
            ),
            (
                "PUT", Self.list + "/properties/boxes/elements/1",
                { _ in #"{"label":"y","inner":{"n":2}}"# }, "application/json"
            ),
        ]
        for (method, target, body, type) in requests {
            let reply = server.send(method, target, body(renamed()), as: ann, type: type)
            #expect(reply.status < 300, "\(method) \(target): \(reply.text)")
            #expect(!reply.text.contains("vault") && !reply.text.contains("\"failed\":1"))
            let stored = server.send("GET", Self.list).text
            #expect(stored.hasSuffix(Self.vaults + "}"), "\(method) \(target): \(stored)")
        }
    }

    @Test("an element that is put before others takes nothing of what is unknown in them")
    func insertion() throws {
        let (server, ann) = try Self.world("")
        let reply = server.send(
            "PUT", Self.list,
            #"{"boxes":[{"label":"new"},{"label":"x","inner":null},{"label":"y","inner":{"n":2}}],"#
                + #""box":{"label":"l","inner":{"n":1}}}"#, as: ann)
        #expect(reply.status == 200, "\(reply.text)")
        let boxes = QueryJSON(server.send("GET", Self.list).text)?["boxes"]?.elements ?? []
        let vaults = boxes.compactMap { $0["vault"]?.text }
        #expect(vaults == ["{}", #"{"a":null}"#, #"{"a":null,"b":"s1"}"#])
    }

    @Test("her stream is not told of entries that others add there")
    func stream() throws {
        let (server, ann) = try Self.world("")
        let page = QueryJSON(
            server.get("/v1/classes/List/changes?since=now", as: ann).text)
        let cursor = try #require(page?["cursor"]?.string)
        for value in [
            #"{"vault":{"c":"s1"}}"#, #"{"box":{"vault":{"c":"s1"}}}"#,
        ] {
            #expect(server.send("PATCH", Self.list, value).status == 200)
        }
        let patch = #"[{"op":"add","path":"/boxes/0/vault/d","value":null}]"#
        let put = server.send("PATCH", Self.list, patch, type: "application/json-patch+json")
        #expect(put.status == 200, "\(put.text)")
        let missed = server.get("/v1/classes/List/changes?since=\(cursor)", as: ann)
        #expect(QueryJSON(missed.text)?["changes"] == .array([]), "\(missed.text)")
    }
}
