import Testing

@testable import HoldfastHTTPServer

/// How many new connections libmicrohttpd is handed at once.
@Suite struct ConnectionAllowanceTests {
    @Test("who finds nothing left is called once, when half is there again")
    func call() {
        let allowance = ConnectionAllowance(threadCount: 2)
        for _ in 0..<64 {
            #expect(allowance.allowsOne)
            allowance.take()
        }
        #expect(!allowance.allowsOne)
        let calls = (1...64).filter { _ in allowance.give() }
        #expect(calls == [33])
        #expect(allowance.allowsOne)
    }

    @Test("nobody is called who found some left")
    func silence() {
        let allowance = ConnectionAllowance(threadCount: 1)
        for _ in 0..<100 {
            #expect(allowance.allowsOne)
            allowance.take()
            #expect(!allowance.give())
        }
    }

    @Test("what was lost is there again after a refill")
    func refill() {
        let allowance = ConnectionAllowance(threadCount: 1)
        for _ in 0..<32 { allowance.take() }
        #expect(!allowance.allowsOne)
        allowance.refill()
        #expect(allowance.allowsOne)
        // Those that were not lost after all count once.
        for _ in 0..<32 { _ = allowance.give() }
        for _ in 0..<32 {
            #expect(allowance.allowsOne)
            allowance.take()
        }
        #expect(!allowance.allowsOne)
    }

    @Test("a burst of connections is served whole, and another behind it")
    func bursts() throws {
        try withServer([hello]) { server, port in
            for _ in 0..<2 {
                let clients = try (0..<400).map { _ in try RawClient(port: port) }
                for client in clients { client.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n") }
                for client in clients { #expect(try client.reply().text == "hello") }
            }
            #expect(server.allowance.allowsOne)
        }
    }
}
