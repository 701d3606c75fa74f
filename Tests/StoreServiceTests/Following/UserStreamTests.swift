import Glibc
import HoldfastTestSupport
import HoldfastThreads
import Synchronization
import Testing

@testable import HoldfastStoreService

@Suite("Streams of users, and what they may read")
struct UserStreamTests {
    private static let taskFilters: [String?] = [
        nil, "done == false", "rank > 4", "list.title == 'a'", "ANY parts.rank > 5", "note == 'a'",
        "id == 3",
        "list == nil", "partOf.@count > 0", "place.list.title == 'b'",
        "list.secret == 'a' OR rank > 7",
    ]
    private static let listFilters: [String?] = [
        nil, "ANY members.team == 'red'", "members.@count > 0", "secret == 'a'",
        "ANY tasks.rank > 3",
        "owner.team == 'blue'",
    ]

    /// Waits until all have been told everything.
    private func settle(_ followers: [UserFollower], _ hub: StreamHub, _ version: UInt64) -> Bool {
        let streams = followers.compactMap(\.follower)
        for _ in 0..<2_000 {
            let state = Answer()
            hub.perform { position in
                let isAll =
                    position.version >= version
                    && streams.allSatisfy { $0.isGone || $0.isAtPresent(position.version) }
                state.value.withLock { $0 = isAll }
            } orElse: {
                state.value.withLock { $0 = false }
            }
            while state.value.withLock({ $0 }) == nil { usleep(500) }
            if state.value.withLock({ $0 }) == true { return true }
            usleep(5_000)
        }
        return false
    }

    private final class Answer: Sendable {
        let value = Mutex<Bool?>(nil)
    }

    private static let followerCount = SeededGenerator.isSoak ? 300 : 60
    /// Each with a seed of its own, the next, so that one that fails runs alone.
    private static let worldCount: UInt64 = SeededGenerator.isSoak ? 10 : 1
    private static let roundCount = 10

    @Test(
        "each ends with what its user may read, and is told nothing else, cut and resumed beside every kind of change",
        arguments: EngineCase.all)
    func twin(engine: EngineCase) throws {
        let seed = SeededGenerator.testSeed("streams of users")
        for number in 0..<Self.worldCount { try follow(engine, seed: seed &+ number) }
    }

    private func follow(_ engine: EngineCase, seed: UInt64) throws {
        // Of the first seeds those from 3 on notice when a change of the own object is missed.
        let world = try UserStreamWorld(engine, seed: seed &+ 2)
        let hub = StreamHub(
            world.service.served, StreamEvents(LineEvents(), heartbeatSeconds: 1))
        hub.start()
        defer { hub.stop() }
        world.control.observe { [weak hub] in hub?.accessChanged() }
        let followers = (0..<Self.followerCount).map { number in
            let isTask = world.any(3) > 0
            let filters = isTask ? Self.taskFilters : Self.listFilters
            var query = UserFollower.Query(
                className: isTask ? "Task" : "List", filter: filters[world.any(filters.count)],
                shape: UserStreamWorld.Shape.all[world.any(UserStreamWorld.Shape.all.count)])
            let asksForPages = number % 5 == 0
            if !asksForPages {
                switch world.any(6) {
                case 0: query.tellsOld = true
                case 1: query.intervalMilliseconds = 20
                case 2: query.sort = isTask ? "rank" : "title"
                default: break
                }
            }
            return UserFollower(
                query, of: world.any(world.callers.count), asksForPages: asksForPages, in: world)
        }
        for round in 0..<Self.roundCount {
            for follower in followers where !follower.asksForPages {
                if round == 0 || world.any(4) == 0 || follower.isEnded { try follower.connect(hub) }
            }
            for _ in 0..<12 {
                try world.change()
                for follower in followers where world.any(20) == 0 {
                    if follower.asksForPages {
                        try follower.poll(all: world.any(2) == 0)
                    } else {
                        try follower.connect(hub)
                    }
                }
            }
            var isSettled = settle(followers, hub, world.version)
            // A query can have named what its user knew nothing of for a while.
            for follower in followers where !follower.asksForPages && follower.isEnded {
                try follower.connect(hub)
            }
            isSettled = isSettled && settle(followers, hub, world.version)
            #expect(isSettled, "seed \(seed): round \(round)")
            for follower in followers {
                if follower.asksForPages {
                    try follower.poll(all: true)
                } else {
                    follower.process()
                }
                try follower.expectResult()
                if let fault = follower.fault {
                    Issue.record("seed \(seed), round \(round): \(fault)")
                    return
                }
            }
            if !isSettled { return }
        }
        var reasons: [String: Int] = [:]
        for follower in followers { reasons.merge(follower.reasons, uniquingKeysWith: +) }
        print(
            "streams of users: \(followers.reduce(0) { $0 + $1.changeCount }) changes, resets \(reasons)"
        )
    }
}
