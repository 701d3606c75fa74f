import Glibc
import HoldfastObjectModel
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("Comparisons of two long lists")
struct LongComparisonTests {
    private static let count = 40_000

    /// An object with a long list of texts, and a hundred without.
    private static func server(seconds: Int) throws -> TestServer {
        var options = RESTOptions()
        options.limits.queryTimeSecondsMax = seconds
        options.limits.readerAgeSecondsMax = 86_400
        options.limits.scheduling.runningLongCountMax = 1
        let schema = Schema(classes: [
            ObjectClass(
                name: "List", primaryKey: "id",
                properties: [
                    Schemas.property("id", .int),
                    Property(name: "ints", type: .list(.scalar(.int))),
                    Property(name: "texts", type: .list(.scalar(.string))),
                ])
        ])
        let server = try TestServer(schema: schema, options: options)
        let texts = (0..<count).map { "\"a\($0)\"" }.joined(separator: ",")
        let ints = (0..<count).map { "\($0 * 2)" }.joined(separator: ",")
        var objects = (1..<100).map { "{\"id\":\($0)}" }
        objects.append("{\"id\":0,\"texts\":[\(texts)],\"ints\":[\(ints)]}")
        let reply = server.send(
            "POST", "/v1/classes/List/objects", "[\(objects.joined(separator: ","))]")
        #expect(reply.status == 201, "\(reply.text.prefix(300))")
        return server
    }

    /// A query that compares each text with each of as many others.
    private static let pairs: String = {
        let texts = (0..<count).map { "\"b\($0)\"" }.joined(separator: ",")
        return "{\"filter\":\"ANY texts CONTAINS ANY $0\",\"args\":[[\(texts)]]}"
    }()

    private static func begin(on server: TestServer) throws -> HTTPClient {
        let client = HTTPClient(port: try #require(server.server.addresses.first?.port))
        client.begin(
            "POST", "/v1/classes/List/query", headers: [("Content-Type", "application/json")],
            body: Array(pairs.utf8))
        return client
    }

    @Test("end at the time limit, while others are answered", .timeLimit(.minutes(2)))
    func limit() throws {
        let server = try Self.server(seconds: 1)
        let slow = try (0..<6).map { _ in try Self.begin(on: server) }
        for _ in 0..<5 {
            func find() -> HTTPClient.Reply {
                server.send("GET", "/v1/classes/List/objects?limit=2&fields=id&filter=id%3E5")
            }
            var reply = find()
            // A busy machine may not come to it within the second, and says to try again.
            for _ in 0..<30 where reply.status == 503 { reply = find() }
            #expect(reply.status == 200 && reply.text.contains("\"id\":7"), "\(reply.text)")
        }
        for client in slow {
            let reply = client.finish()
            #expect(reply.status == 503 && reply.text.contains("query-too-slow"), "\(reply.text)")
        }
    }

    @Test("end when their clients leave, and when the service stops", .timeLimit(.minutes(2)))
    func departure() throws {
        let server = try Self.server(seconds: 86_400)
        for _ in 0..<3 {
            let client = try Self.begin(on: server)
            while server.service.served.scheduler.counts.running == 0 { usleep(1000) }
            client.disconnect()
        }
        while server.service.served.scheduler.counts.running > 0
            || server.service.served.scheduler.counts.long > 0
        {
            usleep(1000)
        }
        // The service ends with the test, within its time, though this one is under way.
        let last = try Self.begin(on: server)
        while server.service.served.scheduler.counts.running == 0 { usleep(1000) }
        server.service.stop()
        last.disconnect()
    }

    @Test(
        "are answered in time for their values, not for their pairs", .timeLimit(.minutes(2)),
        arguments: [
            ("ANY $0 == ANY ints", 0), ("NONE $0 == ANY ints", 1), ("ANY ints == ANY $0", 0),
            ("NONE $0 == ANY ints AND id == 0", 1), ("ALL ints < ANY $0", 1), ("ANY ints IN $0", 0),
            ("ALL ints != ALL $0", 1), ("ANY ints >= ALL $0", 0), ("ANY ints == ANY ints", 1),
        ])
    func answered(filter: String, found: Int) throws {
        let server = try Self.server(seconds: 60)
        let args = (0..<Self.count).map { "\($0 * 2 + 1)" }.joined(separator: ",")
        let reply = server.send(
            "POST", "/v1/classes/List/query",
            "{\"filter\":\"\(filter) AND texts.@count > 0\",\"args\":[[\(args)]],\"fields\":\"id\"}"
        )
        #expect(reply.status == 200)
        #expect(reply.text.contains("\"id\":0") == (found == 1), "\(reply.text.prefix(300))")
    }
}
