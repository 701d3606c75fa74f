import Glibc
import Synchronization
import Testing

import struct HoldfastTestSupport.SeededGenerator

@testable import HoldfastHTTPServer

/// Random requests, well-formed and not, that come in pieces: they must mean what they mean when they come whole.
@Suite struct SplitInputTests {
    @Test("a head means the same wherever it is cut, and nothing runs behind one that is broken")
    func heads() throws {
        let seed = SeededGenerator.testSeed("heads")
        let notes = Notes()
        try withServer([Self.meaning, victim(notes)]) { server, port in
            Self.inRounds(750) { round in
                var random = SeededGenerator(seed: seed &+ UInt64(round))
                let head = Self.damaged(Self.head(&random), &random)
                let bytes = head + Array("DELETE /victim HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
                let (whole, victims) = Self.compare(bytes, &random, port, round)
                let isAnswered = whole.contains("HTTP/1.1 200") || whole.contains("HTTP/1.1 405")
                notes.add(isAnswered ? "answered" : "refused")
                let isLast = whole.lowercased().split(separator: "\n\n").first?
                    .contains("connection: close")
                #expect(isLast != true || victims == 0, "round \(round): \(head)")
            }
            #expect(eventually { server.metrics.inFlight.load(ordering: .relaxed) == 0 })
        }
        #expect(notes.count("answered") > 100)
        #expect(notes.count("refused") > 100)
    }

    @Test("a body in chunks means the same wherever it is cut, and is what was framed")
    func chunks() throws {
        let seed = SeededGenerator.testSeed("chunks")
        let notes = Notes()
        try withServer([count, victim(notes)]) { server, port in
            Self.inRounds(750) { round in
                var random = SeededGenerator(seed: seed &+ UInt64(round))
                let body = pattern(Int.random(in: 0...200, using: &random))
                let framed = Self.framed(body, &random)
                let isDamaged = Bool.random(using: &random)
                let start = "POST /count HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                let bytes =
                    Array(start.utf8) + (isDamaged ? Self.damaged(framed, &random) : framed)
                let (whole, victims) = Self.compare(bytes, &random, port, round)
                if !isDamaged {
                    #expect(whole.contains("HTTP/1.1 200"), "round \(round): \(whole)")
                    #expect(whole.hasSuffix(summary(body)), "round \(round): \(whole)")
                }
                #expect(victims == 0, "round \(round): \(bytes)")
            }
            #expect(eventually { server.metrics.inFlight.load(ordering: .relaxed) == 0 })
        }
        #expect(notes.all == [])
    }

    @Test("many requests in one go are answered in order")
    func deepPipeline() throws {
        let total = SeededGenerator.scaled(12_000)
        try withServer([echo]) { _, port in
            let client = try RawClient(port: port)
            let sender = TestThread {
                for start in stride(from: 0, to: total, by: 1000) {
                    client.send(
                        (start..<min(start + 1000, total)).map {
                            "GET /echo/\($0)/x HTTP/1.1\r\nHost: x\r\n\r\n"
                        }.joined())
                }
            }
            for index in 0..<total {
                let text = try client.reply().text
                guard text == "\(index)|x" else {
                    Issue.record("\(text) in place of \(index)")
                    break
                }
            }
            sender.join()
        }
    }

    // MARK: Rounds

    /// Runs rounds on some threads.
    private static func inRounds(_ total: Int, _ body: @escaping @Sendable (Int) -> Void) {
        let count = SeededGenerator.scaled(total)
        inParallel(4) { thread in
            for round in stride(from: thread, to: count, by: 4) { body(round) }
        }
    }

    /// Sends bytes whole, cut in some places and cut at each byte, and compares what the service says.
    ///
    /// - Returns: What it says of the whole, and how many requests behind the first were deleted.
    private static func compare(
        _ bytes: [UInt8], _ random: inout SeededGenerator, _ port: UInt16, _ round: Int
    ) -> (whole: String, victims: Int) {
        var cuts = (0..<Int.random(in: 1...8, using: &random)).map { _ in
            Int.random(in: 0...bytes.count, using: &random)
        }
        cuts.sort()
        let whole = said(bytes, cuts: [], port)
        #expect(said(bytes, cuts: cuts, port) == whole, "round \(round): \(cuts) \(bytes)")
        #expect(
            said(bytes, cuts: Array(0...bytes.count), port) == whole, "round \(round): \(bytes)")
        return (whole, whole.split(separator: "\n").count { $0.hasPrefix("HTTP/1.1 204") })
    }

    /// All that the service says to bytes that come in pieces, until it closes the connection.
    private static func said(_ bytes: [UInt8], cuts: [Int], _ port: UInt16) -> String {
        guard let client = try? RawClient(port: port) else { return "no connection" }
        var start = 0
        for end in cuts + [bytes.count] {
            client.send(Array(bytes[start..<end]))
            start = end
        }
        shutdown(client.socket, Int32(SHUT_WR))
        return client.rest().split(separator: "\r\n", omittingEmptySubsequences: false)
            .filter { !$0.hasPrefix("Date: ") && !$0.hasPrefix("X-Request-Id: ") }
            .joined(separator: "\n")
    }

    /// A route for each path that says all that a request means.
    private static let meaning = Route(.get, "/{path*}", "meaning") { request in
        let fields = [HeaderName.host, .connection, .contentType, .expect].map { name in
            request.headers(name).map(\.string).description
        }
        return .respond(
            Response(
                200, .text,
                "\(request.rawTarget.string) \(fields) \(request.isHTTP11) "
                    + "\(request.announcedByteCount) \(request.isChunked)"))
    }

    // MARK: Heads

    private static func head(_ random: inout SeededGenerator) -> [UInt8] {
        func one(_ texts: [String]) -> String { texts.randomElement(using: &random) ?? "" }
        var text = one(["", "", "", "\r\n"])
        text += one(["GET", "GET", "HEAD", "PUT", "M-SEARCH", "get"]) + " "
        text += one(["/", "/a/b?c=d", "*", "http://x/y", "/%20", "/ü", "/a#b"]) + " "
        text += one(["HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/1.9", "HTTP/2.0"]) + "\r\n"
        if Int.random(in: 0..<8, using: &random) > 0 { text += "Host: x\r\n" }
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            text += one(["A", "a-b", "CONTENT-length", "Connection", "Expect", "Content-Type", "é"])
            text += ":" + one(["", " ", "\t "])
            text += one(["", "5", "close", "keep-alive, x", "100-continue", "a  b", "ü"])
            text += one(["", "", " "]) + "\r\n"
        }
        return Array(
            (text + "\r\n" + one(["", "", "rest", "GET / HTTP/1.1\r\nHost: x\r\n\r\n"])).utf8)
    }

    /// Sometimes with a byte that is another, missing or one more.
    private static func damaged(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        guard !bytes.isEmpty, Int.random(in: 0..<3, using: &random) == 0 else { return bytes }
        let index = bytes.indices.randomElement(using: &random) ?? 0
        let byte: UInt8 =
            [0, 9, 10, 13, 32, 58, 59, 48, 127, 200].randomElement(using: &random) ?? 0
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[index] = byte
        case 1: bytes.remove(at: index)
        default: bytes.insert(byte, at: index)
        }
        return bytes
    }

    // MARK: Chunks

    private static func framed(_ body: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var text: [UInt8] = []
        var start = 0
        func end(_ size: String) {
            // libmicrohttpd 1.0.1 miscounts chunk extensions.
            let extras = HeadCheck.looksAtLines ? ["", ";a", "; a=\"b\"", ";"] : [""]
            let extra = extras.randomElement(using: &random) ?? ""
            text += Array((size + extra + "\r\n").utf8)
        }
        while start < body.count {
            let count = min(body.count - start, Int.random(in: 1...60, using: &random))
            let size = String(count, radix: 16, uppercase: Bool.random(using: &random))
            end(String(repeating: "0", count: Int.random(in: 0...3, using: &random)) + size)
            text += body[start..<start + count] + [13, 10]
            start += count
        }
        end("0")
        if Bool.random(using: &random) { text += Array("Trailer: value\r\nOther:\r\n".utf8) }
        return text + [13, 10] + Array("DELETE /victim HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
    }
}
