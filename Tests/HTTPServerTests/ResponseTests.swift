import Glibc
import Synchronization
import Testing

@testable import HoldfastHTTPServer

/// Gives `total` bytes in pieces, then ends or fails.
final class CountingSource: PullSource {
    private var left: Int
    private var isEnded = false
    private let fails: Bool
    private let notes: Notes

    init(_ total: Int, fails: Bool = false, _ notes: Notes) {
        left = total
        self.fails = fails
        self.notes = notes
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Pull {
        if left == 0 {
            isEnded = !fails
            return fails ? .failed : .end
        }
        let count = min(left, buffer.count, 5000)
        for index in 0..<count { buffer[index] = UInt8(truncatingIfNeeded: (left - index) % 97) }
        left -= count
        return .bytes(count)
    }

    func close() { notes.add(isEnded ? "sent" : "aborted") }

    static func bytes(_ total: Int) -> [UInt8] {
        (0..<total).map { UInt8(truncatingIfNeeded: (total - $0) % 97) }
    }
}

@Suite struct ResponseTests {
    @Test("replies without a body are framed as their status says")
    func emptyReplies() throws {
        let routes = [
            Route(.get, "/204", "a") { _ in .respond(Response(204).with(.etag, "\"1\"")) },
            Route(.get, "/304", "b") { _ in
                .respond(Response(304, .text, "12345").with(.etag, "\"1\""))
            },
            Route(.get, "/200", "c") { _ in .respond(Response(200)) },
        ]
        try withServer(routes) { _, port in
            let client = try RawClient(port: port)
            let none = try client.get("/204")
            #expect(none.header("Content-Length") == nil)
            #expect(none.header("ETag") == "\"1\"")
            let same = try client.get("/304")
            #expect(same.header("Content-Length") == "5")
            #expect(same.header("Transfer-Encoding") == nil)
            #expect(try client.get("/200").header("Content-Length") == "0")
            #expect(try client.get("/304", method: "HEAD").status == 304)
            #expect(try client.get("/200").header("Connection") == nil)
        }
    }

    @Test("a header's value cannot end the header")
    func headerInjection() throws {
        let route = Route(.get, "/x", "x") { _ in
            .respond(Response(204).with(.location, "/a\r\nEvil: yes"))
        }
        try withServer([route]) { _, port in
            let reply = try RawClient(port: port).get("/x")
            #expect(reply.header("Evil") == nil)
            #expect(reply.header("Location") == "/a  Evil: yes")
        }
    }

    @Test("bytes go out as they are, and compressed to clients that accept it")
    func compression() throws {
        let text = String(repeating: "compress me, please. ", count: 500)
        let routes = [
            Route(.get, "/json", "a") { _ in .respond(Response(200, .json, text)) },
            Route(.get, "/small", "b") { _ in .respond(Response(200, .json, "{}")) },
            Route(.get, "/bytes", "c") { _ in .respond(Response(200, .bytes, text)) },
        ]
        try withServer(routes) { _, port in
            let client = try RawClient(port: port)
            for accept in ["gzip", "br, GZIP;q=0.5", "x-gzip"] {
                let reply = try client.get("/json", ["Accept-Encoding: \(accept)"])
                #expect(reply.header("Content-Encoding") == "gzip")
                #expect(reply.header("Vary") == "Accept-Encoding")
                #expect(reply.body.count < text.utf8.count / 4)
                #expect(gunzip(reply.body) == Array(text.utf8))
            }
            for accept in ["Accept-Encoding: br", "Accept-Encoding: gzip;q=0", "X: y"] {
                let reply = try client.get("/json", [accept])
                #expect(reply.header("Content-Encoding") == nil)
                #expect(reply.header("Vary") == "Accept-Encoding")
                #expect(reply.text == text)
            }
            for target in ["/small", "/bytes"] {
                let reply = try client.get(target, ["Accept-Encoding: gzip"])
                #expect(reply.header("Content-Encoding") == nil)
                #expect(reply.header("Vary") == nil)
            }
            let head = try client.get("/json", method: "HEAD", ["Accept-Encoding: gzip"])
            #expect(head.header("Content-Encoding") == "gzip")
        }
    }

    @Test("pulled bodies are whole, compressed or not", arguments: [0, 1, 5000, 300_000])
    func pulled(size: Int) throws {
        let notes = Notes()
        let route = Route(.get, "/pull", "pull") { _ in
            .respond(Response(200, .ndjson, pulling: CountingSource(size, notes)))
        }
        try withServer([route]) { _, port in
            let client = try RawClient(port: port)
            let plain = try client.get("/pull")
            #expect(plain.isComplete)
            #expect(plain.body == CountingSource.bytes(size))
            let packed = try client.get("/pull", ["Accept-Encoding: gzip"])
            #expect(packed.isComplete)
            #expect(gunzip(packed.body) == CountingSource.bytes(size))
            let head = try client.get("/pull", method: "HEAD")
            #expect(head.status == 200)
            #expect(head.header("Content-Length") == nil)
            #expect(client.isClosedByServer())
            let old = try RawClient(port: port)
            old.send("GET /pull HTTP/1.0\r\n\r\n")
            #expect(try old.reply().body == CountingSource.bytes(size))
            #expect(eventually { notes.all.count == 4 })
            #expect(notes.count("sent") == 3)
        }
    }

    /// Gives bytes that do not get smaller, without end.
    private final class NoiseSource: PullSource {
        private var random = SystemRandomNumberGenerator()

        func read(into buffer: UnsafeMutableRawBufferPointer) -> Pull {
            for index in buffer.indices {
                buffer[index] = UInt8.random(in: 0...255, using: &random)
            }
            return .bytes(buffer.count)
        }

        func close() {}
    }

    @Test("a compressed body has nothing of one before it that was left in the middle")
    func abandonedCompression() throws {
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 1)
        defer { piece.deallocate() }
        for readCount in stride(from: 1, to: 2000, by: 97) {
            let abandoned = try #require(GzipSource(PullBody(NoiseSource())))
            for _ in 0..<readCount { _ = abandoned.read(into: piece) }
            abandoned.close()
            // It takes the writer that was given back last.
            let source = try #require(GzipSource(PullBody(CountingSource(20_000, Notes()))))
            var packed: [UInt8] = []
            while case .bytes(let count) = source.read(into: piece) { packed += piece[0..<count] }
            #expect(gunzip(packed) == CountingSource.bytes(20_000), "\(readCount)")
        }
    }

    @Test("a body that fails is broken off, and one whose client leaves is closed once")
    func brokenPulls() throws {
        let notes = Notes()
        let routes = [
            Route(.get, "/fails", "a") { _ in
                .respond(Response(200, .bytes, pulling: CountingSource(10_000, fails: true, notes)))
            },
            Route(.get, "/endless", "b") { _ in
                .respond(Response(200, .bytes, pulling: CountingSource(Int.max, notes)))
            },
        ]
        try withServer(routes) { _, port in
            let client = try RawClient(port: port)
            #expect(try !client.get("/fails").isComplete)
            let leaver = try RawClient(port: port)
            leaver.send("GET /endless HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try leaver.head().status == 200)
            for _ in 0..<10 { #expect(leaver.chunk() != nil) }
            leaver.close()
            #expect(eventually { notes.count("aborted") == 2 })
            #expect(notes.count("sent") == 0)
        }
    }

    @Test("shared bytes are sent to many")
    func shared() throws {
        let bytes = Bytes(pattern(100_000))
        let route = Route(.get, "/s", "s") { _ in .respond(Response(200, .bytes, bytes)) }
        try withServer([route]) { _, port in
            let failures = Notes()
            inParallel(8) { _ in
                do {
                    let client = try RawClient(port: port)
                    for _ in 0..<20 where try client.get("/s").body != pattern(100_000) {
                        failures.add("differs")
                    }
                } catch { failures.add("\(error)") }
            }
            #expect(failures.all.isEmpty)
        }
    }

    @Test("CORS answers allowed origins only")
    func cors() throws {
        try withServer([hello, count], { $0.cors = CORSPolicy(origins: ["https://a.example"]) }) {
            _, port in
            let client = try RawClient(port: port)
            let allowed = try client.get("/hello", ["Origin: https://a.example"])
            #expect(allowed.header("Access-Control-Allow-Origin") == "https://a.example")
            let exposed = allowed.header("Access-Control-Expose-Headers") ?? ""
            for name in ["ETag", "Preference-Applied", "Idempotency-Replayed"] {
                #expect(exposed.contains(name), "\(name)")
            }
            #expect(allowed.header("Vary") == "Origin")
            let refused = try client.get("/hello", ["Origin: https://b.example"])
            #expect(refused.header("Access-Control-Allow-Origin") == nil)
            #expect(refused.header("Vary") == "Origin")
            let preflight = try client.get(
                "/count", method: "OPTIONS",
                [
                    "Origin: https://a.example", "Access-Control-Request-Method: POST",
                    "Access-Control-Request-Headers: content-type, if-match",
                ])
            #expect(preflight.status == 204)
            #expect(preflight.header("Access-Control-Allow-Methods") == "POST, OPTIONS")
            #expect(
                preflight.header("Access-Control-Allow-Headers") == "content-type, if-match")
            let missing = try client.get("/nowhere", ["Origin: https://a.example"])
            #expect(missing.header("Access-Control-Allow-Origin") == "https://a.example")
        }
        try withServer([hello], { $0.cors = CORSPolicy(origins: ["*"]) }) { _, port in
            let client = try RawClient(port: port)
            let reply = try client.get("/hello", ["Origin: https://b.example"])
            #expect(reply.header("Access-Control-Allow-Origin") == "*")
            #expect(reply.header("Vary") == nil)
        }
    }

    @Test("pages that may not read a reply are told to the log, once for an origin")
    func refusedOrigins() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let descriptor = ends[1]
        try withServer(
            [hello],
            {
                $0.logger = Logger(level: .warning, descriptor: descriptor)
                $0.cors.admitsAll = { $0.header(.authorization) != nil }
            }
        ) { _, port in
            let client = try RawClient(port: port)
            for origin in ["https://a.example", "https://a.example", "null"] {
                let reply = try client.get("/hello", ["Origin: \(origin)"])
                #expect(reply.status == 200 && reply.header("Access-Control-Allow-Origin") == nil)
            }
            for fields in [
                ["Origin: http://x"], ["Origin: https://x"], [],
                ["Origin: https://b.example", "Authorization: Bearer x"],
            ] {
                #expect(try client.get("/hello", fields).status == 200)
            }
        }
        close(ends[1])
        var text = [UInt8](repeating: 0, count: 65536)
        let size = read(ends[0], &text, text.count)
        close(ends[0])
        let lines = String(decoding: text[..<max(0, size)], as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 2, "\(lines)")
        #expect(lines.first?.contains("https://a.example") ?? false)
        #expect(lines.allSatisfy { $0.contains("--cors-origin") })
    }

    @Test("figures and the access log tell of each request once")
    func observation() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let writer = try LineWriter(descriptor: ends[1])
        var operations: [Metrics.Operation] = []
        try withServer([hello, count], { $0.accessLog = writer }) { server, port in
            let client = try RawClient(port: port)
            for _ in 0..<3 { _ = try client.get("/hello?q=%22", ["X-Request-Id: me"]) }
            _ = try client.send("POST", "/count", body: [1, 2, 3])
            _ = try client.get("/nowhere")
            #expect(eventually { server.metrics.inFlight.load(ordering: .acquiring) == 0 })
            operations = server.metrics.operations()
        }
        writer.stop()
        close(ends[1])
        var text = [UInt8](repeating: 0, count: 65536)
        let size = read(ends[0], &text, text.count)
        close(ends[0])
        let lines = String(decoding: text[0..<max(0, size)], as: UTF8.self).split(separator: "\n")
        try #require(lines.count == 5)
        #expect(lines[0].contains(#""method":"GET","status":200,"bytes":5"#))
        #expect(lines[0].contains(#""operation":"hello","path":"/hello","requestId":"me""#))
        #expect(lines[4].contains(#""status":404"#))
        try #require(operations.map(\.operationID) == ["hello", "count", ""])
        #expect(operations[0].countByStatusClass == [0, 0, 3, 0, 0, 0])
        #expect(operations[0].sentByteCount == 15)
        #expect(operations[1].receivedByteCount == 3)
        #expect(operations[2].countByStatusClass[4] == 1)
        #expect(operations[0].durationBuckets.reduce(0, +) == 3)
    }

    @Test("no browser is to guess the type of a body, an error's included")
    func contentTypeOptions() throws {
        try withServer([hello]) { _, port in
            let client = try RawClient(port: port)
            #expect(try client.get("/hello").header("X-Content-Type-Options") == "nosniff")
            #expect(try client.get("/nowhere").header("X-Content-Type-Options") == "nosniff")
            let empty = try client.get("/hello", method: "OPTIONS")
            #expect(empty.header("X-Content-Type-Options") == nil)
        }
    }

    @Test(
        "the access log has the logger's format and no query",
        arguments: [
            (Logger.Format.json, #""path":"/hello","requestId":"me""#),
            (.logfmt, #"operation=hello path=/hello requestId=me client="#),
        ])
    func accessLogFormat(format: Logger.Format, part: String) throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let writer = try LineWriter(descriptor: ends[1])
        try withServer(
            [hello],
            {
                $0.accessLog = writer
                $0.logger.format = format
            }
        ) { server, port in
            let client = try RawClient(port: port)
            _ = try client.get("/hello?filter=secret", ["X-Request-Id: me"])
            // One whose target is not taken apart.
            _ = try client.get("/%?filter=secret")
            #expect(eventually { server.metrics.inFlight.load(ordering: .acquiring) == 0 })
        }
        writer.stop()
        close(ends[1])
        var text = [UInt8](repeating: 0, count: 65536)
        let size = read(ends[0], &text, text.count)
        close(ends[0])
        let lines = String(decoding: text[0..<max(0, size)], as: UTF8.self).split(separator: "\n")
        try #require(lines.count == 2)
        #expect(lines[0].contains(part), "\(lines[0])")
        #expect(lines[0].hasPrefix(format == .json ? "{\"time\":\"" : "time="))
        #expect(lines.allSatisfy { !$0.contains("secret") }, "\(lines)")
    }

    @Test(
        "an origin has a scheme and a host, and no path",
        arguments: [
            ("https://app.example.org", true), ("http://localhost:5173", true), ("*", true),
            ("http://[::1]:80", true), ("app.example.org", false), ("localhost:5173", false),
            ("https://", false), ("://a", false), ("https://a/", false), ("https://a/b", false),
            ("HTTPS://a", false), ("https://A", false), ("https://*.example.org", false),
            ("https://a,https://b", false), ("https://a b", false), ("null", false), ("", false),
        ])
    func origins(text: String, isOrigin: Bool) {
        #expect(CORSPolicy.isOrigin(text) == isOrigin)
    }

    @Test("log lines are one object each, whatever stands in them")
    func logLines() {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        var logger = Logger(level: .info, format: .json, descriptor: ends[1])
        logger.log(.debug, "not shown")
        logger.log(
            .warning, "a \"b\"\n", ("n", .number(-7)), ("t", .text("ü\u{1}")))
        logger.format = .logfmt
        logger.log(.error, "x", ("path", .text("/a b")), ("k", .text("v")))
        close(ends[1])
        var text = [UInt8](repeating: 0, count: 4096)
        let size = read(ends[0], &text, text.count)
        close(ends[0])
        let lines = String(decoding: text[0..<max(0, size)], as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 2)
        #expect(
            lines[0].hasSuffix(
                #""level":"warning","message":"a \"b\"\n","n":-7,"t":"ü\u0001"}"#))
        #expect(lines[1].hasSuffix(#"level=error message=x path="/a b" k=v"#))
    }
}
