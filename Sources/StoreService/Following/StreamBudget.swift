import Synchronization

/// Bytes that wait for single streams which catch up, of all streams together. What many streams share does not count.
/// Any thread.
final class StreamBudget: Sendable {
    /// Bytes beyond which each stream is sent small pieces, one at a time.
    private static let byteCountMax = 32 << 20

    private let byteCount = Atomic<Int>(0)

    /// Whether there is no room for more than that.
    var isTight: Bool { byteCount.load(ordering: .relaxed) > Self.byteCountMax }

    /// Counts bytes as long as their holder lives.
    func hold(_ bytes: SharedBytes) -> SharedBytes {
        SharedBytes(bytes.buffer, heldBy: Share(self, bytes.count))
    }

    private final class Share: Sendable {
        let budget: StreamBudget
        let count: Int

        init(_ budget: StreamBudget, _ count: Int) {
            self.budget = budget
            self.count = count
            budget.byteCount.wrappingAdd(count, ordering: .relaxed)
        }

        deinit { budget.byteCount.wrappingSubtract(count, ordering: .relaxed) }
    }
}
