import HoldfastBytes
import HoldfastThreads

/// Immutable bytes that are shared without a copy.
package struct SharedBytes: @unchecked Sendable {
    // Unchecked: the buffer is not written to any more.

    /// The buffer with the bytes. It must not be written to.
    package let buffer: ByteBuffer

    /// The holder of the buffer, which has to live as long as the bytes do.
    package let holder: AnyObject

    /// Shares the bytes of a buffer. Its writer gives it up.
    package init(_ buffer: ByteBuffer, heldBy holder: AnyObject? = nil) {
        self.buffer = buffer
        self.holder = holder ?? buffer
    }

    package var count: Int { buffer.count }
}

extension MemoryBudget {
    /// Counts bytes for as long as their holder lives. No other thread reads them yet.
    func hold(_ bytes: SharedBytes) -> SharedBytes {
        bytes.buffer.trim()
        return count(bytes)
    }

    /// Counts bytes that other threads may read already, for as long as the result lives.
    func count(_ bytes: SharedBytes) -> SharedBytes {
        SharedBytes(bytes.buffer, heldBy: share(bytes.count, of: bytes))
    }
}
