import HoldfastThreads

/// The reason why an evaluation was aborted. Its results from then on must not be used.
package enum EvaluationFailure: Error, Hashable, Sendable {
    /// It exceeded the query's deadline, its client disconnected, or its turn was ended.
    case time
    /// It needed too much memory.
    case memory
    /// A regular expression took too long for one value, or too much memory.
    case pattern
    /// The reply's text exceeds its memory limit.
    case reply
}

/// The budget of one evaluation: time until a deadline, while its turn continues, and memory.
///
/// Every loop whose length depends on a client takes a budget and spends steps. Once the budget has failed it stays so: loops
/// end, later results must not be used, and the caller that began the evaluation reads ``failure``. One thread at a time uses it.
/// It is public because sorts that spend it are inlined.
public final class Budget {
    /// The number of steps between two looks at the clock. A step takes a few nanoseconds to a few hundred.
    package static let stepsUnseen = 1024

    /// The deadline in milliseconds of the monotonic clock; `.max` for no deadline.
    package var deadlineMilliseconds: UInt64
    /// The maximum memory for one object or one comparison, in bytes.
    package private(set) var memoryByteCountMax: Int
    /// The turn of the evaluation; nil if it does not share the processors.
    package var timeSlice: (any TimeSlice)?
    /// The bytes of data counted by ``keep(_:)``.
    private var keptByteCount = 0
    /// The reason why the evaluation was aborted; nil if it was not.
    package private(set) var failure: EvaluationFailure?
    /// The number of looks at the clock.
    package private(set) var lookCount = 0
    /// The number of steps until the next look; at most 0 once the budget has failed.
    @usableFromInline var stepsLeft = stepsUnseen

    package init(until deadlineMilliseconds: UInt64 = .max, memoryByteCountMax: Int = 256 << 20) {
        self.deadlineMilliseconds = deadlineMilliseconds
        self.memoryByteCountMax = memoryByteCountMax
    }

    /// Sets new limits. An aborted evaluation stays aborted.
    package func limit(until deadline: UInt64, memoryByteCountMax byteCount: Int? = nil) {
        deadlineMilliseconds = deadline
        if let byteCount { memoryByteCountMax = byteCount }
    }

    /// Begins another evaluation in the same turn, without the state of the previous one.
    package func begin(until deadline: UInt64, memoryByteCountMax byteCount: Int = 256 << 20) {
        deadlineMilliseconds = deadline
        memoryByteCountMax = byteCount
        keptByteCount = 0
        failure = nil
        stepsLeft = Self.stepsUnseen
    }

    /// Spends steps. Returns false if the evaluation has to end. Cost: a subtraction, and sometimes ``checkLimits()``.
    @inlinable @inline(__always)
    public func spend(_ steps: Int = 1) -> Bool {
        stepsLeft &-= steps
        return stepsLeft > 0 || checkLimits()
    }

    /// Checks whether the evaluation may go on. May block while others have their turn. Cost: one or two looks at the clock.
    @inline(never)
    public func checkLimits() -> Bool {
        stepsLeft = 0
        guard failure == nil else { return false }
        lookCount += 1
        // The turn is checked first, because the deadline may pass while others have their turn.
        if let timeSlice, !timeSlice.mayContinue() {
            failure = .time
        } else if deadlineMilliseconds != .max, monotonicMilliseconds() >= deadlineMilliseconds {
            failure = .time
        } else {
            stepsLeft = Self.stepsUnseen
            return true
        }
        return false
    }

    /// Aborts the evaluation.
    package func fail(_ reason: EvaluationFailure) {
        if failure == nil { failure = reason }
        stepsLeft = 0
    }

    /// Aborts the evaluation if the byte count exceeds the limit. Returns false once it is aborted.
    @inline(__always)
    package func holds(_ byteCount: Int) -> Bool {
        if byteCount > memoryByteCountMax { fail(.memory) }
        return failure == nil
    }

    /// Counts bytes that are kept until the end, and spends a step. Aborts the evaluation if there are too many bytes.
    package func keep(_ byteCount: Int) -> Bool {
        keptByteCount += byteCount
        return holds(keptByteCount) && spend()
    }
}

/// The time slices of an evaluation that shares the processors with others.
package protocol TimeSlice: Sendable {
    /// Checks at each look at the clock whether the evaluation may go on. Blocks the calling thread while others have their turn.
    ///
    /// - Returns: False if the evaluation has to end. Its results must not be used then.
    func mayContinue() -> Bool
    /// Whether no other work runs or waits, so that an evaluation may use more cores.
    var isAlone: Bool { get }
}
