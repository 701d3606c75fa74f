import HoldfastTestSupport
import Testing

@testable import HoldfastQuery

@Suite("masks of columns")
struct ColumnMaskTests {
    @Test(
        "set positions are counted, however many there are",
        arguments: [0, 1, 15, 16, 17, 4_079, 4_080, 4_081, 16_384, 65_521])
    func count(_ count: Int) {
        var random = SeededGenerator(seed: UInt64(count))
        let full = [UInt8](repeating: 1, count: count)
        let some = full.map { _ in UInt8.random(in: 0...1, using: &random) }
        for mask in [full, some] {
            #expect(ColumnMask.count(mask, count) == mask.count { $0 == 1 })
        }
    }
}
