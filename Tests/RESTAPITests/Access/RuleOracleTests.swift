import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastPlainQuery
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// Every reply to a user is the administrator's on a copy of the store in which what the user may not read is absent: objects, values,
/// and the names of what may be read nowhere.
@Suite("Replies to users, and to the administrator of a store without what they may not read")
struct RuleOracleTests {
    /// How many requests each shard compares; with both it is 30,000 in `make soak`.
    private static let requestCount = SeededGenerator.isSoak ? 15_000 : 1_500
    private static let shardCount: UInt64 = 2

    @Test("every reply is that of the store without the unreadable", arguments: 0..<shardCount)
    func oracle(shard: UInt64) throws {
        let first = SeededGenerator.testSeed("replies to users, shard \(shard)")
        var seed = first &+ shard
        var requestCount = 0
        var counts: [Int: Int] = [:]
        while requestCount < Self.requestCount {
            defer { seed &+= Self.shardCount }
            var options = StoreOptions()
            options.columns.useCountMin = 1
            options.columns.objectCountMin = 0
            options.columns.sharedMicrosecondsMin = 0
            var twins = RuleTwins(seed: seed)
            let whole = try RuledServer(
                seed % 4 == 3 ? .lmdb : .memory, classes: twins.classes, options: options)
            let part = try RuledServer(classes: twins.classes, options: options)
            try twins.fill(whole.store, part.store)
            for (server, projections) in [
                (whole, twins.projections), (part, twins.knownProjections),
            ] {
                for projection in projections {
                    let reply = server.send(
                        "PUT", "/v1/projections/\(projection.name)", Self.text(projection))
                    #expect(reply.status == 201, "seed \(seed): \(reply.text)")
                }
            }
            let put = whole.send("PUT", "/v1/access", twins.document)
            guard put.status == 200 else {
                Issue.record("seed \(seed): \(put.text)\n  \(twins.document)")
                return
            }
            let asker =
                twins.user.map { whole.user($0, claims: twins.claims, right: "read") } ?? .nobody
            if twins.user == nil, !twins.document.contains("anyone") {
                #expect(whole.get("/v1/classes/A/objects", as: .nobody).status == 401)
                continue
            }
            var random = SeededGenerator(seed: seed &+ 1)
            for _ in 0..<100 {
                let request = RuleRequest.make(&twins, &random)
                requestCount += 1
                let own = Self.replies(to: request, whole, asker)
                let other = Self.replies(to: request, part, .admin)
                for reply in other { counts[reply.status, default: 0] += 1 }
                let comparison = ReplyComparison(hidden: twins.hidden)
                if let difference = comparison.difference(own, other) {
                    Issue.record(
                        """
                        seed \(seed): \(request)
                          \(difference)
                          user \(twins.user ?? "nobody") \(twins.claims)
                          \(twins.document)
                        """)
                    return
                }
            }
        }
        let summary = counts.sorted { $0.key < $1.key }.map { "\($0.value) of \($0.key)" }
        print(
            "replies to users, seeds \(first) to \(seed): \(requestCount) requests, replies: "
                + summary.joined(separator: ", "))
        #expect(counts[200, default: 0] > requestCount / 4)
    }

    /// The reply, and those of the pages that follow.
    private static func replies(
        to request: RuleRequest, _ server: RuledServer, _ asker: RuledServer.Asker
    ) -> [HTTPClient.Reply] {
        var replies: [HTTPClient.Reply] = []
        var request = request
        while replies.count < 60 {
            let reply = server.send(
                request.method, request.address, request.body, as: asker, headers: request.headers)
            replies.append(reply)
            guard request.hasPages, reply.status == 200,
                let next = QueryJSON(reply.text)?["next"]?.string
            else { break }
            request = request.following(next)
        }
        return replies
    }

    private static func text(_ projection: Projection) -> String {
        let properties = projection.properties.map { "\(quoted($0.name)):\(quoted($0.pathText))" }
        return
            "{\"class\":\(quoted(projection.className)),\"properties\":{\(properties.joined(separator: ","))}}"
    }
}
