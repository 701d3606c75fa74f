import Testing

@testable import HoldfastHTTPServer

@Suite struct RequestTests {
    @Test("a path is split before it is decoded, and a query keeps order and repeats")
    func decoding() throws {
        try withServer([echo]) { _, port in
            let client = try RawClient(port: port)
            let reply = try client.get(
                "/echo/a%2Fb/%C3%BC+x?q=1%2B2&q=%26+%20&empty&x=a%3Db=c&%6E=v")
            #expect(reply.status == 200)
            #expect(reply.text == "a/b|ü+x\nq=1+2\nq=&  \nempty=\nx=a=b=c\nn=v")
        }
    }

    @Test("an escaped NUL does not cut the path")
    func nul() throws {
        try withServer([echo]) { _, port in
            let reply = try RawClient(port: port).get("/echo/a%00b/c")
            #expect(reply.text == "a\0b|c")
        }
    }

    @Test(
        "targets that do not decode are refused as problems, and the connection is kept",
        arguments: [
            ("/echo/%/b", "bad-escape"), ("/echo/%4/b", "bad-escape"),
            ("/echo/%zz/b", "bad-escape"),
            ("/echo/a/%C3%28", "bad-encoding"), ("/echo/%FF/b", "bad-encoding"),
            ("/echo/%ED%A0%80/b", "bad-encoding"), ("/echo/a/b?x=%C0%80", "bad-encoding"),
            ("/echo/a/b?x=%", "bad-escape"), ("echo", "bad-target"),
        ])
    func badTargets(target: String, code: String) throws {
        try withServer([echo, hello]) { _, port in
            let client = try RawClient(port: port)
            let reply = try client.get(target)
            #expect(reply.status == 400)
            #expect(reply.header("Content-Type") == "application/problem+json")
            #expect(reply.text.contains("\"code\":\"\(code)\""))
            #expect(try client.get("/hello").status == 200)
        }
    }

    @Test("an absolute target is answered like its path")
    func absoluteForm() throws {
        try withServer([echo, hello]) { _, port in
            let client = try RawClient(port: port)
            let reply = try client.get("http://example.org/echo/a/b?c=d")
            #expect(reply.text == "a|b\nc=d")
            #expect(try client.get("HTTP://example.org/hello").text == "hello")
            for target in [
                "http:///hello", "https://?a", "ftp://example.org/hello", "http://x:65536/hello",
                "http://x:a/hello", "http://a@x/hello",
            ] {
                #expect(try client.get(target).status == 400, "\(target)")
            }
            #expect(try client.get("*", method: "OPTIONS").status == 204)
        }
    }

    @Test("an absolute target without a path is the root")
    func absoluteRoot() throws {
        let root = Route(.get, "/", "root") { request in
            .respond(Response(200, .text, "root \(request.query.count)"))
        }
        try withServer([root]) { _, port in
            let client = try RawClient(port: port)
            #expect(try client.get("/").text == "root 0")
            for (target, text) in [
                ("http://x", "root 0"), ("http://x/", "root 0"), ("http://x?a=b", "root 1"),
                ("https://x:443", "root 0"), ("http://[::1]:65535", "root 0"),
            ] {
                #expect(try client.get(target).text == text, "\(target)")
            }
            #expect(try client.get("http://x", method: "OPTIONS").header("Allow") != nil)
        }
    }

    @Test("headers are found whatever their case, and one request id ties request and reply")
    func headers() throws {
        let route = Route(.get, "/h", "h") { request in
            .respond(
                Response(
                    200, .text,
                    "\(request.header(.ifMatch)?.string ?? "-")|\(request.headers(.prefer).count)|"
                        + request.id))
        }
        try withServer([route]) { _, port in
            let client = try RawClient(port: port)
            let reply = try client.get(
                "/h", ["IF-MATCH: \"7\"", "Prefer: a", "prefer: b", "X-Request-Id: abc-1.2"])
            #expect(reply.text == "\"7\"|2|abc-1.2")
            #expect(reply.header("X-Request-Id") == "abc-1.2")
            let first = try client.get("/h", ["X-Request-Id: not sane"])
            let second = try client.get("/h")
            #expect(first.header("X-Request-Id") != second.header("X-Request-Id"))
            #expect(first.text.hasSuffix(first.header("X-Request-Id") ?? "?"))
            #expect(first.header("X-Request-Id") != "not sane")
        }
    }

    @Test("a request that comes byte by byte is answered")
    func byteByByte() throws {
        try withServer([count]) { _, port in
            let client = try RawClient(port: port)
            for byte in "POST /count HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabcde".utf8 {
                client.send([byte])
            }
            #expect(try client.reply().text == summary(Array("abcde".utf8)))
        }
    }

    @Test("pipelined requests are answered in order on one connection")
    func pipelining() throws {
        try withServer([echo, count]) { _, port in
            let client = try RawClient(port: port)
            var text = ""
            for index in 0..<50 {
                text += "GET /echo/\(index)/x HTTP/1.1\r\nHost: x\r\n\r\n"
                text += "POST /count HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
            }
            client.send(text)
            for index in 0..<50 {
                #expect(try client.reply().text == "\(index)|x")
                #expect(try client.reply().text == summary(Array("abc".utf8)))
            }
        }
    }

    @Test("a connection is kept over a thousand requests, errors among them")
    func keepAlive() throws {
        try withServer([echo, count]) { server, port in
            let client = try RawClient(port: port)
            for index in 0..<1000 {
                let status =
                    switch index % 5 {
                    case 0: try client.get("/nowhere").status
                    case 1: try client.send("POST", "/count", body: [1, 2]).status
                    case 2: try client.send("PUT", "/count", body: [1, 2]).status
                    default: try client.get("/echo/\(index)/b").status
                    }
                #expect(status == [404, 200, 405, 200, 200][index % 5])
            }
            #expect(server.metrics.connections.load(ordering: .relaxed) == 1)
        }
    }

    @Test("the target and the headers have limits that answer themselves")
    func targetAndHeaderLimits() throws {
        try withServer(
            [hello],
            {
                $0.targetByteCountMax = 1000
                $0.headerByteCountMax = 4000
            }
        ) { _, port in
            let client = try RawClient(port: port)
            let exact = "/hello?" + String(repeating: "x", count: 1000 - 7)
            #expect(try client.get(exact).status == 200)
            let long = try client.get(exact + "x")
            #expect(long.status == 414)
            #expect(long.text.contains("target-too-long"))
            let base = "GET /hello HTTP/1.1\r\nHost: x\r\n".utf8.count + "A: \r\n\r\n".utf8.count
            let fits = try client.get(
                "/hello", ["A: " + String(repeating: "y", count: 4000 - base)])
            #expect(fits.status == 200)
            let over = try client.get(
                "/hello", ["A: " + String(repeating: "y", count: 4001 - base)])
            #expect(over.status == 431)
            #expect(over.header("Content-Type") == "application/problem+json")
            // A head that has no end yet.
            let huge = try RawClient(port: port)
            huge.send(
                "GET /hello HTTP/1.1\r\nHost: x\r\nA: " + String(repeating: "z", count: 100_000))
            #expect(try huge.reply().status == 431)
        }
    }

    @Test("16 KiB of headers, the default limit, fit into a connection's memory")
    func defaultHeaderLimit() throws {
        try withServer([hello]) { _, port in
            let client = try RawClient(port: port)
            let base = "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n".utf8.count
            var headers: [String] = []
            var left = (16 << 10) - base
            while left > 0 {
                let size = left < 400 ? left : 200
                headers.append("A: " + String(repeating: "v", count: size - 5))
                left -= size
            }
            #expect(try client.get("/hello", headers).status == 200)
            headers[0] += "v"
            #expect(try client.get("/hello", headers).status == 431)
        }
    }

    @Test("a client that leaves at any byte of its request harms nobody")
    func earlyDisconnects() throws {
        let route = Route(.post, "/count", "count", body: .buffered) { request in
            .respond(Response(200, .text, summary(request.body)))
        }
        try withServer([route, hello]) { server, port in
            let text =
                Array(
                    "POST /count HTTP/1.1\r\nHost: x\r\nContent-Length: 40\r\n\r\n".utf8)
                + pattern(40)
            for index in 0...text.count {
                let client = try RawClient(port: port)
                client.send(Array(text[0..<index]))
                if index % 2 == 0 { client.reset() } else { client.close() }
            }
            #expect(try RawClient(port: port).get("/hello").status == 200)
            #expect(eventually { server.metrics.inFlight.load(ordering: .relaxed) == 0 })
            #expect(eventually { server.metrics.connections.load(ordering: .relaxed) <= 1 })
        }
    }

    @Test("HTTP/1.0 is answered and closed")
    func http10() throws {
        try withServer([hello]) { _, port in
            let client = try RawClient(port: port)
            client.send("GET /hello HTTP/1.0\r\n\r\n")
            #expect(try client.reply().text == "hello")
            #expect(client.isClosedByServer())
        }
    }
}
