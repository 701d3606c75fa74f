import Bytes

/// Immutable bytes that are shared without a copy.
package struct SharedBytes: @unchecked Sendable {
    // Unchecked: nobody writes to the buffer any more.

    /// Where they are; nobody may write to it.
    package let buffer: ByteBuffer

    /// Shares what a buffer has; its writer gives it up.
    package init(_ buffer: ByteBuffer) { self.buffer = buffer }

    /// How many they are.
    package var count: Int { buffer.count }
}
