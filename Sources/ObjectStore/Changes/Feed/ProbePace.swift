/// Which commits the writer's thread looks at itself: the more of them in a row concern somebody, the fewer.
struct ProbePace {
    private static let skippedCountMax = 15

    /// How many commits are not looked at behind the next that concerns somebody.
    private var skippedCount = 0
    /// How many of them are left.
    private var leftCount = 0

    /// Whether a commit concerns no channel, as far as `isQuiet` is asked.
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
