import HoldfastThreads

/// The gate that one import at a time passes whose lines are so long that several would take too much memory
/// together. Thread-safe.
package final class LongLineGate: Sendable {
    /// The bytes of a line that every import may have in memory.
    static let freeByteCount = 32 << 20

    /// An import's way through the gate: entered with its first long line, left when the import's lines are
    /// cut. One thread at a time.
    final class Passage {
        private let gate: LongLineGate
        private let isUnwanted: () -> Bool
        private var isInside = false

        /// - `isUnwanted`: Whether the import is over, asked each second while it waits.
        init(_ gate: LongLineGate, isUnwanted: @escaping () -> Bool) {
            self.gate = gate
            self.isUnwanted = isUnwanted
        }

        deinit { if isInside { gate.isTaken.update { $0 = false } } }

        /// Waits until the import may have a long line in memory; false when it is over instead.
        func enter() -> Bool {
            while !isInside {
                let isEntered = gate.isTaken.wait(microseconds: 1_000_000) { isTaken -> Bool? in
                    if isTaken { return nil }
                    isTaken = true
                    return true
                }
                if isEntered == true { isInside = true } else if isUnwanted() { return false }
            }
            return true
        }
    }

    private let isTaken = Monitor(false)

    /// Makes an open gate.
    package init() {}
}
