import HoldfastPlainQuery
import HoldfastTestSupport
import Testing

@testable import HoldfastQuery

@Suite("exact sums")
struct ExactSumTests {
    private static func value(_ kind: Int, _ random: inout SeededGenerator) -> Double {
        let unit = Double.random(in: -1...1, using: &random)
        switch kind {
        case 0: return unit * 100
        case 1:
            let bits = UInt64.random(in: 0 ... .max, using: &random)
            let value = Double(bitPattern: bits)
            return value.isFinite ? value : Double(bitPattern: bits ^ 1 << 60)
        case 2: return unit * Double.leastNormalMagnitude * 3
        default:
            let exponent = Int.random(in: -90...90, using: &random)
            return Double(sign: .plus, exponent: exponent, significand: unit)
        }
    }

    /// Adds values as those of a chunk are.
    private static func add(_ values: ArraySlice<Double>, to sum: inout ExactSum) {
        values.withUnsafeBufferPointer { sum.add($0) }
    }

    @Test("sums of many values at once are exact, whatever their bits")
    func many() {
        let seed = SeededGenerator.testSeed("exact sums of many")
        var random = SeededGenerator(seed: seed)
        for round in 0..<SeededGenerator.scaled(600) {
            let exponent = Int.random(in: -850...850, using: &random)
            let spread = Int.random(in: 1...100, using: &random)
            let count = Int.random(in: 1000...1030, using: &random)
            let ones = Double(sign: .plus, exponent: exponent + 1, significand: 1).nextDown
            let values = (0..<count).map { index in
                if round % 3 == 0, index < 1000 { return ones }
                let own = exponent - Int.random(in: 0..<spread, using: &random)
                return Double(
                    sign: Bool.random(using: &random) ? .plus : .minus, exponent: own,
                    significand: Double.random(in: 1..<2, using: &random))
            }
            var (plain, sum) = (PlainSum(), ExactSum())
            for value in values { plain.add(value) }
            Self.add(values[...], to: &sum)
            #expect(sum.value == plain.value, "seed \(seed), round \(round)")
        }
    }

    @Test("sums are the doubles nearest to them, whoever adds which part in which order")
    func random() {
        let seed = SeededGenerator.testSeed("exact sums")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<SeededGenerator.scaled(2_000) {
            let kind = Int.random(in: 0...4, using: &random)
            var values = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                Self.value(kind, &random)
            }
            // What is left where most cancels out.
            if kind == 4 { values += values.map { -$0 } + [Self.value(0, &random)] }
            var plain = PlainSum()
            for value in values { plain.add(value) }
            values.shuffle(using: &random)
            let middle = Int.random(in: 0...values.count, using: &random)
            var (sum, part) = (ExactSum(), ExactSum())
            for value in values[..<middle] { sum.add(value) }
            Self.add(values[middle...], to: &part)
            sum.add(part)
            #expect(sum.value == plain.value, "\(values)")
        }
    }

    @Test(
        "infinities stay, and exclude each other",
        arguments: [
            ([Double.infinity, 1], Double.infinity), ([-.infinity, 1e308, 1e308], -.infinity),
            ([.infinity, -.infinity], .nan), ([1e308, 1e308], .infinity),
            ([1e308, 1e308, -1e308], 1e308), ([-0.0], 0), ([], 0),
        ] as [([Double], Double)])
    func special(values: [Double], expected: Double) {
        var sum = ExactSum()
        for value in values { sum.add(value) }
        #expect(sum.value == expected || sum.value.isNaN && expected.isNaN)
    }
}
