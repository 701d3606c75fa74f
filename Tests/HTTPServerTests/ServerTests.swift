import Glibc
import Synchronization
import Testing

@testable import HoldfastHTTPServer

@Suite struct ServerTests {
    private func start(_ routes: [Route]) throws -> Server {
        var options = ServerOptions(listen: ListenAddress(host: "127.0.0.1", port: 0))
        options.logger.level = .error
        return try Server(options: options, routes: routes)
    }

    @Test(
        "the threads of connections are scheduled in batches, and the one that starts them as before"
    )
    func scheduling() throws {
        let before = sched_getscheduler(0)
        let routes = [
            Route(.get, "/policy", "policy") { _ in
                .respond(Response(200, .text, Bytes("\(sched_getscheduler(0))")))
            }
        ]
        let server = try start(routes)
        defer { server.stop(graceSeconds: 1) }
        #expect(sched_getscheduler(0) == before)
        let client = try RawClient(port: server.addresses[0].port)
        client.send("GET /policy HTTP/1.1\r\nHost: x\r\n\r\n")
        // SCHED_BATCH of Linux.
        #expect(try client.reply().text == "3")
    }

    @Test("a stop lets requests finish, ends streams, and then refuses connections")
    func gracefulStop() throws {
        let held = Mutex<[Exchange]>.Holder([])
        let notes = Notes()
        let routes = [
            Route(.get, "/slow", "slow") { _ in
                .later { exchange in held.mutex.withLock { $0.append(exchange) } }
            },
            Route(.get, "/events", "events") { _ in
                .respond(Response(events: EventStream { notes.add("closed") }))
            },
        ]
        let server = try start(routes)
        let port = server.addresses[0].port
        let slow = try RawClient(port: port)
        slow.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
        let stream = try RawClient(port: port)
        stream.send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try stream.head().status == 200)
        let idle = try RawClient(port: port)
        #expect(eventually { held.mutex.withLock { $0.count } == 1 })
        let stopper = TestThread { server.stop(graceSeconds: 20) }
        #expect(stream.chunk() == [])
        #expect(eventually { notes.count("closed") == 1 })
        held.mutex.withLock { _ = $0[0].respond(Response(200, .text, "done")) }
        let reply = try slow.reply()
        #expect(reply.text == "done")
        #expect(reply.header("Connection")?.lowercased() == "close")
        stopper.join()
        #expect(idle.isClosedByServer())
        #expect(throws: RawClient.Failure.self) { try RawClient(port: port) }
        held.mutex.withLock { $0 = [] }
    }

    @Test("a stop at the deadline answers what waits, whatever state it is in")
    func hardStop() throws {
        let held = Mutex<[Exchange]>.Holder([])
        let notes = Notes()
        let routes = [
            Route(.get, "/slow", "slow") { _ in
                .later { exchange in held.mutex.withLock { $0.append(exchange) } }
            },
            Route(.post, "/stuck", "stuck", streaming: { _, _ in .accept(StuckSink(notes)) }),
            Route(.get, "/endless", "endless") { _ in
                notes.add("endless")
                return .respond(Response(200, .bytes, pulling: CountingSource(Int.max, notes)))
            },
            Route(.get, "/events", "events") { _ in
                notes.add("events")
                let stream = EventStream { notes.add("closed") }
                _ = stream.send(Bytes([UInt8](repeating: 0, count: 20_000_000)))
                return .respond(Response(events: stream))
            },
            count,
        ]
        let server = try start(routes)
        let port = server.addresses[0].port
        var clients: [RawClient] = []
        for text in [
            "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n", "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n",
            "POST /stuck HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc",
            "GET /endless HTTP/1.1\r\nHost: x\r\n\r\n", "GET /events HTTP/1.1\r\nHost: x\r\n\r\n",
            "POST /count HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc", "GET /cou",
        ] {
            let client = try RawClient(port: port)
            client.send(text)
            clients.append(client)
        }
        // Also the request whose body has no one that tells of it: a stop owes an answer to what it has begun to read.
        #expect(
            eventually {
                held.mutex.withLock { $0.count } == 2
                    && ["stuck", "endless", "events"].allSatisfy { notes.count($0) == 1 }
                    && server.metrics.streams.load(ordering: .relaxed) == 1
                    && server.metrics.inFlight.load(ordering: .relaxed) == 5
            })
        clients[1].reset()
        server.stop(graceSeconds: 0)
        let reply = try? clients[0].reply()
        #expect(reply?.status == 503)
        #expect(reply?.header("Retry-After") != nil)
        // Also where the body is not here whole, whether an upload takes it or not.
        #expect([2, 5].map { try? clients[$0].reply().status } == [503, 503])
        #expect(notes.count("closed") == 1)
        #expect(notes.count("abort") == 1)
        #expect(notes.count("aborted") == 1)
        // Too late, but harmless.
        held.mutex.withLock { #expect($0[0].respond(Response(204)) == false) }
        held.mutex.withLock { $0 = [] }
    }

    @Test(
        "a request that begins while a stop cuts what is under way is told so, whether its body is here or not"
    )
    func beginAfterDeadline() throws {
        let notes = Notes()
        let held = Mutex<[Exchange]>.Holder([])
        let server = try start([
            Route(.get, "/slow", "slow") { _ in
                .later { exchange in held.mutex.withLock { $0.append(exchange) } }
            },
            Route(.get, "/endless", "endless") { _ in
                .respond(Response(200, .bytes, pulling: CountingSource(Int.max, notes)))
            },
            hello, count,
        ])
        let port = server.addresses[0].port
        let clients = try (0..<4).map { _ in try RawClient(port: port) }
        // Its reply has no end, so that the stop gives it all the time it has.
        clients[0].send("GET /endless HTTP/1.1\r\nHost: x\r\n\r\n")
        clients[1].send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
        for client in clients[2...] { #expect(try client.get("/hello").status == 200) }
        #expect(
            eventually {
                held.mutex.withLock { $0.count } == 1
                    && server.metrics.inFlight.load(ordering: .relaxed) == 2
            })
        let stopper = TestThread { server.stop(graceSeconds: 0) }
        #expect(try clients[1].reply().status == 503)
        clients[2].send("POST /count HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc")
        clients[3].send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
        let replies = clients[2...].map { try? $0.reply() }
        #expect(replies.map { $0?.status } == [503, 503])
        #expect(replies.map { $0?.header("Connection")?.lowercased() } == ["close", "close"])
        stopper.join()
        held.mutex.withLock { $0 = [] }
    }

    @Test("servers start and stop under load", arguments: 0..<10)
    func stopUnderLoad(round: Int) throws {
        let worker = Worker()
        defer { worker.stop() }
        let routes = [
            Route(.get, "/later", "later") { _ in
                .later { exchange in worker.async { exchange.respond(Response(204)) } }
            },
            Route(.get, "/events", "events") { _ in
                .respond(Response(events: EventStream()))
            },
        ]
        let server = try start(routes)
        let port = server.addresses[0].port
        let isDone = Mutex<Bool>.Holder(false)
        let stopper = TestThread {
            usleep(UInt32(2000 * (round + 1)))
            server.stop(graceSeconds: round % 2)
            isDone.mutex.withLock { $0 = true }
        }
        inParallel(8) { index in
            while !isDone.mutex.withLock({ $0 }) {
                guard let client = try? RawClient(port: port, seconds: 5) else { return }
                if index == 0 {
                    client.send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
                    _ = try? client.head()
                } else {
                    while (try? client.get("/later"))?.status == 204 {}
                }
            }
        }
        stopper.join()
        #expect(server.metrics.inFlight.load(ordering: .relaxed) == 0)
        #expect(server.metrics.streams.load(ordering: .relaxed) == 0)
    }

    @Test("connections above the limit are told so, and room is given back")
    func connectionLimit() throws {
        try withServer([hello], { $0.connectionCountMax = 3 }) { server, port in
            var clients: [RawClient] = []
            for _ in 0..<3 {
                let client = try RawClient(port: port)
                #expect(try client.get("/hello").status == 200)
                clients.append(client)
            }
            let refused = try RawClient(port: port)
            let reply = try refused.get("/hello")
            #expect(reply.status == 503)
            #expect(reply.header("Retry-After") == "1")
            #expect(reply.text.contains("too-many-connections"))
            clients.removeLast().close()
            #expect(eventually { server.metrics.connections.load(ordering: .relaxed) == 2 })
            let next = try RawClient(port: port)
            #expect(try next.get("/hello").status == 200)
        }
    }

    @Test("an idle connection is closed after its time")
    func idle() throws {
        try withServer([hello], { $0.idleTimeoutSeconds = 1 }) { _, port in
            let client = try RawClient(port: port)
            #expect(try client.get("/hello").status == 200)
            #expect(client.isClosedByServer())
        }
    }

    @Test("addresses are read, and errors say what to do")
    func addresses() throws {
        #expect(try ListenAddress("127.0.0.1:80") == ListenAddress(host: "127.0.0.1", port: 80))
        #expect(try ListenAddress("[::1]:8080").description == "[::1]:8080")
        for bad in ["", "80", ":80", "a:b", "::1:80", "a:70000"] {
            #expect(throws: ServerError.self) { try ListenAddress(bad) }
        }
        try withServer([hello]) { server, port in
            let options = ServerOptions(listen: server.addresses[0])
            let error = #expect(throws: ServerError.self) {
                try Server(options: options, routes: [hello])
            }
            #expect(error?.code == .addressInUse)
            let reply = try RawClient(port: port).get("/hello")
            #expect(reply.status == 200)
        }
    }

    @Test("the server listens on IPv6")
    func ipv6() throws {
        var options = ServerOptions(listen: ListenAddress(host: "::1", port: 0))
        options.logger.level = .error
        guard let server = try? Server(options: options, routes: [hello]) else { return }
        #expect(server.addresses[0].port != 0)
        server.stop(graceSeconds: 0)
    }

    @Test("the host [::] stands for every address of both families")
    func bothFamilies() throws {
        var options = ServerOptions(listen: try ListenAddress("[::]:0"))
        options.logger.level = .error
        // A machine without IPv6 has no such address.
        guard let server = try? Server(options: options, routes: [hello]) else { return }
        defer { server.stop(graceSeconds: 0) }
        let port = server.addresses[0].port
        #expect(server.addresses.map(\.description) == ["[::]:\(port)", "0.0.0.0:\(port)"])
        #expect(try RawClient(port: port).get("/hello").status == 200)
    }

    @Test("problems are made by the service's own closure")
    func problems() throws {
        try withServer(
            [hello],
            { $0.makeProblem = { Response($0.status, .text, "mine: \($0.code.rawValue)") } }
        ) { _, port in
            let reply = try RawClient(port: port).get("/nowhere")
            #expect(reply.text == "mine: not-found")
        }
    }
}
