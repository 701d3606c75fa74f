import Bytes

/// Immutable bytes that are shared without a copy.
package struct SharedBytes: @unchecked Sendable {
    // Unchecked: nobody writes to the buffer any more.

    /// Where they are; nobody may write to it.
    package let buffer: ByteBuffer

    /// What keeps the buffer, and has to live as long as the bytes do.
    package let holder: AnyObject

    /// Shares what a buffer has; its writer gives it up.
    package init(_ buffer: ByteBuffer, heldBy holder: AnyObject? = nil) {
        self.buffer = buffer
        self.holder = holder ?? buffer
    }

    /// How many they are.
    package var count: Int { buffer.count }
}
