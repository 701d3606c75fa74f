extension Array where Element == UInt8 {
    /// Creates an array with a known number of bytes. `write` must set every byte; unset bytes keep the memory's previous
    /// content.
    ///
    /// `init(repeating:count:)` and `init(unsafeUninitializedCapacity:)` end in library code that is not specialized (Swift 6.3):
    /// it looks up the type of the array's storage each time, which takes three times as long as the allocation. A copy of a
    /// buffer is specialized; small buffers are on the stack.
    @inlinable
    public init(unsafeByteCount byteCount: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void) {
        self = withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 1) { buffer in
            write(buffer)
            return Array(buffer)
        }
    }
}
