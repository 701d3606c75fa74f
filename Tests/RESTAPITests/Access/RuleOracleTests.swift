import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastPlainQuery
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// Every reply to a user is the administrator's on a copy of the store in which what the user may not read is absent: objects, values,
/// and the names of what may be read nowhere.
@Suite("Replies to users, and to the administrator of a store without what they may not read")
struct RuleOracleTests {
    /// How many requests each shard compares; with both it is 50,000 in `make soak`.
    private static let requestCount = SeededGenerator.scaled(2_500)
    private static let shardCount: UInt64 = 2

    @Test("every reply is that of the store without the unreadable", arguments: 0..<shardCount)
    func oracle(shard: UInt64) throws {
        let first = SeededGenerator.testSeed("replies to users, shard \(shard)")
        var seed = first &+ shard
        var requestCount = 0
        var counts: [Int: Int] = [:]
        while requestCount < Self.requestCount {
            defer { seed &+= Self.shardCount }
            guard var world = try RuleWorld(seed) else { continue }
            let pinned = world.makeSnapshots()
            var random = SeededGenerator(seed: seed &+ 1)
            for isEmptied in [false, true] {
                // What a snapshot has stays, whatever becomes of the store.
                if isEmptied {
                    guard pinned != nil else { break }
                    Self.empty(world)
                }
                for _ in 0..<(isEmptied ? 20 : 80) {
                    let request = RuleRequest.make(&world.twins, &random)
                    if isEmptied, !request.takesSnapshot { continue }
                    requestCount += 1
                    let isPinned =
                        request.takesSnapshot
                        && (isEmptied || Int.random(in: 0..<8, using: &random) == 0)
                    let snapshots = isPinned ? pinned : nil
                    let own = request.replies(world.whole, as: world.asker, of: snapshots?.whole)
                    let other = request.replies(world.part, as: .admin, of: snapshots?.part)
                    for reply in other { counts[reply.status, default: 0] += 1 }
                    let comparison = ReplyComparison(hidden: world.twins.hidden)
                    if let difference = comparison.difference(own, other) {
                        Issue.record(
                            """
                            seed \(seed): \(request) \(isPinned ? "of a snapshot" : "")
                              \(difference)
                              user \(world.twins.user ?? "nobody") \(world.twins.claims)
                              \(world.twins.document)
                            """)
                        return
                    }
                }
            }
        }
        let summary = counts.sorted { $0.key < $1.key }.map { "\($0.value) of \($0.key)" }
        print(
            "replies to users, seeds \(first) to \(seed): \(requestCount) requests, replies: "
                + summary.joined(separator: ", "))
        #expect(counts[200, default: 0] > requestCount / 4)
    }

    @Test("what an admin is told of a user and an object is what the user finds")
    func explanation() throws {
        let first = SeededGenerator.testSeed("explanations of rules")
        var counts = (read: 0, hidden: 0)
        for seed in first..<first &+ UInt64(SeededGenerator.scaled(20)) {
            guard let world = try RuleWorld(seed) else { continue }
            var maker = RuleRequestMaker(
                twins: world.twins, random: SeededGenerator(seed: seed &+ 2))
            let user = world.twins.user.map {
                "\"user\":\(quoted($0)),\"claims\":\(world.twins.claims),"
            }
            for _ in 0..<30 {
                let name = maker.pick(["A", "B", "C"])
                let key = maker.key(name, share: 50)
                let json = key.isText ? quoted(key.text) : key.text
                let asked = world.whole.send(
                    "POST", "/v1/access/explain",
                    "{\(user ?? "")\"class\":\"\(name)\",\"key\":\(json)}")
                guard asked.status == 200, let told = QueryJSON(asked.text) else { continue }
                let reply = world.whole.get(
                    "/v1/classes/\(name)/object?key=" + RuleRequest.escaped(json),
                    as: world.asker)
                let isRead = told["actions"]?["read"]?["allowed"]?.bool == true
                #expect(
                    isRead == (reply.status == 200), "seed \(seed): \(asked.text) \(reply.text)")
                guard isRead, let shown = QueryJSON(reply.text)?.names else { continue }
                counts.read += 1
                let known = world.twins.knownClasses.first { $0.name == name }?.properties ?? []
                for property in told["properties"]?.names ?? [] {
                    let isHidden = told["properties"]?[property]?.string == "none"
                    let isStored = known.contains {
                        if case .linkingObjects = $0.type { return false }
                        return $0.name == property
                    }
                    if isHidden { counts.hidden += 1 }
                    #expect(
                        shown.contains(property) == (isStored && !isHidden),
                        "seed \(seed): \(property) \(asked.text) \(reply.text)")
                }
            }
        }
        #expect(counts.read > 20 && counts.hidden > 20)
    }

    /// Deletes the objects of both stores, but for those of users, by which names are known.
    private static func empty(_ world: RuleWorld) {
        for server in [world.whole, world.part] {
            for name in ["B", "C"] {
                server.send("DELETE", "/v1/classes/\(name)/objects?all=true")
            }
        }
    }
}
