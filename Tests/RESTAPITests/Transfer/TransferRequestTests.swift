import Glibc
import HoldfastObjectModel
import Testing
import HoldfastTestSupport

@testable import HoldfastObjectJSON
@testable import HoldfastRESTAPI

@Suite("Imports and exports over HTTP")
struct TransferRequestTests {
    private static let ndjson = [("Content-Type", "application/x-ndjson")]

    @Test(
        "an import answers with its counts, and an export has the same objects",
        arguments: EngineCase.all)
    func roundTrip(engine: EngineCase) throws {
        let server = try TestServer(engine, schema: Importing.nodes)
        let count = 20_000
        let text = (0..<count).map {
            #"{"id":\#($0),"label":"node \#($0)","next":\#(($0 + 1) % count)}"#
        }
        .joined(separator: "\n")
        let imported = APIScenario(
            "POST", "/v1/classes/Node/import", text + "\n{\"id\":\"x\"}\n", headers: Self.ndjson,
            status: 200,
            contains: [
                #"{"imported":\#(count),"failed":1,"errors":[{"line":\#(count + 1),"code":"wrong-type""#
            ],
            fields: ["holdfast-version": ""]
        ).check(on: server)
        #expect(imported.text.contains(try #require(imported.headers["holdfast-version"])))
        let exported = server.send("GET", "/v1/classes/Node/export")
        #expect(exported.status == 200)
        #expect(exported.headers["content-type"] == "application/x-ndjson")
        let lines = exported.text.split(separator: "\n")
        #expect(lines.count == count && exported.text.hasSuffix("\n"))
        #expect(Set(lines).contains(#"{"id":7,"label":"node 7","next":8,"others":[]}"#))

        // What came out goes into another store and comes out again.
        let other = try TestServer(engine, schema: Importing.nodes)
        APIScenario(
            "POST", "/v1/classes/Node/import?mode=replace&atomic=true", exported.text,
            headers: Self.ndjson,
            status: 200, contains: [#"{"imported":\#(count),"failed":0,"errors":[]"#]
        ).check(on: other)
        #expect(
            Set(other.send("GET", "/v1/classes/Node/export").text.split(separator: "\n"))
                == Set(lines))
        try Importing.expectSound(other.store)
    }

    @Test("an import takes gzip, also several texts in a row, and refuses what is cut")
    func gzip() throws {
        let server = try TestServer(schema: Importing.nodes)
        let lines = (0..<3000).map { "{\"id\":\($0)}\n" }.joined()
        let packed = Gzip.pack(Array(lines.utf8)) + Gzip.pack(Array("{\"id\":3000}".utf8))
        let headers = Self.ndjson + [("Content-Encoding", "gzip")]
        func send(_ body: [UInt8]) -> HTTPClient.Reply {
            server.client.send(
                "POST", "/v1/classes/Node/import?mode=ignore", headers: headers, body: body)
        }
        #expect(send(packed).text.hasPrefix("{\"imported\":3001,\"failed\":0"))
        #expect(send(Array(packed.dropLast(30))).status == 400)
        #expect(send(Array("not gzip".utf8)).status == 400)
    }

    @Test("an import that drips ends with 408, and leaves its place to the next")
    func drip() throws {
        var options = RESTOptions()
        options.limits.importCountMax = 1
        options.limits.importByteRateMin = 1000
        options.limits.rateSeconds = 1
        let server = try TestServer(schema: Importing.nodes, options: options)
        let socket = LoopbackSocket.connect(port: try #require(server.server.addresses.first).port)
        defer { close(socket) }
        func send(_ text: String) {
            _ = Glibc.send(socket, text, text.utf8.count, Int32(MSG_NOSIGNAL))
        }
        send(
            "POST /v1/classes/Node/import HTTP/1.1\r\nHost: localhost\r\n"
                + "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "9\r\n{\"id\":1}\n\r\n")
        var reply = [UInt8](repeating: 0, count: 4096)
        var count = 0
        for _ in 0..<600 where count <= 0 {
            send("1\r\n{\r\n")
            usleep(50_000)
            count = recv(socket, &reply, reply.count, Int32(MSG_DONTWAIT))
        }
        let text = String(decoding: reply.prefix(max(0, count)), as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 408 "), "\(text)")
        #expect(
            text.contains(#""code":"import-too-slow""#), "\(text)")
        let next = server.client.send(
            "POST", "/v1/classes/Node/import", headers: Self.ndjson, body: Array("{\"id\":2}".utf8))
        #expect(next.text.hasPrefix(#"{"imported":1,"failed":0"#), "\(next.text)")
    }

    @Test("faulty requests are refused before anything is written")
    func refusals() throws {
        let server = try TestServer(schema: Importing.nodes)
        let embedded = Schema(
            classes: Importing.nodes.classes + [
                ObjectClass(name: "Inner", kind: .embedded, properties: [])
            ])
        try TestServer.put(embedded, in: server.store)
        let line = "{\"id\":1}\n"
        for scenario in [
            APIScenario(
                "POST", "/v1/classes/Nod/import", line, headers: Self.ndjson, status: 404,
                contains: [#""hint":"Node""#]),
            APIScenario(
                "POST", "/v1/classes/Inner/import", line, headers: Self.ndjson, status: 405),
            APIScenario(
                "POST", "/v1/classes/Node/import?mode=update", line, headers: Self.ndjson,
                status: 400),
            APIScenario(
                "POST", "/v1/classes/Node/import?atomic=1", line, headers: Self.ndjson, status: 400),
            APIScenario(
                "POST", "/v1/classes/Node/import?mod=create", line, headers: Self.ndjson,
                status: 400,
                contains: [#""hint":"mode""#]),
            APIScenario(
                "POST", "/v1/classes/Node/import", line, status: 415,
                fields: ["accept": "application/x-ndjson, text/csv, application/geo+json"]),
            APIScenario("GET", "/v1/classes/Node/import", status: 405, fields: ["allow": ""]),
            APIScenario("GET", "/v1/classes/Nod/export", status: 404),
            APIScenario("GET", "/v1/classes/Inner/export", status: 405),
            APIScenario(
                "GET", "/v1/classes/Node/export?fields=labl", status: 400,
                contains: [#""hint":"label""#]),
            APIScenario("GET", "/v1/classes/Node/export?limit=1", status: 400),
            APIScenario(
                "GET", "/v1/classes/Node/export", headers: [("Accept", "text/csv")], status: 406),
        ] {
            scenario.check(on: server)
        }
        #expect(server.send("GET", "/v1/classes/Node/export").text == "")
    }

    @Test("an export has the fields that are asked for, of one snapshot")
    func fields() throws {
        let server = try TestServer(schema: Importing.nodes)
        let text = (0..<5000).map { "{\"id\":\($0),\"next\":0}" }.joined(separator: "\n")
        APIScenario("POST", "/v1/classes/Node/import", text, headers: Self.ndjson, status: 200)
            .check(on: server)
        let reply = server.send("GET", "/v1/classes/Node/export?fields=id,next")
        let lines = reply.text.split(separator: "\n")
        #expect(lines.count == 5000 && lines.first == #"{"id":0,"next":0}"#)
        #expect(server.send("HEAD", "/v1/classes/Node/export").status == 200)
    }

    @Test("a client that leaves an export or an import leaves nothing behind")
    func leaving() throws {
        let server = try TestServer(.lmdb, schema: Importing.nodes)
        let label = String(repeating: "x", count: 1000)
        let text = (0..<5000).map { "{\"id\":\($0),\"label\":\"\(label)\"}" }.joined(
            separator: "\n")
        APIScenario("POST", "/v1/classes/Node/import", text, headers: Self.ndjson, status: 200)
            .check(on: server)
        let port = try #require(server.server.addresses.first?.port)
        for _ in 0..<150 {
            // More than there are reader slots.
            let client = HTTPClient(port: port)
            client.begin("GET", "/v1/classes/Node/export")
            client.disconnect()
            client.begin(
                "POST /v1/classes/Node/import?mode=replace HTTP/1.1\r\nHost: localhost\r\n"
                    + "Content-Type: application/x-ndjson\r\nContent-Length: 1000\r\n\r\n{\"id\":1}\n"
            )
            client.disconnect()
        }
        let reply = server.send("GET", "/v1/classes/Node/export?fields=id")
        #expect(reply.text.split(separator: "\n").count == 5000)
    }
}
