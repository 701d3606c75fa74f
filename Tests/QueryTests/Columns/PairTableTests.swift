import HoldfastTestSupport
import Testing

@testable import HoldfastQuery

@Suite("numbers of pairs")
struct PairTableTests {
    private struct Pair: Hashable {
        let group: UInt32
        let code: UInt32
    }

    @Test("pairs are numbered in the order in which they come, however many bits they have")
    func random() {
        let seed = SeededGenerator.testSeed("numbers of pairs")
        var random = SeededGenerator(seed: seed)
        for round in 0..<SeededGenerator.scaled(200) {
            let table = PairTable()
            var known: [Pair: UInt32] = [:]
            var (groupMax, codeMax): (UInt32, UInt32) = (1, 1)
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                let count = Int.random(in: 1...60, using: &random)
                let pairs = (0..<count).map { _ in
                    Pair(
                        group: .random(in: 0...groupMax, using: &random),
                        code: .random(in: 0...codeMax, using: &random))
                }
                var codes = pairs.map(\.group)
                codes.withUnsafeMutableBufferPointer { codes in
                    guard let start = codes.baseAddress else { return }
                    table.encode(start, pairs.map(\.code), count, into: start)
                }
                let expected = pairs.map { pair in
                    let number = known[pair] ?? UInt32(known.count)
                    known[pair] = number
                    return number
                }
                #expect(codes == expected, "seed \(seed), round \(round)")
                // Soon there are more bits than pairs are looked up by.
                if Bool.random(using: &random) { groupMax = groupMax * 2 + 1 }
                if Bool.random(using: &random) { codeMax = codeMax * 2 + 1 }
            }
            for (pair, number) in known {
                #expect(table.number(of: pair.group, pair.code) == number)
                #expect(table.pair(Int(number)) == (Int(pair.group), Int(pair.code)))
            }
            #expect(table.count == known.count)
        }
    }
}
