/// Gives each pair of a group and a code a number: how many different pairs came before it. One thread at a time uses it.
final class PairTable {
    private let table = CodeTable<Int64>()
    private let pairs = BatchRoom<Int64>()

    var count: Int { table.count }

    /// Bytes of memory that it takes.
    var byteCount: Int { table.byteCount }

    /// Sets the numbers of many pairs, at most ``ColumnBatch/countMax``. Pairs without a number get the next ones.
    func encode(
        _ groups: UnsafePointer<UInt32>, _ codes: UnsafePointer<UInt32>, _ count: Int,
        into numbers: UnsafeMutablePointer<UInt32>
    ) {
        for index in 0..<count { pairs.start[index] = Self.pair(groups[index], codes[index]) }
        table.encode(pairs.start, count, into: numbers)
    }

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
