import HoldfastPlainQuery
import HoldfastRows
import HoldfastTestSupport
import Testing

@testable import HoldfastQuery

@Suite("sums of doubles by group")
struct DoubleTotalsTests {
    private static let groupCount = 3

    /// A value of at most an exponent, sometimes of a much smaller one.
    private static func value(_ exponent: Int, _ random: inout SeededGenerator) -> Double {
        let kind = Int.random(in: 0..<20, using: &random)
        if kind == 0 { return 0 }
        let own = kind == 1 ? exponent - Int.random(in: 10...40, using: &random) : exponent
        return Double.random(in: -1...1, using: &random)
            * Double(sign: .plus, exponent: own, significand: 1)
    }

    /// Adds values to their groups as those of a chunk are.
    private static func add(_ values: [Double], to groups: [UInt32], of totals: DoubleTotals) {
        let numbers = values.map { ColumnNumber.number($0) ?? 0 }
        let chunk = NumberChunk(
            numbers, count: values.count, .double, nulls: nil, exceptions: nil, meter: ColumnMeter()
        )
        let positions = (0..<Int32(values.count)).map { $0 }
        positions.withUnsafeBufferPointer { positions in
            totals.add(chunk, ColumnBatch(chunk: 0, positions: positions), groups)
        }
    }

    /// Random groups of values, of so many.
    private static func groups(
        _ count: Int, of groupCount: Int, _ random: inout SeededGenerator
    ) -> [UInt32] {
        (0..<count).map { _ in UInt32.random(in: 0..<UInt32(groupCount), using: &random) }
    }

    /// Adds values to random groups, of so many, and to plain sums.
    private static func add(
        _ values: [Double], to totals: DoubleTotals, of groupCount: Int = groupCount,
        _ plain: inout [PlainSum], _ random: inout SeededGenerator
    ) {
        let groups = groups(values.count, of: groupCount, &random)
        add(values, to: groups, of: totals)
        for (value, group) in zip(values, groups) where value.isFinite {
            plain[Int(group)].add(value)
        }
    }

    private static func makeTotals(_ groupCount: Int = groupCount) -> DoubleTotals {
        let totals = DoubleTotals(.double, hasSum: true, hasExtremes: false)
        totals.grow(to: groupCount)
        return totals
    }

    @Test("they are exact, whatever sizes come one after the other and whoever adds which part")
    func random() {
        let seed = SeededGenerator.testSeed("sums of doubles by group")
        var random = SeededGenerator(seed: seed)
        for round in 0..<SeededGenerator.scaled(300) {
            let parts = [Self.makeTotals(), Self.makeTotals()]
            var plain = [PlainSum](repeating: PlainSum(), count: Self.groupCount)
            var exponent = Int.random(
                in: Bool.random(using: &random) ? -40...60 : -1000...1000, using: &random)
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                if Bool.random(using: &random) {
                    exponent = min(exponent + Int.random(in: -60...60, using: &random), 1010)
                }
                let values = (0..<Int.random(in: 1...100, using: &random)).map { _ in
                    Self.value(exponent, &random)
                }
                Self.add(values, to: parts[Int.random(in: 0...1, using: &random)], &plain, &random)
            }
            parts[0].add(parts[1], to: [0, 1, 2], within: Budget())
            for group in 0..<Self.groupCount {
                #expect(
                    parts[0].sums[group].value == plain[group].value,
                    "seed \(seed), round \(round)")
            }
        }
    }

    @Test("an infinity makes the sum of its group infinite, and leaves the others as they are")
    func infinities() {
        var random = SeededGenerator(seed: 1)
        let totals = Self.makeTotals()
        var plain = [PlainSum](repeating: PlainSum(), count: Self.groupCount)
        Self.add([0.1, 0.2, 0.3, 1e-300], to: totals, &plain, &random)
        Self.add([.infinity], to: totals, &plain, &random)
        Self.add([0.7, 1e300, .leastNonzeroMagnitude], to: totals, &plain, &random)
        let sums = (0..<Self.groupCount).map { totals.sums[$0].value }
        #expect(sums.filter(\.isInfinite).count == 1)
        for (sum, plain) in zip(sums, plain) where sum.isFinite { #expect(sum == plain.value) }
    }

    @Test(
        "the memory of large and small values is counted with the batch that takes it",
        arguments: [300, -300, 33, 0, -3])
    func memory(exponent: Int) {
        let size = Double(sign: .plus, exponent: exponent, significand: 1)
        let groupCount = 16_384
        let totals = Self.makeTotals(groupCount)
        var random = SeededGenerator(seed: 1)
        var before = totals.byteCount
        for _ in 0..<300 {
            let values = (0..<ColumnBatch.countMax).map { _ in
                size * .random(in: 1..<2, using: &random)
            }
            let groups = Self.groups(values.count, of: groupCount, &random)
            Self.add(values, to: groups, of: totals)
            #expect(totals.byteCount - before <= 600 * ColumnBatch.countMax)
            before = totals.byteCount
        }
        let part = Self.makeTotals(groupCount)
        part.add(totals, to: (0..<UInt32(groupCount)).map { $0 }, within: Budget())
        #expect(part.byteCount <= totals.byteCount)
    }

    @Test("groups that are left out are in no other")
    func dropped() {
        let (totals, part) = (Self.makeTotals(1), Self.makeTotals(2))
        Self.add([3, -7.5, 1e9, 0.25], to: [0, 1, 0, 1], of: part)
        totals.add(part, to: [Aggregation.dropped, 0], within: Budget())
        #expect(totals.sums[0].value == -7.25)
    }
}
