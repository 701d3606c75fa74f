import HoldfastBytes
import HoldfastThreads
import Synchronization

/// The bytes that are held for all streams together. Any thread.
final class StreamBudget: Sendable {
    private let byteCountMax: Int
    /// The number of held bytes.
    let byteCount = Atomic<Int>(0)

    /// - `byteCountMax`: The number of held bytes up to which there is room for more.
    init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// Whether there is no room for more bytes.
    var isTight: Bool { byteCount.load(ordering: .relaxed) > byteCountMax }

    /// Counts bytes for as long as their holder lives. No other thread reads them yet.
    func hold(_ bytes: SharedBytes) -> SharedBytes {
        bytes.buffer.trim()
        return count(bytes)
    }

    /// Counts bytes that other threads may read already, for as long as the result lives.
    func count(_ bytes: SharedBytes) -> SharedBytes {
        SharedBytes(bytes.buffer, heldBy: share(bytes.count, of: bytes))
    }

    /// Counts a number of bytes for as long as the result lives. The result keeps `bytes` alive.
    func share(_ count: Int, of bytes: SharedBytes? = nil) -> Lease {
        byteCount.wrappingAdd(count, ordering: .relaxed)
        return Lease {
            withExtendedLifetime(bytes) {}
            self.byteCount.wrappingSubtract(count, ordering: .relaxed)
        }
    }
}

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

    /// The number of bytes.
    package var count: Int { buffer.count }
}
