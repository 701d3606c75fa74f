import Glibc
import Synchronization
import Testing

@testable import HoldfastHTTPServer

@Suite struct EventStreamTests {
    /// A route that hands out streams; `opened` collects them.
    private static func streaming(
        _ opened: Mutex<[EventStream]>.Holder, _ notes: Notes, queue: Int = 1 << 20
    ) -> Route {
        Route(.get, "/events", "events", answersHead: false) { _ in
            let stream = EventStream(queueByteCountMax: queue) { notes.add("closed") }
            _ = stream.send(Bytes("event: hello\n\n"))
            opened.mutex.withLock { $0.append(stream) }
            return .respond(Response(events: stream))
        }
    }

    @Test("events arrive in order and the stream ends cleanly")
    func order() throws {
        let opened = Mutex<[EventStream]>.Holder([])
        let notes = Notes()
        try withServer([EventStreamTests.streaming(opened, notes)]) { server, port in
            let client = try RawClient(port: port)
            client.send("GET /events HTTP/1.1\r\nHost: x\r\nX-Request-Id: s1\r\n\r\n")
            let head = try client.head()
            #expect(head.status == 200)
            #expect(head.header("Content-Type") == "text/event-stream")
            #expect(head.header("X-Request-Id") == "s1")
            // Else nginx gathers events before it passes them on.
            #expect(head.header("X-Accel-Buffering") == "no")
            #expect(head.header("X-Content-Type-Options") == "nosniff")
            #expect(client.chunk() == Array("event: hello\n\n".utf8))
            let stream = try #require(opened.mutex.withLock { $0.first })
            var expected: [UInt8] = []
            for index in 0..<2000 {
                let text = "data: \(index)\n\n"
                expected += Array(text.utf8)
                if case .queued = stream.send(Bytes(text)) {} else { Issue.record("not queued") }
            }
            stream.end()
            if case .closed = stream.send(Bytes("x")) {} else { Issue.record("still open") }
            var received: [UInt8] = []
            while let chunk = client.chunk(), !chunk.isEmpty { received += chunk }
            #expect(received == expected)
            #expect(client.isClosedByServer())
            #expect(eventually { notes.count("closed") == 1 })
            #expect(eventually { server.metrics.connections.load(ordering: .relaxed) == 0 })
        }
        #expect(notes.all.count == 1)
    }

    @Test("HTTP/1.0 clients get the events without chunks")
    func http10() throws {
        let opened = Mutex<[EventStream]>.Holder([])
        try withServer([EventStreamTests.streaming(opened, Notes())]) { _, port in
            let client = try RawClient(port: port)
            client.send("GET /events HTTP/1.0\r\n\r\n")
            #expect(eventually { opened.mutex.withLock { $0.count } == 1 })
            opened.mutex.withLock { $0[0].end() }
            #expect(try client.reply().text == "event: hello\n\n")
        }
    }

    @Test("a slow consumer fills the bounded queue, and reads on later without loss")
    func overflow() throws {
        let opened = Mutex<[EventStream]>.Holder([])
        let notes = Notes()
        let route = EventStreamTests.streaming(opened, notes, queue: 100_000)
        try withServer([route]) { _, port in
            let client = try RawClient(port: port, receiveBuffer: 4096)
            client.send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = try client.head()
            #expect(client.chunk() != nil)
            let stream = try #require(opened.mutex.withLock { $0.first })
            let piece = Bytes(pattern(10_000))
            var queued = 0
            var isFull = false
            for _ in 0..<5000 where !isFull {
                switch stream.send(piece) {
                case .queued: queued += 1
                case .full: isFull = true
                case .closed: Issue.record("closed")
                }
                #expect(stream.queuedByteCount <= 100_000)
            }
            #expect(isFull)
            stream.end()
            var received = 0
            while let chunk = client.chunk(), !chunk.isEmpty { received += chunk.count }
            #expect(received == queued * 10_000)
        }
    }

    @Test("pieces that are sent together are taken or refused together, and are whole at the end")
    func together() throws {
        let stream = EventStream(queueByteCountMax: 10)
        let pieces = ["aaaa", "", "bbbb", "cccc"].map { Bytes($0) }
        #expect(stream.queuedByteCount == 0)
        // Larger than the bound, but there is nothing else.
        if case .queued = stream.send(all: pieces) {} else { Issue.record("not queued") }
        if case .full = stream.send(all: pieces) {} else { Issue.record("not refused") }
        #expect(stream.queuedByteCount == 12)
        var taken = ""
        func take(_ limit: Int) -> Bool {
            stream.take(upTo: limit) { taken += String(decoding: $0.buffer, as: UTF8.self) }
        }
        #expect(!take(4))
        if case .full = stream.send(all: [Bytes("dddd")]) {} else { Issue.record("not refused") }
        stream.end(with: Bytes("end"))
        while !take(4) {}
        #expect(taken == "aaaabbbbccccend")
        let other = EventStream()
        if case .queued = other.send(all: pieces) {} else { Issue.record("not queued") }
        other.end(with: Bytes("end"))
        #expect(other.queuedByteCount == 3)
    }

    @Test("what a stream ends with is sent however full its queue is, and nothing behind it")
    func last() {
        let stream = EventStream(queueByteCountMax: 10)
        if case .queued = stream.send(Bytes("0123456789")) {} else { Issue.record("not queued") }
        if case .full = stream.send(Bytes("more")) {} else { Issue.record("not refused") }
        stream.end(sending: Bytes("why"))
        stream.end(sending: Bytes("again"))
        if case .closed = stream.send(Bytes("more")) {} else { Issue.record("still open") }
        var taken = ""
        while !stream.take(
            upTo: 4, { taken += String(decoding: $0.buffer, as: UTF8.self) })
        {}
        #expect(taken == "0123456789why")
    }

    @Test("what was taken counts as queued until more is asked for")
    func written() {
        let stream = EventStream(queueByteCountMax: 10)
        if case .queued = stream.send(Bytes("twelve bytes")) {} else { Issue.record("not queued") }
        #expect(!stream.take(upTo: 4) { _ in })
        #expect(stream.queuedByteCount == 12)
        if case .full = stream.send(Bytes("x")) {} else { Issue.record("not refused") }
        #expect(!stream.take(upTo: 4) { _ in Issue.record("nothing was left") })
        #expect(stream.queuedByteCount == 0)
        if case .queued = stream.send(Bytes("x")) {} else { Issue.record("not queued") }
    }

    @Test("a client that leaves closes its stream without a write")
    func leaving() throws {
        let opened = Mutex<[EventStream]>.Holder([])
        let notes = Notes()
        try withServer([EventStreamTests.streaming(opened, notes), hello]) { server, port in
            for isReset in [false, true] {
                let client = try RawClient(port: port)
                client.send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
                _ = try client.head()
                if isReset { client.reset() } else { client.close() }
            }
            #expect(eventually { notes.count("closed") == 2 })
            #expect(eventually { opened.mutex.withLock { $0.allSatisfy { $0.isClosed } } })
            #expect(eventually { server.metrics.streams.load(ordering: .relaxed) == 0 })
        }
    }

    @Test(
        "streams end within two seconds of the end of their grant, with an event in place of what waits"
    )
    func endsWithItsGrant() throws {
        let end = Int64(time(nil)) + 2
        let grant = Grant(owner: 7, until: end, bearer: nil)
        try withServer(
            [
                Route(.get, "/events", "events") { _ in
                    .respond(Response(events: EventStream {}))
                }
            ],
            {
                $0.makeEvent = { Bytes("event: error\ndata: \($0.code.rawValue)\n\n") }
                $0.admit = { request in
                    request.grant = grant
                    return nil
                }
            }
        ) { server, port in
            // More than the parts in which they are looked at.
            let clients = try (0...SocketLoop.accessPartCount).map { _ in
                try RawClient(port: port)
            }
            for client in clients { client.send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n") }
            #expect(grant.ending == nil)
            for client in clients {
                let reply = try client.reply()
                #expect(reply.status == 200)
                #expect(String(decoding: reply.body, as: UTF8.self).contains("access-ended"))
            }
            #expect((end...end + 2).contains(Int64(time(nil))))
            #expect(grant.ending == .revoked)
        }
    }

    /// Why a client never gets its stream.
    enum Loss: CaseIterable { case endOfGrant, reset, noAnswer, headAlone }

    @Test("a stream that is never sent closes, whatever the reason", arguments: Loss.allCases)
    func unsent(loss: Loss) throws {
        let notes = Notes()
        let waiting = Mutex<[Exchange]>.Holder([])
        let grant = Grant(owner: 0)
        let stream = EventStream { notes.add("closed") }
        let route = Route(.get, "/events", "events") { _ in
            let response = Response(events: stream)
            if loss == .headAlone { return .respond(response) }
            if loss == .noAnswer { return .later { _ in withExtendedLifetime(response) {} } }
            return .later { exchange in waiting.mutex.withLock { $0.append(exchange) } }
        }
        try withServer(
            [route],
            {
                $0.admit = { request in
                    request.grant = grant
                    return nil
                }
            }
        ) { _, port in
            let client = try RawClient(port: port)
            client.send(
                "\(loss == .headAlone ? "HEAD" : "GET") /events HTTP/1.1\r\nHost: x\r\n\r\n")
            switch loss {
            case .headAlone: #expect(try client.head().status == 200)
            case .noAnswer: #expect(try client.reply().status == 500)
            case .endOfGrant, .reset:
                #expect(eventually { waiting.mutex.withLock { $0.count } == 1 })
                let exchange = try #require(waiting.mutex.withLock { $0.popLast() })
                if loss == .reset {
                    client.reset()
                    #expect(eventually { exchange.isGone })
                } else {
                    grant.end(.revoked)
                    #expect(try client.reply().status == 401)
                }
                exchange.respond(Response(events: stream))
            }
            #expect(eventually { notes.count("closed") == 1 })
        }
        // Nothing but its reply's end has closed it.
        #expect(stream.isClosed)
    }

    @Test("many streams share one event each, while requests go on")
    func many() throws {
        let opened = Mutex<[EventStream]>.Holder([])
        let notes = Notes()
        let streamCount = 500
        try withServer([EventStreamTests.streaming(opened, notes), hello]) { server, port in
            var clients: [RawClient] = []
            for _ in 0..<streamCount {
                let client = try RawClient(port: port)
                client.send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
                clients.append(client)
            }
            for client in clients {
                _ = try client.head()
                #expect(client.chunk() != nil)
            }
            let streams = opened.mutex.withLock { $0 }
            #expect(streams.count == streamCount)
            for round in 0..<20 {
                let event = Bytes("data: \(round)\n\n")
                for stream in streams { _ = stream.send(event) }
            }
            #expect(try RawClient(port: port).get("/hello").status == 200)
            for stream in streams { stream.end() }
            let expected = (0..<20).map { "data: \($0)\n\n" }.joined()
            for client in clients {
                var received: [UInt8] = []
                while let chunk = client.chunk(), !chunk.isEmpty { received += chunk }
                #expect(String(decoding: received, as: UTF8.self) == expected)
            }
            #expect(eventually { notes.count("closed") == streamCount })
        }
    }

    @Test("producers on many threads lose nothing")
    func producers() throws {
        let opened = Mutex<[EventStream]>.Holder([])
        try withServer([EventStreamTests.streaming(opened, Notes())]) { _, port in
            let client = try RawClient(port: port)
            client.send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = try client.head()
            #expect(client.chunk() != nil)
            let stream = try #require(opened.mutex.withLock { $0.first })
            let reader = Mutex<Int>.Holder(0)
            let thread = TestThread {
                var lines = 0
                while let chunk = client.chunk(), !chunk.isEmpty {
                    lines += chunk.count(where: { $0 == 10 })
                }
                reader.mutex.withLock { $0 = lines }
            }
            inParallel(8) { _ in
                for _ in 0..<1000 { _ = stream.send(Bytes("x\n")) }
            }
            stream.end()
            thread.join()
            #expect(reader.mutex.withLock { $0 } == 8000)
        }
    }
}

extension Mutex where Value: Sendable {
    /// A mutex that closures can share.
    final class Holder: Sendable {
        let mutex: Mutex<Value>
        init(_ value: Value) { mutex = Mutex(value) }
    }
}
