import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// What a user is told of random changes is the same in two worlds that differ in what they do not see.
@Suite("Random changes of what is hidden, in two worlds")
struct HiddenChangeOracleTests {
    private static let worldCount = UInt64(SeededGenerator.scaled(3))
    private static let formCount = 10
    private static let changeCount = 16

    @Test(
        "pages, streams that go on, streams that stay open, polls, outboxes and reads tell the same",
        arguments: EngineCase.all)
    func random(engine: EngineCase) throws {
        let seed = SeededGenerator.testSeed("changes of what is hidden")
        var counts = (asked: 0, told: 0)
        for number in 0..<Self.worldCount {
            try Self.compare(seed &+ number, engine, &counts)
        }
        print(
            "changes of what is hidden: \(counts.asked) times asked, \(counts.told) told of something"
        )
        #expect(counts.told > counts.asked / 20)
    }

    /// Compares up to the first difference.
    private static func compare(
        _ seed: UInt64, _ engine: EngineCase, _ counts: inout (asked: Int, told: Int)
    ) throws {
        let document = HiddenDocs.documents[Int(seed % UInt64(HiddenDocs.documents.count))]
        let worlds = try HiddenDocs.worlds(document, engine)
        var random = SeededGenerator(seed: seed)
        var forms = HiddenFormMaker(seed: random.next())
        var changes = HiddenChangeMaker(seed: random.next())
        let outbox = TwoWorldsFollower("/classes/Reading/outbox", worlds)
        let followers =
            [outbox] + (0..<Self.formCount).map { _ in TwoWorldsFollower(forms.make(), worlds) }
        var history: [String] = []
        func isSame(_ differences: [Difference]) -> Bool {
            guard let first = differences.first else { return true }
            Issue.record(
                """
                seed \(seed), step \(history.count): \(first)
                  after \(history.suffix(6).joined(separator: "\n    "))
                  \(document)
                """)
            return false
        }
        if !isSame(followers.compactMap { $0.open() }) { return }
        worlds.notice()
        for follower in followers { follower.mark() }
        for _ in 0..<Self.changeCount {
            followers.randomElement(using: &random)?.wait()
            for change in changes.makeSome() {
                history.append("\(change)")
                guard worlds.make(change) else {
                    Issue.record("seed \(seed), step \(history.count): \(change)")
                    return
                }
            }
            for follower in followers {
                // Some wait for more, and some read a part.
                let isAsking = Int.random(in: 0..<3, using: &random) > 0
                let pageCountMax =
                    isAsking ? Int.random(in: 0..<3, using: &random) == 0 ? 1 : 40 : 0
                let limit = Int.random(in: 1...3, using: &random)
                let found = follower.differences(limit: limit, pageCountMax: pageCountMax)
                if !isSame(found) { return }
                if isAsking { counts.asked += 1 }
                if follower.hasBeenTold { counts.told += 1 }
            }
            for _ in 0..<2 {
                if !isSame([worlds.difference(reading: forms.read())].compactMap { $0 }) {
                    return
                }
            }
        }
    }
}
