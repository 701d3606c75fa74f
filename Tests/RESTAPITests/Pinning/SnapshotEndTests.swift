import Glibc
import HoldfastObjectModel
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

@Suite("The end of a pinned version")
struct SnapshotEndTests {
    private static let path = "/v1/classes/Node/objects/1"

    private static func server(_ change: (inout RESTOptions) -> Void) throws -> TestServer {
        var options = RESTOptions()
        change(&options)
        let server = try TestServer(schema: Importing.nodes, options: options)
        #expect(server.send("PUT", path, #"{"label":"one"}"#).status == 201)
        return server
    }

    private static func pin(_ server: TestServer) throws -> String {
        let reply = server.send("GET", path + "?snapshot=new")
        return try #require(reply.headers["holdfast-snapshot"], "\(reply.text)")
    }

    private static func ended(_ id: String) -> APIScenario {
        APIScenario("GET", path + "?snapshot=\(id)", status: 410, contains: ["snapshot-ended"])
    }

    @Test("by the growth of the data")
    func growth() throws {
        let server = try Self.server { $0.limits.snapshotGrowthByteCountMax = 10_000 }
        let id = try Self.pin(server)
        let label = String(repeating: "x", count: 4_000)
        server.send("PUT", Self.path, "{\"label\":\"\(label)\"}")
        APIScenario("GET", Self.path + "?snapshot=\(id)", status: 200, contains: ["\"one\""])
            .check(on: server)
        for key in 2...4 {
            server.send("PUT", "/v1/classes/Node/objects/\(key)", "{\"label\":\"\(label)\"}")
        }
        Self.ended(id).check(on: server)
        #expect(server.service.served.pins.versionCount == 0)
    }

    @Test("by its age")
    func age() throws {
        let server = try Self.server { $0.limits.readerAgeSecondsMax = 1 }
        let id = try Self.pin(server)
        // It ends some time after the second.
        for _ in 0..<600 where server.send("GET", Self.path + "?snapshot=\(id)").status == 200 {
            usleep(100_000)
        }
        Self.ended(id).check(on: server)
    }

    @Test("without anybody who asks for it, by the look of each second")
    func look() throws {
        let server = try GuardedServer(withTokens: false) {
            $0.limits.readerAgeSecondsMax = 1
        }
        _ = server.send("PUT", Self.path, [("Content-Type", "application/json")], body: "{}")
        #expect(server.send("GET", Self.path + "?snapshot=new").status == 200)
        let pins = server.running.service.served.pins
        for _ in 0..<600 where pins.versionCount > 0 { usleep(100_000) }
        #expect(pins.versionCount == 0)
    }

    @Test("so many versions are pinned and no more, until one ends")
    func countMax() throws {
        let server = try Self.server {
            $0.limits.snapshotCountMax = 3
            $0.limits.snapshotGrowthByteCountMax = 10_000
        }
        var ids: [String] = []
        for number in 0..<3 {
            server.send("PATCH", Self.path, "{\"label\":\"\(number)\"}")
            ids.append(try Self.pin(server))
        }
        #expect(Set(ids).count == 3)
        #expect(try Self.pin(server) == ids[2])
        server.send("PATCH", Self.path, #"{"label":"more"}"#)
        for target in [Self.path, "/v1/classes/Node/objects", "/v1/export"] {
            APIScenario(
                "GET", target + "?snapshot=new", status: 503, contains: ["too-many-snapshots"],
                fields: ["retry-after": ""]
            ).check(on: server)
        }
        for (number, id) in ids.enumerated() {
            APIScenario(
                "GET", Self.path + "?snapshot=\(id)", status: 200,
                contains: ["\"label\":\"\(number)\""]
            ).check(on: server)
        }
        // All end, and there is room again.
        server.send(
            "PUT", Self.path, "{\"label\":\"\(String(repeating: "x", count: 12_000))\"}")
        _ = try Self.pin(server)
        #expect(server.service.served.pins.versionCount == 1)
    }

    @Test("a token's snapshots are nobody else's, and are shared by version")
    func tokens() throws {
        let server = try GuardedServer(withTokens: true)
        let (write, read) = (server.authorization(.write), server.authorization(.read))
        let json = ("Content-Type", "application/json")
        _ = server.send("PUT", Self.path, [write, json], body: "{}")
        func pin(_ token: (String, String)) throws -> String {
            try #require(
                server.send("GET", Self.path + "?snapshot=new", [token])
                    .headers["holdfast-snapshot"])
        }
        let own = try pin(write)
        let other = try pin(read)
        #expect(own != other)
        #expect(server.running.service.served.pins.versionCount == 1)
        func status(_ id: String, _ token: (String, String)) -> Int {
            server.send("GET", Self.path + "?snapshot=\(id)", [token]).status
        }
        #expect(status(own, write) == 200 && status(other, read) == 200)
        #expect(status(own, read) == 410 && status(other, write) == 410)
    }
}
