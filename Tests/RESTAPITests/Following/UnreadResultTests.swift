import Glibc
import HoldfastObjectModel
import HoldfastServiceSupport
import HoldfastTestSupport
import Synchronization
import Testing

@testable import HoldfastRESTAPI
@testable import HoldfastStoreService

/// Live lists, sections and figures of clients that do not read.
@Suite("Followed results that are not read")
struct UnreadResultTests {
    @Test(
        "take as much memory as a query together, and come to all who read",
        arguments: [
            ("changes?sort=n&limit=100&", "upToDate"),
            ("sections/changes?by=n&limit=100&objects=10&", "upToDate"),
            ("aggregate/changes?by=s&op=count&", "value"),
        ])
    func bounded(target: String, last: String) throws {
        let resultByteCount = 8_200_000
        var options = RESTOptions()
        options.limits.queryMemoryByteCountMax = 80_000_000
        let server = try TestServer(
            schema: Schema(classes: [
                ObjectClass(
                    name: "T", primaryKey: "id",
                    properties: [
                        Schemas.property("id", .int), Schemas.property("n", .int),
                        Schemas.property("s", .string),
                    ])
            ]), options: options)
        for id in 0..<20 {
            let text = "\(id)" + String(repeating: "x", count: 400_000)
            #expect(
                server.send("PUT", "/v1/classes/T/objects/\(id)", #"{"n":\#(id),"s":"\#(text)"}"#)
                    .status == 201)
        }
        let port = server.server.addresses.first?.port ?? 0
        var clients = (0..<40).map { index in
            ChangesClient(
                port: port,
                "/v1/classes/T/\(target)filter=" + RuleRequest.escaped("n > \(-1 - index)"),
                receiveByteCountMax: 4096)
        }
        let hub = try #require(server.service.runningStreams)
        // A quarter of it is one client's.
        for _ in 0..<30_000 where hub.results.byteCount < 20_000_000 { usleep(1000) }
        // Some were begun before.
        let most = 80_000_000 + 8 * resultByteCount
        for _ in 0..<100 {
            #expect(hub.results.byteCount < most)
            usleep(10_000)
        }
        // Those who waited have their turn when others are gone.
        clients.removeLast(clients.count - 2)
        for client in clients {
            #expect(client.events(to: last).last?.name == last)
        }
    }
}
