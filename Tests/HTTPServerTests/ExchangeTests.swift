import Glibc
import Synchronization
import Testing

@testable import HoldfastHTTPServer

@Suite struct ExchangeTests {
    @Test("answers from another thread reach 64 busy connections")
    func load() throws {
        let worker = Worker()
        defer { worker.stop() }
        let routes = [
            Route(.put, "/later/{n}", "later", body: .buffered) { _ in
                .later { exchange in
                    worker.async {
                        exchange.respond {
                            Response(200, .text, exchange.request.parameter(0).string)
                        }
                    }
                }
            },
            Route(.get, "/now/{n}", "now") {
                .respond(Response(200, .text, $0.parameter(0).string))
            },
        ]
        try withServer(routes) { server, port in
            let failures = Notes()
            inParallel(64) { index in
                do {
                    let client = try RawClient(port: port)
                    for round in 0..<50 {
                        let name = "\(index)-\(round)"
                        let reply =
                            round % 3 == 0
                            ? try client.get("/now/\(name)")
                            : try client.send("PUT", "/later/\(name)", body: [1, 2, 3])
                        if reply.text != name { failures.add("\(reply)") }
                    }
                } catch { failures.add("\(error)") }
            }
            #expect(failures.all.isEmpty)
            #expect(eventually { server.metrics.inFlight.load(ordering: .relaxed) == 0 })
        }
    }

    @Test("an exchange is answered once, also when the answer comes at once")
    func once() throws {
        let notes = Notes()
        let route = Route(.get, "/x", "x") { _ in
            .later { exchange in
                notes.add("\(exchange.isGone)")
                notes.add("\(exchange.respond(Response(200, .text, "first")))")
                notes.add("\(exchange.respond(Response(200, .text, "second")))")
                notes.add("\(exchange.isGone)")
            }
        }
        try withServer([route]) { _, port in
            let client = try RawClient(port: port)
            for _ in 0..<100 { #expect(try client.get("/x").text == "first") }
            #expect(Array(notes.all.prefix(4)) == ["false", "true", "false", "true"])
        }
    }

    @Test("an exchange that is dropped is answered 500")
    func dropped() throws {
        let route = Route(.get, "/x", "x") { _ in .later { _ in } }
        try withServer([route, hello]) { _, port in
            let client = try RawClient(port: port)
            #expect(try client.get("/x").status == 500)
            #expect(try client.get("/hello").status == 200)
        }
    }

    @Test("pipelined requests wait for the one before them")
    func pipelined() throws {
        let worker = Worker()
        defer { worker.stop() }
        let route = Route(.get, "/later/{n}", "later") { request in
            let name = request.parameter(0).string
            return .later { exchange in
                worker.async { exchange.respond(Response(200, .text, name)) }
            }
        }
        try withServer([route]) { _, port in
            let client = try RawClient(port: port)
            client.send(
                (0..<100).map { "GET /later/\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined())
            for index in 0..<100 { #expect(try client.reply().text == "\(index)") }
        }
    }

    @Test("a waiting request whose client leaves is seen as gone and completed once")
    func clientLeaves() throws {
        let held = Mutex<[Exchange]>([])
        let route = Route(.get, "/x", "x") { _ in
            .later { exchange in held.withLock { $0.append(exchange) } }
        }
        try withServer([route, hello]) { server, port in
            let client = try RawClient(port: port)
            client.send("GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(eventually { held.withLock { $0.count } == 1 })
            #expect(held.withLock { $0[0].isGone } == false)
            client.reset()
            #expect(eventually { held.withLock { $0[0].isGone } })
            held.withLock { _ = $0[0].respond(Response(200, .text, "late")) }
            #expect(eventually { server.metrics.inFlight.load(ordering: .relaxed) == 0 })
            held.withLock { $0 = [] }
            #expect(try RawClient(port: port).get("/hello").status == 200)
        }
    }

    @Test("a request that somebody keeps does not change under the next one")
    func keptRequests() throws {
        let kept = Mutex<[Request]>([])
        let route = Route(.get, "/x/{n}", "x") { request in
            kept.withLock { $0.append(request) }
            return .respond(Response(204))
        }
        try withServer([route]) { _, port in
            let client = try RawClient(port: port)
            for index in 0..<10 { #expect(try client.get("/x/\(index)").status == 204) }
            let names = kept.withLock { $0.map { $0.parameter(0).string } }
            #expect(names == (0..<10).map(String.init))
            kept.withLock { $0 = [] }
        }
    }
}
