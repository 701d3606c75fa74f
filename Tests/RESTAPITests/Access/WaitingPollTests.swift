import Glibc
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// Polls of a user that wait, and for how long.
@Suite("Polls of a user that wait")
struct WaitingPollTests {
    private static let tasks = "/v1/classes/Task/changes?since="

    private static func cursor(_ world: TaskWorld) throws -> String {
        try #require(QueryJSON(world.get(tasks + "now").text)?["cursor"]?.string)
    }

    @Test("give their place back where nothing comes")
    func places() throws {
        let world = try TaskWorld { $0.userStreamCountMax = 1 }
        let cursor = try Self.cursor(world)
        for _ in 0..<3 {
            let reply = world.get(Self.tasks + cursor, [("Prefer", "wait=1")])
            #expect(reply.status == 200, "\(reply.text)")
        }
        // Also where the client leaves.
        for _ in 0..<2 { _ = world.server.poll(Self.tasks + cursor, as: world.ann) }
        var status = 429
        for _ in 0..<100 where status == 429 {
            status = world.get(Self.tasks + cursor, [("Prefer", "wait=1")]).status
            usleep(50_000)
        }
        #expect(status == 200)
    }

    @Test(
        "wait on under another schema, and are told of what comes then", arguments: [true, false])
    func otherSchema(isUser: Bool) throws {
        let world = try TaskWorld()
        let asker = isUser ? world.ann : .admin
        let server = world.server
        let start = QueryJSON(server.get(Self.tasks + "now", as: asker).text)?["cursor"]?.string
        let poll = server.poll(Self.tasks + (start ?? ""), as: asker)
        func waits() -> Bool {
            for _ in 0..<6_000 where server.streams?.waitingPollCount != 1 { usleep(5_000) }
            return server.streams?.waitingPollCount == 1
        }
        #expect(waits())
        let other = server.follow("/v1/classes/Country/changes?since=now", as: .admin)
        #expect(other.nextEvent().name == "hello")
        let extra = server.send("PUT", "/v1/schema/classes/Extra", #"{"properties":{"n":"int"}}"#)
        #expect(extra.status == 201)
        server.send("PATCH", "/v1/classes/Country/objects/fr", #"{"name":"République"}"#)
        // What came before it is told by now.
        #expect(other.events(to: "change").last?.changes == ["update fr"])
        #expect(waits())
        server.send("PATCH", "/v1/classes/Task/objects/1", #"{"title":"rolls"}"#)
        let page = poll.finish()
        #expect(page.status == 200 && page.text.contains("rolls"), "\(page.text)")
    }
}
