import HoldfastObjectModel
import HoldfastRESTAPI
import HoldfastTestSupport
import Testing

@Suite("Streams with large filters")
struct LargeFilterTests {
    @Test("makes a query of very many terms ready beside the events of others, which come in order")
    func manyTerms() throws {
        var options = RESTOptions()
        options.limits.scheduling.runningLongCountMax = 1
        let server = try Tasks.server(options)
        let client = QueryStreamClient(
            server, ["open": .tasks("done == false")])
        client.open()
        client.follow(to: "\(server.store.version)")
        let others = server.events("/v1/classes/Task/changes")
        #expect(others.nextEvent().name == "hello")
        let workers = HeldWorkers(of: server.service.served)
        let filter = (0..<6_000).map { "rank == \(3 * $0)" }.joined(separator: " OR ")
        let (port, id) = (server.port, client.id)
        let reply = try StartedThread {
            HTTPClient(port: port).send(
                "PATCH", "/v1/streams/\(id)",
                headers: [("Content-Type", "application/json")],
                body: Array(
                    #"{"queries":{"many":{"class":"Task","filter":"\#(filter)"}}}"#.utf8))
        }
        for id in 0..<20 {
            server.task(id, #"{"rank":\#(id)}"#)
            #expect(others.nextEvent().changes == ["enter \(id)"])
        }
        workers.release()
        #expect(reply.result().status == 200)
        let version = server.task(99, #"{"rank":9}"#)
        #expect(others.nextEvent().changes == ["enter 99"])
        let events = client.follow(to: version)
        let told =
            events.flatMap { $0.json["objects"]?.elements ?? [] }
            + events.flatMap { $0.json["changes"]?.elements ?? [] }
        let ids = told.filter { $0["query"]?.string == "many" }.compactMap { $0["id"]?.int }
        #expect(Set(ids) == [0, 3, 6, 9, 12, 15, 18, 99])
    }
}
