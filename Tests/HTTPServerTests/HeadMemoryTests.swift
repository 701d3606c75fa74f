import Testing

@testable import HoldfastHTTPServer

/// Requests with heads that leave libmicrohttpd little memory for the head of the reply.
@Suite("The memory of a connection")
struct HeadMemoryTests {
    private static func head(_ fields: [String]) -> String {
        "GET /hello HTTP/1.1\r\nHost: x\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
    }

    @Test(
        "answers a request or refuses it with 431, whatever number of fields of whatever length it has"
    )
    func fields() throws {
        try withServer([hello]) { server, port in
            for count in stride(from: 20, through: 260, by: 8) {
                for length in stride(from: 8, through: 128, by: 12) {
                    let text = Self.head(
                        (0..<count).map {
                            "A\($0): " + String(repeating: "y", count: max(0, length - 5))
                        })
                    let client = try RawClient(port: port)
                    client.send(text)
                    let reply = try? client.reply()
                    let what: Comment = "\(count) of \(length): \(text.utf8.count) bytes"
                    #expect(reply?.status == 200 || reply?.status == 431, what)
                    if text.utf8.count <= 16 << 10, count <= 90 {
                        #expect(reply?.status == 200, what)
                    }
                }
            }
            #expect(eventually { server.metrics.inFlight.load(ordering: .relaxed) == 0 })
        }
    }

    @Test("refuses a head of any length with 431")
    func lengths() throws {
        try withServer([hello]) { _, port in
            for length in stride(from: 16_400, through: 25_000, by: 50) {
                let client = try RawClient(port: port)
                let rest = length - Self.head(["A: "]).utf8.count
                client.send(Self.head(["A: " + String(repeating: "y", count: rest)]))
                let reply = try? client.reply()
                #expect(reply?.status == 431, "\(length)")
                if length < 22_000 {
                    #expect(reply?.header("Content-Type") == "application/problem+json")
                }
            }
        }
    }

    @Test("is as large as heads may be")
    func options() throws {
        try withServer([hello], { $0.headerByteCountMax = 64 << 10 }) { _, port in
            let client = try RawClient(port: port)
            let rest = (64 << 10) - Self.head(["A: "]).utf8.count
            client.send(Self.head(["A: " + String(repeating: "y", count: rest)]))
            #expect(try client.reply().status == 200)
            #expect(try client.get("/hello").status == 200)
        }
    }

    @Test("leaves out a field of the reply that has no room beside the target that it repeats")
    func replyFields() throws {
        let route = Route(.get, "/long", "long") { request in
            .respond(
                Response(200, .text, "whole").with(.link, "<\(request.rawTarget.string)>")
                    .with(.etag, "\"1\""))
        }
        try withServer([route]) { _, port in
            for length in stride(from: 1000, through: 16_000, by: 500) {
                let client = try RawClient(port: port)
                let target = "/long?" + String(repeating: "x", count: length)
                let reply = try client.get(target)
                #expect(reply.status == 200 && reply.text == "whole" && reply.isComplete)
                #expect(reply.header("ETag") == "\"1\"")
                if let link = reply.header("Link") {
                    #expect(link == "<\(target)>")
                } else {
                    #expect(length > 10_000)
                }
            }
        }
    }
}
