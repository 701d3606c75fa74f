import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastPlainQuery
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// Writes of a user, and the same ones of the administrator on a copy of the store in which what the user may not read is absent, have
/// the same replies and leave the same.
@Suite("Writes of users, and of the administrator of a store without what they may not read")
struct RuleChangeOracleTests {
    /// How many requests each shard compares; with both it is 30,000 in `make soak`.
    private static let requestCount = SeededGenerator.scaled(1_500)
    private static let shardCount: UInt64 = 2

    /// What comes of a request.
    private enum Outcome {
        /// Both stores show the same.
        case same
        /// What is not seen has made a difference that may be: the stores have parted.
        case parted
        case fault(String)
    }

    @Test(
        "every reply, and what is read then, is that of the store without the unreadable",
        arguments: 0..<shardCount)
    func oracle(shard: UInt64) throws {
        let first = SeededGenerator.testSeed("changes of users, shard \(shard)")
        var seed = first &+ shard
        var counts = Counts()
        while counts.requests < Self.requestCount {
            defer { seed &+= Self.shardCount }
            guard var world = try RuleWorld(seed, isWritten: true), world.twins.user != nil else {
                continue
            }
            if let fault = try Self.fault(in: &world, seed, &counts) {
                Issue.record(
                    """
                    seed \(seed): \(fault)
                      user \(world.twins.user ?? "nobody") \(world.twins.claims)
                      \(world.twins.document)
                    """)
                return
            }
            let findings = try StoreCheck.run(world.whole.store).findings
            #expect(findings.isEmpty, "seed \(seed)")
        }
        print("changes of users, seeds \(first) to \(seed): \(counts)")
        #expect(counts.done > counts.requests / 4 && counts.pages > counts.requests / 20)
        #expect(counts.undecided < counts.pages / 4 && counts.idle < counts.pages / 8)
        #expect(counts.parted < counts.requests / 5)
        #expect(counts.reset >= counts.toggled / 8)
    }

    /// The numbers of comparisons: requests that were done, and requests after which the stores had diverged; pages of changes in all, pages
    /// that tell the client to begin again, and pages with updates that contain nothing new; and after a time when the user's object was
    /// different, pages in all and pages that tell the client to begin again.
    private struct Counts {
        var requests = 0, done = 0, parted = 0, pages = 0, undecided = 0, idle = 0
        var toggled = 0, reset = 0
    }

    /// Sends requests until the stores have parted, and looks at what followers are told; nil where all is as it should be.
    private static func fault(
        in world: inout RuleWorld, _ seed: UInt64, _ counts: inout Counts
    ) throws -> String? {
        var random = SeededGenerator(seed: seed &+ 1)
        let start = try contents(of: world)
        switch world.toggleOwnObject(&random) {
        case .not: break
        case .same(let pageCount, let undecidedCount):
            counts.toggled += pageCount
            counts.reset += undecidedCount
        case .fault(let fault): return fault
        }
        var before = try contents(of: world)
        // Writing an object may make further values of it, so that reversing the change does not restore the contents.
        if before.whole != start.whole { return nil }
        var keyCount = 0
        var pages = (0..<3).compactMap { _ in RuleChangePage(&world, &random) }
        for _ in 0..<60 {
            guard let seen = world.seen() else {
                return world.difference(ReplyComparison(hidden: world.twins.hidden))
            }
            var maker = RuleChangeMaker(
                requests: RuleRequestMaker(twins: world.twins, random: random), seen: seen,
                keyCount: keyCount)
            let request = maker.make()
            (world.twins, random, keyCount) = (
                maker.requests.twins, maker.requests.random, maker.keyCount
            )
            counts.requests += 1
            let own = request.replies(world.whole, as: world.asker, of: nil)
            let other = request.replies(world.part, as: .admin, of: nil)
            if own.first.map({ $0.status < 300 }) ?? false { counts.done += 1 }
            let after = try contents(of: world)
            // A deletion also removes links to the deleted object.
            if deleted(before.whole, after.whole).isEmpty,
                let changed = world.twins.changedUnknown(
                    before: before.whole, after: after.whole, isWithin: request.method == "PUT")
            {
                return "\(request)\n  changed \(changed), which is unknown"
            }
            switch try outcome(request, own, other, world, before, after) {
            case .same: before = after
            case .parted:
                counts.parted += 1
                return nil
            case .fault(let fault): return "\(request)\n  \(fault)"
            }
            if request.headers.contains(where: { $0.0 == "Idempotency-Key" }),
                let fault = try faultOfRepeat(request, own, world, after.whole)
            {
                return "\(request), repeated\n  \(fault)"
            }
            guard Int.random(in: 0..<5, using: &random) == 0 else { continue }
            for index in pages.indices {
                counts.pages += 1
                switch pages[index].outcome(in: world) {
                case .same(let isIdle):
                    if isIdle { counts.idle += 1 }
                case .undecided: counts.undecided += 1
                case .fault(let fault): return "\(request)\n  \(fault)"
                }
            }
        }
        return nil
    }

    private static func outcome(
        _ request: RuleRequest, _ own: [HTTPClient.Reply], _ other: [HTTPClient.Reply],
        _ world: RuleWorld, _ before: Contents, _ after: Contents
    ) throws -> Outcome {
        guard let reply = own.first, let expected = other.first else { return .fault("no reply") }
        let comparison = ReplyComparison(hidden: world.twins.hidden)
        let difference = comparison.difference(own, other)
        if reply.status >= 300, before.whole != after.whole {
            // Of an import lines may have been taken.
            guard request.target.hasSuffix("/import") else { return .fault("\(reply.text) wrote") }
        }
        if try !world.twins.showTheSame(
            before: before.whole, after: after.whole, world.whole.store)
        {
            return expected.status < 300
                ? .parted : .fault("\(reply.status), expected \(expected.text)")
        }
        let hasTakenAlong =
            world.twins.hasCascade
            && deleted(before.whole, after.whole) != deleted(before.part, after.part)
        if let difference {
            if staysInMap(difference, world.twins) || hasTakenAlong { return .parted }
            guard mayDiffer(request, reply, expected, world.twins) else {
                return .fault(difference)
            }
            return reply.status >= 300 && expected.status >= 300 && before.whole == after.whole
                ? .same : .parted
        }
        guard let found = world.difference(comparison) else { return .same }
        return staysInMap(found, world.twins) || hasTakenAlong ? .parted : .fault("then \(found)")
    }

    /// What the two stores hold.
    private typealias Contents = (whole: VisibilityModels.Contents, part: VisibilityModels.Contents)

    private static func contents(of world: RuleWorld) throws -> Contents {
        (
            try VisibilityModels.contents(of: world.whole.store),
            try VisibilityModels.contents(of: world.part.store)
        )
    }

    /// The objects that are gone, with those that are taken along behind links, hidden ones too.
    private static func deleted(
        _ before: VisibilityModels.Contents, _ after: VisibilityModels.Contents
    ) -> [String: Set<UInt64>] {
        before.reduce(into: [:]) { deleted, entry in
            let gone = Set(entry.value.keys).subtracting((after[entry.key] ?? [:]).keys)
            if !gone.isEmpty { deleted[entry.key] = gone }
        }
    }

    /// Whether a map has an entry, shown as null for its hidden link, that has been taken away from the copy's.
    private static func staysInMap(_ difference: String, _ twins: RuleModels) -> Bool {
        guard difference.hasSuffix(": null, expected nothing") else { return false }
        let path = difference.prefix { $0 != ":" }.split(
            separator: "/", omittingEmptySubsequences: false)
        return twins.classes.contains { definition in
            definition.properties.contains { property in
                let isMap = if case .map = property.type { true } else { false }
                guard isMap || property.scalar == .mixed else { return false }
                return path.dropLast().contains {
                    $0 == property.name || $0 == property.mapTo ?? ""
                }
            }
        }
    }

    /// What is wrong with a repetition, which shows the user no objects but one that was created; nil for nothing.
    private static func faultOfRepeat(
        _ request: RuleRequest, _ first: [HTTPClient.Reply], _ world: RuleWorld,
        _ before: VisibilityModels.Contents
    ) throws -> String? {
        let again = request.replies(world.whole, as: world.asker, of: nil)
        // The copy has its own, of a request that has been done in both.
        _ = request.replies(world.part, as: .admin, of: nil)
        guard let reply = again.first, let original = first.first else { return "no reply" }
        if try VisibilityModels.contents(of: world.whole.store) != before { return "wrote again" }
        guard original.status < 300 else { return nil }
        return [original.status, 204].contains(reply.status)
            && reply.headers["idempotency-replayed"] == "true"
            && (["", original.text].contains(reply.text) || reply.text.contains("\"results\":[]"))
            ? nil : "\(reply.status) \(reply.text), after \(original.status) \(original.text)"
    }

    /// Whether a reply may tell of what the user does not see: that a key or a value is taken, that a deletion is denied, and that a
    /// value may not be stated.
    private static func mayDiffer(
        _ request: RuleRequest, _ reply: HTTPClient.Reply, _ expected: HTTPClient.Reply,
        _ twins: RuleModels
    ) -> Bool {
        let codes = Self.codes(of: reply)
        let body = request.body ?? ""
        let isCreation =
            ["/objects", "/import", "/transactions"].contains(where: request.target.hasSuffix)
            || request.parameters.contains { $0.name == "upsert" } || expected.status == 201
            || request.method == "PUT" && expected.status >= 400
        if codes.contains("not-allowed") {
            return isCreation
                || twins.hidden.contains { body.contains("\"\($0)\"") || body.contains("\"/\($0)") }
        }
        if codes.contains("duplicate-key") { return isCreation }
        if codes.contains("not-unique") {
            return twins.classes.contains { $0.properties.contains(where: \.isUnique) }
        }
        // The unique values of a restricted user's objects are compared after their links, an administrator's before.
        if codes.contains("dangling-link"), Self.codes(of: expected).contains("not-unique") {
            return true
        }
        // One that an earlier operation has taken along.
        if codes.contains("object-not-found") || codes.contains("dangling-link") {
            return twins.hasCascade && body.contains("\"delete\"")
        }
        if codes.contains("denied-delete") {
            return twins.classes.contains { $0.properties.contains { $0.onDelete == .deny } }
        }
        return false
    }

    /// The codes of a refusal, and of the faults that it lists.
    private static func codes(of reply: HTTPClient.Reply) -> Set<String> {
        let json = QueryJSON(reply.text)
        let lines = json?["errors"]?.elements.compactMap { $0["code"]?.string } ?? []
        return Set(lines + [json?["code"]?.string].compactMap { $0 })
    }
}
