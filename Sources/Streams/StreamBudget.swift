import HoldfastBytes
import HoldfastThreads
import Synchronization

/// Bytes that are held for streams, of all streams together. Any thread.
final class StreamBudget: Sendable {
    private let byteCountMax: Int
    /// How many are held.
    let byteCount = Atomic<Int>(0)

    /// - `byteCountMax`: How many leave room for more.
    init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// Whether there is no room for more than that.
    var isTight: Bool { byteCount.load(ordering: .relaxed) > byteCountMax }

    /// Counts bytes as long as their holder lives; no other thread reads them yet.
    func hold(_ bytes: SharedBytes) -> SharedBytes {
        bytes.buffer.trim()
        return count(bytes)
    }

    /// Counts bytes that others may read already as long as what is returned lives.
    func count(_ bytes: SharedBytes) -> SharedBytes {
        SharedBytes(bytes.buffer, heldBy: share(bytes.count, of: bytes))
    }

    /// Counts bytes as long as what is returned lives, which holds `bytes`.
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
