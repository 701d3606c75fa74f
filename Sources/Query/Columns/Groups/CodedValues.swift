import Bytes

/// The sort bytes of the values that have codes. One thread at a time uses it.
final class CodedValues {
    private let buffer = ByteBuffer(capacity: 1024)
    private let starts: UnsafeMutablePointer<Int>
    private let count: Int
    /// The first code of an equal value, by code; empty where all values differ.
    private var firsts: [UInt32] = []

    /// - `byteCountMax`: Memory for them.
    /// - `goesOn`: Asked now and then.
    ///
    /// Nil when there is too little memory, or when it was not to go on.
    init?(
        _ coder: GroupCoder, isAscending: Bool = true, byteCountMax: Int, goesOn: () -> Bool
    ) {
        count = coder.count
        starts = .allocate(capacity: count + 1)
        for code in 0..<count {
            starts[code] = buffer.count
            coder.append(code, to: buffer)
            if byteCount > byteCountMax || code % 64 == 63 && !goesOn() { return nil }
        }
        starts[count] = buffer.count
        if !isAscending {
            for offset in 0..<buffer.count { buffer.store(~buffer.bytes[offset], at: offset) }
        }
        if coder.hasEqualValues { join() }
    }

    deinit { starts.deallocate() }

    private func join() {
        var first: [[UInt8]: UInt32] = [:]
        firsts = (0..<count).map { code in
            let value = Array(self[code])
            let own = first[value] ?? UInt32(truncatingIfNeeded: code)
            first[value] = own
            return own
        }
        if first.count == count { firsts = [] }
    }

    /// Bytes of memory that they take.
    var byteCount: Int { buffer.count + 8 * count }

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
