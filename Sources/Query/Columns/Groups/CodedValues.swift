import Bytes
import Rows

/// The sort bytes of the values that have codes. One thread at a time uses it.
final class CodedValues {
    private let buffer = ByteBuffer(capacity: 1024)
    private let starts: UnsafeMutablePointer<Int>
    private let count: Int
    /// The first code of an equal value, by code; empty where all values differ.
    private var firsts: [UInt32] = []

    /// - `joinsEqual`: Whether it is asked which are equal, where codes may have equal values.
    /// - `byteCountMax`: Memory for them.
    ///
    /// Nil when there is too little memory, or the budget has failed.
    init?(
        _ coder: GroupCoder, joinsEqual: Bool = true, byteCountMax: Int, within budget: Budget
    ) {
        count = coder.count
        starts = .allocate(capacity: count + 1)
        for code in 0..<count {
            starts[code] = buffer.count
            coder.append(code, to: buffer)
            if byteCount > byteCountMax || !budget.spend(Self.stepsOfValue) { return nil }
        }
        starts[count] = buffer.count
        if joinsEqual, coder.hasEqualValues, !join(byteCountMax: byteCountMax, within: budget) {
            return nil
        }
    }

    deinit { starts.deallocate() }

    /// A value may have to be read behind a link.
    private static let stepsOfValue = 16

    /// Finds equal values; false when there is too little memory, or the budget has failed.
    private func join(byteCountMax: Int, within budget: Budget) -> Bool {
        let table = TextTable()
        var different: [UInt32] = []
        return withUnsafeTemporaryAllocation(of: HashedText.self, capacity: TextTable.countMax) {
            texts in
            withUnsafeTemporaryAllocation(of: UInt32.self, capacity: TextTable.countMax) { codes in
                guard let text = texts.baseAddress, let code = codes.baseAddress else {
                    return count == 0
                }
                for start in stride(from: 0, to: count, by: TextTable.countMax) {
                    let end = min(start + TextTable.countMax, count)
                    for own in start..<end {
                        let value = self[own]
                        (text + own - start).initialize(
                            to: HashedText(
                                start: value.baseAddress, count: value.count,
                                hash: TextChunk.hash(value)))
                    }
                    table.encode(text, end - start, into: code)
                    for own in start..<end {
                        if Int(codes[own - start]) == different.count {
                            different.append(UInt32(truncatingIfNeeded: own))
                        }
                        firsts.append(different[Int(codes[own - start])])
                    }
                    guard byteCount + table.byteCount + different.count * 4 <= byteCountMax,
                        budget.spend(end - start)
                    else { return false }
                }
                if different.count == count { firsts = [] }
                return true
            }
        }
    }

    /// Bytes of memory that they take.
    var byteCount: Int { buffer.count + 8 * count + 4 * firsts.count }

    /// Whether two codes have equal values.
    var hasEqual: Bool { !firsts.isEmpty }

    /// The first code whose value equals that of a code.
    func firstEqual(to code: Int) -> UInt32 {
        firsts.isEmpty ? UInt32(truncatingIfNeeded: code) : firsts[code]
    }

    /// The sort bytes of a code's value.
    subscript(code: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: buffer.bytes[starts[code]..<starts[code + 1]])
    }
}
