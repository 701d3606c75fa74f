/// Chooses the commits that the writer's thread looks at itself: the more in a row concern a channel, the fewer it looks at.
///
/// Benchmark row: `filters-flat-out`.
struct ProbePace {
    private static let skippedCountMax = 15

    /// The number of commits that are skipped after the next commit that concerns a channel.
    private var skippedCount = 0
    /// The number of commits that are still to be skipped.
    private var leftCount = 0

    /// Whether a commit is known to concern no channel. `isQuiet` is not called for a skipped commit.
    mutating func probe(_ isQuiet: () -> Bool) -> Bool {
        if leftCount > 0 {
            leftCount -= 1
            return false
        }
        if isQuiet() {
            skippedCount = 0
            return true
        }
        leftCount = skippedCount
        skippedCount = min(2 * skippedCount + 1, Self.skippedCountMax)
        return false
    }
}
