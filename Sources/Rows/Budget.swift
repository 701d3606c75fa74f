import HoldfastThreads

/// The reason why an evaluation was given up; its results since then are not to be used.
package enum EvaluationFailure: Error, Hashable, Sendable {
    /// It ran into the query's deadline, its client has left, or its turn does not continue.
    case time
    /// It needed too much memory.
    case memory
    /// A regular expression took too long for one value, or too much memory.
    case pattern
    /// The text of the reply takes more memory than it may.
    case reply
}

/// The means of one evaluation: time until a deadline, as long as its turn continues, and memory.
///
/// Every loop whose length a client decides is handed a budget and spends steps of it. Once it has failed it
/// stays so, and nothing that it was spent on since is to be used: loops end, and who began the evaluation
/// asks for ``failure``. One thread at a time uses it. It is public because sorts that spend it are inlined.
public final class Budget {
    /// So many steps are spent between two looks at the clock. A step takes a few nanoseconds to a few hundred.
    package static let stepsUnseen = 1024

    /// When the evaluation has to be done, in milliseconds of the monotonic clock; `.max` for never.
    package var deadlineMilliseconds: UInt64
    /// Bytes of memory that what is collected for one object, or in one comparison, may take.
    package private(set) var memoryByteCountMax: Int
    /// The turn that the evaluation runs in; nil where it runs by itself.
    package var turn: (any EvaluationTurn)?
    /// Bytes of memory that kept data takes, see ``keep(_:)``.
    private var keptByteCount = 0
    /// Why the evaluation was given up; nil while it was not.
    package private(set) var failure: EvaluationFailure?
    /// The number of looks at the clock.
    package private(set) var lookCount = 0
    /// Steps until the next look; none once the budget has failed.
    @usableFromInline var stepsLeft = stepsUnseen

    /// Makes a budget.
    package init(
        until deadlineMilliseconds: UInt64 = .max, memoryByteCountMax: Int = 256 << 20
    ) {
        self.deadlineMilliseconds = deadlineMilliseconds
        self.memoryByteCountMax = memoryByteCountMax
    }

    /// Bounds what follows. An evaluation that was given up stays so.
    package func limit(until deadline: UInt64, memoryByteCountMax byteCount: Int? = nil) {
        deadlineMilliseconds = deadline
        if let byteCount { memoryByteCountMax = byteCount }
    }

    /// Begins another evaluation in the same turn, which knows nothing of the one before.
    package func begin(until deadline: UInt64, memoryByteCountMax byteCount: Int = 256 << 20) {
        deadlineMilliseconds = deadline
        memoryByteCountMax = byteCount
        keptByteCount = 0
        failure = nil
        stepsLeft = Self.stepsUnseen
    }

    /// Spends steps; false when the evaluation has to end. Cost: a subtraction, and now and then ``look()``.
    @inlinable @inline(__always)
    public func spend(_ steps: Int = 1) -> Bool {
        stepsLeft &-= steps
        return stepsLeft > 0 || look()
    }

    /// Asks whether the evaluation may go on. May block while it is others' turn. Cost: a look at the clock, or two.
    @inline(never)
    public func look() -> Bool {
        stepsLeft = 0
        guard failure == nil else { return false }
        lookCount += 1
        // The turn comes first: the deadline may pass while it is others'.
        if let turn, !turn.mayContinue() {
            failure = .time
        } else if deadlineMilliseconds != .max, monotonicMilliseconds() >= deadlineMilliseconds {
            failure = .time
        } else {
            stepsLeft = Self.stepsUnseen
            return true
        }
        return false
    }

    /// Gives the evaluation up.
    package func fail(_ reason: EvaluationFailure) {
        if failure == nil { failure = reason }
        stepsLeft = 0
    }

    /// Gives the evaluation up where so many bytes are too many; false once it was given up.
    @inline(__always)
    package func holds(_ byteCount: Int) -> Bool {
        if byteCount > memoryByteCountMax { fail(.memory) }
        return failure == nil
    }

    /// Counts bytes that are kept until the end, and spends a step. Gives the evaluation up if the bytes are too many.
    package func keep(_ byteCount: Int) -> Bool {
        keptByteCount += byteCount
        return holds(keptByteCount) && spend()
    }

    /// Forgets that a regular expression was given up, which was tried where its answer decides nothing.
    package func forgetPattern() {
        guard failure == .pattern else { return }
        failure = nil
        stepsLeft = Self.stepsUnseen
    }
}

/// The time slices of an evaluation that shares the processors with others.
package protocol EvaluationTurn: Sendable {
    /// Called by an evaluation at each look at the clock. Blocks the calling thread while others have their turn.
    ///
    /// - Returns: False when the evaluation has to end; its results are not to be used then.
    func mayContinue() -> Bool
    /// Whether nothing else runs or waits, so that an evaluation may use further cores.
    var isAlone: Bool { get }
}
