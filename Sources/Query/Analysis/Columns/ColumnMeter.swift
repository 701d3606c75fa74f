import Synchronization

/// Counts the bytes of the chunks that are alive, by whichever query or store. Thread-safe.
package final class ColumnMeter: Sendable {
    private let total = Atomic<Int>(0)

    /// Makes a counter at 0.
    package init() {}

    /// The bytes of all chunks that were made with this counter and are not freed yet.
    package var byteCount: Int { total.load(ordering: .relaxed) }

    func add(_ byteCount: Int) { total.wrappingAdd(byteCount, ordering: .relaxed) }
}
