/// Why an evaluation was given up: what it found since then is not to be used.
package enum EvaluationFailure: Error, Hashable, Sendable {
    /// It ran into the query's deadline.
    case time
    /// It needed too much memory.
    case memory
    /// A regular expression took too long for one value, or too much memory.
    case pattern
}

/// What the regular expressions of one matcher share: until when they may run, and whether one gave up.
final class PatternWatch {
    /// In milliseconds of the monotonic clock.
    var deadlineMilliseconds = UInt64.max
    /// The first failure. Once there is one no pattern runs any more.
    var failure: EvaluationFailure?
}
