@testable import HoldfastStreams
import HoldfastTestSupport
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
    private static let projectedTaskFilters: [String?] = [
        nil, "done == false", "listTitle == 'a'", "remark == 'a'", "ANY partRanks > 5",
    ]
    private static let projectedListFilters: [String?] = [
        nil, "ownerTeam == 'blue'", "title == 'a'", "jobs.@count > 0",
    ]

    private func isSettled(
        _ followers: [UserFollower], _ groups: [UserGroup], _ hub: StreamHub, _ version: UInt64
    ) -> Bool {
        hub.isSettled(
            followers.compactMap(\.follower), groups: groups.compactMap(\.id), at: version)
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
        let world = try UserStreamWorld(engine, seed: seed)
        let hub = StreamHub(
            world.service.served, StreamEvents(LineEvents(), heartbeatSeconds: 1))
        hub.start()
        defer { hub.stop() }
        world.control.observe { [weak hub] in hub?.accessChanged() }
        let followers = (0..<Self.followerCount).map { number in
            var query = query(in: world)
            let asksForPages = number % 5 == 0
            if !asksForPages {
                switch world.any(6) {
                case 0: query.tellsOld = true
                case 1: query.intervalMilliseconds = 20
                case 2 where query.key == nil:
                    query.hasKeyPaths = false
                    query.sort =
                        query.className == "Task" && query.shape.projection.isEmpty
                        ? "rank" : "title"
                default: break
                }
            }
            return UserFollower(
                query, of: world.any(world.callers.count), told: asksForPages ? .pages : .events,
                in: world)
        }
        let groups = (0..<Self.followerCount / 20).map { _ in
            let queries = (0..<3).map { _ in
                var query = query(in: world)
                query.key = nil
                return query
            }
            return UserGroup(queries, of: world.any(world.callers.count), in: world)
        }
        for round in 0..<Self.roundCount {
            for follower in followers where follower.way == .events {
                if round == 0 || world.any(4) == 0 || follower.isEnded { try follower.connect(hub) }
            }
            for group in groups where round == 0 || group.isOutdated { try group.connect(hub) }
            for _ in 0..<12 {
                if world.any(5) == 0 {
                    try hub.inOneStep { for _ in 0..<2 { try world.change() } }
                }
                try world.change(in: hub)
                for follower in followers where world.any(20) == 0 {
                    switch (follower.way, world.any(3)) {
                    case (.events, _): try follower.connect(hub)
                    case (_, 0): try follower.wait(hub)
                    case (_, let chance): try follower.poll(all: chance == 1)
                    }
                }
                for group in groups where world.any(20) == 0 { try group.connect(hub) }
            }
            var hasSettled = isSettled(followers, groups, hub, world.version)
            // A query can have named what its user knew nothing of for a while.
            for follower in followers where follower.way == .events && follower.isEnded {
                try follower.connect(hub)
            }
            for group in groups where group.isOutdated { try group.connect(hub) }
            hasSettled = hasSettled && isSettled(followers, groups, hub, world.version)
            #expect(hasSettled, "seed \(seed): round \(round)")
            for group in groups { group.process() }
            for follower in followers + groups.flatMap(\.parts) {
                switch follower.way {
                // Whom nothing is told knows everything.
                case .pages: if !follower.isWaiting { try follower.poll(all: true) }
                case .events: follower.process()
                case .part: break
                }
                try follower.expectResult()
                if let fault = follower.fault {
                    Issue.record("seed \(seed), round \(round): \(fault)")
                    return
                }
            }
            if !hasSettled { return }
        }
        let all = followers + groups.flatMap(\.parts)
        var reasons: [String: Int] = [:]
        for follower in all { reasons.merge(follower.reasons, uniquingKeysWith: +) }
        print(
            "streams of users: \(all.reduce(0) { $0 + $1.changeCount }) changes, resets \(reasons)")
    }

    private func query(in world: UserStreamWorld) -> UserFollower.Query {
        let isTask = world.any(3) > 0
        let shape = UserStreamWorld.Shape.all[world.any(UserStreamWorld.Shape.all.count)]
        let filters =
            shape.projection.isEmpty
            ? isTask ? Self.taskFilters : Self.listFilters
            : isTask ? Self.projectedTaskFilters : Self.projectedListFilters
        var query = UserFollower.Query(
            className: isTask ? "Task" : "List", filter: filters[world.any(filters.count)],
            shape: shape)
        if world.any(10) == 0 { (query.key, query.filter) = (world.any(4), nil) }
        query.hasKeyPaths = world.any(3) == 0
        return query
    }
}
