import HoldfastQuery
import HoldfastRows

/// Adds the objects that satisfy a predicate to an aggregation.
final class ColumnAggregator: ColumnWorker, @unchecked Sendable {
    // Unchecked: one thread at a time uses it.

    private let program: ColumnProgram
    private let frame: ColumnFrame
    let part: Aggregation

    /// - `part`: For this aggregator alone.
    /// - `byteCountMax`: Memory beyond which it takes no more.
    init(
        _ program: ColumnProgram, _ part: Aggregation, byteCountMax: Int,
        within budget: Budget
    ) {
        frame = ColumnFrame(within: budget)
        self.program = program
        self.part = part
        part.byteCountMax = byteCountMax
    }

    var hasRoom: Bool { !part.isFull }

    func take(_ chunk: Int) -> Bool {
        if part.isFull { return false }
        guard program.evaluate(chunk, frame) else { return true }
        if frame.hasUndecided || !part.exceptions(of: chunk).isEmpty { return false }
        part.add(chunk, frame)
        return true
    }
}
