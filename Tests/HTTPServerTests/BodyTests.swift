import Glibc
import Synchronization
import Testing

@testable import HoldfastHTTPServer

/// Compresses as a client would.
func gzip(_ bytes: [UInt8]) -> [UInt8] {
    let source = Bytes(bytes + [UInt8](repeating: 0, count: 1024))
    let view = UnsafeRawBufferPointer(rebasing: source.buffer[0..<bytes.count])
    guard let writer = GzipWriter.take() else { return [] }
    writer.setInput(view)
    var target = [UInt8](repeating: 0, count: bytes.count + 1024)
    let result = target.withUnsafeMutableBytes { writer.write(to: $0, isLast: true) }
    return Array(target[0..<(result?.count ?? 0)])
}

/// Decompresses; nil when it is not one whole gzip text.
func gunzip(_ bytes: [UInt8]) -> [UInt8]? {
    guard let reader = GzipReader() else { return nil }
    var text: [UInt8] = []
    do throws(GzipReader.Fault) {
        let source = Bytes(bytes)
        try reader.read(source.buffer) {
            text += Array($0); return true
        }
    } catch { return nil }
    return reader.isOver ? text : nil
}

/// Frames a body as chunks of a size.
func chunked(_ bytes: [UInt8], by size: Int) -> [UInt8] {
    var text: [UInt8] = []
    var start = 0
    while start < bytes.count {
        let end = min(start + size, bytes.count)
        text +=
            Array((String(end - start, radix: 16) + "\r\n").utf8) + bytes[start..<end] + [13, 10]
        start = end
    }
    return text + Array("0\r\n\r\n".utf8)
}

/// Collects an upload; waits after each piece when told to.
final class CollectingSink: UploadSink {
    private let bytes = Mutex<[UInt8]>([])
    private let upload: Upload
    private let notes: Notes
    private let worker: Worker?
    private let isLater: Bool

    init(_ upload: Upload, _ notes: Notes, pausedBy worker: Worker? = nil, isLater: Bool = false) {
        self.upload = upload
        self.notes = notes
        self.worker = worker
        self.isLater = isLater
    }

    func receive(_ piece: UnsafeRawBufferPointer) -> UploadFlow {
        let isFirst = bytes.withLock { bytes in
            defer { bytes += Array(piece) }
            return bytes.isEmpty
        }
        if isFirst, piece.first == UInt8(ascii: "!") {
            return .refuse(Response(422, .text, "no"))
        }
        guard let worker else { return .more }
        notes.add("wait")
        worker.async { [upload] in upload.resume() }
        return .wait
    }

    func finish() -> Outcome {
        notes.add("finish")
        let text = summary(bytes.withLock { $0 })
        guard isLater, let worker else { return .respond(Response(200, .text, text)) }
        return .later { exchange in
            worker.async { exchange.respond(Response(200, .text, text)) }
        }
    }

    func abort() { notes.add("abort") }
}

@Suite struct BodyTests {
    @Test("a body is whole however it comes", arguments: [0, 1, 100, 16384, 40_000, 1_000_000])
    func wholeBodies(size: Int) throws {
        let body = pattern(size)
        let route = Route(.post, "/count", "count", body: .buffered) { request in
            // simdjson reads past the end: the bytes there must be zero, and must exist.
            if let base = request.body.baseAddress {
                let padding = UnsafeRawBufferPointer(
                    start: base + request.body.count, count: RequestBody.paddingByteCount)
                #expect(padding.allSatisfy { $0 == 0 })
            }
            return .respond(Response(200, .text, summary(request.body)))
        }
        try withServer([route]) { _, port in
            let client = try RawClient(port: port)
            #expect(try client.send("POST", "/count", body: body).text == summary(body))
            for chunk in [1, 7, 1000, 70_000] where size / chunk < 20_000 {
                // A connection is closed after a body in chunks.
                let client = try RawClient(port: port)
                client.send("POST /count HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
                client.send(chunked(body, by: chunk))
                #expect(try client.reply().text == summary(body))
            }
            let packed = gzip(body)
            let reply = try client.send("POST", "/count", body: packed, ["Content-Encoding: gzip"])
            #expect(reply.text == summary(body))
        }
    }

    @Test("Expect: 100-continue is answered before the body")
    func expectContinue() throws {
        try withServer([count], { $0.bodyByteCountMax = 10 }) { _, port in
            let client = try RawClient(port: port)
            let head = "POST /count HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: "
            client.send(head + "3\r\n\r\n")
            #expect(try client.head().status == 100)
            client.send("abc")
            #expect(try client.reply().text == summary(Array("abc".utf8)))
            client.send(head + "11\r\n\r\n")
            #expect(try client.reply().status == 413)
            #expect(client.isClosedByServer())
        }
    }

    @Test(
        "a client that has no body to send is not told to go on",
        arguments: ["", "Content-Length: 0\r\n"])
    func expectWithoutBody(length: String) throws {
        try withServer([hello]) { _, port in
            let client = try RawClient(port: port)
            client.send("GET /hello HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\(length)\r\n")
            #expect(try client.head().status == 200)
        }
    }

    @Test("a body at the limit is taken, one byte more is 413", arguments: [false, true])
    func bodyLimit(isChunked: Bool) throws {
        try withServer([count], { $0.bodyByteCountMax = 100_000 }) { _, port in
            for (size, status) in [(100_000, 200), (100_001, 413), (100_000, 200)] {
                let client = try RawClient(port: port)
                let body = pattern(size)
                if isChunked {
                    client.send(
                        "POST /count HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
                    client.send(chunked(body, by: 5000))
                    #expect(try client.reply().status == status)
                } else {
                    #expect(try client.send("POST", "/count", body: body).status == status)
                }
            }
        }
    }

    @Test("a body far over the limit is told so although the client still sends")
    func oversizeBodies() throws {
        try withServer([count], { $0.bodyByteCountMax = 100_000 }) { _, port in
            let body = pattern(8_000_000)
            let plain = try RawClient(port: port)
            let reply = try plain.send("POST", "/count", body: body)
            #expect(reply.status == 413)
            #expect(reply.text.contains("body-too-large"))
            #expect(plain.isClosedByServer())
            let chunks = try RawClient(port: port)
            chunks.send("POST /count HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            chunks.send(chunked(body, by: 10_000))
            #expect(try chunks.reply().status == 413)
            #expect(chunks.isClosedByServer())
        }
    }

    @Test("a small gzip that grows over the limit is 413")
    func gzipBomb() throws {
        try withServer([count], { $0.bodyByteCountMax = 100_000 }) { _, port in
            let bomb = gzip([UInt8](repeating: 0, count: 20_000_000))
            let reply = try RawClient(port: port)
                .send("POST", "/count", body: bomb, ["Content-Encoding: gzip"])
            #expect(reply.status == 413)
        }
    }

    @Test("broken gzip is 400 and unknown codings are 415, and the connection is kept")
    func badCodings() throws {
        try withServer([count]) { _, port in
            let client = try RawClient(port: port)
            let packed = gzip(pattern(5000))
            for cut in [1, 5, 20, packed.count - 1] {
                let reply = try client.send(
                    "POST", "/count", body: Array(packed[0..<cut]), ["Content-Encoding: gzip"])
                #expect(reply.status == 400)
            }
            var broken = packed
            broken[broken.count / 2] ^= 0xFF
            #expect(
                try client.send("POST", "/count", body: broken, ["Content-Encoding: gzip"]).status
                    == 400)
            #expect(
                try client.send("POST", "/count", body: [1], ["Content-Encoding: br"]).status == 415
            )
            #expect(try client.send("POST", "/count", body: [1]).status == 200)
        }
    }

    @Test("a body that nobody asked for is dropped, a long one refused")
    func unwantedBodies() throws {
        try withServer([hello]) { _, port in
            let client = try RawClient(port: port)
            #expect(try client.send("GET", "/hello", body: pattern(1000)).text == "hello")
            #expect(try client.send("GET", "/nowhere", body: pattern(1000)).status == 404)
            #expect(try client.get("/hello").text == "hello")
            let long = try RawClient(port: port)
            #expect(try long.send("GET", "/hello", body: pattern(1_000_000)).status == 413)
        }
    }

    @Test(
        "a refusal does not wait for a body that does not come", arguments: ["", "abc"])
    func refusedWithoutBody(beginning: String) throws {
        try withServer([hello, count], { $0.bodyTimeoutSeconds = 600 }) { _, port in
            for (path, status) in [("/nowhere", 404), ("/hello", 405), ("/echo/%/b", 400)] {
                let client = try RawClient(port: port)
                client.send(
                    "POST \(path) HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n\(beginning)")
                #expect(try client.reply().status == status)
                #expect(client.isClosedByServer())
            }
        }
    }

    @Test("a slow body is 408", arguments: [false, true])
    func slowBody(isStarted: Bool) throws {
        try withServer([count], { $0.bodyTimeoutSeconds = 1 }) { _, port in
            let client = try RawClient(port: port)
            client.send("POST /count HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n")
            if isStarted { client.send("abc") }
            #expect(try client.reply().status == 408)
            #expect(client.isClosedByServer())
        }
    }

    @Test("slow headers close the connection")
    func slowHeaders() throws {
        try withServer([count], { $0.headerTimeoutSeconds = 1 }) { _, port in
            let client = try RawClient(port: port)
            client.send("POST /count HTTP/1.1\r\nHost: x\r\n")
            #expect(try client.reply().status == 408)
            #expect(client.isClosedByServer())
        }
    }

    @Test(
        "an upload streams with and without pauses",
        arguments: [(false, false), (true, false), (true, true)])
    func uploads(isPaused: Bool, isLater: Bool) throws {
        let notes = Notes()
        let worker = Worker()
        defer { worker.stop() }
        let route = Route(
            .post, "/up", "up",
            streaming: { _, upload in
                .accept(
                    CollectingSink(
                        upload, notes, pausedBy: isPaused ? worker : nil, isLater: isLater))
            })
        try withServer([route], { $0.bodyByteCountMax = 10 }) { _, port in
            let client = try RawClient(port: port)
            let body = pattern(500_000)
            #expect(try client.send("POST", "/up", body: body).text == summary(body))
            for size in [100, 9000, 70_000] {
                let client = try RawClient(port: port)
                client.send("POST /up HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
                client.send(chunked(body, by: size))
                #expect(try client.reply().text == summary(body))
            }
            let packed = gzip(body)
            let reply = try client.send("POST", "/up", body: packed, ["Content-Encoding: gzip"])
            #expect(reply.text == summary(packed))
            #expect(try client.send("POST", "/up", body: []).text == summary([]))
            #expect(notes.count("finish") == 6)
            #expect(notes.count("abort") == 0)
            #expect((notes.count("wait") > 0) == isPaused)
        }
    }

    @Test("uploads that pause at each piece and take too long are answered, and the service stops")
    func slowUploads() throws {
        let notes = Notes()
        let workers = [Worker(), Worker()]
        defer { for worker in workers { worker.stop() } }
        let count = 16
        let next = Atomic<Int>(0)
        let route = Route(
            .post, "/up", "up",
            streaming: { _, upload in
                let number = next.wrappingAdd(1, ordering: .relaxed).newValue
                return .accept(
                    CollectingSink(upload, notes, pausedBy: workers[number % 2], isLater: true))
            })
        try withServer(
            [route],
            {
                $0.bodyByteCountMax = 10
                $0.bodyTimeoutSeconds = 1
            }
        ) { _, port in
            // The uploads go on in turns, so that the first one ends when nearly all do.
            let clients = try (0..<count).map { _ in try RawClient(port: port, seconds: 200) }
            let body = chunked(pattern(400_000), by: 10)
            let threads = clients.map { client in
                TestThread {
                    client.send(
                        "POST /up HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
                    client.send(body)
                }
            }
            for client in clients {
                let reply = try client.reply()
                #expect(reply.status == 200 || reply.status == 408, "\(reply.status)")
            }
            for thread in threads { thread.join() }
        }
        #expect(notes.count("finish") + notes.count("abort") == count)
    }

    @Test("an upload whose client leaves is aborted, also while it waits")
    func abortedUploads() throws {
        let notes = Notes()
        let worker = Worker()
        defer { worker.stop() }
        let uploads = Mutex<[Upload]>([])
        let routes = [
            Route(
                .post, "/up", "up",
                streaming: { _, upload in
                    .accept(CollectingSink(upload, notes))
                }),
            Route(
                .post, "/stuck", "stuck",
                streaming: { _, upload in
                    uploads.withLock { $0.append(upload) }
                    return .accept(StuckSink(notes))
                }),
        ]
        try withServer(routes) { server, port in
            let client = try RawClient(port: port)
            client.send("POST /up HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nabc")
            client.close()
            #expect(eventually { notes.count("abort") == 1 })
            let stuck = try RawClient(port: port)
            stuck.send("POST /stuck HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nabc")
            #expect(eventually { notes.count("stuck") == 1 })
            stuck.reset()
            for upload in uploads.withLock({ $0 }) { upload.resume() }
            #expect(eventually { notes.count("abort") == 2 })
            #expect(notes.count("finish") == 0)
        }
    }

    @Test("a sink that refuses is answered, and a long rest of the body cut")
    func refusedUploads() throws {
        let notes = Notes()
        let routes = [
            Route(
                .post, "/up", "up",
                streaming: { _, upload in
                    .accept(CollectingSink(upload, notes))
                }),
            Route(
                .post, "/never", "never", streaming: { _, _ in .refuse(Response(403, .text, "x")) }),
        ]
        try withServer(routes) { _, port in
            let client = try RawClient(port: port)
            #expect(try client.send("POST", "/up", body: [33, 1, 2]).status == 422)
            #expect(try client.send("POST", "/never", body: [33, 1, 2]).status == 403)
            #expect(try client.send("POST", "/never", body: []).status == 403)
            let body = [UInt8](repeating: 33, count: 3_000_000)
            #expect(try client.send("POST", "/up", body: body).status == 422)
            let other = try RawClient(port: port)
            #expect(try other.send("POST", "/never", body: body).status == 403)
            #expect(notes.count("abort") == 2)
        }
    }

    @Test("the admission hook refuses before the body is read")
    func admission() throws {
        try withServer(
            [count, hello],
            {
                $0.admit = { request in
                    request.header(.authorization) == nil
                        ? Response(401, .text, "who?").with(.wwwAuthenticate, "Bearer") : nil
                }
            }
        ) { _, port in
            let client = try RawClient(port: port)
            #expect(try client.get("/hello").status == 401)
            #expect(try client.send("POST", "/count", body: [1, 2]).status == 401)
            #expect(try client.get("/hello", ["Authorization: x"]).status == 200)
            #expect(try client.send("POST", "/count", body: pattern(9_000_000)).status == 401)
        }
    }
}

/// Waits for ever after its first piece.
final class StuckSink: UploadSink {
    private let notes: Notes
    init(_ notes: Notes) { self.notes = notes }
    func receive(_ piece: UnsafeRawBufferPointer) -> UploadFlow {
        notes.add("stuck")
        return .wait
    }
    func finish() -> Outcome {
        notes.add("finish")
        return .respond(Response(204))
    }
    func abort() { notes.add("abort") }
}
