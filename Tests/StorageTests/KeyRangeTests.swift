import HoldfastStorage
import Testing
import HoldfastTestSupport

@Suite("Key ranges")
struct KeyRangeTests {
    @Test(
        "the successor of a prefix is above all that begins with it",
        arguments: [
            ([0x01], [0x02]), ([0x01, 0xFF], [0x02]), ([0x01, 0xFE], [0x01, 0xFF]),
            ([0xFF, 0x00], [0xFF, 0x01]), ([], nil), ([0xFF], nil), ([0xFF, 0xFF], nil),
        ] as [([UInt8], [UInt8]?)])
    func successor(prefix: [UInt8], expected: [UInt8]?) {
        #expect(KeyRange.successor(ofPrefix: prefix) == expected)
    }

    @Test("a prefix's range holds the prefix and its extensions only")
    func prefix() {
        let range = KeyRange(prefix: [0x10, 0xFF])
        for inside in [[0x10, 0xFF], [0x10, 0xFF, 0x00], [0x10, 0xFF, 0xFF]] as [[UInt8]] {
            #expect(inside.withUnsafeBytes { range.contains($0) })
        }
        for outside in [[0x10], [0x10, 0xFE, 0xFF], [0x11], []] as [[UInt8]] {
            #expect(!outside.withUnsafeBytes { range.contains($0) })
        }
    }

    @Test("a range is empty when its bounds meet or cross")
    func empty() {
        #expect(KeyRange(lower: [2], upper: [2]).isEmpty)
        #expect(KeyRange(lower: [2], upper: [1, 9]).isEmpty)
        #expect(KeyRange(lower: [], upper: []).isEmpty)
        #expect(!KeyRange(lower: [2], upper: [2, 0]).isEmpty)
        #expect(!KeyRange(lower: [0xFF, 0xFF], upper: nil).isEmpty)
    }
}
