import Synchronization

/// The bytes that several holders have together, with a bound up to which there is room for more. Thread-safe.
package final class MemoryBudget: Sendable {
    private let byteCountMax: Int
    private let uncountedByteCountMax: Int
    private let count = Atomic<Int>(0)

    /// Makes a budget without holders.
    ///
    /// - Parameters:
    ///   - byteCountMax: The number of bytes up to which there is room for more.
    ///   - uncountedByteCountMax: The largest holder that is not counted, in bytes.
    package init(byteCountMax: Int, uncountedByteCountMax: Int = 0) {
        self.byteCountMax = byteCountMax
        self.uncountedByteCountMax = uncountedByteCountMax
    }

    package var byteCount: Int { count.load(ordering: .relaxed) }

    /// Whether there is no room for more bytes.
    package var isTight: Bool { byteCount > byteCountMax }

    /// Whether a holder may have `wanted` bytes in place of the `held` bytes that it has. A holder always has room if there is
    /// no other.
    package func hasRoom(for wanted: Int, insteadOf held: Int = 0) -> Bool {
        guard wanted > uncountedByteCountMax else { return true }
        let others = byteCount - counted(held)
        return others <= 0 || others + wanted <= byteCountMax
    }

    /// Counts a holder that has `wanted` bytes in place of `held`, whether there is room or not.
    package func replace(_ held: Int, with wanted: Int) {
        let difference = counted(wanted) - counted(held)
        if difference != 0 { count.wrappingAdd(difference, ordering: .relaxed) }
    }

    /// Counts a number of bytes for as long as the result lives.
    ///
    /// - `holder`: Kept alive by the result.
    package func share(_ byteCount: Int, of holder: (any Sendable)? = nil) -> Lease {
        replace(0, with: byteCount)
        return Lease {
            withExtendedLifetime(holder) {}
            self.replace(byteCount, with: 0)
        }
    }

    private func counted(_ byteCount: Int) -> Int {
        byteCount > uncountedByteCountMax ? byteCount : 0
    }
}
