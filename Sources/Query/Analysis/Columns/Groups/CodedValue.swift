/// A value that a ``CodeTable`` gives a code to.
protocol CodedValue: BitwiseCopyable {
    /// Equal for equal values.
    ///
    /// - `seed`: A secret, so that a client that chooses values can't choose their slots, unless they are hashed already.
    func tableHash(_ seed: UInt64) -> UInt32

    /// Where its bytes begin; nil where it has all of them itself.
    var start: UnsafeRawPointer? { get }

    func isEqual(to other: Self) -> Bool
}

extension Int64: CodedValue {
    @inline(__always)
    func tableHash(_ seed: UInt64) -> UInt32 {
        // Every bit of the number affects the last ones: the last bits of whole doubles are all 0.
        var bits = UInt64(bitPattern: self) ^ seed
        bits ^= bits >> 32
        bits &*= 0xD6E8_FEB8_6659_FD93
        bits ^= bits >> 32
        bits &*= 0xD6E8_FEB8_6659_FD93
        return UInt32(truncatingIfNeeded: bits ^ bits >> 32)
    }

    var start: UnsafeRawPointer? { nil }

    @inline(__always)
    func isEqual(to other: Int64) -> Bool { self == other }
}
