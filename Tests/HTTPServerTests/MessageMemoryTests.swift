import Glibc
import HoldfastThreads
import Synchronization
import Testing

@testable import HoldfastHTTPServer

/// The memory that bodies and replies under way may take together, and the rate at which a reply has to be read.
@Suite struct MessageMemoryTests {
    /// Answers with many bytes.
    private static func large(_ count: Int) -> Route {
        Route(.get, "/large", "large") { _ in .respond(Response(200, .bytes, Bytes(pattern(count))))
        }
    }

    @Test("one message has room where there is no other, and others what it leaves")
    func arithmetic() {
        let memory = MemoryBudget.messages(byteCountMax: 10_000)
        #expect(memory.hasRoom(for: 20_000))
        memory.replace(0, with: 6000)
        #expect(memory.hasRoom(for: 20_000, insteadOf: 6000))
        #expect(!memory.hasRoom(for: 4097))
        #expect(memory.hasRoom(for: 4096))
        memory.replace(6000, with: 5000)
        #expect(memory.hasRoom(for: 5000))
        #expect(!memory.hasRoom(for: 5001))
        memory.replace(5000, with: 100)
        #expect(memory.byteCount == 0)
    }

    @Test(
        "a body that has no room beside those that have not come whole is 503, and has it when they end"
    )
    func bodies() throws {
        try withServer([count, hello], { $0.messageByteCountMax = 300_000 }) { server, port in
            let memory = server.metrics.messageMemory
            let dripping = try RawClient(port: port)
            dripping.send("POST /count HTTP/1.1\r\nHost: x\r\nContent-Length: 250000\r\n\r\n")
            dripping.send(pattern(249_999))
            #expect(eventually { memory.byteCount >= 249_999 })
            for packed in [false, true] {
                let client = try RawClient(port: port)
                let body = packed ? gzip(pattern(100_000)) : pattern(100_000)
                let reply = try client.send(
                    "POST", "/count", body: body, packed ? ["Content-Encoding: gzip"] : [])
                #expect(reply.status == 503)
                #expect(reply.header("Retry-After") == "1")
                #expect(reply.text.contains("message-memory-exceeded"))
                #expect(
                    try RawClient(port: port).send("POST", "/count", body: pattern(4000)).status
                        == 200)
            }
            #expect(server.metrics.refusedMessages.load(ordering: .relaxed) == 2)
            dripping.send([7])
            #expect(try dripping.reply().status == 200)
            #expect(eventually { memory.byteCount == 0 })
            let next = try RawClient(port: port).send("POST", "/count", body: pattern(250_000))
            #expect(next.text == summary(pattern(250_000)))
            dripping.send("POST /count HTTP/1.1\r\nHost: x\r\nContent-Length: 250000\r\n\r\n")
            dripping.send(pattern(200_000))
            #expect(eventually { memory.byteCount >= 200_000 })
            dripping.reset()
            #expect(eventually { memory.byteCount == 0 })
        }
    }

    @Test("a reply that has no room beside those that are not read is 503; one to a change is sent")
    func replies() throws {
        let change = Route(.post, "/change", "change", body: .buffered) { _ in
            .respond(Response(200, .bytes, Bytes(pattern(200_000))))
        }
        let routes = [Self.large(8_000_000), change, hello]
        try withServer(routes, { $0.messageByteCountMax = 8_100_000 }) { server, port in
            let memory = server.metrics.messageMemory
            let idle = try RawClient(port: port, receiveBuffer: 4096)
            idle.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(eventually { memory.byteCount == 8_000_000 })
            let other = try RawClient(port: port)
            let refused = try other.get("/large")
            #expect(refused.status == 503)
            #expect(refused.text.contains("message-memory-exceeded"))
            #expect(try other.get("/hello").status == 200)
            #expect(try other.send("POST", "/change", body: []).body == pattern(200_000))
            #expect(try idle.reply().body == pattern(8_000_000))
            #expect(eventually { memory.byteCount == 0 })
            #expect(try other.get("/large").status == 200)
        }
    }

    @Test("a reply that its client reads a byte at a time is cut, and its memory given back")
    func slowReader() throws {
        try withServer(
            [Self.large(8_000_000), hello],
            {
                $0.replyRateSeconds = 1
                $0.threadCount = 1
            }
        ) { server, port in
            let client = try RawClient(port: port, receiveBuffer: 4096)
            client.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(
                eventually {
                    var byte: UInt8 = 0
                    recv(client.socket, &byte, 1, Int32(MSG_DONTWAIT))
                    return server.metrics.slowReplies.load(ordering: .relaxed) == 1
                })
            #expect(eventually { server.metrics.messageMemory.byteCount == 0 })
            #expect(eventually { server.metrics.inFlight.load(ordering: .relaxed) == 0 })
            #expect(try RawClient(port: port).get("/hello").text == "hello")
        }
    }

    @Test(
        "a client at the least rate goes on, one below is too slow, and the next reply begins anew")
    func rate() {
        var rate = ReplyRate()
        func isTooSlow(_ sequence: Int, _ second: UInt64, _ read: UInt64, isWaiting: Bool = true)
            -> Bool
        {
            rate.isTooSlow(sequence, at: second * 1_000_000_000, byteRateMin: 10, over: 60) {
                ReplyRate.Progress(acknowledgedByteCount: read, isWaiting: isWaiting)
            }
        }
        #expect(!isTooSlow(1, 100, 5000))
        #expect(!isTooSlow(1, 159, 5000))
        #expect(!isTooSlow(1, 160, 5600))
        #expect(isTooSlow(1, 220, 6199))
        #expect(!isTooSlow(2, 221, 6199))
        // What the client has read all of is waited for by it.
        #expect(!isTooSlow(2, 281, 6199, isWaiting: false))
        #expect(isTooSlow(2, 341, 6199))
    }

    /// A body of which all is made with the first piece, as a long line of an export is.
    private final class LineSource: PullSource {
        private(set) var heldByteCount = 0
        private let byteCount: Int

        init(_ byteCount: Int) { self.byteCount = byteCount }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> Pull {
            heldByteCount = byteCount
            return .bytes(buffer.count)
        }

        func close() {}
    }

    @Test(
        "a body that is pulled counts with what it holds, and is cut where there is no room for that"
    )
    func pulledBodies() throws {
        let lines = Route(.get, "/lines", "lines") { _ in
            .respond(Response(200, .bytes, pulling: LineSource(900_000)))
        }
        try withServer([lines, hello], { $0.messageByteCountMax = 1_000_000 }) { server, port in
            let memory = server.metrics.messageMemory
            let first = try RawClient(port: port, receiveBuffer: 4096)
            first.send("GET /lines HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(eventually { memory.byteCount == 900_000 })
            let second = try RawClient(port: port)
            second.send("GET /lines HTTP/1.1\r\nHost: x\r\n\r\n")
            // It is cut, before any of it is sent.
            #expect(try second.reply().text.isEmpty)
            #expect(eventually { memory.byteCount == 900_000 })
            first.reset()
            #expect(eventually { memory.byteCount == 0 })
            #expect(try RawClient(port: port).get("/hello").status == 200)
        }
    }
}
