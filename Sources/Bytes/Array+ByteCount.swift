extension Array where Element == UInt8 {
    /// Bytes of a known count. `write` must set every one of them: the others are what the memory had before.
    ///
    /// `init(repeating:count:)` and `init(unsafeUninitializedCapacity:)` end in code of the library that
    /// is not specialized (Swift 6.3): it looks up the type of the array's storage each time, which takes
    /// three times as long as the allocation. A copy of a buffer is specialized; small ones lie on the stack.
    @inlinable
    public init(unsafeByteCount byteCount: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void) {
        self = withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 1) { buffer in
            write(buffer)
            return Array(buffer)
        }
    }
}
