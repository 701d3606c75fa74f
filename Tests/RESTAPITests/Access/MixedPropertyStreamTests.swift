import Glibc
import HoldfastServiceSupport
import HoldfastTestSupport
import Synchronization
import Testing

@testable import HoldfastRESTAPI
@testable import HoldfastStoreService

/// Streams of a user that follow what is in a `mixed` property.
@Suite("Streams of a user, and mixed values")
struct MixedPropertyStreamTests {
    private static let task = "/v1/classes/Task/objects/1"

    @Test(
        "what changes in place in a list within is told",
        arguments: [
            ("", "[1,2,3]", "[1,9,3]"), ("&path=/a", #"{"a":[1,2,3]}"#, #"{"a":[1,9,3]}"#),
        ])
    func inPlace(path: String, before: String, after: String) throws {
        let world = try TaskWorld()
        world.server.send("PATCH", Self.task, "{\"free\":\(before)}")
        let stream = world.server.follow(
            Self.task + "/properties/free/changes?since=start" + path, as: world.ann)
        _ = stream.events(to: "upToDate")
        world.server.send("PATCH", Self.task, "{\"free\":\(after)}")
        let told = stream.nextEvent().json
        #expect(told["modifications"] == .array([.int(1)]), "\(told)")
        #expect(told["values"]?.elements.first?["value"] == .int(9), "\(told)")
    }

    @Test("is gone where its object left and another one without it came, in one step")
    func replaced() throws {
        let world = try TaskWorld()
        let server = world.server
        server.send("PATCH", Self.task, #"{"free":{"a":1}}"#)
        let stream = server.follow(
            Self.task + "/properties/free/changes?since=start&path=/a", as: world.ann)
        _ = stream.events(to: "upToDate")
        let hold = Flag()
        server.streams?.perform(
            { _ in
                while hold.isSet { usleep(1_000) }
            }, orElse: {})
        server.send("PATCH", Self.task, #"{"list":2}"#)
        server.send("DELETE", Self.task)
        server.send("PUT", Self.task, #"{"list":1,"title":"new"}"#)
        hold.clear()
        let told = stream.nextEvent().json
        #expect(told["op"]?.string == "delete", "\(told)")
    }
}

/// A flag that closures share.
private final class Flag: Sendable {
    private let value = Atomic(true)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func clear() { value.store(false, ordering: .releasing) }
}
