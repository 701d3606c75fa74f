import HoldfastObjectStore
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

@Suite("heartbeats")
struct HeartbeatTests {
    @Test("come on each of many streams, also while no commit can be read")
    func unreadableCommits() throws {
        let engine = FaultyEngine(try EngineCase.memory.open())
        var options = RESTOptions()
        options.heartbeatSeconds = 1
        let server = try TestServer(engine, schema: Tasks.schema, options: options)
        let port = server.server.addresses.first?.port ?? 0
        let streams = (0..<200).map { _ in ChangesClient(port: port, "/v1/classes/Task/changes") }
        for stream in streams { #expect(stream.nextEvent().name == "hello") }
        try engine.failReads(
            .init(tags: [StoreKey.Tag.changeLog], after: 0, isLasting: true))
        #expect(server.send("PUT", "/v1/classes/Task/objects/1", "{}").status == 201)
        for stream in streams {
            for _ in 0..<3 { #expect(stream.next()?.isHeartbeat == true) }
        }
        #expect(engine.endReadFault() > 0)
        for stream in streams { #expect(stream.nextEvent().changes == ["enter 1"]) }
    }
}
