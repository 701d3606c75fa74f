import Bytes

/// The sort bytes of the values that have codes.
struct CodedValues {
    private let buffer = ByteBuffer(capacity: 1024)
    private var ends: [Int] = []
    /// The first code of an equal value, by code; empty where all values differ.
    private var firsts: [UInt32] = []

    init(_ coder: GroupCoder, isAscending: Bool) {
        ends.reserveCapacity(coder.count)
        for code in 0..<coder.count {
            coder.append(code, to: buffer)
            ends.append(buffer.count)
        }
        if !isAscending {
            for offset in 0..<buffer.count { buffer.store(~buffer.bytes[offset], at: offset) }
        }
        guard coder.hasEqualValues else { return }
        var first: [[UInt8]: UInt32] = [:]
        firsts = (0..<coder.count).map { code in
            let value = Array(self[code])
            let own = first[value] ?? UInt32(truncatingIfNeeded: code)
            first[value] = own
            return own
        }
        if first.count == coder.count { firsts = [] }
    }

    /// Bytes of memory that they take.
    var byteCount: Int { buffer.count + 8 * ends.count }

    /// Whether two codes have equal values.
    var hasEqual: Bool { !firsts.isEmpty }

    /// The first code whose value equals that of a code.
    func firstEqual(to code: Int) -> UInt32 {
        firsts.isEmpty ? UInt32(truncatingIfNeeded: code) : firsts[code]
    }

    /// The sort bytes of a code's value.
    subscript(code: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            rebasing: buffer.bytes[(code == 0 ? 0 : ends[code - 1])..<ends[code]])
    }
}
