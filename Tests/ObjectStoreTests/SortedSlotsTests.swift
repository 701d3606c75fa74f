import HoldfastBytes
import HoldfastTestSupport
import Testing

@testable import HoldfastObjectStore

@Suite("Sorted slots")
struct SortedSlotsTests {
    /// Keys of which many have long beginnings in common, some end where others go on, and some are equal.
    private static func keys(_ count: Int, _ random: inout SeededGenerator) -> [[UInt8]] {
        let bytes: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF]
        let beginnings = (0..<Int.random(in: 1...4, using: &random)).map { _ in
            (0..<Int.random(in: 0...70, using: &random)).map { _ in
                bytes.randomElement(using: &random) ?? 0
            }
        }
        return (0..<count).map { _ in
            var key = beginnings.randomElement(using: &random) ?? []
            if Int.random(in: 0..<8, using: &random) == 0 {
                key = Array(key.prefix(Int.random(in: 0...key.count, using: &random)))
            }
            let endCount = [0, 1, 2, 7, 8, 9, 20].randomElement(using: &random) ?? 0
            key += (0..<endCount).map { _ in bytes.randomElement(using: &random) ?? 0 }
            return key
        }
    }

    @Test("are in the order of their keys, and those of one key in the order in which they came")
    func order() {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("sorted slots"))
        for count in [1, 2, 255, 256, 700, 3000, 20_000] {
            let keys = Self.keys(count, &random)
            // Where they stay as long as the slots are used.
            let memory = keys.map { key in
                let copy = UnsafeMutableRawBufferPointer.allocate(
                    byteCount: key.count, alignment: 1)
                copy.copyBytes(from: key)
                return UnsafeRawBufferPointer(copy)
            }
            defer { for key in memory { key.deallocate() } }
            var list = SlotList()
            for key in memory {
                list.append(Overlay.Slot(key, KeyPrefix(key), .removed))
            }
            let sorted = SortedSlots(list)
            let expected = keys.indices.sorted { a, b in
                keys[a] == keys[b] ? a < b : keys[a].lexicographicallyPrecedes(keys[b])
            }
            let found = (0..<sorted.count).map { sorted[$0] }
            #expect(found == expected, "\(count) keys")
        }
    }
}
