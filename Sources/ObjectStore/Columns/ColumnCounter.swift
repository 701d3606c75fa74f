import HoldfastQuery
import HoldfastRows

/// Counts the objects that satisfy a predicate.
final class ColumnCounter: ColumnWorker, @unchecked Sendable {
    // Unchecked: one thread at a time uses it.

    private let program: ColumnProgram
    private let frame: ColumnFrame
    private(set) var count = 0

    init(_ program: ColumnProgram, within budget: Budget) {
        self.program = program
        frame = ColumnFrame(within: budget)
    }

    var hasRoom: Bool { true }

    func take(_ chunk: Int) -> Bool {
        guard program.evaluate(chunk, frame) else { return true }
        if frame.hasUndecided { return false }
        count += frame.count
        return true
    }
}
