/// Gives each pair of a group and a code a number: how many different pairs came before it. One thread at a time uses it.
///
/// Benchmark row: `aggregates`.
final class PairTable {
    private let table = CodeTable<Int64>()
    /// The numbers of pairs, by the bits of both, where these are few.
    private var near: [UInt32] = []
    /// So many bits are the code's.
    private var codeBitCount = 0
    private let pairs = BatchRoom<Int64>()

    private static let nearBitCountMax = 16
    /// There is no more room in ``near`` for each pair or object.
    private static let roomOfPair = 4

    var count: Int { table.count }

    /// Bytes of memory that it takes.
    var byteCount: Int { table.byteCount + near.count * 4 }

    /// Sets the numbers of many pairs, at most ``ColumnBatch/countMax``. Pairs without a number get the next ones.
    func encode(
        _ groups: UnsafePointer<UInt32>, _ codes: UnsafePointer<UInt32>, _ count: Int,
        into numbers: UnsafeMutablePointer<UInt32>
    ) {
        if makeNear(groups, codes, count) {
            for index in 0..<count {
                let place = Int(groups[index]) << codeBitCount | Int(codes[index])
                if near[place] == .max { near[place] = number(of: groups[index], codes[index]) }
                numbers[index] = near[place]
            }
            return
        }
        for index in 0..<count { pairs.start[index] = Self.pair(groups[index], codes[index]) }
        table.encode(pairs.start, count, into: numbers)
    }

    /// Makes room in ``near`` for some pairs; false if they have too many bits, or most bit patterns are no pair.
    private func makeNear(
        _ groups: UnsafePointer<UInt32>, _ codes: UnsafePointer<UInt32>, _ count: Int
    ) -> Bool {
        var (groupBits, codeBits): (UInt32, UInt32) = (0, 0)
        for index in 0..<count {
            groupBits |= groups[index]
            codeBits |= codes[index]
        }
        let codeBitCount = max(self.codeBitCount, Self.bitCount(codeBits))
        let bitCount = Self.bitCount(groupBits) + codeBitCount
        guard bitCount <= Self.nearBitCountMax,
            1 << bitCount <= Self.roomOfPair * (table.count + count)
        else { return false }
        if codeBitCount > self.codeBitCount || near.count < 1 << bitCount {
            self.codeBitCount = codeBitCount
            near = [UInt32](repeating: .max, count: max(near.count, 1 << bitCount))
        }
        return true
    }

    private static func bitCount(_ bits: UInt32) -> Int { 32 - bits.leadingZeroBitCount }

    /// The number of a pair. A pair without a number gets the next one.
    func number(of group: UInt32, _ code: UInt32) -> UInt32 {
        table.code(of: Self.pair(group, code))
    }

    func pair(_ number: Int) -> (group: Int, code: Int) {
        let pair = table.values[number]
        return (Int(pair >> 32), Int(UInt32(truncatingIfNeeded: pair)))
    }

    @inline(__always)
    private static func pair(_ group: UInt32, _ code: UInt32) -> Int64 {
        Int64(group) << 32 | Int64(code)
    }
}
