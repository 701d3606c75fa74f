import Synchronization

/// The memory of request bodies and replies under way, of all connections together. Thread-safe.
///
/// Only a message above ``uncountedByteCountMax`` is counted; the number of connections bounds the others.
package final class MessageMemory: Sendable {
    /// The greatest message, in bytes, that is not counted.
    static let uncountedByteCountMax = 4096
    /// The greatest reply, in bytes, that is never refused: figures and single objects are sent even when all memory is taken.
    static let grantedByteCountMax = 64 << 10

    private let byteCountMax: Int
    private let count = Atomic<Int>(0)

    init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// The bytes that are counted now.
    package var byteCount: Int { count.load(ordering: .relaxed) }

    /// Whether a message may take `wanted` bytes in place of the `held` bytes that it has. A message always has room if there is
    /// no other.
    func hasRoom(for wanted: Int, insteadOf held: Int = 0) -> Bool {
        guard wanted > Self.uncountedByteCountMax else { return true }
        let others = byteCount - counted(held)
        return others <= 0 || others + wanted <= byteCountMax
    }

    /// Counts a message that takes `wanted` bytes in place of `held`, whether there is room or not.
    func replace(_ held: Int, with wanted: Int) {
        let difference = counted(wanted) - counted(held)
        if difference != 0 { count.wrappingAdd(difference, ordering: .relaxed) }
    }

    private func counted(_ byteCount: Int) -> Int {
        byteCount > Self.uncountedByteCountMax ? byteCount : 0
    }
}
