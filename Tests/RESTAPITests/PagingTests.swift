import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("pages of a query")
struct PagingTests {
    @Test("a cursor ends with the type of what it stands behind")
    func changedType() throws {
        let server = try TestServer(schema: Schemas.everything)
        let put = "/v1/schema/classes/U"
        server.send("PUT", put, #"{"primaryKey":"id","properties":{"id":"int","u":"string"}}"#)
        let objects = (0..<8).map { "{\"id\":\($0),\"u\":\"u\($0)\"}" }
        server.send("POST", "/v1/classes/U/objects", "[\(objects.joined(separator: ","))]")
        let targets = [
            "objects?sort=u&limit=2", "sections?by=u&limit=2", "aggregate?by=u&op=count&limit=2",
        ].map { "/v1/classes/U/\($0)" }
        let cursors = targets.map { target in
            let text = server.send("GET", target).text
            return text.split(separator: "\"next\":\"").last?.split(separator: "\"").first ?? ""
        }
        for (target, cursor) in zip(targets, cursors) {
            APIScenario("GET", "\(target)&cursor=\(cursor)", status: 200, contains: ["u2"])
                .check(on: server)
        }
        let reply = server.send(
            "PUT", put, #"{"primaryKey":"id","properties":{"id":"int","u":"mixed"}}"#)
        #expect(reply.status == 200, "\(reply.text)")
        for (target, cursor) in zip(targets, cursors) {
            APIScenario(
                "GET", "\(target)&cursor=\(cursor)", status: 400, contains: ["another query"]
            ).check(on: server)
        }
    }
}
