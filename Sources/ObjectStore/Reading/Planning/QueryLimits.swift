/// The time and memory that a query may use.
package struct QueryLimits: Sendable {
    /// When it has to be done, in milliseconds of the monotonic clock.
    package var deadlineMilliseconds: UInt64
    /// Bytes of memory for sorting and collecting.
    package var memoryByteCountMax: Int

    /// Makes limits.
    package init(deadlineMilliseconds: UInt64 = .max, memoryByteCountMax: Int = 256 << 20) {
        self.deadlineMilliseconds = deadlineMilliseconds
        self.memoryByteCountMax = memoryByteCountMax
    }
}
