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
        SharedBytes(bytes.buffer, heldBy: Share(self, bytes.count, of: bytes))
    }

    /// Counts bytes as long as what is returned lives.
    func share(_ byteCount: Int) -> AnyObject & Sendable { Share(self, byteCount) }

    private final class Share: Sendable {
        let budget: StreamBudget
        let count: Int
        let bytes: SharedBytes?

        init(_ budget: StreamBudget, _ count: Int, of bytes: SharedBytes? = nil) {
            self.budget = budget
            self.count = count
            self.bytes = bytes
            budget.byteCount.wrappingAdd(count, ordering: .relaxed)
        }

        deinit { budget.byteCount.wrappingSubtract(count, ordering: .relaxed) }
    }
}
