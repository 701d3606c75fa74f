import HoldfastObjectJSON
import HoldfastRESTAPI
import HoldfastTestSupport
import Testing

@Suite("pages by texts too long for a cursor")
struct LongTextPagingTests {
    /// Objects 0 to 7 with texts that begin alike and differ in the last of `count + 1` bytes.
    private static func server(_ count: Int) throws -> TestServer {
        let server = try TestServer(schema: .init(classes: []))
        let schema = server.send(
            "PUT", "/v1/schema",
            #"""
            {"classes":[{"name":"Text","primaryKey":"id","properties":{
              "id":"int","plain":"string","known":{"type":"string","indexed":true}}}]}
            """#)
        #expect(schema.status == 200, "\(schema.text)")
        let beginning = String(repeating: "x", count: count)
        for (id, last) in "abcdefgh".enumerated() {
            let text = beginning + String(last)
            let reply = server.send(
                "POST", "/v1/classes/Text/objects",
                "{\"id\":\(id),\"plain\":\"\(text)\",\"known\":\"\(text)\"}")
            #expect(reply.status == 201, "\(reply.text)")
        }
        return server
    }

    private static let lists = [
        "objects?sort=", "objects?sort=-", "sections?by=", "sections?sort=-",
    ]

    private static func path(_ list: String, _ name: String) -> String {
        let by = list.hasPrefix("sections?sort") ? "&by=" + name : ""
        return "/v1/classes/Text/" + list + name + by + "&limit=3&fields=id"
    }

    /// The objects of a page, in lists and in sections.
    private static func ids(_ reply: HTTPClient.Reply) -> [Int] {
        reply.text.split(separator: "{\"id\":").dropFirst().compactMap {
            Int($0.prefix { $0.isNumber })
        }
    }

    @Test("a page goes on behind an object that is as it was", arguments: lists)
    func unchanged(list: String) throws {
        let server = try Self.server(9000)
        for name in ["plain", "known"] {
            let path = Self.path(list, name)
            let first = server.send("GET", path)
            let second = server.send("GET", path + "&cursor=\(first.next ?? "")")
            #expect(
                Self.ids(first) + Self.ids(second)
                    == (list.contains("-") ? [7, 6, 5, 4, 3, 2] : [0, 1, 2, 3, 4, 5]),
                "\(path): \(second.text.prefix(200))")
        }
    }

    @Test(
        "a page behind a deleted or changed object is refused rather than wrong", arguments: lists)
    func lost(list: String) throws {
        let last = list.contains("-") ? 5 : 2
        for (method, body) in [("DELETE", nil), ("PATCH", #"{"plain":"y","known":"y"}"#)] {
            let server = try Self.server(9000)
            for name in ["plain", "known"] {
                let first = server.send("GET", Self.path(list, name))
                let next = try #require(first.next)
                #expect(Self.ids(first).last == last)
                let original = server.send("GET", "/v1/classes/Text/objects/\(last)").text
                let changed = server.send(
                    method, "/v1/classes/Text/objects/\(last)", body,
                    headers: body == nil ? [] : [("Content-Type", "application/merge-patch+json")])
                #expect(changed.status < 300, "\(changed.text)")
                APIScenario(
                    "GET", Self.path(list, name) + "&cursor=\(next)", status: 410,
                    contains: ["cursor-expired", "begin again"]
                ).check(on: server)
                let put = server.send("PUT", "/v1/classes/Text/objects/\(last)", original)
                #expect(put.status < 300, "\(put.text.prefix(200))")
            }
        }
    }

    @Test("a page behind a deleted object goes on where the cursor has room for its text")
    func whole() throws {
        let server = try Self.server(3000)
        for list in Self.lists {
            let path = Self.path(list, "known")
            let first = server.send("GET", path)
            let last = try #require(Self.ids(first).last)
            let original = server.send("GET", "/v1/classes/Text/objects/\(last)").text
            #expect(server.send("DELETE", "/v1/classes/Text/objects/\(last)").status == 204)
            let second = server.send("GET", path + "&cursor=\(first.next ?? "")")
            #expect(Self.ids(second) == (last == 5 ? [4, 3, 2] : [3, 4, 5]), "\(path)")
            #expect(
                server.send("PUT", "/v1/classes/Text/objects/\(last)", original).status < 300)
        }
    }
}
