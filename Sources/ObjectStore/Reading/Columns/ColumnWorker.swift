import HoldfastQuery
import HoldfastRows

/// The work of one thread on the chunks of a scan that several share: adds the objects that satisfy a predicate to an
/// aggregation.
final class ColumnWorker: @unchecked Sendable {
    // Unchecked: one thread at a time uses it.

    private let program: ColumnProgram
    private let frame: ColumnFrame
    let part: Aggregation

    /// - `part`: For this worker alone.
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

    /// Whether it is to take more.
    var hasRoom: Bool { !part.isFull }

    /// Takes a chunk; false where only the thread of the scan can do that, which reads rows.
    func take(_ chunk: Int) -> Bool {
        if part.isFull { return false }
        guard program.evaluate(chunk, frame) else { return true }
        if frame.hasUndecided || !part.exceptions(of: chunk).isEmpty { return false }
        part.add(chunk, frame)
        return true
    }
}
