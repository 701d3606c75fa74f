import Glibc
import HoldfastObjectModel
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("Queries that take long")
struct SlowQueryTests {
    /// Forty nodes that all link to each other, so that nine links on there are 40⁹ ends, and two more.
    private static func graph(
        _ change: (inout RESTOptions) -> Void = { _ in }
    ) throws -> TestServer {
        var options = RESTOptions()
        options.limits.scheduling.runningLongCountMax = 1
        change(&options)
        let schema = Schema(classes: [
            ObjectClass(
                name: "Node", primaryKey: "id",
                properties: [
                    Schemas.property("id", .int), Schemas.property("name", .string),
                    Schemas.list("next", of: "Node"),
                ])
        ])
        let server = try TestServer(schema: schema, options: options)
        let all = (0..<40).map(String.init).joined(separator: ",")
        var nodes = (0..<40).map { "{\"id\":\($0),\"name\":\"n\($0)\",\"next\":[\(all)]}" }
        nodes.append("{\"id\":40,\"name\":\"a\",\"next\":[{\"id\":41,\"name\":\"b\"}]}")
        let reply = server.send(
            "POST", "/v1/classes/Node/objects", "[\(nodes.joined(separator: ","))]")
        #expect(reply.status == 201, "\(reply.text)")
        return server
    }

    /// Nine subqueries in each other, which no index shortens.
    private static let path = (0..<9).reversed().reduce("$x9.id%20%3C%200") { inner, depth in
        let list = depth == 0 ? "next" : "$x\(depth).next"
        return "SUBQUERY(\(list),$x\(depth + 1),\(inner)).@count%3E0"
    }

    /// Begins so many slow requests of each kind, each on a connection of its own.
    private static func begin(_ count: Int, on server: TestServer) throws -> [HTTPClient] {
        let port = try #require(server.server.addresses.first?.port)
        let requests = [
            ("GET", "/v1/classes/Node/objects?filter=\(path)"),
            ("GET", "/v1/classes/Node/aggregate?op=count,max(id)&filter=\(path)"),
            ("GET", "/v1/classes/Node/sections?by=id&filter=\(path)"),
            ("GET", "/v1/classes/Node/objects/1/properties/next?filter=\(path)"),
            ("DELETE", "/v1/classes/Node/objects?filter=\(path)"),
        ]
        return (0..<count).map { number in
            let client = HTTPClient(port: port)
            let (method, target) = requests[number % requests.count]
            client.begin(method, target)
            return client
        }
    }

    @Test(
        "do not hold up what is short, though all come from one address", .timeLimit(.minutes(2)),
        arguments: [
            ("/v1/classes/Node/objects?limit=10", "\"id\":9"),
            ("/v1/classes/Node/objects?filter=name%20CONTAINS%20'n3'&fields=id", "\"id\":39"),
            (
                "/v1/classes/Node/objects?filter=name%20==%20'n7'&count=exact&fields=id",
                "\"count\":1"
            ),
            ("/v1/classes/Node/objects/40?expand=next", "\"id\":41"),
            ("/v1/classes/Node/aggregate?op=sum(id)", "861"),
            ("/v1/classes/Node/sections?by=id&limit=5", "\"sections\""),
            ("/v1/classes/Node/objects/1/properties/next?filter=id%3E37", "\"id\":39"),
            ("/v1/classes/Node/changes?since=start&limit=3", "\"id\":2"),
        ])
    func shortRequests(target: String, content: String) throws {
        let server = try Self.graph { options in
            options.limits.queryTimeSecondsMax = 86_400
            options.limits.readerAgeSecondsMax = 86_400
        }
        let slow = try Self.begin(20, on: server)
        // They are all under way: as many as may be hold snapshots, the others have begun and given theirs up.
        while server.service.served.scheduler.counts.long < 8 { usleep(1000) }
        while server.service.served.scheduler.counts.waiting < 12 { usleep(1000) }
        for _ in 0..<5 {
            // None of them looks at the clock, so that each is done in its first slice on any machine.
            let reply = server.send("GET", target)
            #expect(reply.status == 200)
            #expect(reply.text.contains(content), "\(reply.text)")
        }
        let change = server.send(
            "PATCH", "/v1/classes/Node/objects?filter=name%20==%20'n7'", "{\"name\":\"n7\"}",
            headers: [("Content-Type", "application/merge-patch+json")])
        #expect(change.text.contains("\"affected\":1"), "\(change.text)")
        #expect(server.service.served.scheduler.counts.long == 8)
        for client in slow { client.disconnect() }
    }

    @Test("end by their own limit, whether there was room for them or not", .timeLimit(.minutes(2)))
    func limits() throws {
        let server = try Self.graph { options in
            options.limits.queryTimeSecondsMax = 2
            options.limits.scheduling.admittedCountMax = 2
        }
        for client in try Self.begin(12, on: server) {
            let reply = client.finish()
            #expect(reply.status == 503)
            #expect(reply.text.contains("query-too-slow"), "\(reply.text)")
        }
        // A job ends just after its reply has left.
        while server.service.served.scheduler.counts.long > 0 { usleep(1000) }
    }

    @Test(
        "name the next step that shortens them where they exceed their time",
        .timeLimit(.minutes(2)),
        arguments: [
            ("", "no index could serve"),
            ("%20AND%20name%20BEGINSWITH%20'n'", "an index on 'name' of class 'Node'"),
            ("%20AND%20id%20%3C%2040", "no index could serve"),
            ("%20AND%20name%20ENDSWITH%20''", "no index could serve"),
        ])
    func nextSteps(condition: String, nextStep: String) throws {
        let server = try Self.graph { options in
            options.limits.queryTimeSecondsMax = 1
            options.limits.scheduling.runningLongCountMax = 4
        }
        let port = try #require(server.server.addresses.first?.port)
        let clients = [
            ("GET", "objects?"), ("GET", "aggregate?op=sum(id)&"), ("DELETE", "objects?"),
        ].map { method, target in
            let client = HTTPClient(port: port)
            client.begin(
                method, "/v1/classes/Node/\(target)filter=\(Self.path)\(condition)")
            return client
        }
        for client in clients {
            let reply = client.finish()
            #expect(reply.status == 503 && reply.text.contains(nextStep), "\(reply.text)")
        }
    }

    @Test("have their time from the request on, not from their turn", .timeLimit(.minutes(2)))
    func limitFromRequest() throws {
        let server = try Self.graph { $0.limits.queryTimeSecondsMax = 1 }
        let workers = HeldWorkers(of: server.service.served)
        let port = try #require(server.server.addresses.first?.port)
        let client = HTTPClient(port: port)
        client.begin("GET", "/v1/classes/Node/objects?filter=name%20CONTAINS%20'x'")
        while server.service.served.scheduler.counts.waiting == 0 { usleep(1000) }
        usleep(1_100_000)
        workers.release()
        let reply = client.finish()
        #expect(reply.status == 503)
        #expect(reply.text.contains("query-too-slow"), "\(reply.text)")
    }

    @Test("take more memory than their share when there is room", .timeLimit(.minutes(2)))
    func memory() throws {
        let server = try Self.graph { options in
            options.limits.queryMemoryByteCountMax = 4_000
            options.limits.scheduling.memoryByteCountMax = 4_000
        }
        let target = "/v1/classes/Node/objects?filter=name%20CONTAINS%20'n'&fields=id,name"
        let reply = server.send("GET", target)
        #expect(reply.status == 200, "more than an eighth of the memory: \(reply.text)")
        #expect(reply.body.count > 500)
    }
}
