import HoldfastObjectModel
import HoldfastRows
import HoldfastTestSupport
import Testing

@testable import HoldfastQuery

@Suite("percentiles without sorting")
struct RankedDoublesTests {
    @Test(
        "the numbers next to a rank are those of the sorted numbers, however they are spread",
        arguments: [1, 2, 63, 64, 65, 1000, 20_000])
    func percentiles(count: Int) {
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
        for (index, spread) in spreads.enumerated() {
            let numbers = (0..<count).map { _ in spread(&random) }
            let sorted = numbers.sorted()
            for percent in [0, 12.5, 50, 99.9, 100] {
                let place = Quantile(percent, count: count)
                var own = numbers
                let found = own.withUnsafeMutableBufferPointer {
                    RankedDoubles($0).percentile(percent)
                }
                let (low, high) = (sorted[place.index], sorted[place.next])
                let step = (high - low) * place.share
                let expected =
                    place.share == 0 || low == high
                    ? low
                    : step.isFinite
                        ? low + step : low * (1 - place.share) + high * place.share
                #expect(
                    found == expected || expected.isNaN && found?.isNaN == true,
                    "\(percent) of spread \(index)")
                #expect(own.sorted() == sorted, "no number is lost")
            }
        }
    }

    @Test("of no numbers there is none")
    func nothing() {
        var numbers: [Double] = []
        #expect(numbers.withUnsafeMutableBufferPointer { RankedDoubles($0).percentile(50) } == nil)
    }

    @Test(
        "equal decimals with more and with fewer zeros have one percentile, whatever they came in")
    func equalDecimals() throws {
        let texts = ["1.6840", "1.684", "1.68400"]
        for percent in [0.0, 33, 50, 100] {
            var found: Set<String> = []
            for shift in texts.indices {
                var numbers = try (texts[shift...] + texts[..<shift]).map {
                    try #require(Decimal128($0))
                }
                let number = numbers.withUnsafeMutableBufferPointer {
                    Decimal128.percentile(percent, of: $0, within: Budget())
                }
                found.insert("\(try #require(number))")
            }
            #expect(found.count == 1, "\(percent): \(found)")
        }
    }
}
