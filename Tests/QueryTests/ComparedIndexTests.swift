import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows
import HoldfastTestSupport
import Testing

@testable import HoldfastQuery

@Suite("Indexes of compared values")
struct ComparedIndexTests {
    private static let operators: [ComparisonOperator] = [
        .equal, .notEqual, .less, .lessEqual, .greater, .greaterEqual,
    ]

    /// Values that are close to each other, and those that are easily taken for one another.
    private static func constant(_ random: inout SeededGenerator) -> Value {
        let number = Int64.random(in: -3...3, using: &random)
        let large: [Int64] = [.max, .max - 1, .min, .min + 1, 1 << 53, 1 << 53 + 1, 1 << 24 + 1]
        switch Int.random(in: 0..<14, using: &random) {
        case 0: return .null
        case 1: return .int(number)
        case 2: return .int(large.randomElement(using: &random) ?? 0)
        case 3: return .double(Double(number) / 2)
        case 4:
            return .double([.nan, -0.0, 0.1, .infinity, 9.3e18, 0x1p53, -0x1p63][Int(number) + 3])
        case 5: return .float(Float(number) / 2)
        case 6: return .float([.nan, -0.0, 0.1, .infinity][Int(number.magnitude)])
        case 7: return .decimal(Decimal128(number))
        case 8: return .decimal(Decimal128(rounding: 0.1, digitCount: 15))
        case 9: return .string(["a", "A", "á", "ß", "b", "", "SS"][Int(number) + 3])
        case 10: return .data([UInt8(truncatingIfNeeded: number)])
        case 11: return .bool(number > 0)
        case 12: return .date(Timestamp(seconds: number, nanoseconds: 0))
        default: return .string("a")
        }
    }

    /// Values with the texts that they lie in.
    private final class Values {
        private var texts: [TextConstant] = []
        private var buffers: [ByteBuffer] = []
        private(set) var all: [ComparedValue] = []

        func add(_ constant: Value, isMixed: Bool) {
            if isMixed, constant != .null {
                let buffer = ByteBuffer(capacity: 32)
                MixedWriter(buffer).value(constant)
                buffers.append(buffer)
                all.append(ComparedValue(MixedView(buffer.bytes)))
                return
            }
            let text = TextConstant(constant)
            if let text { texts.append(text) }
            all.append(ComparedValue(constant, text: text))
        }
    }

    @Test("an index says of every operator and quantifier what comparing with each value says")
    func agrees() {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("compared index"))
        for round in 0..<SeededGenerator.scaled(4000) {
            let (left, right) = (Values(), Values())
            for _ in 0..<6 { left.add(Self.constant(&random), isMixed: .random(using: &random)) }
            for _ in 0..<Int.random(in: 0..<5, using: &random) {
                right.add(Self.constant(&random), isMixed: .random(using: &random))
            }
            for comparison in Self.operators {
                let relation = Relation(
                    comparison, ignoresCase: .random(using: &random),
                    ignoresAccents: round % 3 == 0)
                let plain = ValueRelation(relation)
                let index = ComparedIndex(relation, BoundSource())
                #expect(right.all.allSatisfy { index.add($0) })
                for value in left.all {
                    for quantifier in [Quantifier.any, .all, .none] {
                        let expected = quantifier.holds(of: right.all) { plain.holds(value, $0) }
                        let found = index.holds(quantifier, value)
                        #expect(
                            found == expected,
                            "\(value) \(relation.name) \(quantifier) \(right.all)")
                        if found != expected { return }
                    }
                }
            }
        }
    }
}
