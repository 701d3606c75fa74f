@testable import HoldfastStreams
import HoldfastTestSupport
import Testing

@testable import HoldfastStoreService

@Suite("Results and properties that users follow")
struct UserViewStreamTests {
    private static let followerCount = SeededGenerator.isSoak ? 300 : 60
    /// Each with a seed of its own, the next, so that one that fails runs alone.
    private static let worldCount: UInt64 = SeededGenerator.isSoak ? 10 : 1
    private static let roundCount = 6

    @Test(
        "each is at every version what its user may read, cut and resumed beside every kind of change",
        arguments: EngineCase.all)
    func twin(engine: EngineCase) throws {
        let seed = SeededGenerator.testSeed("views of users")
        for number in 0..<Self.worldCount { try follow(engine, seed: seed &+ number) }
    }

    private func follow(_ engine: EngineCase, seed: UInt64) throws {
        let world = try UserStreamWorld(engine, seed: seed, views: UserView.all)
        let hub = StreamHub(
            world.service.served, StreamEvents(LineEvents(), heartbeatSeconds: 1))
        hub.start()
        defer { hub.stop() }
        world.control.observe { [weak hub] in hub?.accessChanged() }
        let followers = (0..<Self.followerCount).map { number in
            UserViewFollower(
                UserView.all[number % UserView.all.count], of: world.any(world.callers.count),
                in: world)
        }
        for round in 0..<Self.roundCount {
            for follower in followers {
                if round == 0 || world.any(4) == 0 || follower.isEnded { try follower.connect(hub) }
            }
            for _ in 0..<12 {
                try world.change(in: hub)
                for follower in followers where world.any(20) == 0 { try follower.connect(hub) }
            }
            var isSettled = hub.isSettled(followers.compactMap(\.follower), at: world.version)
            // One can have named what its user knew nothing of for a while.
            for follower in followers where follower.isEnded { try follower.connect(hub) }
            isSettled =
                isSettled && hub.isSettled(followers.compactMap(\.follower), at: world.version)
            #expect(isSettled, "seed \(seed): round \(round)")
            for follower in followers {
                follower.process()
                try follower.expectResult()
                if let fault = follower.fault {
                    Issue.record("seed \(seed), round \(round): \(fault)")
                    return
                }
            }
            if !isSettled { return }
        }
        let (events, resets) = (
            followers.reduce(0) { $0 + $1.eventCount }, followers.reduce(0) { $0 + $1.resetCount }
        )
        print("views of users: \(events) events, \(resets) resets")
    }
}
