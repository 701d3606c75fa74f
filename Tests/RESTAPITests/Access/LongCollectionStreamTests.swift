import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// Streams of a user who follows lists of thousands of links, some of which lead to objects that they can't see.
///
/// What they see of a list is written beside the rest of its object, while the list itself may be stored out of line.
@Suite("Streams of a user, and long lists of links")
struct LongCollectionStreamTests {
    /// A world in which task 1 has so many links to task 2, which ann sees.
    private static func world(_ count: Int) throws -> TaskWorld {
        // Long lists are compared slowly in a debug build beside all other tests.
        let world = try TaskWorld { options in
            options.limits.queryTimeSecondsMax = 300
            options.limits.feedStepMicroseconds = 300_000_000
        }
        set(links(count), in: world)
        return world
    }

    private static func links(_ count: Int) -> [Int] { Array(repeating: 2, count: count) }

    private static func set(_ links: [Int], in world: TaskWorld) {
        let body = "{\"others\":\(links)}"
        let reply = world.server.send("PATCH", "/v1/classes/Task/objects/1", body)
        #expect(reply.status == 200, "\(reply.text.prefix(200))")
    }

    /// The next event with changes: those of long lists may come as a catch-up, which ends with `upToDate`.
    private static func next(of stream: ChangesClient) -> ChangesClient.Event {
        var event = stream.nextEvent()
        while event.name == "upToDate" { event = stream.nextEvent() }
        return event
    }

    @Test(
        "a link to a hidden object changes nothing of a long list, whether the list is stored in its row or not",
        arguments: [
            "Task/changes?", "Task/changes?fields=id,others&", "Task/changes?keyPaths=others&",
        ],
        [20, 8_000, 9_000, 20_000])
    func hidden(target: String, count: Int) throws {
        let world = try Self.world(count)
        let path = "/v1/classes/\(target)since="
        let cursor = try #require(QueryJSON(world.get(path + "now").text)?["cursor"]?.string)
        let stream = world.server.follow(path + cursor, as: world.ann)
        _ = stream.events(to: "upToDate")
        for hidden in [[3], [3, 3], []] {
            Self.set(Self.links(count) + hidden, in: world)
        }
        Self.set(Self.links(count) + [3, 2], in: world)
        #expect(Self.next(of: stream).changes == ["update 1"])
        world.server.send("PUT", "/v1/classes/Task/objects/9", #"{"list":1,"title":"last"}"#)
        let last = Self.next(of: stream)
        #expect(last.changes == ["enter 9"], "\(last.name) \(last.data.prefix(300))")
    }

    @Test(
        "a long list whose shown links are the same is not reset",
        arguments: [20, 8_000, 9_000, 20_000])
    func property(count: Int) throws {
        let world = try Self.world(count)
        let stream = world.server.follow(
            "/v1/classes/Task/objects/1/properties/others/changes?since=start", as: world.ann)
        _ = stream.events(to: "upToDate")
        func change() -> ChangesClient.Event {
            Self.set(Self.links(count) + [3], in: world)
            Self.set(Self.links(count) + [3, 2], in: world)
            return stream.nextEvent()
        }
        var told = change()
        // A stream that is not live yet, on a slow machine, is reset whatever has changed.
        for _ in 0..<20 where count <= 10_000 && told.data.contains("fell-behind") {
            _ = stream.events(to: "upToDate")
            Self.set(Self.links(count), in: world)
            if stream.nextEvent().name == "reset" { _ = stream.events(to: "upToDate") }
            told = change()
        }
        if count > 10_000 {
            #expect(told.name == "reset", "\(told.name)")
            let last = stream.events(to: "upToDate").last
            Self.set(Self.links(count) + [2, 3], in: world)
            Self.set(Self.links(count), in: world)
            let next = stream.nextEvent()
            #expect(next.name == "reset" && next.id != last?.id, "\(next.name)")
        } else {
            #expect(told.name == "change" && told.data.contains("\"index\":\(count)"), "\(told)")
        }
    }
}
