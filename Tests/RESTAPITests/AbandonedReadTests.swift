import Glibc
import HoldfastObjectModel
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("Reads whose client leaves")
struct AbandonedReadTests {
    /// Forty nodes that all link to each other: subqueries over seven links go through 40⁷ objects.
    private static func graph() throws -> TestServer {
        var options = RESTOptions()
        options.limits.queryTimeSecondsMax = 86_400
        options.limits.readerAgeSecondsMax = 86_400
        options.limits.scheduling.runningLongCountMax = 1
        let schema = Schema(classes: [
            ObjectClass(
                name: "Node", primaryKey: "id",
                properties: [
                    Schemas.property("id", .int),
                    Schemas.list("next", of: "Node"),
                ])
        ])
        let server = try TestServer(schema: schema, options: options)
        let all = (0..<40).map(String.init).joined(separator: ",")
        let nodes = (0..<40).map { "{\"id\":\($0),\"next\":[\(all)]}" }.joined(separator: ",")
        let reply = server.send("POST", "/v1/classes/Node/objects", "[\(nodes)]")
        #expect(reply.status == 201, "\(reply.text)")
        return server
    }

    /// Subqueries within each other, of which none knows what another has found.
    private static let path = (0..<6).reversed().reduce("ANY%20$v5.next.id%20==%20-1") {
        inner, depth in
        let list = depth == 0 ? "next" : "$v\(depth - 1).next"
        return "SUBQUERY(\(list),$v\(depth),\(inner)).@count%20%3E%200"
    }

    @Test(
        "end, so that the only worker is there for the next", .timeLimit(.minutes(2)),
        arguments: [
            "/v1/classes/Node/objects?filter=\(path)",
            "/v1/classes/Node/objects?filter=\(path)&count=exact",
            "/v1/classes/Node/aggregate?op=count,max(id)&filter=\(path)",
            "/v1/classes/Node/sections?by=id&filter=\(path)",
            "/v1/classes/Node/objects/1/properties/next?filter=\(path)",
        ])
    func abandoned(target: String) throws {
        let server = try Self.graph()
        let port = try #require(server.server.addresses.first?.port)
        for _ in 0..<3 {
            let client = HTTPClient(port: port)
            client.begin("GET", target)
            client.disconnect()
        }
        let client = HTTPClient(port: port)
        client.begin("GET", target)
        // Long enough for the worker to be at it; if it is not, it has nothing to end.
        usleep(100_000)
        client.disconnect()
        let reply = server.send(
            "GET", "/v1/classes/Node/objects?filter=id%3C5&count=exact&fields=id")
        #expect(reply.text.hasSuffix("\"count\":5}"), "\(reply.text)")
        // Their ends may be counted a little later.
        var counts = [0, 0, 0, 0, 0, 0]
        for _ in 0..<1000 where counts[0] == 0 {
            usleep(10_000)
            counts = server.server.metrics.operations().reduce(into: [0, 0, 0, 0, 0, 0]) {
                for (place, count) in $1.countByStatusClass.enumerated() { $0[place] += count }
            }
        }
        #expect(counts[0] > 0, "they had no reply: \(counts)")
        #expect(counts[5] == 0, "who leaves is no fault of the server")
    }
}
