import HoldfastObjectModel
import HoldfastRows
import HoldfastTestSupport
import Testing

@testable import HoldfastQuery

@Suite("percentiles")
struct PercentileTests {
    @Test(
        "lie between the numbers next to their rank, however the numbers are spread",
        arguments: [1, 2, 63, 64, 65, 1000, 20_000])
    func percentiles(count: Int) throws {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("ranked doubles \(count)"))
        let spreads: [(inout SeededGenerator) -> Double] = [
            { _ in 7 }, { Double.random(in: -100...100, using: &$0) },
            { Double(Int.random(in: -3...3, using: &$0)) },
            { Double.random(in: 0..<10, using: &$0) < 9.99 ? 1 : 1e300 },
            {
                [0, -0.0, .infinity, -.infinity, .leastNonzeroMagnitude].randomElement(using: &$0)
                    ?? 0
            },
            { Double(bitPattern: UInt64.random(in: 0..<0x7FF0_0000_0000_0000, using: &$0)) },
        ]
        let percents = [0, 12.5, 50, 99.9, 100]
        for (index, spread) in spreads.enumerated() {
            let numbers = (0..<count).map { _ in spread(&random) }
            let sorted = numbers.sorted()
            let found = try #require(
                Double.percentiles(percents, of: numbers, within: Budget()))
            for (percent, number) in zip(percents, found) {
                let rank = Double(count - 1) * percent / 100
                let (low, high) = (sorted[Int(rank)], sorted[min(Int(rank) + 1, count - 1)])
                let share = rank - rank.rounded(.down)
                let step = (high - low) * share
                let expected =
                    share == 0 || low == high
                    ? low : step.isFinite ? low + step : low * (1 - share) + high * share
                guard case .double(let double)? = number else {
                    Issue.record("\(percent) of spread \(index): \(String(describing: number))")
                    continue
                }
                #expect(
                    double == expected || expected.isNaN && double.isNaN,
                    "\(percent) of spread \(index)")
            }
        }
    }

    @Test("of no numbers there is none")
    func nothing() throws {
        let found = try #require(Double.percentiles([50], of: [], within: Budget()))
        #expect(found.count == 1 && found[0] == nil)
    }

    @Test(
        "equal decimals with more and with fewer zeros have one percentile, whatever they came in")
    func equalDecimals() throws {
        let texts = ["1.6840", "1.684", "1.68400"]
        for percent in [0.0, 33, 50, 100] {
            var found: Set<String> = []
            for shift in texts.indices {
                let numbers = try (texts[shift...] + texts[..<shift]).map {
                    try #require(Decimal128($0))
                }
                let percentiles = try #require(
                    Decimal128.percentiles([percent], of: numbers, within: Budget()))
                found.insert("\(try #require(percentiles[0]))")
            }
            #expect(found.count == 1, "\(percent): \(found)")
        }
    }
}
