import Glibc
import HoldfastThreads
import Testing

@testable import HoldfastHTTPServer

/// The time that a client has for the head of a request. libmicrohttpd does not report the first bytes of a head.
@Suite("The time for a head")
struct NextHeadTests {
    @Test(
        "runs while a request line comes byte by byte, on a connection that is kept too",
        arguments: [false, true])
    func slowLine(isKept: Bool) throws {
        try withServer([hello], { $0.headerTimeoutSeconds = 1 }) { server, port in
            let client = try RawClient(port: port)
            if isKept { #expect(try client.get("/hello").status == 200) }
            let idle = try RawClient(port: port)
            #expect(try idle.get("/hello").status == 200)
            client.send("GET /")
            var isEnded = false
            for _ in 0..<100 where !isEnded {
                usleep(100_000)
                isEnded = !client.send("a")
            }
            #expect(isEnded)
            #expect(eventually { server.metrics.connections.load(ordering: .relaxed) == 1 })
            // A connection without a byte is closed after the idle time.
            #expect(try idle.get("/hello").status == 200)
        }
    }

    @Test(
        "runs while empty lines come in place of a request, and is over with a request that comes whole"
    )
    func emptyLines() throws {
        try withServer([hello], { $0.headerTimeoutSeconds = 1 }) { _, port in
            let client = try RawClient(port: port)
            for _ in 0..<20 {
                #expect(try client.get("/hello").status == 200)
                usleep(100_000)
            }
            var isEnded = false
            for _ in 0..<100 where !isEnded {
                usleep(100_000)
                isEnded = !client.send("\r\n")
            }
            #expect(isEnded)
        }
    }

    @Test("counts from the first byte, also when the line is whole by then")
    func slowFields() throws {
        try withServer([hello], { $0.headerTimeoutSeconds = 4 }) { _, port in
            let client = try RawClient(port: port)
            #expect(try client.get("/hello").status == 200)
            usleep(1_500_000)
            let start = monotonicNanoseconds()
            client.send("GET /hel")
            usleep(3_500_000)
            client.send("lo HTTP/1.1\r\n")
            #expect(try client.reply().status == 408)
            // Less than the time of a line plus the time of its fields.
            #expect(monotonicNanoseconds() - start < 7_000_000_000)
        }
    }

    @Test("begins with the first look that finds more bytes than the one before")
    func looks() {
        var first = NextHead(isFirst: true)
        first.look(at: 1000, every: 100) { 0 }
        #expect(first.began == 0)
        first.look(at: 1050, every: 100) { 1 }
        #expect(first.began == 0, "It is not looked at so often.")
        first.look(at: 1100, every: 100) { 1 }
        #expect(first.began == 1100)
        first.look(at: 1200, every: 100) { 2 }
        #expect(first.began == 1100)
        var next = NextHead(isFirst: false)
        next.look(at: 2000, every: 100) { 70 }
        next.look(at: 2100, every: 100) { 70 }
        #expect(next.began == 0)
        next.look(at: 2200, every: 100) { 71 }
        #expect(next.began == 2200)
    }
}
