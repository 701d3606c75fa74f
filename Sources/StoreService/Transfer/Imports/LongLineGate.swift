import HoldfastThreads

/// The gate that one import at a time passes whose lines are so long that several would take too much memory
/// together. Thread-safe.
package final class LongLineGate: Sendable {
    /// The bytes of a line that every import may have in memory.
    static let freeByteCount = 32 << 20

    private let isTaken = Monitor(false)

    /// Makes an open gate.
    package init() {}

    /// Waits until an import may have long lines in memory, as long as it has the result; nil when it is over instead.
    ///
    /// - `isUnwanted`: Whether the import is over, asked each second while it waits.
    func enter(_ isUnwanted: () -> Bool) -> Lease? {
        while true {
            let isEntered = isTaken.wait(microseconds: 1_000_000) { isTaken -> Bool? in
                if isTaken { return nil }
                isTaken = true
                return true
            }
            if isEntered == true { return Lease { [isTaken] in isTaken.update { $0 = false } } }
            if isUnwanted() { return nil }
        }
    }
}
