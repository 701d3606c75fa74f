import HoldfastBytes
import Testing

/// The hash of bytes for tables in memory.
@Suite struct TableHashTests {
    @Test("tells apart bytes of any length that differ in one bit, and equal bytes by their seed")
    func differences() {
        var hashes: Set<UInt64> = []
        var count = 0
        for length in 0...33 {
            var bytes = [UInt8](repeating: 0, count: length)
            for seed: UInt64 in [0, 1, .max] {
                hashes.insert(bytes.withUnsafeBytes { $0.tableHash(seed: seed) })
                count += 1
            }
            for bit in 0..<length * 8 {
                bytes[bit / 8] ^= 1 << UInt8(bit % 8)
                hashes.insert(bytes.withUnsafeBytes { $0.tableHash() })
                bytes[bit / 8] ^= 1 << UInt8(bit % 8)
                count += 1
            }
        }
        #expect(hashes.count == count)
    }

    @Test("spreads numbers that follow each other over the bits that tables take")
    func neighbours() {
        for shift: UInt64 in [0, 32, 52] {
            var used: Set<UInt64> = []
            for number in 0..<4096 {
                let hash = withUnsafeBytes(of: UInt64(number).bigEndian) { $0.tableHash() }
                used.insert(hash >> shift & 0xFFF)
            }
            // 4096 draws of 4096 leave 1507 undrawn on average.
            #expect(used.count > 2300)
        }
    }
}
