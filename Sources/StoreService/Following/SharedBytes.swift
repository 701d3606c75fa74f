import HoldfastBytes

/// Immutable bytes that are shared without a copy.
package struct SharedBytes: @unchecked Sendable {
    // Unchecked: the buffer is not written to any more.

    /// The buffer that has them, which must not be written to.
    package let buffer: ByteBuffer

    /// The holder of the buffer, which has to live as long as the bytes do.
    package let holder: AnyObject

    /// Shares what a buffer has; its writer gives it up.
    package init(_ buffer: ByteBuffer, heldBy holder: AnyObject? = nil) {
        self.buffer = buffer
        self.holder = holder ?? buffer
    }

    /// How many they are.
    package var count: Int { buffer.count }
}
