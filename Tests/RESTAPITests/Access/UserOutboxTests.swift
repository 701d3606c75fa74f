import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

@Suite("Asymmetric classes, for users")
struct UserOutboxTests {
    private static let document = """
        {"roles":{"device":{"classes":{
          "Reading":{"read":"device == $user.id","create":"device == $user.id","delete":true,
            "properties":{"checked":"read"}}}}}}
        """

    private let server: RuledServer
    private let ann: RuledServer.Asker

    init() throws {
        server = try RuledServer(classes: [])
        for (target, body) in [
            (
                "schema",
                """
                {"classes":[{"name":"Reading","kind":"asymmetric","properties":{"device":"string","celsius":"double",
                  "checked":"bool?"}}]}
                """
            ), ("access", Self.document),
        ] {
            let put = server.send("PUT", "/v1/" + target, body)
            #expect(put.status == 200, "\(put.text)")
        }
        ann = server.user("ann")
    }

    private func outbox() -> [QueryJSON]? {
        QueryJSON(server.send("GET", "/v1/classes/Reading/outbox").text)?["objects"]?.elements
    }

    @Test("put in what their roles let them create, in every way")
    func create() throws {
        let target = "/v1/classes/Reading/objects"
        let rows: [(String, String, String, Int)] = [
            (target, #"{"device":"ann","celsius":20}"#, "", 201),
            (target, #"{"device":"bob","celsius":20}"#, "not-allowed", 403),
            (target, #"{"device":"ann","celsius":20,"checked":true}"#, "not-allowed", 403),
            (
                target, #"[{"device":"ann","celsius":21},{"device":"bob","celsius":22}]"#,
                "not-allowed", 403
            ),
            (
                "/v1/transactions",
                #"{"operations":[{"op":"create","class":"Reading","value":{"device":"ann","celsius":23}}]}"#,
                "", 200
            ),
            (
                "/v1/transactions",
                #"{"operations":[{"op":"create","class":"Reading","value":{"device":"bob","celsius":24}}]}"#,
                "not-allowed", 403
            ),
        ]
        for (target, body, text, status) in rows {
            let reply = server.send("POST", target, body, as: ann)
            #expect(
                reply.status == status && reply.text.contains(text), "\(body): \(reply.text)")
        }
        let imported = server.send(
            "POST", "/v1/classes/Reading/import",
            "{\"device\":\"ann\",\"celsius\":25}\n{\"device\":\"bob\",\"celsius\":26}", as: ann,
            type: "application/x-ndjson")
        #expect(imported.status == 200 && imported.text.contains("not-allowed"), "\(imported.text)")
        #expect(outbox()?.compactMap { $0["device"]?.string } == ["ann", "ann", "ann"])
    }

    @Test("take nothing out, whatever they may read and delete")
    func consume() throws {
        let put = server.send(
            "POST", "/v1/classes/Reading/objects", #"{"device":"ann","celsius":20}"#, as: ann)
        #expect(put.status == 201)
        let through = try #require(
            QueryJSON(server.send("GET", "/v1/classes/Reading/outbox").text)?["through"]?.string)
        let target = "/v1/classes/Reading/outbox"
        for (method, target, headers) in [
            ("GET", target, []), ("GET", target, [("Prefer", "wait=1")]),
            ("GET", target, [("Accept", "text/event-stream")]),
            ("DELETE", target + "?through=\(through)", []),
            ("GET", "/v1/classes/Nothing/outbox", []),
        ] {
            let reply = server.send(method, target, as: ann, headers: headers)
            #expect(
                reply.status == 403 && reply.text.contains("not-allowed"),
                "\(method) \(target): \(reply.text)")
        }
        let made = server.send(
            "POST", "/v1/tickets", "{\"url\":\(quoted(target))}", as: ann)
        let ticket = try #require(QueryJSON(made.text)?["ticket"]?.string)
        let stream = server.get(
            target + "?ticket=\(ticket)", as: .nobody, [("Accept", "text/event-stream")])
        #expect(stream.status == 403, "\(stream.text)")
        #expect(server.get("/v1/classes/Reading/objects", as: ann).status >= 400)
        #expect(outbox()?.count == 1)
    }
}
