import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastRESTAPI
import HoldfastRows
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

/// What a client sends to break the service or to keep others from it.
@Suite("hostile requests")
struct HostileRequestTests {
    /// The cursor of a reply with a number in it replaced.
    private func forged(_ reply: HTTPClient.Reply, at offset: Int, _ number: UInt64) -> String {
        let mark = Array("\"next\":\"".utf8)
        let start = reply.body.indices.first { reply.body[$0...].starts(with: mark) } ?? 0
        let text = Array(reply.body[(start + mark.count)...].prefix { $0 != UInt8(ascii: "\"") })
        guard var bytes = text.withUnsafeBytes({ Base64.decode($0, alphabet: .url) }),
            bytes.count >= offset + 8
        else { return "no cursor" }
        withUnsafeBytes(of: number.littleEndian) {
            bytes.replaceSubrange(offset..<(offset + 8), with: $0)
        }
        // The checksum is no secret.
        let checksum = bytes.dropLast(8).withUnsafeBytes { SipHash128.hash($0).high }
        withUnsafeBytes(of: checksum.littleEndian) {
            bytes.replaceSubrange((bytes.count - 8)..., with: $0)
        }
        let buffer = ByteBuffer()
        bytes.withUnsafeBytes { Base64.encode($0, into: buffer) }
        return String(
            decoding: buffer.bytes.filter { $0 != UInt8(ascii: "=") }.map {
                $0 == UInt8(ascii: "+")
                    ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0
            }, as: UTF8.self)
    }

    @Test(
        "a cursor with made-up numbers is refused",
        arguments: [
            "/v1/classes/Toy/objects?limit=1", "/v1/classes/Toy/objects?limit=1&sort=-label",
            "/v1/classes/Person/objects/A/properties/friends?limit=1",
            "/v1/classes/Person/objects/A/properties/friendOf?limit=1",
        ])
    func forgedCursors(target: String) throws {
        let server = try TestServer(schema: Schemas.everything)
        server.send(
            "POST", "/v1/classes/Toy/objects", #"[{"label":"a"},{"label":"b"},{"label":"c"}]"#)
        server.send(
            "POST", "/v1/classes/Person/objects",
            #"[{"name":"A","friends":["A","B","C"]},{"name":"B","friends":["A"]},{"name":"C","friends":["A"]}]"#
        )
        let page = server.send("GET", target)
        #expect(page.text.contains("\"next\":\""), "\(page.text)")
        // The count of objects and the key of the last one.
        for offset in [25, 33] {
            for number in [UInt64.max, UInt64.max - 1, 1 << 63, UInt64(Int64.max)] {
                APIScenario(
                    "GET", target + "&cursor=" + forged(page, at: offset, number), status: 400,
                    contains: ["invalid-cursor", "\"parameter\":\"cursor\""]
                ).check(on: server)
            }
        }
    }

    @Test("a snapshot cursor behind the last key, or of a version to come, does no harm")
    func streamCursors() throws {
        let server = try TestServer(schema: Schemas.everything)
        server.send("POST", "/v1/classes/Toy/objects", #"{"label":"a"}"#)
        let version =
            server.send("GET", "/v1/classes/Toy/objects/1").headers["holdfast-version"] ?? "none"
        let epoch = version.prefix { $0 != "-" }
        for path in ["/v1/changes", "/v1/classes/Toy/changes"] {
            APIScenario("GET", path + "?since=\(version)~1.\(UInt64.max)", status: 200).check(
                on: server)
            for place in ["0.1", "\(UInt32.max).1"] {
                APIScenario(
                    "GET", path + "?since=\(version)~\(place)", status: 410,
                    contains: ["schema-changed"]
                ).check(on: server)
            }
            APIScenario(
                "GET", path + "?since=\(epoch)-\(UInt64.max)~1.0", status: 410,
                contains: ["restored"]
            ).check(on: server)
        }
    }

    @Test("an object nested in itself is counted once")
    func nestedInItself() throws {
        let server = try TestServer(schema: Schemas.everything)
        APIScenario(
            "POST", "/v1/classes/Person/objects",
            #"{"name":"x","best":{"name":"x","best":{"name":"y","best":{"name":"x"}}}}"#,
            status: 201
        ).check(on: server)
        APIScenario(
            "GET", "/v1/classes/Person/objects?count=exact&fields=name", status: 200,
            contains: ["\"objects\":[{\"name\":\"x\"},{\"name\":\"y\"}]", "\"count\":2"]
        ).check(on: server)
    }

    @Test(
        "an object that is too large for the store fails alone, not those that are written with it")
    func tooLargeBesideOthers() throws {
        let server = try TestServer(schema: Schemas.everything, valueByteCountMax: 10_000)
        let port = server.server.addresses.first?.port ?? 0
        let body = "{\"label\":\"" + String(repeating: "x", count: 20_000) + "\"}"
        // Sent without waiting, so that some share a commit.
        let threads = try (0..<16).map { index in
            try StartedThread {
                let client = HTTPClient(port: port)
                var statuses: Set<Int> = []
                for _ in 0..<40 {
                    statuses.insert(
                        client.send(
                            "POST", "/v1/classes/Toy/objects",
                            headers: [("Content-Type", "application/json")],
                            body: Array((index % 2 == 0 ? body : "{\"label\":\"y\"}").utf8)
                        ).status)
                }
                return statuses
            }
        }
        for (index, thread) in threads.enumerated() {
            #expect(thread.result() == (index % 2 == 0 ? [422] : [201]))
        }
    }

    @Test("paths along links that fan out are stopped after the query's time")
    func fanOut() throws {
        var options = RESTOptions()
        options.limits.queryTimeSecondsMax = 1
        let server = try TestServer(schema: Schemas.everything, options: options)
        let names = (0..<100).map { "\"p\($0)\"" }
        let people = names.map { "{\"name\":\($0),\"friends\":[\(names.joined(separator: ","))]}" }
        server.send("POST", "/v1/classes/Person/objects", "[\(people.joined(separator: ","))]")
        let path = Array(repeating: "friends", count: 8).joined(separator: ".")
        // NONE can't be answered from the far side.
        let filter = "filter=NONE%20\(path).age%20%3D%3D%207"
        for target in [
            "/v1/classes/Person/objects?", "/v1/classes/Person/objects/p1/properties/friends?",
            "/v1/classes/Person/changes?since=start&",
        ] {
            APIScenario("GET", target + filter, status: 503, contains: ["query-too-slow"]).check(
                on: server)
        }
        APIScenario("GET", "/v1/classes/Person/objects/p1", status: 200).check(on: server)
    }

    @Test("a path along links has a length that is bounded")
    func longPaths() throws {
        let server = try TestServer(schema: Schemas.everything)
        func path(_ count: Int) -> String { String(repeating: "best.", count: count) + "age" }
        for target in ["/v1/classes/Person/objects?", "/v1/classes/Person/changes?"] {
            APIScenario("GET", target + "filter=\(path(100))%20%3D%3D%201", status: 200).check(
                on: server)
            APIScenario(
                "GET", target + "filter=\(path(101))%20%3D%3D%201", status: 400,
                contains: ["query-limit", "\"column\":506"]
            ).check(on: server)
        }
        APIScenario("GET", "/v1/classes/Person/objects?sort=\(path(101))", status: 400).check(
            on: server)
    }

    @Test(
        "many lines of an import that write one object and wait for another take time by their number",
        arguments: ["create", "merge"])
    func linesOfOneObject(mode: String) throws {
        let server = try TestServer(schema: Schemas.everything)
        let line = #"{"name":"a","best":"nobody"}"# + "\n"
        let count = 30_000
        let reply = server.client.send(
            "POST", "/v1/classes/Person/import?mode=\(mode)",
            headers: [("Content-Type", "application/x-ndjson")],
            body: Array(String(repeating: line, count: count).utf8))
        #expect(reply.status == 422)
        #expect(
            reply.text.contains("\"imported\":0,\"failed\":\(count),"), "\(reply.text.prefix(200))")
    }

    @Test(
        "a date that its offset moves out of the years that can be written is refused",
        arguments: [
            "9999-12-31T23:59:60Z", "9999-12-31T23:59:59-00:01", "0000-01-01T00:00:00+00:01",
        ])
    func farDates(text: String) throws {
        let server = try TestServer(schema: Schemas.everything)
        APIScenario(
            "PUT", "/v1/classes/Thing/objects/1", "{\"at\":\"\(text)\"}", status: 422,
            contains: ["invalid-date", "\"pointer\":\"/at\""]
        ).check(on: server)
    }

    @Test("the first and the last date that can be written come back")
    func edgeDates() throws {
        let server = try TestServer(schema: Schemas.everything)
        server.send("PUT", "/v1/classes/Thing/objects/1", "{}")
        for text in ["0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z"] {
            APIScenario(
                "PUT", "/v1/classes/Thing/objects/1", "{\"at\":\"\(text)\"}", status: 200,
                contains: ["\"at\":\"\(text)\""]
            ).check(on: server)
        }
    }
}
